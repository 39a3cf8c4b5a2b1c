"""Parts of neutral messages as LangChain's content blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, assert_never, cast

from ctx_core.conversation.media_contents import address_of, base64_text, media_type_of, picture_url
from ctx_core.conversation.parts import (
    CitationPart,
    FilePart,
    ImagePart,
    MediaPart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
)

if TYPE_CHECKING:
    from ctx_core.conversation.messages import Message

_TAKER: Final = "a LangChain message"


def written_content(message: Message, *, listed: bool) -> str | list[str | dict[Any, Any]]:
    """Give the content: a list where the caller's was one."""
    inside = [part for part in message.parts if message.origin is None or not _is_outside(part)]
    texts = [part.text for part in inside if isinstance(part, TextPart) and part.raw is None]
    if len(texts) == len(inside) and not (listed and inside):
        return "".join(texts)
    return [_block(part) for part in inside]


def _is_outside(part: Part) -> bool:
    """Whether a part of the caller's message was read from elsewhere than the content: it is not written into it."""
    return part.raw is None and isinstance(part, ReasoningPart | OpaquePart)


def _block(part: Part) -> str | dict[Any, Any]:
    raw = part.raw
    if isinstance(raw, str | Mapping):
        return cast("str | dict[Any, Any]", raw)
    match part:
        case TextPart(text=text) | CitationPart(text=text) | OpaquePart(text=text) | ReasoningPart(text=text):
            return {"type": "text", "text": text}
        case ImagePart(detail=str(detail)):
            # LangChain's own block has no place for it: OpenAI's is the one that every client takes.
            return {"type": "image_url", "image_url": {"url": picture_url(part, _TAKER), "detail": detail}}
        case FilePart(text=str(text)):
            return {"type": "text-plain", "text": text, "mime_type": part.media_type or "text/plain"}
        case MediaPart():
            return _medium("file" if isinstance(part, FilePart) else part.noun, part)
        case _:
            assert_never(part)


def _medium(kind: str, part: MediaPart) -> dict[Any, Any]:
    """Give the block of a medium. Clients need the media type of a content, and that of an address where it is told."""
    address = part.url if isinstance(part, ImagePart) and not part.data else address_of(part)
    if not address:
        return {"type": kind, "base64": base64_text(part, _TAKER), "mime_type": media_type_of(part)}
    block = {"type": kind, "url": address}
    return block if part.media_type is None else {**block, "mime_type": part.media_type}
