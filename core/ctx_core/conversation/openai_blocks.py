"""Parts that were made here as blocks of OpenAI's: its two APIs have the same kinds and spell them in two ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, assert_never

from ctx_core.conversation.media_contents import address_of, data_url, picture_url, recording_of
from ctx_core.conversation.parts import (
    AudioPart,
    CitationPart,
    FilePart,
    ImagePart,
    MediaPart,
    OpaquePart,
    ReasoningPart,
    TextPart,
)

if TYPE_CHECKING:
    from ctx_core.conversation.parts import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAIBlocks:
    """How one of OpenAI's APIs spells what a message is made of."""

    taker: str
    """What takes the blocks, for errors."""
    text: str
    """Type of a block of text."""
    image: Callable[[str, dict[str, str]], object]
    """Gives the block of a picture from its address, which may be a `data:` URL, and the detail that is asked for."""
    file: Callable[[dict[str, str]], object]
    """Gives the block of a document from its fields."""
    fetches_files: bool
    """Whether a document may be an address."""

    def block(self, part: Part) -> object:
        """Give the block of a part. Thoughts are text: as thoughts only the provider's own are taken.

        Raises:
            MessageError: for a medium of which no content is at hand, where no address is taken.
        """
        match part:
            case TextPart(text=text) | CitationPart(text=text) | OpaquePart(text=text) | ReasoningPart(text=text):
                return {"type": self.text, "text": text}
            case ImagePart(detail=detail):
                return self.image(picture_url(part, self.taker), {} if detail is None else {"detail": detail})
            case AudioPart():
                return {"type": "input_audio", "input_audio": recording_of(part, self.taker)}
            case FilePart(text=str(text)):
                return {"type": self.text, "text": text}
            case FilePart() if self.fetches_files and (address := address_of(part)) is not None:
                return self.file({"file_url": address})
            case MediaPart():
                return self.file({"filename": "file", "file_data": data_url(part, self.taker)})
            case _:
                assert_never(part)


CHAT: Final = OpenAIBlocks(
    taker="a message of OpenAI's",
    text="text",
    image=lambda url, detail: {"type": "image_url", "image_url": {"url": url, **detail}},
    file=lambda fields: {"type": "file", "file": fields},
    fetches_files=False,
)
RESPONSES: Final = OpenAIBlocks(
    taker="the format 'responses'",
    text="input_text",
    image=lambda url, detail: {"type": "input_image", "image_url": url, **detail},
    file=lambda fields: {"type": "input_file", **fields},
    fetches_files=True,
)
