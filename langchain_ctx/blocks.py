"""Parts of neutral messages as LangChain's content blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_never, cast

from ctx_core.conversation.media_contents import address_of, base64_text
from ctx_core.conversation.messages import (
    CitationPart,
    FilePart,
    ImagePart,
    MediaPart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
)


def written_content(parts: Sequence[Part], *, listed: bool) -> str | list[str | dict[Any, Any]]:
    """Give the content: a list where the caller's was one."""
    inside = [part for part in parts if not _is_outside(part)]
    texts = [part.text for part in inside if isinstance(part, TextPart) and part.raw is None]
    if len(texts) == len(inside) and not listed:
        return "".join(texts)
    return [_block(part) for part in inside]


def _is_outside(part: Part) -> bool:
    """Whether a part was read from elsewhere than the content, so that it is not written into it."""
    return part.raw is None and isinstance(part, ReasoningPart | OpaquePart)


def _block(part: Part) -> str | dict[Any, Any]:
    raw = part.raw
    if isinstance(raw, str | Mapping):
        return cast("str | dict[Any, Any]", raw)
    match part:
        case TextPart(text=text) | CitationPart(text=text) | OpaquePart(text=text) | ReasoningPart(text=text):
            return {"type": "text", "text": text}
        case ImagePart(url=str(url)):
            return {"type": "image", "url": url}
        case FilePart(text=str(text)):
            return {"type": "text-plain", "text": text, "mime_type": part.media_type or "text/plain"}
        case MediaPart():
            return _medium("file" if isinstance(part, FilePart) else part.noun, part)
        case _:
            assert_never(part)


def _medium(kind: str, part: MediaPart) -> dict[Any, Any]:
    address = address_of(part)
    held = {"base64": base64_text(part, "a LangChain message")} if address is None else {"url": address}
    block = {"type": kind, **held}
    return block if part.media_type is None else {**block, "mime_type": part.media_type}
