"""What a document costs that is no text: a price by its pages or its size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from ctx_core.conversation.document_texts import bytes_of, is_address
from ctx_core.conversation.fields import mapping_in
from ctx_core.conversation.parts import CitationPart
from ctx_core.counting.contents import size_of
from ctx_core.counting.pages import pages_of

if TYPE_CHECKING:
    from ctx_core.conversation.parts import MediaPart, Part
    from ctx_core.counting.framing import DocumentFraming

_PAGE = 3_000
"""Tokens of the text of a page at most, as Anthropic's guide to PDFs has it: 1,500 to 3,000."""
_PAGE_SIZE = 50_000
"""Bytes of a page where their number is not known."""


def document_price(part: MediaPart, framing: DocumentFraming) -> int:
    """Give the price of a document that is not plain text: of a PDF by its pages, else by its size.

    So is that of a medium that has no price of its own.
    """
    if not part.data or is_address(part.data):
        return framing.unknown_size
    size = size_of(part.data)
    content = 0 if framing.bytes_per_token is None else size // framing.bytes_per_token
    if "pdf" not in (part.media_type or "pdf").lower():
        return content // 4  # office files are compressed archives, most of which is layout
    pages = pages_of(bytes_of(part.data) or b"")
    if not pages:
        return framing.base * (1 + size // _PAGE_SIZE) + content
    # Compressed pages of text are few bytes, and pages that are pictures many.
    least, most = (pages - 1) * framing.page, pages * _PAGE
    return framing.base * pages + min(max(content, least), most)


def cites(part: Part) -> bool:
    """Whether the model is asked to quote from a document or a search result, as Claude's `citations` does."""
    raw: object = part.raw
    if isinstance(part, CitationPart) and part.asked:
        return raw is not None  # one that is made here goes out as text
    if not isinstance(raw, Mapping):
        return False
    block = cast("Mapping[str, Any]", raw)
    beside = () if "citations" in block else (mapping_in(block, "extras"), mapping_in(block, "metadata"))
    holders = (block, mapping_in(block, "document"), mapping_in(block, "searchResult"), *beside)
    return any(mapping_in(holder, "citations").get("enabled") for holder in holders)
