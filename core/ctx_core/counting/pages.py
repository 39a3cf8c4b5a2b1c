"""How many pages a PDF has."""

from __future__ import annotations

import re
import zlib
from typing import Final

_PAGE: Final = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_COUNT: Final = re.compile(rb"/Count\s+(\d{1,6})(?!\d)")
_LINEAR: Final = re.compile(rb"/Linearized\b[^>]{0,400}?/N\s+(\d{1,6})(?!\d)")
"""A PDF that is made for the web says in its first object how many pages it has, also where the rest is encrypted."""
_LINEAR_HEAD: Final = 2_048
_STREAM: Final = re.compile(rb"/Type\s*/ObjStm\b[^>]{0,400}>>\s*stream\r?\n")
"""Objects in a compressed stream, as most programs write them since PDF 1.5."""
_INFLATED: Final = 4_000_000
"""Bytes of one stream that are decompressed; lists of pages are far smaller."""
_STREAMS: Final = 2_000
_MOST: Final = 100_000
"""Pages; a file that says it has more is broken."""


def pages_of(content: bytes) -> int:
    """Give the pages of a PDF; 0 where they cannot be found, as in most that are encrypted."""
    linear = _LINEAR.search(content, 0, _LINEAR_HEAD)
    if linear is not None and 0 < (told := int(linear[1])) <= _MOST:
        return told
    found = len(_PAGE.findall(content))
    if found:
        return min(found, _MOST)
    texts = [
        _inflated(content, stream.end()) for stream, _ in zip(_STREAM.finditer(content), range(_STREAMS), strict=False)
    ]
    found = sum(len(_PAGE.findall(text)) for text in texts)
    told = max((int(count) for text in texts for count in _COUNT.findall(text)), default=0)
    return min(found or told, _MOST)


def _inflated(content: bytes, start: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(content[start:], _INFLATED)
    except zlib.error:
        return b""
