"""What the log says of a recipe's requests, beside what it says of every request: counts and names, no content."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

    from ctx_core.report.report import ContextReport

_LOG: Final = logging.getLogger("ctx_core.recipes")


def log_trim(recipe: str, report: ContextReport) -> None:
    """Write one line at info for a request of which something was cut or left out."""
    if report.trimmed:
        log_sent(recipe, report)


def log_sent(recipe: str, report: ContextReport) -> None:
    """Write one line at info: messages sent and left out, tokens and limit, and what of the layers went."""
    layers = [
        f"{layer.name} {f'{layer.left_out} left out' if layer.left_out else 'cut'}"
        for layer in report.layers
        if layer.why and layer.name not in ("history", "current")
    ]
    _LOG.info(
        "%s: %d messages sent, %d left out, %d of %d tokens%s",
        f"{recipe} {report.label}".strip(),
        report.history.messages,
        report.history.omitted,
        report.used,
        report.limit,
        f"; {', '.join(layers)}" if layers else "",
    )


def log_without_part(report: ContextReport, empty: Collection[str], logged: set[str]) -> None:
    """Warn once of each layer that says something and has no part of the budget, so that nothing of it is ever sent.

    Args:
        report: of a request.
        empty: names of the budget's parts that are 0.
        logged: layers of which the log has said so.
    """
    for layer in report.layers:
        if layer.name in empty and layer.asked and not layer.used and layer.name not in logged:
            logged.add(layer.name)
            _LOG.warning(
                "the budget's part for %s is 0: its %d tokens are left out of every request", layer.name, layer.asked
            )
