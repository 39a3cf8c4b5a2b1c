"""What is a medium for certain in a block that nobody knows: by its media type, its data URL or its first bytes."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Any, Final

from ctx_core.conversation.fields import first_in, string_or_none
from ctx_core.conversation.messages import AudioPart, FilePart, ImagePart, MediaPart, VideoPart

if TYPE_CHECKING:
    from collections.abc import Mapping

MEDIA_TYPES: Final = ("mime_type", "mimeType", "media_type", "mediaType")
PAYLOADS: Final = ("data", "blob", "base64", "bytes", "file_data")
"""Keys beside a media type under which a content stands."""
_SIGNS: Final = (
    (b"\x89PNG\r\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
    (b"\xff\xf2", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
)
"""First bytes of contents. Four to six letters of base64 may stand in any text, so that a text must be long, too."""
_RIFF: Final = {b"WAVE": "audio/wav", b"WEBP": "image/webp", b"AVI ": "video/x-msvideo"}
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{64,}={0,2}")
_MEDIA: Final = ("image/", "audio/", "video/", "application/pdf")


def medium_of(media_type: str, data: str | bytes | None, raw: object = None) -> MediaPart:
    """Give the medium of a content with its media type."""
    match media_type.partition("/")[0]:
        case "image":
            return ImagePart(data=data, media_type=media_type, raw=raw)
        case "audio":
            return AudioPart(data=data, media_type=media_type, raw=raw)
        case "video":
            return VideoPart(data=data, media_type=media_type, raw=raw)
        case _:
            return FilePart(data=data, media_type=media_type or None, raw=raw)


def recognized(value: str | bytes) -> MediaPart | None:
    """Give the medium that a text or bytes are for certain: by a data URL, or by its first bytes."""
    if isinstance(value, bytes):
        media_type = _by_sign(value)
        return None if media_type is None else medium_of(media_type, value)
    if value[:5].lower() == "data:" and ";base64," in value[:200]:
        return medium_of(value[5:].partition(";")[0].lower(), value)
    if not _BASE64.fullmatch(value):
        return None
    media_type = _by_sign(_head(value))
    return None if media_type is None else medium_of(media_type, value)


def described(block: Mapping[str, Any]) -> tuple[str, MediaPart] | None:
    """Give the medium that a mapping has under a key beside its media type, and the key."""
    media_type = (string_or_none(first_in(block, *MEDIA_TYPES)) or "").lower()
    if not media_type.startswith(_MEDIA):
        return None
    for key in PAYLOADS:
        data: object = block.get(key)
        if (isinstance(data, str) and _BASE64.fullmatch(data)) or (isinstance(data, bytes) and data):
            return key, medium_of(media_type, data)
    return None


def _head(text: str) -> bytes:
    try:
        return base64.b64decode(text[:64], altchars=b"-_" if "-" in text[:64] or "_" in text[:64] else None)
    except (binascii.Error, ValueError):
        return b""


def _by_sign(head: bytes) -> str | None:
    if head[:4] == b"RIFF":
        return _RIFF.get(head[8:12])
    if head[4:8] == b"ftyp":
        return "audio/mp4" if head[8:11] == b"M4A" else "video/mp4"
    return next((media_type for sign, media_type in _SIGNS if head.startswith(sign)), None)
