"""The tables of the page about providers are what the code says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ctx_core.providers import PROVIDERS, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx_core.providers import Provider, Rule

PAGE: Final = Path(__file__).parents[2] / "docs" / "providers.md"
HEADING: Final = "## The rows\n"
HEAD: Final = f"""{HEADING}
Made out of the code; `CTX_SNAPSHOTS=write .venv/bin/python -m pytest tests/providers/test_page.py` writes them anew.
The tables are in the order of the kinds, of which `ctx_core.providers.Kind` says what each means.
"""


def models_of(rule: Rule) -> str:
    """Say which models a rule is for."""
    some = "; ".join(map(str, rule.models)) or "all"
    others = "; ".join(map(str, rule.but))
    return some + (f", but not {others}" if others else "")


def said_of(rule: Rule) -> Iterator[str]:
    """Say what there is beside the sentence: numbers, dates, doubts, clients."""
    if rule.most is not None:
        yield f"At most {rule.most}."
    if rule.least is not None:
        yield f"At least {rule.least:,}."
    if rule.pattern is not None:
        yield f"Pattern `{rule.pattern}`."
    if rule.since or rule.until:
        yield (
            " ".join(
                (*([f"Since {rule.since}"] if rule.since else []), *([f"until {rule.until}"] if rule.until else []))
            )
            + "."
        )
    if rule.clients:
        yield f"Asked by {', '.join(rule.clients)}, not by the API."
    if rule.unsure is not None:
        yield ("Disputed: " if rule.disputed else "Unsure: ") + rule.unsure
    for one in rule.by_client:
        yield f"{one.client} {one.does}: {one.how}"


def table(row: Provider) -> Iterator[str]:
    """Give the lines of a row's table."""
    yield f"\n### {row.title}: `{row.name}`\n"
    if row.hosts:
        yield f"Servers: {', '.join(f'`{host}`' for host in row.hosts)}.\n"
    yield "| kind | refused | models | known by | beside |"
    yield "|---|---|---|---|---|"
    kinds = list(Kind)
    for rule in sorted(row.rules, key=lambda rule: kinds.index(rule.kind)):
        cells = (
            f"`{rule.kind}`",
            rule.refused,
            models_of(rule),
            f"{rule.confidence}: {rule.source}",
            " ".join(said_of(rule)),
        )
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def tables() -> str:
    """Give the part of the page that is made."""
    return HEAD + "\n".join(line for row in PROVIDERS.values() for line in table(row)) + "\n"


def test_the_tables_of_the_page_are_those_of_the_code() -> None:
    """A rule that is added, or of which more is known, stands there."""
    page = PAGE.read_text("utf-8")
    before, heading, _ = page.partition(HEADING)
    if os.environ.get("CTX_SNAPSHOTS") == "write":
        PAGE.write_text(before + tables(), "utf-8")
        return
    assert heading
    assert page == before + tables()
