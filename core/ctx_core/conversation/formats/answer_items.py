"""The items of Responses that are one answer of the model: those that are left of it, as they are now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ctx_core.conversation.calls import as_called, is_call
from ctx_core.conversation.content_blocks import read_block, read_content
from ctx_core.conversation.fields import kind_of, mapped
from ctx_core.conversation.natives import copied, without
from ctx_core.conversation.parts import TextPart
from ctx_core.conversation.tied import TIED_TO_THOUGHTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ctx_core.conversation.message_types import Piece
    from ctx_core.conversation.messages import Message, ToolCall
    from ctx_core.conversation.parts import Part

_GOES: Final = TIED_TO_THOUGHTS | {"reasoning"}
"""Types of items that go where their part does."""


def item_parts(item: object, fields: Mapping[str, Any]) -> tuple[Part, ...]:
    """Give the parts of an item that the model gave."""
    match kind_of(fields):
        case "" | "message":
            return read_content(fields.get("content"))
        case _:
            return (read_block(item),)


def items_left(message: Message, piece: Piece) -> Iterator[object]:
    """Give the items of an answer of which some are gone.

    Thoughts go with the item that follows them; where they alone are gone, that item goes out without its own id, by
    which the provider would look for them.
    """
    calls = {id(call.raw): call for call in message.tool_calls if call.raw is not None}
    left = {id(part.raw) for part in message.parts if part.raw is not None}
    items = [(item, mapped(item) or {}) for item in piece.natives]
    stays = [
        id(item) in calls if is_call(fields) else kind_of(fields) not in _GOES or id(item) in left
        for item, fields in items
    ]
    for at in reversed(range(len(items) - 1)):
        if kind_of(items[at][1]) == "reasoning":
            stays[at] = stays[at] and stays[at + 1]
    said = _said_otherwise(message, items)
    for at, (item, fields) in enumerate(items):
        if not stays[at]:
            continue
        call = calls.get(id(item))
        written = item if call is None else as_called(item, call)
        if call is not None and _call_id(fields) != call.id:
            written = copied(written, call_id=call.id)
        if at in said:
            told = said[at]
            if not told and fields.get("content"):
                continue  # nothing is left of it
            written = copied(written, content=told)
        lost_reasoning = at > 0 and not stays[at - 1] and kind_of(items[at - 1][1]) == "reasoning"
        yield without(written, "id") if lost_reasoning and fields.get("id") else written
    yield from (new_call(call) for call in message.tool_calls if call.raw is None)


def new_call(call: ToolCall) -> object:
    """Give the item of a call that no item spells."""
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}


def _said_otherwise(message: Message, items: Sequence[tuple[object, Mapping[str, Any]]]) -> dict[int, object]:
    """Give the content of each message among the items that says something else than it did, by its place.

    Parts are in the order in which they were read: what has no original at its place is in that of the first that is
    not there any more.
    """
    left = [part for part in message.parts if isinstance(part, TextPart)]
    said: dict[int, object] = {}
    read = [
        (at, item_parts(item, fields)) for at, (item, fields) in enumerate(items) if kind_of(fields) in {"", "message"}
    ]
    came = [part for _, parts in read for part in parts if isinstance(part, TextPart)]
    for at, parts in read:
        told: list[Part] = []
        for part in parts:
            if not isinstance(part, TextPart):
                told.append(part)
                continue
            came = came[1:]
            if left and (_equals(left[0], part) or not any(_equals(left[0], other) for other in came)):
                told.append(left.pop(0))
        if len(told) != len(parts) or not all(map(_equals, told, parts)):
            listed = isinstance(items[at][1].get("content"), list | tuple)
            said[at] = [part.raw for part in told] if listed else "".join(map(_text_of, told))
    return said


def _equals(part: Part, other: Part) -> bool:
    if part.raw is not None or other.raw is not None:
        return part.raw is other.raw
    return _text_of(part) == _text_of(other)


def _text_of(part: Part) -> str:
    return part.text if isinstance(part, TextPart) else ""


def _call_id(fields: Mapping[str, Any]) -> object:
    """Give what joins a call and its output: the id of the item does so only where the type has no other."""
    return fields.get("call_id") if kind_of(fields).endswith("_call") else fields.get("call_id", fields.get("id"))
