"""The bytes of a medium, whichever way they came, and the text of a document that is one."""

from __future__ import annotations

import base64
import binascii
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ctx_core.conversation.parts import FilePart

_TEXTUAL: Final = (
    "text/",
    "application/json",
    "application/xml",
    "application/txt",
    "application/csv",
    "application/md",
)

_BINARY: Final = ("pdf", "zip", "officedocument", "msword", "ms-excel", "ms-powerpoint", "opendocument")
"""In the media types of documents that are no text, so that they need not be decoded to find out."""
_SIGNED: Final = (b"%PDF", b"PK\x03\x04")
"""What such documents begin with."""


_ADDRESS: Final = re.compile(r"(?!data:)[a-z][a-z0-9+.-]*://?", re.IGNORECASE)
"""How an address begins, which no base64 does."""


def is_address(content: str | bytes | None) -> bool:
    """Whether what stands in the place of a content is only the address of one."""
    return isinstance(content, str) and _ADDRESS.match(content) is not None


def bytes_of(data: str | bytes | None) -> bytes | None:
    """Give a content as bytes; None where there is none, only an address, or what is no base64."""
    if data is None or isinstance(data, bytes):
        return data or None
    if is_address(data):
        return None
    text = data.partition(",")[2] if data[:5].lower() == "data:" else data
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_" if "-" in text or "_" in text else None)
    except (binascii.Error, ValueError):
        return None


def document_text(part: FilePart) -> str | None:
    """Give the text of a document that is plain text; None for all others, and where its content is not at hand."""
    if part.text is not None:
        return part.text
    media_type = (part.media_type or "").lower()
    if part.data is None or any(name in media_type for name in _BINARY):
        return None
    content = bytes_of(part.data)
    if content is None:
        return None
    if media_type.startswith(_TEXTUAL):
        return content.decode("utf-8", "replace")
    if b"\0" in content or content.startswith(_SIGNED):
        return None
    with suppress(UnicodeDecodeError):
        return content.decode("utf-8")  # YAML, code and the like, under whatever name
    return None
