"""Compares token counts with recorded bills, beside the usual counters.

    python -m benchmarks.accuracy --data recorded.jsonl.gz [--json accuracy.json]

A row is a request and the provider's own usage figure for it. Errors are shares of the bill.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.conversations import anchored_rows
from benchmarks.peers import peers
from benchmarks.recorded import Recorded, recorded
from ctx_core.counting import RequestOptions, TokenCounter
from ctx_core.errors import CtxLayersError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OURS: Final = "ctx-layers"
_FAMILIES: Final = (
    (r"claude.*(opus-4[-.][78]|(sonnet|opus|haiku)-5)", "Claude 4.7 and later"),
    (r"claude.*4[-.][56]", "Claude 4.5/4.6"),
    (r"claude", "Claude 3 … 4.1"),
    (r"gpt-oss", "gpt-oss"),
    (r"gemini", "Gemini"),
    (r"gemma", "Gemma"),
    (r"llama|hermes", "Llama"),
    (r"qwen", "Qwen"),
    (r"deepseek|mai-ds", "DeepSeek"),
    (r"glm", "GLM"),
    (r"kimi", "Kimi"),
    (r"stral", "Mistral"),
    (r"grok", "Grok"),
    (r"command", "Command"),
    (r"nova", "Nova"),
    (r"(^|/)(gpt-5-chat)", "OpenAI chat"),
    (r"(^|/)(o\d|gpt-5|codex)", "OpenAI reasoning"),
    (r"(^|/)(gpt|chatgpt)", "OpenAI chat"),
)


_SHOWN: Final = (
    "exact",
    "within_2",
    "within_2pct",
    "within_5pct",
    "under_estimate",
    "under_bound",
    "mean_error",
    "max_error",
)


@dataclass(frozen=True, slots=True)
class Counted:
    """A row with the figures of one counter."""

    billed: int
    estimate: int
    bound: int


def family(model: str) -> str:
    """Give the name under which a model is reported."""
    return next((name for pattern, name in _FAMILIES if re.search(pattern, model.lower())), "other")


@cache
def _counter(model: str, api: str, host: str) -> TokenCounter:
    return TokenCounter.for_model(model, api=api, host=host)


def counter_of(row: Recorded) -> TokenCounter:
    """Give our counter for a row."""
    return _counter(row.model, row.api, row.provider)


def options_of(row: Recorded) -> RequestOptions:
    """Give the options of a row that are billed."""
    return RequestOptions(
        tool_choice=row.choice,
        schema=row.schema,
        schema_name=row.schema_name,
        schema_description=row.schema_description,
        thinking=row.thinking,
    )


def measured(rows: Iterable[Recorded]) -> dict[tuple[str, str, str], list[Counted]]:
    """Count every row with every counter: by family, kind and counter."""
    others = peers()
    countable: list[Recorded] = []
    found: dict[tuple[str, str, str], list[Counted]] = defaultdict(list)
    for row in rows:
        place = family(row.model), row.kind
        try:
            count = counter_of(row).measure(row.messages, tools=row.tools, options=options_of(row))
        except (CtxLayersError, TypeError, ValueError, RecursionError) as error:
            print(f"left out row {row.id}, which cannot be counted: {type(error).__name__}", file=sys.stderr)  # noqa: T201
            continue
        countable.append(row)
        found[*place, OURS].append(Counted(row.billed, count.estimate, count.bound))
        for name, peer in others.items():
            try:
                tokens = peer(row)
            except Exception as error:  # noqa: BLE001 - other people's code, which stops at what it does not know
                print(f"{name} cannot count row {row.id}: {type(error).__name__}", file=sys.stderr)  # noqa: T201
                continue
            found[*place, name].append(Counted(row.billed, tokens, tokens))
    for row, count in anchored_rows(countable, counter_of, options_of):
        found[family(row.model), "conversation", f"{OURS}, anchored"].append(
            Counted(row.billed, count.estimate, count.bound)
        )
    return found


def summary(counted: Sequence[Counted]) -> dict[str, float | int]:
    """Give rows, shares from 0 to 1, and errors as shares of the bill."""
    errors = [abs(c.estimate - c.billed) / max(1, c.billed) for c in counted]
    n = len(counted)

    def share(hits: Iterable[bool]) -> float:
        return round(sum(hits) / n, 4)

    return {
        "rows": n,
        "exact": share(c.estimate == c.billed for c in counted),
        "within_2": share(abs(c.estimate - c.billed) <= 2 for c in counted),  # noqa: PLR2004 - tokens
        "within_2pct": share(e <= 0.02 for e in errors),  # noqa: PLR2004
        "within_5pct": share(e <= 0.05 for e in errors),  # noqa: PLR2004
        "under_estimate": share(c.estimate < c.billed for c in counted),
        "under_bound": share(c.bound < c.billed for c in counted),
        "mean_error": round(sum(errors) / n, 4),
        "mean_excess": round(sum((c.estimate - c.billed) / max(1, c.billed) for c in counted) / n, 4),
        "max_error": round(max(errors), 4),
    }


def results(rows: Iterable[Recorded]) -> list[dict[str, Any]]:
    """Give one object for every family, kind and counter."""
    found = measured(rows)
    return [
        {"family": place[0], "kind": place[1], "counter": place[2], **summary(counted)}
        for place, counted in sorted(
            found.items(), key=lambda item: (item[0][0], item[0][1], item[0][2] != OURS, item[0][2])
        )
    ]


def table(found: Sequence[dict[str, Any]]) -> str:
    """Write the results as a Markdown table."""
    columns = (
        "family kind counter rows exact within_2 within_2% within_5% estimate_under bound_under mean_error max_error"
    )
    head = f"| {' | '.join(columns.split()).replace('_', ' ')} |"
    lines = [head, "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for row in found:
        shares = [f"{row[key]:.1%}" for key in _SHOWN]
        lines.append(f"| {row['family']} | {row['kind']} | {row['counter']} | {row['rows']:,} | {' | '.join(shares)} |")
    return "\n".join(lines)


def versions() -> str:
    """Name what was measured, with versions."""
    named: list[str] = []
    for package in ("tiktoken", "splintr-rs", "langchain-core", "llama-index-core"):
        try:
            named.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            named.append(f"{package} not installed")
    return ", ".join(named)


def main() -> None:
    """Read the arguments, measure and print."""
    parser = argparse.ArgumentParser(description="Compares token counts with recorded bills.")
    parser.add_argument("--data", type=Path, required=True, help="recorded requests, one JSON object a line")
    parser.add_argument("--json", type=Path, help="file for the results")
    parser.add_argument("--least", type=int, default=1, help="rows that a line of the printed table needs")
    given = parser.parse_args()
    found = results(recorded(given.data))
    if not found:
        sys.exit(f"no row of {given.data.name} could be read")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(table([row for row in found if row["rows"] >= given.least]))  # noqa: T201 - the benchmark's output
    print(f"\n{versions()}")  # noqa: T201


if __name__ == "__main__":
    main()
