"""Where the command line prints: tables for people, lines of JSON for programs."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

_UNBOUNDED: Final = 1_000
"""Columns where there is no terminal: what a program reads is not wrapped."""


def console(*, stderr: bool = False) -> Console:
    """Give the console; what is printed there is taken as it is, without markup."""
    terminal = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not terminal.is_terminal:
        terminal.width = _UNBOUNDED
    return terminal


def table(names: Iterable[str], rows: Iterable[Iterable[object]], *, left: int = 1) -> Table:
    """Make a table of numbers; the first `left` columns are text. Numbers of 0 stay blank."""
    grid = Table(box=None, pad_edge=False)
    for at, name in enumerate(names):
        grid.add_column(name, justify="left" if at < left else "right")
    for row in rows:
        grid.add_row(*map(_cell, row))
    return grid


def print_json(value: object) -> None:
    """Print a value as one line of JSON, in ASCII where the output can't take the text."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = json.dumps(value, separators=(",", ":"))
    sys.stdout.write(text + "\n")


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}" if value else ""
    return str(value)
