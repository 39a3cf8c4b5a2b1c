"""How long recordings and films are: from their headers, else from their bytes."""

from __future__ import annotations

import io
import math
import re
import struct
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.document_texts import bytes_of
from ctx_core.conversation.parts import VideoPart
from ctx_core.counting.mp3_frames import seconds_of_frames

if TYPE_CHECKING:
    from ctx_core.conversation.parts import AudioPart

_SOUND: Final = 2_000
"""Bytes a second where no header says how long a recording is: speech at 16 kbit a second. Most have more, so that they
are shorter than what is assumed."""
_SAMPLES: Final = 16_000
"""Bytes a second of samples without a header: 8,000 of two bytes, the fewest that models take."""
_FILM: Final = 12_500
"""Bytes a second where no header says how long a film is: 100 kbit a second, a very small one."""
_LEAST: Final = 100
"""Bytes a second below which a header is broken: a stream was written before its length was known."""
_SAMPLED: Final = ("pcm", "l16", "l24", "basic")
"""In the media types of samples without a header."""
_DENSE: Final = 64_000
"""Bytes a second above which the length in a header of compressed sound is broken, or told wrongly: 512 kbit. MP3 has
320 at most, speech far less."""
_DENSE_LOSSLESS: Final = 576_000
"""The same for sound that loses nothing: two channels of 96,000 samples of three bytes, without compression."""
_DENSE_FILM: Final = 12_500_000
"""The same for films: 100 Mbit, as cameras have for 2,160 lines."""
_SAMPLES_SIGNS: Final = (b"RIFF", b"FORM")
"""What WAV and AIFF begin with, whose headers say how many bytes a second are."""
_MP3_SIGNS: Final = (b"ID3", b"\xff\xfb", b"\xff\xfa", b"\xff\xf3", b"\xff\xf2", b"\xff\xe3", b"\xff\xe2")
_MP3_TYPES: Final = ("mpeg", "mp3", "mpga")
_WEBM: Final = b"\x1aE\xdf\xa3"
_WEBM_HEAD: Final = 65_536
"""Bytes of a WebM that its length stands in."""
_WEBM_UNIT: Final = re.compile(rb"\x2a\xd7\xb1\x83(.{3})", re.DOTALL)
"""Nanoseconds that its length is counted in."""
_WEBM_LENGTH: Final = re.compile(rb"\x44\x89(?:\x84(.{4})|\x88(.{8}))", re.DOTALL)


def seconds(part: AudioPart | VideoPart) -> float | None:
    """Give how long a recording or a film is; None where its content is not at hand. Nothing is downloaded.

    A header is believed as far as the bytes allow it. Who decodes the content does not ask it: an MP3 is as long
    as its frames, samples without compression as their bytes, and where a header tells of so few seconds that no such
    content is so dense, the bytes decide, as where there is no header.
    """
    content = bytes_of(part.data)
    if not content:
        return None
    film, media_type = isinstance(part, VideoPart), (part.media_type or "").lower()
    framed = seconds_of_frames(content) if not film and _is_mp3(content, media_type) else None
    if framed is not None:
        return framed
    told = _of_webm(content) if content.startswith(_WEBM) else _of_header(content)
    if told is not None and math.isfinite(told) and _least(content, film=film) <= told <= len(content) / _LEAST:
        return told
    if film:
        return len(content) / _FILM
    return len(content) / (_SAMPLES if any(name in media_type for name in _SAMPLED) else _SOUND)


def _is_mp3(content: bytes, media_type: str) -> bool:
    return content.startswith(_MP3_SIGNS) or any(name in media_type for name in _MP3_TYPES)


def _least(content: bytes, *, film: bool) -> float:
    """Give the fewest seconds that a content may have."""
    if film:
        return len(content) / _DENSE_FILM
    lossless = content.startswith((*_SAMPLES_SIGNS, b"fLaC")) or b"alac" in content
    return len(content) / (_DENSE_LOSSLESS if lossless else _DENSE)


def _of_header(content: bytes) -> float | None:
    """Give the length that a header tells: of MP3, WAV, Ogg, FLAC, AIFF, WMA, and of MP4 with films."""
    from tinytag import TinyTag

    try:
        tag = TinyTag.get(file_obj=io.BytesIO(content), tags=False)
    except Exception:  # noqa: BLE001 - whatever a broken file makes it raise, its length is not known
        return None
    # A stream that was written before its length was known still says how dense it is, and so do all samples.
    by_rate = len(content) * 8 / (tag.bitrate * 1_000) if tag.bitrate else None
    if not tag.duration or tag.duration > len(content) / _LEAST:
        return by_rate
    return max(tag.duration, by_rate or 0.0) if content.startswith(_SAMPLES_SIGNS) else tag.duration


def _of_webm(content: bytes) -> float | None:
    head = content[:_WEBM_HEAD]
    length, unit = _WEBM_LENGTH.search(head), _WEBM_UNIT.search(head)
    if length is None:
        return None
    value: float = struct.unpack(">f" if length[1] else ">d", length[1] or length[2])[0]
    return value * (int.from_bytes(unit[1]) if unit else 1_000_000) / 1e9
