"""Content blocks of LlamaIndex as neutral parts and back. Nothing is loaded from a path or an address."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, assert_never

from llama_index.core.base.llms.types import (
    AudioBlock,
    CachePoint,
    CitableBlock,
    CitationBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    VideoBlock,
)

from ctx_core.conversation.fields import encrypted
from ctx_core.conversation.messages import (
    AudioPart,
    CitationPart,
    FilePart,
    ImagePart,
    MediaPart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    VideoPart,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

Block: TypeAlias = (
    TextBlock
    | ImageBlock
    | AudioBlock
    | VideoBlock
    | DocumentBlock
    | CachePoint
    | CitableBlock
    | CitationBlock
    | ThinkingBlock
    | ToolCallBlock
)


def read_block(block: Block) -> tuple[Part, ...]:
    """Give the parts of a block; several where it has media nested in it. `raw` is the block in each of them."""
    match block:
        case TextBlock():
            return (TextPart(block.text, raw=block),)
        case ThinkingBlock():
            return (ReasoningPart(block.content or "", encrypted=encrypted(block.additional_information), raw=block),)
        case ImageBlock():
            return (_read_image(block),)
        case AudioBlock():
            media_type = f"audio/{block.format}" if block.format else None
            return (AudioPart(data=_base64_text(block.audio), media_type=media_type, raw=block),)
        case VideoBlock():
            return (VideoPart(data=_base64_text(block.video), media_type=block.video_mimetype, raw=block),)
        case DocumentBlock():
            return (_read_document(block),)
        case CitableBlock():
            return _read_quoted(block, block.title, block.source, block.content)
        case CitationBlock():
            return _read_quoted(block, block.title, block.source, [block.cited_content])
        case ToolCallBlock():
            return (OpaquePart(kind=block.block_type, call_id=block.tool_call_id or "", raw=block),)
        case CachePoint():
            return (OpaquePart(kind=block.block_type, raw=block),)
        case _:
            return (OpaquePart(kind=str(getattr(block, "block_type", "unknown")), raw=block),)


def write_part(part: Part) -> Block | None:
    """Give the block of a part: the very one it was read from, else a new one; None for what has no block."""
    if isinstance(part.raw, Block):
        return part.raw
    match part:
        case TextPart() | CitationPart():
            return TextBlock(text=part.text)
        case ReasoningPart():
            return ThinkingBlock(content=part.text)
        case ImagePart():
            return ImageBlock(image=_bytes(part.data), url=part.url, image_mimetype=part.media_type, detail=part.detail)
        case AudioPart():
            media_type = part.media_type or ""
            return AudioBlock(audio=_bytes(part.data), format=media_type.removeprefix("audio/") or None)
        case VideoPart():
            return VideoBlock(video=_bytes(part.data), video_mimetype=part.media_type)
        case FilePart(text=str(text)):
            return DocumentBlock(data=text.encode(), document_mimetype=part.media_type or "text/plain")
        case MediaPart():
            return DocumentBlock(data=_bytes(part.data), document_mimetype=part.media_type)
        case OpaquePart(text=text):
            return TextBlock(text=text) if text else None
        case _:
            assert_never(part)


def _read_image(block: ImageBlock, *, raw: Block | None = None) -> ImagePart:
    return ImagePart(
        url=None if block.url is None else str(block.url),
        data=_base64_text(block.image),
        media_type=block.image_mimetype,
        detail=block.detail,
        raw=raw or block,
    )


def _read_document(block: DocumentBlock, *, raw: Block | None = None) -> FilePart:
    return FilePart(data=_base64_text(block.data), media_type=block.document_mimetype, raw=raw or block)


def _read_quoted(
    raw: CitableBlock | CitationBlock,
    title: str,
    source: str,
    content: Sequence[TextBlock | ImageBlock | DocumentBlock],
) -> tuple[Part, ...]:
    texts = [title, source, *(inner.text for inner in content if isinstance(inner, TextBlock))]
    parts: list[Part] = [CitationPart("\n".join(text for text in texts if text), raw=raw)]
    for inner in content:
        if isinstance(inner, ImageBlock):
            parts.append(_read_image(inner, raw=raw))
        elif isinstance(inner, DocumentBlock):
            parts.append(_read_document(inner, raw=raw))
    return tuple(parts)


def _base64_text(content: object) -> str | None:
    # The blocks keep their content as base64 in bytes; a stream is left alone, since reading it would move it.
    return content.decode("ascii", "replace") if isinstance(content, bytes) and content else None


def _bytes(content: str | bytes | None) -> bytes | None:
    return content.encode() if isinstance(content, str) else content
