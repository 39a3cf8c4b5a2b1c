"""Calls that a client would leave out, send twice or raise on, as the framework's own door knows its clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.messages import Message
    from ctx_core.providers.asked import Asked


def sent_calls(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give calls as the client of the request sends them."""
    if asked.as_sent is None:
        return list(messages), 0
    row, client = asked.target.provider.name, asked.target.client
    sent = [asked.as_sent(message, row, client) if message.tool_calls else message for message in messages]
    changed = (one is not other and other.altered for one, other in zip(messages, sent, strict=True))
    return sent, sum(changed)
