"""The texts of a message that may be cut, each where it stands, and the message with others in their places."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from operator import is_ as _is
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.block_texts import is_plain, text_of, with_text
from ctx_core.conversation.structured_text import structured_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.messages import Message
    from ctx_core.conversation.parts import Part

LEFT_OUT: Final = "[…]"
"""Stands in a block that has more than a text (a title, a mark of a cache), where nothing of its text is left:
providers refuse an empty one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextUnit:
    """A text of a message: that of one block, or of neighbors that have nothing but a text."""

    places: tuple[int, ...]
    """Which parts of the message it is."""
    text: str = field(repr=False)
    plain: bool
    """Whether its blocks have nothing beside the text, so that they may go with it."""
    structured: bool = False
    """Whether it is the JSON of a mapping or a list, and another text of it is to be one, too."""


def text_units(message: Message) -> list[TextUnit]:
    """Give the texts of a message that may be cut, in order."""
    units: list[TextUnit] = []
    for at, part in enumerate(message.parts):
        text, plain = text_of(part), is_plain(part)
        if not text:
            continue
        last = units[-1] if units else None
        if last is not None and plain and last.plain and last.places[-1] == at - 1:
            units[-1] = TextUnit(places=(*last.places, at), text=last.text + text, plain=True)
        else:
            structured = structured_value(part) is not None
            units.append(TextUnit(places=(at,), text=text, plain=plain, structured=structured))
    return units


def with_unit_texts(message: Message, units: Sequence[TextUnit], texts: Sequence[str]) -> Message:
    """Give a message with other texts in the places of its units; itself where all are as they were.

    An empty text takes its block out; one that has more than a text stays, and says `[…]`.
    """
    parts: list[Part | None] = list(message.parts)
    for unit, text in zip(units, texts, strict=True):
        if text == unit.text:
            continue
        first, *others = unit.places
        was = message.parts[first]
        now = with_text(was, text or LEFT_OUT) if text or not unit.plain else None
        parts[first] = now
        for at in others:
            parts[at] = None
        if now is not None:  # a block may be several parts: the others are from the same copy of it
            parts = [
                replace(part, raw=now.raw) if part is not None and part is not now and _same(part, was) else part
                for part in parts
            ]
    left = tuple(part for part in parts if part is not None)
    same = len(left) == len(message.parts) and all(map(_is, left, message.parts))
    return message if same else replace(message, parts=left, altered=True)


def _same(part: Part, other: Part) -> bool:
    return part.raw is not None and part.raw is other.raw
