"""The rolling summary of what leaves the window, as it is set in every face of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ctx_core.history.summary import RollingSummary
from ctx_core.messages import Role

if TYPE_CHECKING:
    from ctx_core.builder import ContextBuilder
    from ctx_core.summarizing import Summarizing

DEFAULT: Final = RollingSummary(role=Role.USER)
"""Agents drop system messages of a history, and some providers take them at the beginning only."""


def with_layer(
    builder: ContextBuilder, summarizing: Summarizing | None, summary: RollingSummary | None
) -> ContextBuilder:
    """Give the builder with a layer for the summary, if there is to be one."""
    if summarizing is None and summary is None:
        return builder
    return builder.rolling_summary(summary or DEFAULT)
