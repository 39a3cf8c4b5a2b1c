"""Contents of media, as the providers' blocks want them."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from ctx_core.conversation.messages import FilePart, ImagePart

if TYPE_CHECKING:
    from ctx_core.conversation.messages import MediaPart


def base64_text(part: MediaPart) -> str:
    """Give the content of a medium as base64 text."""
    data = part.data
    if data is None and isinstance(part, ImagePart):
        data = part.url
    if isinstance(data, bytes):
        return base64.b64encode(data).decode("ascii")
    return (data or "").partition(",")[2] if (data or "").startswith("data:") else data or ""


def content_bytes(part: MediaPart) -> bytes:
    """Give the content of a medium as bytes."""
    return part.data if isinstance(part.data, bytes) else base64.b64decode(base64_text(part))


def media_type_of(part: MediaPart) -> str:
    """Give the media type, or the usual one of its kind where it is not known."""
    if part.media_type is not None:
        return part.media_type
    return "text/plain" if isinstance(part, FilePart) and part.text is not None else part.usual_type
