"""What the log says of a request, once: sizes, and what was cut. No content."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ctx_core.report.report import ContextReport

_LOG: Final = logging.getLogger("ctx_core")


def log_request(report: ContextReport) -> None:
    """Write a line for each layer to the debug log, and a warning where the text of a message or a layer was cut."""
    for layer in report.layers:
        _LOG.debug("%s: %d tokens of %s", layer.name, layer.used, layer.budget)
    messages = report.history.truncated
    layers = sum(layer.why.startswith("truncated to its") for layer in report.layers)
    if messages or layers:
        _LOG.warning(
            "%d messages and %d layers truncated to fit: %d of %d tokens used",
            messages,
            layers,
            report.used,
            report.limit,
        )
