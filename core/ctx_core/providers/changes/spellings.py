"""Calls that a client would leave out, send twice or raise on, as the framework's own door knows its clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.conversation.messages import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.messages import Message
    from ctx_core.providers.asked import Asked


def sent_calls(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give calls as the client of the request sends them."""
    if asked.as_sent is None or asked.is_guessed:
        return list(messages), 0
    row, client = asked.target.provider.name, asked.target.client
    sent = [asked.as_sent(message, row, client) if _is_of_a_step(message) else message for message in messages]
    return sent, sum(map(_is_changed, messages, sent))


def taken_blocks(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give messages that the client of the request takes: blocks that it raises on are texts, or go."""
    if asked.taken_blocks is None:
        return list(messages), 0
    row, client = asked.target.provider.name, asked.target.client
    sent = [asked.taken_blocks(message, row, client) for message in messages]
    return sent, sum(one is not other for one, other in zip(messages, sent, strict=True))


def _is_changed(message: Message, sent: Message) -> bool:
    """Whether calls are written otherwise, and not only known to be sent as they are."""
    if message is sent or not sent.altered:
        return False
    raws = (one.raw is other.raw for one, other in zip(message.tool_calls, sent.tool_calls, strict=True))
    return not message.altered or message.tool_calls != sent.tool_calls or not all(raws)


def _is_of_a_step(message: Message) -> bool:
    return bool(message.tool_calls) or message.role is Role.TOOL
