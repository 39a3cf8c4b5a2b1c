"""What a document costs: its text where it is text, else a price by its size."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from ctx_core.conversation.fields import mapping_in

if TYPE_CHECKING:
    from ctx_core.conversation.messages import FilePart, MediaPart, Part
    from ctx_core.counting.framing import DocumentFraming

_TEXTUAL = ("text/", "application/json", "application/xml", "application/txt", "application/csv", "application/md")

_BINARY = ("pdf", "zip", "officedocument", "msword", "ms-excel", "ms-powerpoint", "opendocument")
"""In the media types of documents that are no text, so that they need not be decoded to find out."""
_PDF_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_PAGE = 3_000
"""Tokens of a page at most, as Anthropic's guide to PDFs has it: 1,500 to 3,000."""
_SIGNED = (b"%PDF", b"PK\x03\x04")
"""What such documents begin with."""


def document_text(part: FilePart) -> str | None:
    """Give the text of a document that is plain text; None for all others, and where its content is not at hand."""
    if part.text is not None:
        return part.text
    media_type = (part.media_type or "").lower()
    if part.data is None or any(name in media_type for name in _BINARY):
        return None
    content = part.data if isinstance(part.data, bytes) else _decoded(part.data)
    if content is None:
        return None
    if media_type.startswith(_TEXTUAL):
        return content.decode("utf-8", "replace")
    if b"\0" in content or content.startswith(_SIGNED):
        return None
    with suppress(UnicodeDecodeError):
        return content.decode("utf-8")  # YAML, code and the like, under whatever name
    return None


def document_price(part: MediaPart, framing: DocumentFraming) -> int:
    """Give the price of a document that is not plain text, or of what is priced like one."""
    if part.data is None:
        return framing.unknown_size
    size = len(part.data) if isinstance(part.data, bytes) else len(_payload(part.data)) * 3 // 4
    content = 0 if framing.bytes_per_token is None else size // framing.bytes_per_token
    if "pdf" not in (part.media_type or "pdf").lower():
        return content // 4  # office files are compressed archives, most of which is layout
    if content > _PAGE and (pages := _pages(part.data)):
        content = min(content, pages * _PAGE)  # a large file of few pages is pictures
    return framing.base + content


def cites(part: Part) -> bool:
    """Whether the model is asked to quote from a document or a search result, as Claude's `citations` does."""
    raw: object = part.raw
    if not isinstance(raw, Mapping):
        return False
    block = cast("Mapping[str, Any]", raw)
    holders = (block, mapping_in(block, "document"), mapping_in(block, "searchResult"))
    return any(mapping_in(holder, "citations").get("enabled") for holder in holders)


def _pages(data: str | bytes) -> int:
    """Give the pages of a PDF; 0 where its list of them is compressed."""
    content = data if isinstance(data, bytes) else _decoded(data)
    return 0 if content is None else len(_PDF_PAGE.findall(content))


def _payload(data: str) -> str:
    return data.partition(",")[2] if data[:5].lower() == "data:" else data


def _decoded(data: str) -> bytes | None:
    data = _payload(data)
    try:
        return base64.b64decode(data + "=" * (-len(data) % 4))
    except (binascii.Error, ValueError):
        return None
