"""Thoughts that nobody signed, another model's as a rule: where only signed ones are taken, they go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ctx_core.conversation.parts import ReasoningPart
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.messages import Message
    from ctx_core.conversation.parts import Part
    from ctx_core.providers.asked import Asked


def thoughts_signed(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Leave out blocks of thoughts without a signature: nothing can stand for the one that they lack."""
    if asked.is_guessed or asked.asks(Kind.THINKING_SIGNED) is None:
        return list(messages), 0
    sent = [_signed(message) if any(map(_is_unsigned, message.parts)) else message for message in messages]
    return sent, sum(one is not other for one, other in zip(messages, sent, strict=True))


def _signed(message: Message) -> Message:
    parts = tuple(part for part in message.parts if not _is_unsigned(part))
    return replace(message, parts=parts, altered=message.origin is not None)


def _is_unsigned(part: Part) -> bool:
    return isinstance(part, ReasoningPart) and part.raw is not None and not part.signed
