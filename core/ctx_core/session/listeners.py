"""Who hears of requests. None of them can stop one."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ctx_core.awaiting import called, called_here
from ctx_core.effects import Effect
from ctx_core.report.usage_log import UsageLog
from ctx_core.session.options import OnReport

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx_core.effects import Effects
    from ctx_core.report.report import ContextReport

_LOG: Final = logging.getLogger("ctx_core.session")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listeners:
    """A usage log and a function; None: nobody."""

    usage_log: UsageLog | None = None
    on_report: OnReport | None = None

    def tell(self, report: ContextReport, recipe: Callable[[ContextReport], object]) -> Effects[None]:
        """Tell of a request: the usage log, the recipe's own method for it, the function."""
        if self.usage_log is not None:
            _heard(self.usage_log.add, report, "usage_log")
        _heard(recipe, report, "recipe's log")
        if self.on_report is not None:
            hear = self.on_report
            yield Effect(partial(_heard, hear, report, "on_report"), partial(_aheard, hear, report))


def _heard(hear: Callable[[ContextReport], Any], report: ContextReport, who: str) -> None:
    try:
        called_here(hear, report)
    except Exception as error:  # noqa: BLE001 - whatever a listener raises, the request goes out
        _warn(who, error)


async def _aheard(hear: Callable[[ContextReport], Any], report: ContextReport) -> None:
    try:
        await called(hear, report)
    except Exception as error:  # noqa: BLE001 - as above
        _warn("on_report", error)


def _warn(who: str, error: Exception) -> None:
    _LOG.warning("%s failed (%s): the request goes out all the same", who, type(error).__name__)
