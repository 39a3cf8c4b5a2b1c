"""All that a value says, whatever it is: texts as text, media as media, the rest as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.block_table import DOCUMENT, FILE, MEDIUM, PLAIN_DOCUMENT, TEXT
from ctx_core.conversation.block_types import says_something
from ctx_core.conversation.fields import json_text, kind_of, mapped
from ctx_core.conversation.media_blocks import is_file, read_media
from ctx_core.conversation.parts import FilePart, MediaPart, OpaquePart, Part
from ctx_core.conversation.recognized_media import described, recognized

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx_core.conversation.block_types import BlockType

_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
_DEPTH: Final = 100
"""Levels in which media are looked for; what is below is JSON."""


def whole(value: object, *, kind: str = "unknown", raw: object = None) -> OpaquePart:
    """Give the part of a value of which nothing is free."""
    said = _Said()
    plain = said.rest_of(value, ())
    words = [*said.texts, json_text(plain)] if says_something(plain) else said.texts
    return OpaquePart(kind=kind, text="\n".join(words), inside=tuple(said.media), raw=raw)


def beside_of(row: BlockType, fields: Mapping[str, Any]) -> tuple[Part, ...]:
    """Give what is neither read nor free in a message or a result."""
    left = row.rest(fields)
    return (whole(left),) if left else ()


def row_of_medium(part: MediaPart, block: Mapping[str, Any]) -> BlockType:
    """Give the row of the block that a medium was read from."""
    if not isinstance(part, FilePart):
        return FILE if is_file(block) else MEDIUM
    return DOCUMENT if part.text is None else PLAIN_DOCUMENT


class _Said:
    """Collects what is no JSON."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.media: list[Part] = []

    def rest_of(self, value: object, around: tuple[int, ...]) -> object:
        """Give what is left of a value for JSON."""
        if isinstance(value, str | bytes):
            medium = recognized(value)
            if medium is None:
                return value
            self.media.append(medium)
            return None
        known = id(value)
        if known in around or len(around) > _DEPTH:
            return value
        inside = (*around, known)
        fields = mapped(value)
        if fields is not None:
            return self._rest_of_mapping(fields, inside)
        if isinstance(value, list | tuple):
            listed = cast("list[object]", value)
            rest = [self.rest_of(one, inside) for one in listed]
            if all(one is was for one, was in zip(rest, listed, strict=True)):
                return cast("object", value)
            return [one for one, was in zip(rest, listed, strict=True) if one is was or says_something(one)]
        return value

    def _rest_of_mapping(self, given: Mapping[str, Any], around: tuple[int, ...]) -> object:
        fields = given
        if kind_of(fields) in _TEXTS and isinstance(fields.get("text"), str):
            self.texts.append(fields["text"])
            fields = TEXT.rest(fields)
        elif (medium := read_media(fields, None)) is not None:
            self.media.append(medium)
            fields = row_of_medium(medium, fields).rest(fields)
        elif (found := described(fields)) is not None:
            key, medium = found
            self.media.append(medium)
            fields = {name: held for name, held in fields.items() if name != key}
        rest = {name: self.rest_of(held, around) for name, held in fields.items()}
        if fields is given and all(held is fields[name] for name, held in rest.items()):
            return given
        return {name: held for name, held in rest.items() if held is fields[name] or says_something(held)}
