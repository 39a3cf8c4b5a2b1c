"""A medium by address is written in the way that each door has for it, or refused with what to do."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from ctx_core import Message, MessageError, Role
from ctx_core.conversation.formats.names import format_named
from ctx_core.conversation.media_formats import format_of, formats_of, media_type_of_format
from ctx_core.conversation.parts import AudioPart, FilePart, ImagePart, MediaPart, VideoPart
from ctx_core.conversation.transcript import read_natives
from langchain_ctx import LangChainCodec
from llamaindex_ctx import ChatMessageCodec

if TYPE_CHECKING:
    from ctx_core.conversation.message_types import Codec

DOORS: Final[dict[str, Codec[Any]]] = {
    **{name: format_named(name) for name in ("openai", "anthropic", "gemini", "bedrock", "responses")},
    "langchain": LangChainCodec(),
    "llamaindex": ChatMessageCodec(),
}
ADDRESS: Final = "https://example.com/one"
MEDIA: Final[dict[str, MediaPart]] = {
    "image": ImagePart(url=ADDRESS),
    "image in data": ImagePart(data=ADDRESS),
    "audio": AudioPart(data=ADDRESS),
    "video": VideoPart(data=ADDRESS),
    "document": FilePart(data=ADDRESS),
}
TAKEN: Final[dict[str, frozenset[str]]] = {
    "openai": frozenset({"image", "image in data"}),
    "anthropic": frozenset({"image", "image in data", "document"}),
    "gemini": frozenset(MEDIA),
    "bedrock": frozenset(),
    "responses": frozenset({"image", "image in data", "document"}),
    "langchain": frozenset(MEDIA),
    "llamaindex": frozenset(MEDIA),
}
WORD: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
EXCEL: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
DATA: Final = base64.b64encode(b"some content").decode()


def _write(door: str, part: MediaPart) -> Any:
    return DOORS[door].write(Message(role=Role.USER, parts=(part,)))


def _bedrock(part: MediaPart) -> dict[str, Any]:
    (block,) = _write("bedrock", part)["content"]
    return cast("dict[str, Any]", block[part.noun])


@pytest.mark.parametrize("kind", MEDIA)
@pytest.mark.parametrize("door", DOORS)
def test_an_address_is_written_or_refused(door: str, kind: str) -> None:
    """An address is never taken for a content: where a door has no way for it, the error says what to do."""
    part = MEDIA[kind]
    if kind in TAKEN[door]:
        native = _write(door, part)
        assert ADDRESS in repr(native)
        (message,) = read_natives([native], DOORS[door])
        assert len(message.parts) == 1
        return
    with pytest.raises(MessageError, match=rf"medium \({part.noun}\).*only an address.*`data`") as caught:
        _write(door, part)
    assert ADDRESS not in str(caught.value)


@pytest.mark.parametrize("part", [ImagePart(), AudioPart(), VideoPart(), FilePart(), ImagePart(data="")])
@pytest.mark.parametrize("door", DOORS)
def test_a_medium_without_anything_is_refused(door: str, part: MediaPart) -> None:
    """An empty medium would be refused by the provider, which says less."""
    with pytest.raises(MessageError, match="neither content nor address"):
        _write(door, part)


@pytest.mark.parametrize(
    "part",
    [
        ImagePart(url="s3://bucket/one.jpg", media_type="image/jpeg"),
        ImagePart(url="s3://bucket/one.jpg"),
        VideoPart(data="s3://bucket/one.mp4"),
        AudioPart(data="s3://bucket/one.wav"),
        FilePart(data="s3://bucket/one.pdf"),
    ],
)
def test_bedrock_takes_what_lies_in_s3(part: MediaPart) -> None:
    """Its blocks have a place for that one kind of address."""
    block = _bedrock(part)
    address = part.url if isinstance(part, ImagePart) else part.data
    assert block["source"] == {"s3Location": {"uri": address}}
    assert block["format"] in {"jpeg", "mp4", "wav", "pdf"}


def test_a_content_goes_before_an_address() -> None:
    """A picture of which both are known is written with its content."""
    assert _bedrock(ImagePart(url=ADDRESS, data=DATA))["source"] == {"bytes": b"some content"}


@pytest.mark.parametrize(
    "data",
    [DATA, b"some content", f"data:image/gif;base64,{DATA}", f"DATA:image/gif;base64,{DATA}", DATA.rstrip("=")],
)
def test_a_content_is_bytes_however_it_is_spelled(data: str | bytes) -> None:
    """Base64 text, with and without its end, bytes, a data URL."""
    assert _bedrock(ImagePart(data=data))["source"] == {"bytes": b"some content"}


def test_a_data_url_as_an_address_is_a_content_with_its_type() -> None:
    """What a data URL says of its type is not lost."""
    block = _bedrock(ImagePart(url=f"data:image/gif;base64,{DATA}"))
    assert block == {"format": "gif", "source": {"bytes": b"some content"}}


def test_what_is_no_base64_is_refused() -> None:
    """With its length, and never with the content."""
    with pytest.raises(MessageError, match=r"10 characters that are no base64") as caught:
        _write("bedrock", ImagePart(data="%%secret%%"))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("part", "form"),
    [
        (FilePart(data=DATA, media_type=WORD), "docx"),
        (FilePart(data=DATA, media_type=EXCEL), "xlsx"),
        (FilePart(data=DATA, media_type="application/msword"), "doc"),
        (FilePart(data=DATA, media_type="application/vnd.ms-excel"), "xls"),
        (FilePart(data=DATA, media_type="Application/PDF"), "pdf"),
        (FilePart(data=DATA, media_type="text/markdown; charset=utf-8"), "md"),
        (FilePart(data=DATA, media_type="text/x-python"), "txt"),
        (FilePart(data=DATA, media_type="application/json"), "txt"),
        (FilePart(text="# words", media_type="text/markdown"), "md"),
        (FilePart(text="words", media_type="application/pdf"), "txt"),
        (ImagePart(data=DATA, media_type="image/jpg"), "jpeg"),
        (AudioPart(data=DATA, media_type="audio/mpeg"), "mp3"),
        (AudioPart(data=DATA, media_type="audio/x-wav"), "wav"),
        (VideoPart(data=DATA, media_type="video/quicktime"), "mov"),
        (VideoPart(data=DATA, media_type="video/3gpp"), "three_gp"),
        (VideoPart(data=DATA, media_type="video/x-matroska"), "mkv"),
    ],
)
def test_bedrock_has_its_own_words_for_formats(part: MediaPart, form: str) -> None:
    """None of them is the second half of a long media type."""
    assert _bedrock(part)["format"] == form


@pytest.mark.parametrize(
    "part",
    [
        FilePart(data=DATA, media_type="application/zip"),
        ImagePart(data=DATA, media_type="image/tiff"),
        VideoPart(data=DATA, media_type="video/x-msvideo"),
        AudioPart(data=DATA, media_type="audio/midi"),
    ],
)
def test_a_format_that_bedrock_has_not_is_refused(part: MediaPart) -> None:
    """The error names the type and those that it takes."""
    some = formats_of(part.noun)[0]
    with pytest.raises(MessageError, match=rf"medium \({part.noun}\).*{part.media_type}.*{some}"):
        _write("bedrock", part)


@pytest.mark.parametrize("kind", ["document", "image", "audio", "video"])
def test_a_format_is_read_as_the_media_type_that_it_is_written_for(kind: str) -> None:
    """There is one table for both ways."""
    for form in formats_of(kind):
        assert format_of(kind, media_type_of_format(kind, form)) == form


@pytest.mark.parametrize(
    ("form", "media_type"),
    [("docx", WORD), ("xlsx", EXCEL), ("pdf", "application/pdf"), ("md", "text/markdown"), ("csv", "text/csv")],
)
def test_bedrocks_documents_are_read_with_their_media_type(form: str, media_type: str) -> None:
    """Their price depends on it."""
    native = {
        "role": "user",
        "content": [{"document": {"format": form, "name": "a", "source": {"bytes": b"some content"}}}],
    }
    (message,) = read_natives([native], DOORS["bedrock"])
    (part,) = message.parts
    assert isinstance(part, FilePart)
    assert part.media_type == media_type


@pytest.mark.parametrize(("media_type", "form"), [("audio/mpeg", "mp3"), ("audio/x-wav", "wav"), (None, "wav")])
@pytest.mark.parametrize("door", ["openai", "responses"])
def test_openais_recordings_have_its_words_for_formats(door: str, media_type: str | None, form: str) -> None:
    """OpenAI takes `mp3` and `wav`."""
    native = _write(door, AudioPart(data=DATA, media_type=media_type))
    (block,) = native["content"]
    assert block["input_audio"] == {"data": DATA, "format": form}


@pytest.mark.parametrize(
    ("part", "media_type"),
    [
        (FilePart(data=b"a: 1\nb: two\n"), "text/plain"),
        (FilePart(data=base64.b64encode("é: ü".encode()).decode()), "text/plain"),
        (FilePart(data=b"a: 1\n", media_type="application/octet-stream"), "text/plain"),
        (FilePart(data=b"%PDF-1.7\n\xff\xfe"), "application/pdf"),
        (FilePart(data=b"\xff\xfe\x00\x01"), "application/pdf"),
        (ImagePart(data=b"\xff\xd8\xff\xe0" + bytes(80)), "image/jpeg"),
        (ImagePart(data=b"RIFF\x00\x00\x00\x00WEBP"), "image/webp"),
        (AudioPart(data=b"ID3" + bytes(80)), "audio/mpeg"),
        (AudioPart(data=b"\x00\x01"), "audio/wav"),
        (VideoPart(data=b"\x1aE\xdf\xa3" + bytes(80)), "video/webm"),
    ],
)
def test_a_content_without_a_media_type_is_written_as_what_it_is(part: MediaPart, media_type: str) -> None:
    """By the test by which it is read: what counts as text goes out as text, and by its first bytes all else."""
    (written,) = _write("gemini", part)["parts"]
    assert written["inlineData"]["mimeType"] == media_type
    langchain = _write("langchain", part).content[0]
    assert langchain["mime_type"] == media_type


@pytest.mark.parametrize(
    ("door", "block"),
    [
        ("openai", {"type": "image_url", "image_url": {"url": ADDRESS, "detail": "low"}}),
        ("responses", {"type": "input_image", "image_url": ADDRESS, "detail": "low"}),
        ("langchain", {"type": "image_url", "image_url": {"url": ADDRESS, "detail": "low"}}),
    ],
)
def test_the_detail_of_a_picture_is_written(door: str, block: dict[str, Any]) -> None:
    """OpenAI bills a picture in low detail by another price."""
    native = _write(door, ImagePart(url=ADDRESS, detail="low"))
    (written,) = native["content"] if isinstance(native, dict) else native.content
    assert written == block


def test_an_address_keeps_its_media_type_in_langchain() -> None:
    """Clients of Google's models ask for it."""
    (written,) = _write("langchain", ImagePart(url=ADDRESS, media_type="image/webp")).content
    assert written == {"type": "image", "url": ADDRESS, "mime_type": "image/webp"}
