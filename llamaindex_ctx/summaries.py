"""The rolling summary of what leaves the view: what is set, stored and shown of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core import BudgetError, Role, RollingSummary
from llamaindex_ctx.serial import read_size, write_size

if TYPE_CHECKING:
    from ctx_core import ContextBuilder

DEFAULT: Final = RollingSummary(role=Role.USER)
"""A `ReActAgent` drops the system message that a conversation begins with."""


def with_layer(builder: ContextBuilder, summary: RollingSummary | None) -> ContextBuilder:
    """Give the builder with a layer for the summary, if there is to be one."""
    return builder if summary is None else builder.rolling_summary(summary)


def write_summary(summary: RollingSummary | None) -> dict[str, Any] | None:
    """Give the settings of a summary as JSON types."""
    if summary is None:
        return None
    return {
        "cap": write_size(summary.cap),
        "role": str(summary.role),
        "heading": summary.heading,
        "marker": summary.marker,
    }


def read_summary(data: object) -> RollingSummary | None:
    """Give the settings that were written, or settings as they are; None stays None.

    Raises:
        BudgetError: for anything else.
    """
    if data is None or isinstance(data, RollingSummary):
        return data
    if not isinstance(data, Mapping):
        msg = f"summary must be a RollingSummary, found {type(data).__name__}"
        raise BudgetError(msg)
    data = cast("Mapping[str, Any]", data)
    return RollingSummary(
        cap=read_size(data["cap"]), role=Role(data["role"]), heading=data["heading"], marker=data["marker"]
    )
