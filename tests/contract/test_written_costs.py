"""What is made here costs the same once it was written in the way of a door, and read again."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import Message, Role, TokenCounter
from ctx_core.conversation.formats.names import format_named
from ctx_core.conversation.messages import ToolCall
from ctx_core.conversation.parts import (
    AudioPart,
    CitationPart,
    FilePart,
    ImagePart,
    MediaPart,
    OpaquePart,
    ReasoningPart,
    TextPart,
    VideoPart,
)
from ctx_core.conversation.transcript import Transcript, read_natives
from langchain_ctx import LangChainCodec
from llamaindex_ctx import ChatMessageCodec

if TYPE_CHECKING:
    from ctx_core.conversation.message_types import Codec
    from ctx_core.conversation.parts import Part

GPT, CLAUDE, GEMINI = "gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro"
DOORS: Final[dict[str, tuple[Codec[Any], tuple[str, ...]]]] = {
    "openai": (format_named("openai"), (GPT,)),
    "anthropic": (format_named("anthropic"), (CLAUDE,)),
    "gemini": (format_named("gemini"), (GEMINI,)),
    "bedrock": (format_named("bedrock"), (CLAUDE,)),
    "responses": (format_named("responses"), (GPT,)),
    "langchain": (LangChainCodec(), (GPT, CLAUDE, GEMINI)),
    "llamaindex": (ChatMessageCodec(), (GPT, CLAUDE, GEMINI)),
}
"""Every door, with models of the providers that its messages go to."""


def _png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


def _wav(length: int) -> bytes:
    head = struct.pack(
        "<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + length, b"WAVE", b"fmt ", 16, 1, 1, 8_000, 8_000, 1, 8, b"data", length
    )
    return head + bytes(length)


def _text_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


PICTURE, SOUND = _png(2_048, 2_048), _wav(80_000)
PDF: Final = b"%PDF-1.4\n" + b"1 0 obj << /Type /Page >> endobj\n" * 3 + b"\xff" * 2_000
WORDS: Final = "name: a file of YAML, which nobody says the type of\n" * 20
ADDRESS: Final = "https://example.com/one"
WORD: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PARTS: Final[dict[str, Part]] = {
    "text": TextPart("It is warm in Oslo."),
    "thoughts": ReasoningPart("They ask about Oslo."),
    "quotation": CitationPart("Oslo is warm."),
    "quotation, asked for": CitationPart("Oslo is warm.", asked=True),
    "unknown": OpaquePart(kind="weather", text='{"city": "Oslo"}'),
    "picture": ImagePart(data=PICTURE),
    "picture, base64": ImagePart(data=_text_of(PICTURE)),
    "picture, typed": ImagePart(data=PICTURE, media_type="image/png"),
    "picture, data URL": ImagePart(url=f"data:image/png;base64,{_text_of(PICTURE)}"),
    "picture, content and address": ImagePart(data=PICTURE, url=ADDRESS),
    "picture, address": ImagePart(url=ADDRESS),
    "picture, address, typed": ImagePart(url=ADDRESS, media_type="image/png"),
    **{f"picture, {detail}": ImagePart(data=PICTURE, detail=detail) for detail in ("low", "high", "auto")},
    "picture, low, base64": ImagePart(data=_text_of(PICTURE), media_type="image/png", detail="low"),
    "picture, low, data URL": ImagePart(url=f"data:image/png;base64,{_text_of(PICTURE)}", detail="low"),
    "picture, low, address": ImagePart(url=ADDRESS, detail="low"),
    "recording": AudioPart(data=SOUND),
    "recording, typed": AudioPart(data=SOUND, media_type="audio/x-wav"),
    "recording, MP3": AudioPart(data=b"ID3" + bytes(20_000)),
    "recording, samples": AudioPart(data=bytes(160_000), media_type="audio/pcm"),
    "recording, address": AudioPart(data=ADDRESS),
    "film": VideoPart(data=bytes(200_000)),
    "film, typed": VideoPart(data=bytes(200_000), media_type="video/webm"),
    "film, address": VideoPart(data=ADDRESS, media_type="video/mp4"),
    "document": FilePart(data=PDF),
    "document, base64": FilePart(data=_text_of(PDF)),
    "document, typed": FilePart(data=PDF, media_type="application/pdf"),
    "document, type that says nothing": FilePart(data=WORDS.encode(), media_type="application/octet-stream"),
    "document, address": FilePart(data=ADDRESS),
    "document, Word": FilePart(data=b"PK\x03\x04" + bytes(9_000), media_type=WORD),
    "text file": FilePart(text=WORDS),
    "text file, typed": FilePart(text=WORDS, media_type="text/csv"),
    "text file, content": FilePart(data=WORDS.encode()),
    "text file, base64": FilePart(data=_text_of(WORDS.encode())),
    "text file, content, typed": FilePart(data=WORDS.encode(), media_type="application/csv"),
}
ADDRESSES: Final = {
    "openai": frozenset({ImagePart}),
    "anthropic": frozenset({ImagePart, FilePart}),
    "bedrock": frozenset[type[MediaPart]](),
    "responses": frozenset({ImagePart, FilePart}),
}
"""Which media a format takes by address, where it does not take all: others are refused (`test_media_by_address`)."""


def _is_refused(door: str, part: Part) -> bool:
    told = (part.url, part.data) if isinstance(part, ImagePart) else (getattr(part, "data", None),)
    only_address = ADDRESS in told and PICTURE not in told
    return only_address and door in ADDRESSES and type(part) not in ADDRESSES[door]


CASES: Final = [
    pytest.param(door, kind, model, id=f"{door}, {kind}, {model}")
    for door, (_, models) in DOORS.items()
    for kind, part in PARTS.items()
    if not _is_refused(door, part)
    for model in models
]


def _read_again(codec: Codec[Any], message: Message) -> Message:
    (read,) = read_natives([codec.write(message)], codec)
    return read


@pytest.mark.parametrize(("door", "kind", "model"), CASES)
def test_a_part_that_is_made_here_costs_the_same_after_it_is_written_and_read_again(
    door: str, kind: str, model: str
) -> None:
    """No option of a part is lost on the way out: what was counted is what is billed."""
    codec, _ = DOORS[door]
    counter = TokenCounter.for_model(model)
    role = Role.ASSISTANT if isinstance(PARTS[kind], ReasoningPart) else Role.USER
    made = Message(role=role, parts=(PARTS[kind],))
    again = _read_again(codec, made)
    assert counter.count_message(again) == counter.count_message(made)


def test_every_kind_of_part_is_written() -> None:
    """A kind of part that is new is added above."""
    kinds = {type(part).__name__ for part in PARTS.values()}
    media = {kind.__name__ for kind in MediaPart.__subclasses__()}
    assert kinds == {"TextPart", "ReasoningPart", "CitationPart", "OpaquePart", *media}


@pytest.mark.parametrize("door", DOORS)
def test_a_call_that_is_made_here_costs_the_same_after_it_is_written_and_read_again(door: str) -> None:
    """Its name and its arguments arrive, in whichever spelling."""
    codec, models = DOORS[door]
    made = Message.assistant("I look.", tool_calls=(ToolCall(id="c1", name="look", arguments='{"city": "Oslo"}'),))
    natives = Transcript[Any]((), (), codec).write([made, Message.tool("warm", tool_call_id="c1", name="look")])
    (call,) = [call for message in read_natives(natives, codec) for call in message.tool_calls]
    assert call.name == "look"
    for model in models:
        counter = TokenCounter.for_model(model)
        counted = sum(counter.count_message(one) for one in read_natives(natives, codec) if one.role is Role.ASSISTANT)
        assert counted == counter.count_message(made)
