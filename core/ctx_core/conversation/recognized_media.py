"""What is a medium for certain in a block that nobody knows: by its media type, its data URL or its first bytes."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Any, Final

from ctx_core.conversation.fields import first_in, string_or_none
from ctx_core.conversation.parts import AudioPart, FilePart, ImagePart, MediaPart, VideoPart

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
UNTOLD: Final = frozenset({None, "application/octet-stream", "binary/octet-stream"})
"""Media types that say nothing."""
_MEDIA: Final = ("image/", "audio/", "video/", "application/pdf")


def medium_of(
    media_type: str | None,
    data: str | bytes | None,
    raw: object = None,
    *,
    family: str = "file",
    url: str | None = None,
    detail: str | None = None,
) -> MediaPart:
    """Give the medium of a content: by its media type, a `data:` URL's or, of a file without one, its first bytes.

    Args:
        media_type: as the block has it, or None.
        data: the content, or None.
        raw: the block.
        family: image, audio, video or file: what the block is called, where the media type says nothing else.
        url: its address, or a `data:` URL.
        detail: the resolution that is asked for.
    """
    told = media_type or media_type_in(data) or media_type_in(url) or None
    kind = _family_of(told)
    if kind is None and family == "file" and told in UNTOLD:
        told = media_type_of_content(data or url) or told
        kind = _family_of(told)
    if (kind or family) == "image":
        return ImagePart(url=url, data=data, media_type=told if kind else media_type, detail=detail, raw=raw)
    content = data if data is not None or not media_type_in(url) else url
    match kind or family:
        case "audio":
            return AudioPart(data=content, media_type=told, raw=raw)
        case "video":
            return VideoPart(data=content, media_type=told, raw=raw)
        case _:
            return FilePart(data=content, media_type=told, raw=raw)


def media_type_in(data: object) -> str:
    """Give the media type that a `data:` URL says; empty for anything else."""
    if not isinstance(data, str) or data[:5].lower() != "data:":
        return ""
    return data[5:200].partition(",")[0].partition(";")[0].lower()


def media_type_of_content(content: str | bytes | None) -> str | None:
    """Give the media type that the first bytes of a content tell; None where they tell none."""
    return _by_sign(content if isinstance(content, bytes) else _head(_base64_in(content or "")))


def _family_of(media_type: str | None) -> str | None:
    """Give what a media type says for certain; None where it says nothing, such as `application/octet-stream`."""
    plain = (media_type or "").strip().lower()
    family = plain.partition("/")[0]
    if family in {"image", "audio", "video"}:
        return family
    return "file" if family == "text" or plain.startswith("application/pdf") else None


def _base64_in(text: str) -> str:
    return text[:300].partition(",")[2] if text[:5].lower() == "data:" else text


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
