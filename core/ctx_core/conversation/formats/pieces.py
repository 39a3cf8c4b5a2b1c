"""One message of the caller's in several neutral ones, and the way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctx_core.conversation.content_blocks import is_mark
from ctx_core.conversation.fields import first_in, kind_of, mapped
from ctx_core.conversation.message_types import Piece
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.results import is_result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


@dataclass(slots=True, kw_only=True)
class Written:
    """What goes out for neighboring neutral messages."""

    natives: list[Any]
    """The messages: several where the caller's own are one neutral message."""
    blocks: list[object] | None
    """The blocks of a new message or a copy; None for the caller's own objects."""
    messages: list[Message]
    """The neutral messages in it."""
    role: Role
    """Who speaks: the user gives results."""

    @property
    def only_results(self) -> bool:
        """Whether nothing but results is in it."""
        return all(message.role is Role.TOOL for message in self.messages)


def pieces_of_user(native: object, at: int, role: Role, blocks: Sequence[object]) -> Iterator[Piece]:
    """Give the results of a message, and behind them what else is said in it.

    What says nothing by itself (where a cache ends, an empty text) goes with the block before it.
    """
    if len(blocks) == 1 and isinstance(blocks[0], str):
        yield Piece(natives=(native,), places=(at,), role=role)
        return
    groups: list[list[int]] = []
    words: list[int] = []
    last: list[int] = words
    for number, raw in enumerate(blocks):
        block = mapped(raw)
        if block is not None and role is not Role.SYSTEM and is_result(block):
            last = [number]
            groups.append(last)
        elif groups and not words and (raw == "" or (block is not None and _says_nothing(block))):
            last.append(number)
        else:
            words.append(number)
            last = words
    if not groups:
        yield Piece(natives=(native,), places=(at,), role=role)
        return
    order = [number for group in (*groups, words) for number in group]
    count = len(groups) + bool(words)
    for number, group in enumerate((*groups, words)):
        if group:
            yield Piece(
                natives=(native,),
                places=(at,),
                role=Role.USER if group is words else Role.TOOL,
                blocks=tuple(group),
                number=number,
                of=count,
                sound=order == sorted(order),
            )


def blocks_of(origin: object) -> list[object]:
    """Give the blocks of a piece in the message that holds it; none where it is a message by itself."""
    if not isinstance(origin, Piece) or origin.blocks is None:
        return []
    fields = mapped(origin.natives[0])
    # A framework's message has them under its own name.
    held: Any = origin.natives[0].content if fields is None else first_in(fields, "content", "parts")
    return [held[at] for at in origin.blocks]


def _says_nothing(block: Mapping[str, Any]) -> bool:
    return is_mark(block) or (kind_of(block) in {"", "text"} and block.get("text") == "" and "thought" not in block)


def chunks_of(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """Give the messages in groups: those that stand together and are pieces of one message of the caller's."""
    chunk: list[Message] = []
    for message in messages:
        if chunk and not _siblings(chunk[-1], message):
            yield chunk
            chunk = []
        chunk.append(message)
    if chunk:
        yield chunk


def _siblings(before: Message, after: Message) -> bool:
    one, other = before.origin, after.origin
    if not isinstance(one, Piece) or not isinstance(other, Piece):
        return False
    return one.places == other.places and one.natives[0] is other.natives[0] and one.number < other.number
