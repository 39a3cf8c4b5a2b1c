"""A report in a notebook: a stacked bar and the table, readable in light and in dark."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from ctx_core.clean import escaped
from ctx_core.report.text import COLUMNS, LEFT, cells, summary

if TYPE_CHECKING:
    from ctx_core.report.figures import Figures, LayerReport

_COLORS: Final = (
    "#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#76b7b2", "#edc948", "#e15759", "#9c755f", "#ff9da7",
)  # fmt: skip
"""Tableau's ten without its grey, which is the free part: told apart on white and on black, and by most eyes."""
_FREE: Final = "rgba(128,128,128,.22)"
_RESERVE: Final = "repeating-linear-gradient(45deg,rgba(128,128,128,.55) 0 3px,transparent 3px 7px)"


def as_html(report: Figures) -> str:
    """Give a report as a piece of HTML without scripts and without anything to load."""
    colors = {layer.name: _COLORS[at % len(_COLORS)] for at, layer in enumerate(report.layers)}
    bar = "".join(_segment(layer.name, layer.used, report.total, colors[layer.name]) for layer in report.layers)
    bar += _segment("free", max(0, report.available), report.total, _FREE)
    bar += _segment("kept for the answer", report.reserve, report.total, _RESERVE)
    rows = "".join(_row(layer, colors[layer.name]) for layer in report.layers)
    heads = "".join(
        f'<th style="text-align:{"left" if name in LEFT else "right"};padding:2px 10px;font-weight:600">{name}</th>'
        for name in COLUMNS
    )
    return (
        '<div style="font:13px/1.5 system-ui,sans-serif;max-width:760px;color:inherit">'
        f'<div style="margin:0 0 6px"><b>{report.used:,}</b> of {report.limit:,} tokens '
        f"({report.utilization} %)</div>"
        '<div role="img" aria-label="' + escape(summary(report)) + '" style="display:flex;height:22px;'
        'border:1px solid rgba(128,128,128,.5);border-radius:4px;overflow:hidden">'
        f"{bar}</div>"
        '<table style="border-collapse:collapse;margin:8px 0;color:inherit;background:transparent;'
        'font:inherit;white-space:nowrap">'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        f"{_changed(report)}"
        f'<div style="opacity:.75">{report.reserve:,} kept for the answer; {escape(escaped(report.counted_with))}</div>'
        "</div>"
    )


def _changed(report: Figures) -> str:
    text = escape(escaped(report.changed_for))
    return f'<div style="opacity:.75">{text}</div>' if text else ""


def _segment(name: str, tokens: int, total: int, color: str) -> str:
    if tokens <= 0:
        return ""
    title = escape(f"{escaped(name)}: {tokens:,} tokens, {100 * tokens / total:.1f} % of the window")
    return f'<div title="{title}" style="flex:0 0 {100 * tokens / total:.3f}%;background:{color}"></div>'


def _row(layer: LayerReport, color: str) -> str:
    name, *numbers, why = map(escape, cells(layer))
    swatch = (
        f'<span style="display:inline-block;width:10px;height:10px;border-radius:2px;background:{color};'
        'margin-right:6px"></span>'
    )
    tone = "color:#d9534f;font-weight:600" if layer.over else ""
    cell = "".join(
        f'<td style="text-align:right;padding:2px 10px;font-variant-numeric:tabular-nums">{n}</td>' for n in numbers
    )
    return (
        f'<tr style="background:transparent"><td style="text-align:left;padding:2px 10px;{tone}">{swatch}{name}</td>'
        f'{cell}<td style="text-align:left;padding:2px 10px">{why}</td></tr>'
    )
