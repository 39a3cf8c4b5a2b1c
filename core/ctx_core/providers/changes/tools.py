"""Calls and results in a request that has no tools: some providers take none there, and all can read texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import OpaquePart, ReasoningPart, TextPart
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.messages import ToolCall
    from ctx_core.providers.asked import Asked


def told_in_text(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give calls and results as texts, where it is said that there are no tools and the provider wants some.

    A definition that nobody may use would be another way; but it is no part of the messages, and a model calls what it
    is shown.
    """
    if asked.tools is not False or asked.asks(Kind.TOOLS_DEFINED) is None:
        return list(messages), 0
    sent: list[Message] = []
    calls: Sequence[ToolCall] = ()
    count = 0
    for message in messages:
        if message.tool_calls:
            calls = message.tool_calls
            sent.append(_asked(message))
        elif message.role is Role.TOOL:
            sent.append(_given(message, calls))
        else:
            sent.append(message)
        count += sent[-1] is not message
    return sent, count


def _asked(message: Message) -> Message:
    """Give what an assistant said and called; thoughts go, which are of the message as it was."""
    told = tuple(part for part in message.parts if not isinstance(part, ReasoningPart) and not _spells_call(part))
    lines = "\n".join(f"[called {call.name} with {call.arguments}]" for call in message.tool_calls)
    before = "\n" if any(isinstance(part, TextPart) for part in told) else ""
    return Message(role=Role.ASSISTANT, parts=(*told, TextPart(before + lines)), name=message.name)


def _given(message: Message, calls: Sequence[ToolCall]) -> Message:
    named = next((call.name for call in calls if call.id == message.tool_call_id), message.name)
    texts = "\n".join(part.text for part in message.parts if isinstance(part, TextPart))
    others = tuple(part for part in message.parts if not isinstance(part, TextPart))
    head = f"[{named or 'the tool'} {'failed' if message.failed else 'gave'}]"
    return Message(role=Role.USER, parts=(TextPart(f"{head}\n{texts}" if texts else head), *others))


def _spells_call(part: object) -> bool:
    return isinstance(part, OpaquePart) and part.call_id is not None
