"""The rolling summary of what leaves the window, as it is set in every face of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ctx_core.errors import BudgetError
from ctx_core.history.summary import RollingSummary
from ctx_core.messages import Role
from ctx_core.summarizing import Summarizer, Summarizing

if TYPE_CHECKING:
    from ctx_core.builder import ContextBuilder

DEFAULT: Final = RollingSummary(role=Role.USER)
"""Agents drop system messages of a history, and some providers take them at the beginning only."""


def as_summarizing(summarizer: Summarizer | Summarizing | None) -> Summarizing | None:
    """Give what runs a summariser; None for none.

    Raises:
        BudgetError: for what cannot be called.
    """
    if summarizer is None or isinstance(summarizer, Summarizing):
        return summarizer
    if not callable(summarizer):
        msg = (
            "summarizer must be a function of the summary so far and the messages that leave, or a Summarizing, "
            f"found {type(summarizer).__name__}: a chat model goes into ChatModelSummarizer(model)"
        )
        raise BudgetError(msg)
    return Summarizing(summarizer)


def with_layer(
    builder: ContextBuilder, summarizing: Summarizing | None, summary: RollingSummary | None
) -> ContextBuilder:
    """Give the builder with a layer for the summary, if there is to be one."""
    if summarizing is None and summary is None:
        return builder
    return builder.rolling_summary(summary or DEFAULT)
