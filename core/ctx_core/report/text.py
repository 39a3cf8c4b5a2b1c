"""A report in the terminal: plain text, and `rich`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from ctx_core.clean import escaped

if TYPE_CHECKING:
    from ctx_core.report.figures import Figures, LayerReport

COLUMNS: Final = ("layer", "asked", "budget", "used", "left out", "why")
LEFT: Final = ("layer", "why")
"""Columns of words; the others are numbers."""


def as_text(report: Figures) -> str:
    """Give a report as a table of text, a line a layer."""
    rows = [COLUMNS, *map(cells, report.layers)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(COLUMNS))]
    lines = [
        "  ".join(
            cell.ljust(width) if name in LEFT else cell.rjust(width)
            for name, cell, width in zip(COLUMNS, row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, *filter(None, [escaped(report.changed_for)]), summary(report)])


def as_rich(report: Figures) -> Group:
    """Give a report as a table for `rich`."""
    table = Table(box=None, pad_edge=False)
    for name in COLUMNS:
        table.add_column(name, justify="left" if name in LEFT else "right")
    for layer in report.layers:
        style = "yellow" if layer.why else ("red" if layer.over else None)
        table.add_row(*map(Text, cells(layer)), style=style)
    changed = escaped(report.changed_for)
    return Group(table, *([Text(changed)] if changed else []), Text(summary(report)))


def cells(layer: LayerReport) -> tuple[str, ...]:
    """Give the columns of a layer's row; what a name could do to a terminal or a page is shown instead."""
    return (
        escaped(layer.name),
        "–" if layer.asked is None else f"{layer.asked:,}",
        "–" if layer.budget is None else f"{layer.budget:,}",
        f"{layer.used:,}",
        f"{layer.left_out:,}" if layer.left_out else "",
        escaped(layer.why),
    )


def summary(report: Figures) -> str:
    """Give the line below the table."""
    return (
        f"{report.used:,} of {report.limit:,} tokens ({report.utilization} %), "
        f"{report.reserve:,} kept for the answer; {escaped(report.counted_with)}"
    )
