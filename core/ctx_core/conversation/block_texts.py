"""The text that may be cut in a part, and the part with another text: whatever else its block has stays on it."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final, cast

from ctx_core.conversation.calls import is_call
from ctx_core.conversation.content_blocks import read_block
from ctx_core.conversation.document_texts import document_text
from ctx_core.conversation.fields import kind_of, mapped, mapping_in, words_of
from ctx_core.conversation.natives import copied
from ctx_core.conversation.parts import CitationPart, FilePart, OpaquePart, Part, ReasoningPart, TextPart
from ctx_core.conversation.paths import leaves, texts_in, value_at, with_value
from ctx_core.conversation.structured_text import structured_value

if TYPE_CHECKING:
    from ctx_core.conversation.paths import Path

_PATHS: Final[tuple[tuple[str, ...], ...]] = (
    ("text",),
    ("refusal",),
    ("guardContent", "text", "text"),
    ("resource", "text"),
    ("source", "text"),
    ("source", "content"),
    ("document", "source", "text"),
    ("document", "source", "content"),
    ("searchResult", "content"),
    ("content",),
    ("cited_text",),
)
"""Where texts stand in blocks, of whichever provider: a text, or a list of texts and blocks of text."""
_BULK: Final = 2
"""A text is that of a block that nobody knows if it is at least one part in so many of it."""
_PLAIN: Final = frozenset({"type", "text"})


def text_of(part: Part) -> str:
    """Give the text of a part that may be cut, without the title of a document; empty where there is none."""
    if part.holder is not None:
        return part.holder.text
    match part:
        case TextPart(text=text):
            return text
        case ReasoningPart():
            return ""
        case OpaquePart() if part.call_id is not None or is_call(mapped(part.raw) or {}):
            return ""
        case FilePart(text=None):
            return document_text(part) or "" if part.raw is None or _path_of(part) is not None else ""
        case CitationPart() | FilePart() | OpaquePart():
            path = _path_of(part)
            return (part.text or "") if path is None else words_of(value_at(part.raw, path))
        case _:
            return ""


def with_text(part: Part, text: str) -> Part:
    """Give a part with another text in a copy of its block. What has no place for a text becomes one itself."""
    if part.holder is not None:
        return part.holder.with_text(text)
    if isinstance(part.raw, str):
        return TextPart(text, raw=text)
    path = _path_of(part)
    if path is None:
        return TextPart(text)
    held = value_at(part.raw, path)
    told: object = text
    if isinstance(part, FilePart) and part.text is None:
        told = _encoded(held, text)
    elif isinstance(held, list | tuple):
        told = _first_of(cast("list[object]", held), text)
    return read_block(with_value(part.raw, path, told))


def is_plain(part: Part) -> bool:
    """Whether a part is a text with nothing beside it: its block may go, or be joined with its neighbor's."""
    if not isinstance(part, TextPart) or part.inside or structured_value(part) is not None:
        return False
    block = mapped(part.raw)
    return set(block) <= _PLAIN if block is not None else not isinstance(part.raw, list | tuple)


def _path_of(part: Part) -> Path | None:
    """Give where the text stands in the mapping that a part was read from; None where nothing says it."""
    block = mapped(part.raw)
    if block is None:
        return None
    if isinstance(part, FilePart) and part.text is None:
        return next((path for path, held in leaves(block) if held is part.data and held is not None), None)
    for path in _PATHS:
        held = value_at(block, path)
        if words_of(held):
            return path
    source = mapping_in(block, "source")
    if source.get("type") == "text" and isinstance(source.get("data"), str):
        return ("source", "data")
    if isinstance(part, TextPart):
        return None
    longest = max(texts_in(block), key=lambda one: len(one[1]), default=None)
    size = len(part.text or "") if isinstance(part, OpaquePart | CitationPart | FilePart) else 0
    return longest[0] if longest and longest[1] and kind_of(block) and len(longest[1]) * _BULK >= size else None


def _first_of(held: list[object], text: str) -> list[object]:
    """Give a list of texts and other blocks in which the first text is another one, and the only one."""
    told: list[object] = []
    said = False
    for one in held:
        if not words_of([one]):
            told.append(one)
        elif not said:
            told.append(text if isinstance(one, str) else copied(one, text=text))
            said = True
    return told


def _encoded(held: object, text: str) -> str | bytes:
    """Give a text in the form of the content that it takes the place of."""
    content = text.encode(errors="replace")
    if isinstance(held, bytes):
        return content
    encoded = base64.b64encode(content).decode("ascii")
    head, comma, _ = str(held).partition(",") if str(held)[:5].lower() == "data:" else ("", "", "")
    if comma and not head.lower().endswith(";base64"):
        head += ";base64"
    return f"{head}{comma}{encoded}"
