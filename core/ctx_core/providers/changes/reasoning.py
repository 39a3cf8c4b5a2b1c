"""Reasoning items of Responses: they go where nothing stands behind them that they were written for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ctx_core.conversation.fields import kind_of, mapped
from ctx_core.conversation.message_types import Piece
from ctx_core.conversation.parts import ReasoningPart
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ctx_core.conversation.messages import Message
    from ctx_core.providers.asked import Asked


def followed(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Take the reasoning that nothing follows, and stored reasoning before an item that has lost its id."""
    if asked.asks(Kind.REASONING_FOLLOWED) is None:
        return list(messages), 0
    sent: list[Message] = []
    count = 0
    for message in messages:
        given = _with_followed(message)
        count += given is not message
        sent += [given] if given is message or given.parts or given.tool_calls else []
    return sent, count


def _with_followed(message: Message) -> Message:
    piece = message.origin
    if not isinstance(piece, Piece) or not any(isinstance(part, ReasoningPart) for part in message.parts):
        return message
    items = [mapped(item) or {} for item in piece.natives]
    behind = [*items[1:], None]
    left = {
        id(native)
        for native, item, after in zip(piece.natives, items, behind, strict=True)
        if kind_of(item) == "reasoning" and not _is_followed(item, after)
    }
    if not left:
        return message
    parts = tuple(part for part in message.parts if not (isinstance(part, ReasoningPart) and id(part.raw) in left))
    return message if len(parts) == len(message.parts) else replace(message, parts=parts, altered=True)


def _is_followed(item: Mapping[str, Any], after: Mapping[str, Any] | None) -> bool:
    # Sealed reasoning goes with items that have no ids, which the server has not stored.
    return after is not None and bool(after.get("id") or item.get("encrypted_content"))
