"""What a provider's own tools were asked and gave: one without the other goes, since nothing can stand for it.

A search has its result behind it in the same answer, or, where the answer called the caller's tools as well, in what
the model said when it had their results.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ctx_core.conversation.fields import mapped
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import OpaquePart, ReasoningPart
from ctx_core.conversation.provider_tools import asked_id, given_id
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.parts import Part
    from ctx_core.providers.asked import Asked


def provider_tools_paired(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Take calls of the provider's own tools without a result, and results without a call; a paused answer stays."""
    if asked.asks(Kind.PROVIDER_TOOLS_PAIRED) is None:
        return list(messages), 0
    gone: set[int] = set()
    waiting: dict[str, Part] = {}
    for message in messages:
        if message.role is Role.USER:
            gone |= set(map(id, waiting.values()))
            waiting = {}
        elif message.role is Role.ASSISTANT:
            for part in message.parts:
                block = (mapped(part.raw) or {}) if isinstance(part, OpaquePart) else {}
                if (told := asked_id(block)) is not None:
                    waiting[told] = part
                elif (told := given_id(block)) is not None and waiting.pop(told, None) is None:
                    gone.add(id(part))
    if not gone:
        return list(messages), 0
    sent: list[Message] = []
    for message in messages:
        parts = tuple(part for part in message.parts if id(part) not in gone)
        sent.append(message if len(parts) == len(message.parts) else _with(message, parts))
    return sent, len(gone)


def _with(message: Message, parts: tuple[Part, ...]) -> Message:
    # Thoughts go with what was thought of, and nothing can end with one.
    while parts and not message.tool_calls and isinstance(parts[-1], ReasoningPart):
        parts = parts[:-1]
    return replace(message, parts=parts, altered=message.origin is not None)
