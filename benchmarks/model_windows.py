# ruff: noqa: T201 - scripts are no package, and print
"""Compares the windows of models' names with the lists of LiteLLM and genai-prices.

    python -m benchmarks.model_windows [--litellm model_prices_and_context_window.json] [--show larger missing smaller]

Either list is optional: LiteLLM's file is found in the package, if it is installed, or given; genai-prices is imported.
A window of ours that is larger than the list's input and answer together may overflow; one that is smaller costs room.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from ctx_core.counting import window_of
from ctx_core.errors import UnknownModelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Verdict: TypeAlias = Literal["alike", "larger", "smaller", "missing"]
_CHAT: Final = frozenset({"chat", "responses", "completion"})
_FILE: Final = "model_prices_and_context_window_backup.json"
_ALIKE: Final = 1.05
_MUCH: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A model of a list."""

    host: str
    name: str
    tokens: int
    """Its window, or the limit of its input."""
    answer: int
    """Its longest answer; 0 where the window of the list has it in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A model of a list with our window."""

    listed: Listed
    ours: int | None
    verdict: Verdict


def litellm_models(path: Path) -> Iterator[Listed]:
    """Read LiteLLM's chat models that have a window."""
    models: dict[str, dict[str, Any]] = json.loads(path.read_text("utf-8"))
    for name, model in models.items():
        tokens = model.get("max_input_tokens") or model.get("max_tokens")
        if model.get("mode") in _CHAT and isinstance(tokens, int):
            answer = model.get("max_output_tokens")
            host = str(model.get("litellm_provider"))
            yield Listed(host=host, name=name, tokens=tokens, answer=answer if isinstance(answer, int) else 0)


def genai_prices_models() -> Iterator[Listed]:
    """Read the models of genai-prices that have a window."""
    from genai_prices.data_snapshot import get_snapshot

    for provider in get_snapshot().providers:
        for model in provider.models:
            if model.context_window:
                yield Listed(host=provider.id, name=model.id, tokens=model.context_window, answer=0)


def compare(listed: Listed) -> Compared:
    """Compare the window of a model with ours by its name."""
    try:
        window = window_of(listed.name)
    except UnknownModelError:
        return Compared(listed=listed, ours=None, verdict="missing")
    # A list has one figure for both kinds of windows: ours is no larger if either reading is.
    least = window.tokens if window.input_only else window.tokens - (window.max_output or 0)
    most = window.tokens + (window.max_output or 0 if window.input_only else 0)
    verdict: Verdict = "alike"
    if window.tokens > listed.tokens * _ALIKE and least > listed.tokens:
        verdict = "larger"
    elif most < listed.tokens * _MUCH:
        verdict = "smaller"
    return Compared(listed=listed, ours=window.tokens, verdict=verdict)


def by_verdict(models: Iterable[Listed]) -> dict[Verdict, list[Compared]]:
    """Compare all models of a list."""
    found: dict[Verdict, list[Compared]] = defaultdict(list)
    for listed in models:
        compared = compare(listed)
        found[compared.verdict].append(compared)
    return found


def litellm_path() -> Path | None:
    """Give LiteLLM's file, if the package is installed; it is not imported."""
    spec = find_spec("litellm")
    return None if spec is None or spec.origin is None else Path(spec.origin).with_name(_FILE)


def _lists(given: Path | None) -> Iterator[tuple[str, Iterator[Listed]]]:
    path = given or litellm_path()
    if path is not None:
        yield "LiteLLM", litellm_models(path)
    if find_spec("genai_prices") is not None:
        yield "genai-prices", genai_prices_models()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how many windows differ, by host, and the models where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--litellm", type=Path, help="LiteLLM's file, if the package is not installed")
    parser.add_argument("--show", nargs="*", default=[], choices=["alike", "larger", "smaller", "missing"])
    options = parser.parse_args(arguments)
    compared = 0
    for name, models in _lists(options.litellm):
        found = by_verdict(models)
        compared += sum(map(len, found.values()))
        print(f"{name}: " + ", ".join(f"{verdict} {len(rows)}" for verdict, rows in sorted(found.items())))
        for verdict in options.show:
            hosts = Counter(row.listed.host for row in found[verdict])
            print(f"  {verdict}: " + ", ".join(f"{host} {count}" for host, count in hosts.most_common()))
            for row in found[verdict]:
                print(f"    {row.listed.name}: {row.ours or '-'}, listed {row.listed.tokens}")
    if not compared:
        print("neither LiteLLM nor genai-prices is installed: pip install litellm genai-prices, or give --litellm")
    return 0 if compared else 1


if __name__ == "__main__":
    raise SystemExit(main())
