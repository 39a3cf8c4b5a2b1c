"""Whether a conversation ends in the middle of a step: the next thing it needs is a tool's result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.messages import Role
from langchain_ctx.convert import CODEC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.messages import BaseMessage


def ends_in_flight(messages: Sequence[BaseMessage]) -> bool:
    """Say whether calls of the last assistant message still wait for results, with nothing but results behind it."""
    for answered, native in enumerate(reversed(messages)):
        role = CODEC.role(native)
        if role is Role.ASSISTANT:
            return len(CODEC.read(native).tool_calls) > answered
        if role is not Role.TOOL:
            return False
    return False
