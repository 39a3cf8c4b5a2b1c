"""Media that were made here are written as media by every door, never as an empty text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import Message, Role
from ctx_core.conversation.formats.names import format_named
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
AA: Final = "AAAAAAAA"
PARTS: Final[tuple[MediaPart, ...]] = (
    ImagePart(data=AA, media_type="image/png"),
    AudioPart(data=AA, media_type="audio/wav"),
    VideoPart(data=AA, media_type="video/mp4"),
    FilePart(data=AA, media_type="application/pdf"),
    FilePart(text="words of a document", media_type="text/plain"),
)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("part", PARTS)
def test_a_medium_is_written_with_its_content(door: str, part: MediaPart) -> None:
    """What comes back is a medium with a content, or, of a document that is a text, the text."""
    codec = DOORS[door]
    native = codec.write(Message(role=Role.USER, parts=(part,)))
    (message,) = read_natives([native], codec)
    (back,) = message.parts
    if isinstance(back, ImagePart | AudioPart | VideoPart | FilePart):
        assert getattr(back, "data", None) or getattr(back, "url", None) or getattr(back, "text", None)
    else:
        assert message.text == "words of a document"
