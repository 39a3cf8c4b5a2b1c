"""Content blocks of LlamaIndex as neutral parts and back. Files are read from their paths; nothing is downloaded."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

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

from ctx_core.conversation.block_table import FILE, REDACTED
from ctx_core.conversation.document_texts import document_text
from ctx_core.conversation.fields import encrypted
from ctx_core.conversation.media_contents import address_of, base64_text, media_type_of, recording_format
from ctx_core.conversation.parts import (
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
from ctx_core.conversation.recognized_media import medium_of
from ctx_core.conversation.whole import beside_of, whole
from llamaindex_ctx.files import content_at
from llamaindex_ctx.tool_calls import written

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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
MediumBlock: TypeAlias = ImageBlock | AudioBlock | VideoBlock | DocumentBlock


def read_block(block: Block) -> tuple[Part, ...]:
    """Give the parts of a block; several where it has media nested in it. `raw` is the block in each of them."""
    match block:
        case TextBlock():
            return (TextPart(block.text, raw=block, holder=_TextOf(block)),)
        case ThinkingBlock():
            told = block.additional_information
            inside = beside_of(REDACTED, told)  # of thoughts that are not shown, `data` has the copy
            sealed, copy = bool(told.get("signature") or told.get("data")), encrypted(told)
            return (ReasoningPart(block.content or "", encrypted=copy, signed=sealed, inside=inside, raw=block),)
        case ImageBlock() | AudioBlock() | VideoBlock() | DocumentBlock():
            return (_read_medium(block),)
        case CitableBlock():
            return _read_quoted(block, block.title, block.source, block.content)
        case CitationBlock():
            return _read_quoted(block, block.title, block.source, [block.cited_content])
        case ToolCallBlock():
            return (OpaquePart(kind=block.block_type, call_id=block.tool_call_id or "", raw=block),)
        case CachePoint():
            return (OpaquePart(kind=block.block_type, raw=block),)
        case _:
            return (whole(says(block), kind=str(getattr(block, "block_type", "unknown")), raw=block),)


def says(block: Block) -> dict[str, Any]:
    """Give what a block says by name; of a call, written as clients write it."""
    if isinstance(block, ToolCallBlock):
        return {"id": block.tool_call_id, "name": block.tool_name, "arguments": written(block.tool_kwargs)}
    return block.model_dump(exclude_none=True, warnings=False)  # a warning would quote it


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
            content, url = _held(part)
            return ImageBlock(image=content, url=url, image_mimetype=_media_type(part), detail=part.detail)
        case AudioPart():
            content, url = _held(part)
            return AudioBlock(
                audio=content, url=url, format=recording_format(part) if content or part.media_type else None
            )
        case VideoPart():
            content, url = _held(part)
            return VideoBlock(video=content, url=url, video_mimetype=_media_type(part))
        case FilePart(text=str(text)):
            return DocumentBlock(data=text.encode(errors="replace"), document_mimetype=part.media_type or "text/plain")
        case MediaPart():
            content, url = _held(part)
            return DocumentBlock(data=content, url=url, document_mimetype=_media_type(part))
        case OpaquePart(text=text):
            return TextBlock(text=text) if text else None
        case _:
            assert_never(part)


def _read_medium(block: MediumBlock, *, raw: Block | None = None) -> MediaPart:
    """Give the medium of a block, which has what its media type says: Google's client puts any in an `ImageBlock`."""
    url = None if block.url is None else str(block.url)
    match block:
        case ImageBlock():
            data = _content(block.image, block.path)
            return medium_of(block.image_mimetype, data, raw or block, family="image", url=url, detail=block.detail)
        case AudioBlock():
            media_type = f"audio/{block.format}" if block.format else None
            return medium_of(media_type, _content(block.audio, block.path), raw or block, family="audio", url=url)
        case VideoBlock():
            return medium_of(
                block.video_mimetype, _content(block.video, block.path), raw or block, family="video", url=url
            )
        case DocumentBlock():
            medium = medium_of(block.document_mimetype, _content(block.data, block.path), raw or block, url=url)
            holder = _DocumentOf(block) if raw is None and isinstance(medium, FilePart) else None
            return replace(medium, inside=beside_of(FILE, {"filename": block.title}), holder=holder)


def _read_quoted(
    raw: CitableBlock | CitationBlock,
    title: str,
    source: str,
    content: Sequence[TextBlock | ImageBlock | DocumentBlock],
) -> tuple[Part, ...]:
    asked = isinstance(raw, CitableBlock)  # LlamaIndex' client for Claude switches citations on
    texts = [title, source, *(inner.text for inner in content if isinstance(inner, TextBlock))]
    holder = _QuotedIn(raw) if isinstance(raw, CitableBlock) else None
    parts: list[Part] = [CitationPart("\n".join(text for text in texts if text), asked=asked, raw=raw, holder=holder)]
    parts += [_read_medium(inner, raw=raw) for inner in content if isinstance(inner, ImageBlock | DocumentBlock)]
    return tuple(parts)


@dataclass(frozen=True, slots=True)
class _TextOf:
    """The text of a block of text."""

    block: TextBlock = field(repr=False)

    @property
    def text(self) -> str:
        return self.block.text

    def with_text(self, text: str) -> Part:
        return read_block(self.block.model_copy(update={"text": text}))[0]


@dataclass(frozen=True, slots=True)
class _DocumentOf:
    """The text of a document, whose block keeps it as base64."""

    block: DocumentBlock = field(repr=False)

    @property
    def text(self) -> str:
        part = _read_medium(self.block)
        return (document_text(part) or "") if isinstance(part, FilePart) else ""

    def with_text(self, text: str) -> Part:
        return read_block(self.block.model_copy(update={"data": b64encode(text.encode(errors="replace"))}))[0]


@dataclass(frozen=True, slots=True)
class _QuotedIn:
    """The texts of what may be quoted from; its title and its source stay."""

    block: CitableBlock = field(repr=False)

    @property
    def text(self) -> str:
        return "\n".join(inner.text for inner in self.block.content if isinstance(inner, TextBlock))

    def with_text(self, text: str) -> Part:
        texts = [inner for inner in self.block.content if isinstance(inner, TextBlock)]
        content = [
            inner.model_copy(update={"text": text}) if inner is texts[0] else inner
            for inner in self.block.content
            if not isinstance(inner, TextBlock) or inner is texts[0]
        ]
        return read_block(self.block.model_copy(update={"content": content}))[0]


def _content(content: object, path: str | Path | None) -> str | bytes | None:
    """Give a content as clients take it: the block's own, as base64 in bytes, before that of the file at its path.

    Of streams only what reading does not move is read.
    """
    if isinstance(content, bytes):
        return content.decode("ascii", "replace") or None
    if content is not None:
        return content.getvalue() if isinstance(content, BytesIO) else None
    return content_at(path)


def _held(part: MediaPart) -> tuple[bytes | None, str | None]:
    """Give the content as blocks keep it, or the address."""
    address = address_of(part)
    return (base64_text(part, "a ChatMessage").encode() if address is None else None), address


def _media_type(part: MediaPart) -> str | None:
    """Give the media type: of a content always, which clients ask for, of an address where it is told."""
    return part.media_type if address_of(part) is not None else media_type_of(part)
