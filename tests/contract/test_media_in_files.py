"""A medium costs the same whatever its block is called: the media type says what it is."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain_core.messages import HumanMessage
from llama_index.core.base.llms.types import AudioBlock, ChatMessage, DocumentBlock, ImageBlock, VideoBlock

from ctx_core import TokenCounter
from ctx_core.conversation.formats.names import format_named
from ctx_core.conversation.parts import AudioPart, FilePart, ImagePart, MediaPart, VideoPart
from ctx_core.conversation.transcript import read_natives
from langchain_ctx import LangChainCodec
from llamaindex_ctx import ChatMessageCodec

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx_core.conversation.message_types import Codec
    from ctx_core.conversation.messages import Message


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _atom(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", 8 + len(data)) + kind + data


PNG: Final = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 800, 600, 8, 2, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(b"\0" * 600 * 2401))
    + _chunk(b"IEND", b"")
)
WAV: Final = (
    b"RIFF" + struct.pack("<I", 36 + 160_000) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8_000, 8_000, 1, 8)
    + b"data" + struct.pack("<I", 160_000) + b"\0" * 160_000
)  # fmt: skip
MP4: Final = (
    _atom(b"ftyp", b"isom\0\0\0\0isom")
    + _atom(b"moov", _atom(b"mvhd", struct.pack(">IIIII", 0, 0, 0, 1_000, 30_000) + b"\0" * 80))
    + _atom(b"mdat", b"\0" * 5_000)
)
PDF: Final = b"%PDF-1.7\n" + b"<< /Type /Page >>\n" * 3 + b"\xff\xfe" * 9_000
MEDIA: Final[dict[str, tuple[bytes, type[MediaPart]]]] = {
    "image/png": (PNG, ImagePart),
    "audio/wav": (WAV, AudioPart),
    "video/mp4": (MP4, VideoPart),
    "application/pdf": (PDF, FilePart),
}


def _openai(block: Callable[[str, str], dict[str, Any]]) -> Callable[[str, bytes], tuple[Any, Codec[Any]]]:
    return lambda kind, data: (
        {"role": "user", "content": [block(kind, base64.b64encode(data).decode())]},
        format_named("openai"),
    )


def _langchain(block: Callable[[str, str], dict[str, Any]]) -> Callable[[str, bytes], tuple[Any, Codec[Any]]]:
    return lambda kind, data: (HumanMessage([block(kind, base64.b64encode(data).decode())]), LangChainCodec())


def _llamaindex(block: Callable[[str, bytes], Any]) -> Callable[[str, bytes], tuple[Any, Codec[Any]]]:
    return lambda kind, data: (ChatMessage(role="user", blocks=[block(kind, data)]), ChatMessageCodec())


def _url(kind: str, data: str) -> str:
    return f"data:{kind};base64,{data}"


DOORS: Final[dict[str, Callable[[str, bytes], tuple[Any, Codec[Any]]]]] = {
    "gemini inlineData": lambda kind, data: (
        {"role": "user", "parts": [{"inlineData": {"mimeType": kind, "data": base64.b64encode(data).decode()}}]},
        format_named("gemini"),
    ),
    "gemini, a data URL": lambda kind, data: (
        {"role": "user", "parts": [{"inlineData": {"data": _url(kind, base64.b64encode(data).decode())}}]},
        format_named("gemini"),
    ),
    "langchain media": _langchain(lambda kind, data: {"type": "media", "mime_type": kind, "data": data}),
    "langchain file": _langchain(lambda kind, data: {"type": "file", "mime_type": kind, "base64": data}),
    "langchain file in capitals": _langchain(
        lambda kind, data: {"type": "file", "mime_type": kind.upper(), "base64": data}
    ),
    "langchain file with a data URL": _langchain(lambda kind, data: {"type": "file", "url": _url(kind, data)}),
    "langchain image_url": _langchain(lambda kind, data: {"type": "image_url", "image_url": {"url": _url(kind, data)}}),
    "openai file": _openai(
        lambda kind, data: {"type": "file", "file": {"filename": "a", "file_data": _url(kind, data)}}
    ),
    "openai file without a type": _openai(
        lambda _, data: {"type": "file", "file": {"filename": "a", "file_data": data}}
    ),
    "responses input_file": lambda kind, data: (
        {
            "role": "user",
            "content": [
                {
                    "type": "input_file",
                    "filename": "a",
                    "file_data": _url(kind, base64.b64encode(data).decode()),
                }
            ],
        },
        format_named("responses"),
    ),
    "anthropic document": lambda kind, data: (
        {
            "role": "user",
            "content": [
                {
                    "type": "document",
                    "source": {"type": "base64", "media_type": kind, "data": base64.b64encode(data).decode()},
                }
            ],
        },
        format_named("anthropic"),
    ),
    "llamaindex document": _llamaindex(lambda kind, data: DocumentBlock(data=data, document_mimetype=kind, title="a")),
    "llamaindex document with a data URL": _llamaindex(
        lambda kind, data: DocumentBlock(url=_url(kind, base64.b64encode(data).decode()), document_mimetype=kind)
    ),
    "llamaindex image": _llamaindex(lambda kind, data: ImageBlock(image=data, image_mimetype=kind)),
}


def _read(door: str, kind: str, data: bytes) -> tuple[Any, Codec[Any], Message]:
    native, codec = DOORS[door](kind, data)
    (message,) = read_natives([native], codec)
    return native, codec, message


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("kind", MEDIA)
@pytest.mark.parametrize("door", DOORS)
def test_a_medium_costs_the_same_in_any_block(door: str, kind: str, encoding: str) -> None:
    """A picture in a file is a picture, a recording is a recording; a block around it adds nothing."""
    data, part_class = MEDIA[kind]
    counter = TokenCounter.for_encoding(encoding)
    _, _, message = _read(door, kind, data)
    (part,) = message.parts
    assert type(part) is part_class
    assert part.inside == ()
    _, _, plain = _read("gemini inlineData", kind, data)
    assert counter.count_message(message) == counter.count_message(plain)


@pytest.mark.parametrize("model", ["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro"])
@pytest.mark.parametrize("door", DOORS)
def test_a_film_in_a_file_costs_its_seconds(door: str, model: str) -> None:
    """No door gives less than another, on any model."""
    counter = TokenCounter.for_model(model)
    costs = {counter.count_message(_read(one, "video/mp4", MP4)[2]) for one in (door, "langchain media")}
    assert len(costs) == 1


@pytest.mark.parametrize("kind", MEDIA)
@pytest.mark.parametrize("door", DOORS)
def test_the_block_goes_out_as_it_came(door: str, kind: str) -> None:
    """Whatever it is read as, nothing is written anew."""
    native, codec, message = _read(door, kind, MEDIA[kind][0])
    assert codec.write(message) is native


def test_blocks_of_recordings_and_films_of_llamaindex_cost_what_files_do() -> None:
    """LlamaIndex has blocks of its own for them."""
    counter = TokenCounter.for_model("gemini-2.5-pro")
    for block, kind in (
        (AudioBlock(audio=WAV, format="wav"), "audio/wav"),
        (VideoBlock(video=MP4, video_mimetype="video/mp4"), "video/mp4"),
    ):
        told = ChatMessageCodec().read(ChatMessage(role="user", blocks=[block]))
        plain = _read("llamaindex document", kind, MEDIA[kind][0])[2]
        assert counter.count_message(told) == counter.count_message(plain)


def test_a_text_beside_a_picture_in_a_file_is_counted() -> None:
    """What a block says beside its medium is sent, too."""
    data = base64.b64encode(PNG).decode()
    block = {"type": "file", "mime_type": "image/png", "base64": data, "text": "words " * 50}
    counter = TokenCounter.for_encoding("o200k_base")
    told = counter.count_message(LangChainCodec().read(HumanMessage([block])))
    bare = counter.count_message(_read("langchain file", "image/png", PNG)[2])
    assert told >= bare + 50
