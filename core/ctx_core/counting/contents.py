"""The bytes of a medium, whichever way they came."""

from __future__ import annotations

import base64
import binascii


def bytes_of(data: str | bytes | None) -> bytes | None:
    """Give a content as bytes; None where there is none, or where it is no base64."""
    if data is None or isinstance(data, bytes):
        return data or None
    text = data.partition(",")[2] if data[:5].lower() == "data:" else data
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_" if "-" in text or "_" in text else None)
    except (binascii.Error, ValueError):
        return None


def size_of(data: str | bytes) -> int:
    """Give the bytes of a content, without decoding it."""
    if isinstance(data, bytes):
        return len(data)
    text = data.partition(",")[2] if data[:5].lower() == "data:" else data
    return len(text) * 3 // 4
