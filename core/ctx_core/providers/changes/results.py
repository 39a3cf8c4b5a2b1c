"""Results that are JSON and no objects, where only objects are taken: Bedrock's are texts, Gemini's stand in one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.fields import mapped, mapping_in
from ctx_core.conversation.formats.pieces import blocks_of
from ctx_core.conversation.message_types import Piece
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import TextPart
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.parts import Part
    from ctx_core.providers.asked import Asked

_JSON: Final = "json"
"""The key of Bedrock's block of JSON."""
_RESPONSE: Final = "response"
"""The key of what a function gave, in Gemini's part."""


def objects_of_results(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give results that have objects, in Bedrock's and in Gemini's own messages; clients make their own of others."""
    if asked.asks(Kind.RESULTS_ARE_OBJECTS) is None:
        return list(messages), 0
    sent = [_taken(message) if message.role is Role.TOOL else message for message in messages]
    return sent, sum(one is not other for one, other in zip(messages, sent, strict=True))


def _taken(message: Message) -> Message:
    if not isinstance(message.origin, Piece):
        return message
    parts = tuple(map(_in_text, message.parts))
    same = all(one is other for one, other in zip(parts, message.parts, strict=True))
    bare = not message.altered and any(map(_is_bare, blocks_of(message.origin)))
    # A changed copy of Gemini's has an object.
    return message if same and not bare else replace(message, parts=parts, altered=True)


def _in_text(part: Part) -> Part:
    block = mapped(part.raw) or {}
    is_value = isinstance(part, TextPart) and _JSON in block and not isinstance(block[_JSON], Mapping)
    return TextPart(part.text) if isinstance(part, TextPart) and is_value else part


def _is_bare(block: object) -> bool:
    response = mapping_in(mapped(block) or {}, "functionResponse", "function_response")
    return bool(response) and not isinstance(response.get(_RESPONSE), Mapping)
