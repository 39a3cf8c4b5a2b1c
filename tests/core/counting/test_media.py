"""Pictures, sound and documents: priced by size, never as text."""

from __future__ import annotations

import base64
import struct

import pytest

from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import AudioPart, FilePart, ImagePart, Part
from ctx_core.counting import TokenCounter
from ctx_core.counting.image_prices import ImagePrice, image_size


def png(width: int, height: int) -> bytes:
    """Make the header of a picture of this size, and some of its content."""
    header = struct.pack(">I4sII", 13, b"IHDR", width, height)
    return b"\x89PNG\r\n\x1a\n" + header + b"\x08\x02\x00\x00\x00" + b"\0" * 400


def cost(model: str, part: Part) -> int:
    """Give what a part costs in a message."""
    counter = TokenCounter.for_model(model).without_margin
    return counter.count_message(Message(role=Role.USER, parts=(part,))) - counter.count_message(Message.user(""))


@pytest.mark.parametrize(
    "image",
    [
        ImagePart(data=png(640, 480)),
        ImagePart(data=base64.b64encode(png(640, 480)).decode()),
        ImagePart(url="data:image/png;base64," + base64.b64encode(png(640, 480)).decode()),
    ],
    ids=["bytes", "base64", "data url"],
)
def test_size_is_read_from_the_header(image: ImagePart) -> None:
    """However a picture comes, its pixels are read from its first bytes."""
    assert image_size(image) == (640, 480)


@pytest.mark.parametrize(
    "image", [ImagePart(url="https://example.org/a.png"), ImagePart(data="AAAA" * 50), ImagePart()]
)
def test_unknown_size_is_none(image: ImagePart) -> None:
    """What is not at hand or no picture has no size, and nothing is downloaded."""
    assert image_size(image) is None


@pytest.mark.parametrize(
    ("model", "tokens"),
    [("gpt-4o", 85 + 4 * 170), ("gpt-4o-mini", 2_833 + 4 * 5_667), ("gpt-4.1-mini", 1_024 * 162 // 100 + 2)],
)
def test_openai_prices_a_picture_by_its_size(model: str, tokens: int) -> None:
    """A square of 1,024 pixels is four tiles, or 1,024 patches."""
    assert cost(model, ImagePart(data=png(1_024, 1_024))) == tokens


def test_low_detail_is_the_base_price() -> None:
    """A picture in low detail costs the same at any size."""
    assert cost("gpt-4o", ImagePart(data=png(4_000, 4_000), detail="low")) == 85


def test_claude_prices_the_area() -> None:
    """Claude's price is the area over 750, and a few tokens."""
    assert cost("claude-sonnet-4-5", ImagePart(data=png(750, 300))) == 300 + 4
    assert ImagePrice(kind="area", base=0, unit=750, most=1_600).tokens(10_000, 10_000) == 1_600


def test_payload_is_not_text() -> None:
    """A document of ten times the size is not ten times as dear, and no sound is counted by its length."""
    pages = [cost("claude-sonnet-4-5", FilePart(data="A" * n, media_type="application/pdf")) for n in (4_000, 40_000)]
    assert pages[1] < 4 * pages[0]
    assert cost("gpt-4o", AudioPart(data="A" * 10)) == cost("gpt-4o", AudioPart(data="A" * 100_000))


def test_plain_text_file_costs_its_text() -> None:
    """A text file that comes as base64 is decoded and counted."""
    text = "The quick brown fox jumps over the lazy dog. " * 20
    part = FilePart(data=base64.b64encode(text.encode()).decode(), media_type="text/plain")
    assert cost("gpt-4o", part) == TokenCounter.for_model("gpt-4o").count_text(text)


@pytest.mark.parametrize(
    ("model", "detail", "tokens"),
    [("gpt-4o", None, 765), ("gpt-4o", "low", 85), ("gpt-4o-mini", "low", 2_833), ("gpt-4o-mini", None, 25_501),
     ("claude-sonnet-4-5", None, 1_403), ("gemini-2.5-flash", None, 258)],
)  # fmt: skip
def test_picture_of_unknown_size_has_the_models_own_price(model: str, detail: str | None, tokens: int) -> None:
    """It is taken to be as large as what image models make: 1,024 pixels each way."""
    assert cost(model, ImagePart(url="https://example.org/a.png", detail=detail)) == tokens


def test_broken_header_is_no_size() -> None:
    """A picture of two thousand million pixels is none."""
    assert image_size(ImagePart(data=png(1, 2**31 - 1))) is None


@pytest.mark.parametrize("media_type", ["application/yaml", "application/octet-stream", "application/x-sh", None])
def test_documents_that_are_text_count_as_text(media_type: str | None) -> None:
    """Whatever they are called: YAML, code, logs."""
    text = "key: value\n" * 200
    counter = TokenCounter.for_model("gpt-4o").without_margin
    assert cost("gpt-4o", FilePart(data=text.encode(), media_type=media_type)) == counter.count_text(text)
    assert cost("gpt-4o", FilePart(data=b"%PDF-1.7 " + b"x" * 500, media_type=media_type)) < 1_000
    assert cost("gpt-4o", FilePart(data=b"PK\x03\x04" + b"x" * 500, media_type=media_type)) < 1_000


def test_a_large_pdf_of_few_pages_is_not_priced_by_its_pictures() -> None:
    """Three scanned pages cost three pages, however many bytes they are."""
    page = b"1 0 obj << /Type /Page /Parent 2 0 R >> endobj " + b"\0" * 900_000
    scanned = b"%PDF-1.7 << /Type /Pages >> " + page * 3
    for data in (scanned, base64.b64encode(scanned).decode()):
        assert cost("gpt-4o", FilePart(data=data, media_type="application/pdf")) < 3 * 3_000 + 1_000
    unknown = FilePart(data=scanned.replace(b"/Type /Page ", b"/Compressed "), media_type="application/pdf")
    assert cost("gpt-4o", unknown) > 100_000


@pytest.mark.parametrize(
    "source",
    [
        {"type": "url", "url": "https://a.example/a.png"},
        {"type": "file", "file_id": "file_1"},
        {"type": "base64", "media_type": "image/png", "data": "AAAA" * 10},
    ],
)
@pytest.mark.parametrize("kind", ["document", "search_result"])
def test_a_picture_inside_of_a_document_is_a_picture(kind: str, source: dict[str, str]) -> None:
    """Whichever way it is given; what says so beside it is no text."""
    counter = TokenCounter.for_model("claude-sonnet-4-5")
    picture = {"type": "image", "source": source}
    content = [{"type": "text", "text": "The pier."}, picture]
    held = {"source": {"type": "content", "content": content}} if kind == "document" else {"content": content}
    block = {"type": kind, **held}
    inside, alone = (
        counter.count_messages([{"role": "user", "content": [one]}], format="anthropic") for one in (block, picture)
    )
    assert 1_000 < alone < inside < alone + 12
