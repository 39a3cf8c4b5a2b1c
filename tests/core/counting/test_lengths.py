"""Recordings and films are priced by their length, PDFs by their pages."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Final

import pytest

from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import AudioPart, FilePart, Part, VideoPart
from ctx_core.counting import TokenCounter
from ctx_core.counting.lengths import seconds
from ctx_core.counting.pages import pages_of


def wav(length: float, rate: int = 16_000, told: int | None = None) -> bytes:
    """Make a WAV of so many seconds, of samples of two bytes."""
    data = b"\0\0" * int(length * rate)
    form = struct.pack("<IHHIIHH", 16, 1, 1, rate, rate * 2, 2, 16)
    size = len(data) if told is None else told
    return b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + form + b"data" + struct.pack("<I", size) + data


def mp3(length: float) -> bytes:
    """Make an MP3 of so many seconds, of 128 kbit a second."""
    return (b"\xff\xfb\x90\x64" + b"\0" * 413) * round(length / (1_152 / 44_100))


def mp4(length: float, size: int = 100_000) -> bytes:
    """Make the header of a film of so many seconds, and a content."""

    def box(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", 8 + len(content)) + kind + content

    head = box(b"mvhd", struct.pack(">IIIII", 0, 0, 0, 1_000, int(length * 1_000)) + b"\0" * 80)
    return box(b"ftyp", b"isom\0\0\0\0isom") + box(b"moov", head) + box(b"mdat", b"\0" * size)


def webm(length: float) -> bytes:
    """Make the header of a WebM of so many seconds, counted in milliseconds, and a content."""
    told = b"\x2a\xd7\xb1\x83\x0f\x42\x40" + b"\x44\x89\x88" + struct.pack(">d", length * 1_000)
    return b"\x1aE\xdf\xa3" + b"\0" * 30 + told + b"\0" * 100_000


@pytest.mark.parametrize(
    ("part", "length"),
    [
        (AudioPart(data=wav(30), media_type="audio/wav"), 30),
        (AudioPart(data=base64.b64encode(wav(30)).decode()), 30),
        (AudioPart(data="data:audio/wav;base64," + base64.b64encode(wav(30)).decode()), 30),
        (AudioPart(data=wav(30, told=0xFFFFFFFF)), 30),
        (AudioPart(data=mp3(1_200), media_type="audio/mpeg"), 1_200),
        (VideoPart(data=mp4(75), media_type="video/mp4"), 75),
        (VideoPart(data=webm(75), media_type="video/webm"), 75),
        (AudioPart(data=webm(75), media_type="audio/webm"), 75),
        (AudioPart(data=b"\1" * 60_000, media_type="audio/amr"), 30),
        (AudioPart(data=b"\1" * 480_000, media_type="audio/l16;rate=16000"), 30),
        (VideoPart(data=b"\1" * 375_000, media_type="video/x-matroska"), 30),
        (VideoPart(data=mp4(0, size=374_968), media_type="video/mp4"), 30),
    ],
    ids=[
        "wav", "base64", "data url", "a stream", "mp3", "mp4", "webm", "webm sound", "no header", "samples",
        "a film without a header", "a broken header",
    ],
)  # fmt: skip
def test_a_length_is_read_from_the_header_or_told_by_the_bytes(part: AudioPart | VideoPart, length: float) -> None:
    """In seconds, within a twentieth."""
    assert seconds(part) == pytest.approx(length, rel=0.05)


def xing(length: float, told: float) -> bytes:
    """Make an MP3 whose first frame says how many frames there are."""
    frames = struct.pack(">4sIII", b"Xing", 3, round(told / (1_152 / 44_100)), round(told * 16_000))
    first = b"\xff\xfb\x90\x64" + b"\0" * 32 + frames
    return first.ljust(417, b"\0") + mp3(length)


def changing(length: float) -> bytes:
    """Make an MP3 of so many seconds, of 32 and 320 kbit a second by turns, as the parts of a talk are."""
    small, large = b"\xff\xfb\x10\x64".ljust(104, b"\0"), b"\xff\xfb\xe0\x64".ljust(1_044, b"\0")
    return (small * 9 + large) * round(length / (1_152 / 44_100) / 10)


def tagged(content: bytes, size: int) -> bytes:
    """Put a tag with a picture of so many bytes in front of an MP3."""
    return b"ID3\4\0\0" + bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0)) + b"\xff\xd8" * (size // 2) + content


@pytest.mark.parametrize(
    ("part", "length"),
    [
        (AudioPart(data=xing(1_200, told=1), media_type="audio/mpeg"), 1_200),
        (AudioPart(data=xing(1_200, told=600)), 1_200),
        (AudioPart(data=xing(1_200, told=2_400)), 1_200),
        (AudioPart(data=changing(1_200)), 1_200),
        (AudioPart(data=tagged(mp3(20), 1_000_000)), 20),
        (AudioPart(data=tagged(xing(300, told=1), 100_000)), 300),
        (AudioPart(data=xing(300, told=1)[:100] + b"broken" * 100 + mp3(300)), 300),
        (AudioPart(data=wav(300, told=32_000)), 300),
        (AudioPart(data=webm(0.01) + b"\0" * 400_000, media_type="audio/webm"), 250),
        (AudioPart(data=mp4(1, size=400_000), media_type="audio/mp4"), 200),
        (VideoPart(data=mp4(0.001, size=375_000)), 30),
        (VideoPart(data=mp4(1, size=5_000_000)), 1),
    ],
    ids=[
        "an mp3", "half", "more than its frames", "another density", "a picture", "a picture and a header",
        "broken between", "wav", "webm", "m4a", "mp4", "a sharp film",
    ],
)  # fmt: skip
def test_a_header_is_not_believed_against_the_bytes(part: AudioPart | VideoPart, length: float) -> None:
    """One that tells of few seconds in many bytes: frames and samples have their own length, others are too dense."""
    assert seconds(part) == pytest.approx(length, rel=0.05)


def test_what_only_looks_like_an_mp3_is_read_in_bounds() -> None:
    """Whatever stands behind the sign: it is priced by its bytes."""
    for content in (b"ID3" + b"\xff" * 50_000, b"\xff\xfb" * 25_000, b"\xff\xfb\x90\x64" + b"\xff" * 50_000, b"ID3"):
        assert seconds(AudioPart(data=content)) == pytest.approx(len(content) / 2_000, rel=0.05)


@pytest.mark.parametrize("part", [AudioPart(), VideoPart(), AudioPart(data="A")])
def test_a_content_that_is_not_at_hand_has_no_length(part: AudioPart | VideoPart) -> None:
    """Nothing is downloaded for it."""
    assert seconds(part) is None


def cost(model: str, part: Part) -> int:
    """Give what a part costs in a message."""
    counter = TokenCounter.for_model(model).without_margin
    return counter.count_message(Message(role=Role.USER, parts=(part,))) - counter.count_message(Message.user(""))


@pytest.mark.parametrize(
    ("model", "part", "tokens"),
    [
        ("gpt-4o-audio-preview", AudioPart(data=mp3(1_200)), 12_000),
        ("gemini-2.5-flash", AudioPart(data=mp3(1_200)), 38_400),
        ("an unknown model", AudioPart(data=mp3(1_200)), 38_400),
        ("gemini-2.5-flash", VideoPart(data=mp4(600)), 168_000),
        ("nova-lite", VideoPart(data=mp4(600)), 180_000),
    ],
)
def test_a_recording_costs_its_length(model: str, part: Part, tokens: int) -> None:
    """At the rate of its family, or at the highest that is published."""
    assert cost(model, part) == pytest.approx(tokens, rel=0.05)


_TREE: Final = b"".join(b"<< /Type /Page /Parent 2 0 R >> " for _ in range(40)) + b"<< /Type /Pages /Count 40 >>"
_PACKED: Final = zlib.compress(_TREE)
PDFS: Final = {
    "in clear": b"%PDF-1.4\n" + _TREE,
    "compressed": b"%PDF-1.5\n7 0 obj << /Type /ObjStm /Filter /FlateDecode /N 41 /First 9 >> stream\r\n" + _PACKED,
    "for the web": b"%PDF-1.5\n1 0 obj << /Linearized 1 /L 9 /O 3 /N 40 >> endobj\n << /Encrypt 9 0 R >>",
}


@pytest.mark.parametrize("name", PDFS)
def test_the_pages_of_a_pdf_are_found(name: str) -> None:
    """Whether its list of pages is in clear, compressed or encrypted."""
    assert pages_of(PDFS[name]) == 40


@pytest.mark.parametrize("content", [b"", b"%PDF-1.5\n", b"%PDF /Type /ObjStm >> stream\nbroken"])
def test_a_broken_pdf_has_no_pages_that_are_known(content: bytes) -> None:
    """It is priced by its size then."""
    assert pages_of(content) == 0


@pytest.mark.parametrize(
    ("model", "page"), [("gpt-4o", 1_600), ("claude-sonnet-4-5", 3_080), ("gemini-2.5-flash", 258)]
)
def test_a_pdf_costs_its_pages(model: str, page: int) -> None:
    """However few bytes they are: a picture of each, and a text of 1,500 tokens where the provider reads it."""
    part = FilePart(data=PDFS["compressed"], media_type="application/pdf")
    assert cost(model, part) == pytest.approx(40 * page, rel=0.05)
