"""Reasoning of steps that has to stand beside their calls: where it was not kept, a word says so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import ReasoningPart
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.providers.asked import Asked

NOT_KEPT: Final = "[The reasoning was not kept.]"
"""What stands for it; an empty text is said to be none."""


def reasoning_kept(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give messages with calls and without reasoning one that says that it is not known.

    Messages of a framework stay as they are: its clients send no reasoning beside a content.
    """
    if asked.asks(Kind.CALLS_KEEP_REASONING) is None or asked.as_sent is not None:
        return list(messages), 0
    sent = [_with_reasoning(message) if _lacks(message) else message for message in messages]
    return sent, sum(one is not other for one, other in zip(messages, sent, strict=True))


def _lacks(message: Message) -> bool:
    thinks = any(isinstance(part, ReasoningPart) for part in message.parts)
    return message.role is Role.ASSISTANT and bool(message.tool_calls) and not thinks


def _with_reasoning(message: Message) -> Message:
    return replace(message, parts=(ReasoningPart(NOT_KEPT), *message.parts), altered=message.origin is not None)
