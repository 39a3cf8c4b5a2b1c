"""How long an MP3 is by its frames: each says how long it is, whatever the header in front of them says."""

from __future__ import annotations

from typing import Final

_TAG: Final = b"ID3"
_TAG_HEAD: Final = 10
_KILOBITS: Final = (
    (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
)
"""Kilobits a second by a frame's index, of MPEG-1 and of the later ones."""
_RATES: Final = (44_100, 48_000, 32_000)
"""Samples a second by a frame's index, of MPEG-1; MPEG-2 has a half, MPEG-2.5 a quarter."""
_MOST_SEARCHES: Final = 10_000
"""Places between frames that are none; a file that has more is broken."""


def seconds_of_frames(content: bytes) -> float | None:
    """Give how long an MP3 is; None for what is not, in its larger part, such frames."""
    start = at = _behind_tag(content)
    total, framed, searches = 0.0, 0, 0
    while 0 <= at < len(content) - 3 and searches < _MOST_SEARCHES:
        frame = _frame(content, at)
        if frame is None:
            searches += 1
            at = content.find(b"\xff", at + 1)
        else:
            framed += frame[0]
            total += frame[1]
            at += frame[0]
    # What is no frame is taken to be as dense: behind many breaks nothing was read.
    return total * (len(content) - start) / framed if framed and 2 * framed > len(content) - start else None


def _behind_tag(content: bytes) -> int:
    """Give where a tag in front of the frames ends: its length is written in four bytes of seven bits."""
    if not content.startswith(_TAG) or len(content) < _TAG_HEAD:
        return 0
    size = 0
    for byte in content[6:_TAG_HEAD]:
        size = size << 7 | byte & 0x7F
    return _TAG_HEAD + size


def _frame(content: bytes, at: int) -> tuple[int, float] | None:
    """Give bytes and seconds of the frame that begins there; None where none does."""
    first, second, third = content[at], content[at + 1], content[at + 2]
    if first != 0xFF or second & 0xE6 != 0xE2:  # noqa: PLR2004 - eleven bits that are set, and those of layer III
        return None
    version, index, rate = second >> 3 & 3, third >> 4, third >> 2 & 3
    if version == 1 or rate == 3 or index in {0, 15}:  # noqa: PLR2004 - not given to anything
        return None
    later = version != 3  # noqa: PLR2004 - MPEG-1
    samples = 576 if later else 1_152
    a_second = _RATES[rate] >> {3: 0, 2: 1, 0: 2}[version]
    size = samples // 8 * _KILOBITS[later][index] * 1_000 // a_second + (third >> 1 & 1)
    return size, samples / a_second
