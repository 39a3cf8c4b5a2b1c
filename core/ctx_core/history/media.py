"""Pictures, recordings and films that give way to a few words, which say what was there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.document_texts import document_text
from ctx_core.conversation.fields import kind_of, mapped
from ctx_core.conversation.parts import AudioPart, FilePart, ImagePart, MediaPart, TextPart, VideoPart
from ctx_core.counting.image_prices import image_size
from ctx_core.counting.lengths import seconds

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ctx_core.conversation.messages import Message
    from ctx_core.conversation.parts import Part

_SCREENSHOT: Final = "computer_screenshot"
"""The one answer that OpenAI takes to a call of its computer tool: no words can stand for it."""
KINDS: Final = (ImagePart.noun, AudioPart.noun, VideoPart.noun, FilePart.noun)
"""What media are called."""


def shows_screen(message: Message) -> bool:
    """Whether a message is a screenshot that must stay one."""
    return any(kind_of(mapped(part.raw) or {}) == _SCREENSHOT for part in message.parts)


def media_places(message: Message, kinds: Collection[str] = KINDS) -> list[int]:
    """Give which parts of a message are media that words can stand for, in order."""
    if shows_screen(message):
        return []
    return [
        at
        for at, part in enumerate(message.parts)
        if isinstance(part, MediaPart)
        and part.noun in kinds
        and not any(one.raw is part.raw is not None and one != part for one in message.parts)  # a block of several
        and not (isinstance(part, FilePart) and document_text(part) is not None)
    ]


def with_named_media(message: Message, places: Sequence[int] | None = None) -> Message:
    """Give a message with words in the place of its media, or of those at some places; itself where there are none."""
    chosen = media_places(message) if places is None else places
    if not chosen:
        return message
    parts: list[Part] = list(message.parts)
    for at in chosen:
        parts[at] = _named(parts[at])
    return replace(message, parts=tuple(parts), altered=True)


def _named(part: Part) -> TextPart:
    """Give the words for a medium; where its block marks the end of a cache, theirs does."""
    said = words_for(part)
    mark: object = (mapped(part.raw) or {}).get("cache_control")
    if mark is None:
        return TextPart(said)
    return TextPart(said, raw={"type": "text", "text": said, "cache_control": mark})


def words_for(part: Part) -> str:
    """Say what a medium is, and how large: `[image 1024×768]`, `[audio 12 s]`, `[document application/pdf]`."""
    about = ""
    match part:
        case ImagePart():
            size = image_size(part)
            about = "" if size is None else f"{size[0]}×{size[1]}"
        case AudioPart() | VideoPart():
            length = seconds(part)
            about = "" if length is None else f"{max(1, round(length))} s"
        case MediaPart():
            about = part.media_type or ""
        case _:
            return ""
    return f"[{part.noun} {about}]" if about else f"[{part.noun}]"
