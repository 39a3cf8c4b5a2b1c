"""How large the content of a medium is."""

from __future__ import annotations


def size_of(data: str | bytes) -> int:
    """Give the bytes of a content, without decoding it."""
    if isinstance(data, bytes):
        return len(data)
    text = data.partition(",")[2] if data[:5].lower() == "data:" else data
    return len(text) * 3 // 4
