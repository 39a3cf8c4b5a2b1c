"""What the log says of a request, once: sizes, and what was cut. No content."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING, Final

from ctx_core.clean import escaped

if TYPE_CHECKING:
    from ctx_core.report.report import ContextReport

_LOG: Final = logging.getLogger("ctx_core")


def log_request(report: ContextReport) -> None:
    """Write a line for each layer to the debug log, and warn where the text of a message or a layer was cut.

    Where nothing says which model counts, one warning says that an estimate does.
    """
    if report.estimated and report.model is None:
        say_estimated(report.counter)
    for layer in report.layers:
        _LOG.debug("%s: %d tokens of %s", escaped(layer.name), layer.used, layer.budget)
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


@cache
def say_estimated(counter: str) -> None:
    """Warn that an estimate counts, once for each."""
    _LOG.warning(
        "tokens are estimated (with %s), since nothing says for which model: give counter='gpt-4o', say, or a budget "
        "that is made for a model",
        escaped(counter),
    )
