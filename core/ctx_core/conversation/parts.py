"""What a message is made of: a part for each block, whoever wrote it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class TextHolder(Protocol):
    """Where the text stands in a block of a framework's own type, which no mapping tells."""

    @property
    def text(self) -> str:
        """The text, without titles and names that stand beside it."""
        ...

    def with_text(self, text: str) -> Part:
        """Give the part of a copy of the block with another text; all else in the block stays."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Raw:
    raw: object = field(default=None, compare=False, repr=False)
    """The framework's own block that this part was read from; goes out unchanged when the part is kept."""
    holder: TextHolder | None = field(default=None, compare=False, repr=False)
    """Where the text stands in its block, if that is of a framework's own type; None: its keys tell."""
    inside: tuple[Part, ...] = field(default=(), repr=False)
    """What else its block says and is counted: media, and what is no part of it, as JSON."""


@dataclass(frozen=True, slots=True)
class TextPart(_Raw):
    """Text that the model reads."""

    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ReasoningPart(_Raw):
    """What the model thought."""

    text: str = field(default="", repr=False)
    encrypted: int = 0
    """Characters of the encrypted copy that the provider gave with it: some bill what is in it."""
    signed: bool = False
    """Whether it has a signature of its own or is sealed whole, as Claude's thoughts are."""


@dataclass(frozen=True, slots=True)
class CitationPart(_Raw):
    """A quotation from a source, as the providers' citation blocks hold it."""

    text: str = field(default="", repr=False)
    asked: bool = False
    """Whether its block goes out as one that the model is asked to quote from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaPart(_Raw):
    """What is priced by something else than text: each kind of medium has a class of its own."""

    noun: ClassVar[str]
    """What it is called, and the name of its blocks."""
    usual_type: ClassVar[str]
    """The MIME type that is taken for it where none is known."""
    data: str | bytes | None = field(default=None, repr=False)
    """Content, as base64 text or as bytes."""
    media_type: str | None = None
    """MIME type where known, such as `image/png`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePart(MediaPart):
    """A picture, by address or by content."""

    noun = "image"
    usual_type = "image/png"
    url: str | None = field(default=None, repr=False)
    """Address, or a `data:` URL."""
    detail: str | None = None
    """The resolution that OpenAI is asked for: `low`, `high` or `auto`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioPart(MediaPart):
    """A recording."""

    noun = "audio"
    usual_type = "audio/wav"


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoPart(MediaPart):
    """A film."""

    noun = "video"
    usual_type = "video/mp4"


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePart(MediaPart):
    """A document. Where it is plain text, `text` has it and it counts as text."""

    noun = "document"
    usual_type = "application/pdf"
    text: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaquePart(_Raw):
    """A block of a kind that has no class here; goes out as it came in."""

    kind: str = "unknown"
    """The framework's name for it."""
    text: str = field(default="", repr=False)
    """The text in it; counted. Of a kind that nobody knows, all of it, as JSON."""
    call_id: str | None = None
    """Set where the block is another spelling of the tool call with this id: then it is not counted
    again, and goes when the call goes."""


Part: TypeAlias = TextPart | ReasoningPart | CitationPart | MediaPart | OpaquePart


def same_parts(parts: Sequence[Part], others: Sequence[Part]) -> bool:
    """Whether parts are others, read from the same blocks: those that say the same may differ in a mark."""
    return len(parts) == len(others) and all(
        one == other and one.raw is other.raw for one, other in zip(parts, others, strict=True)
    )


def is_thought(part: Part) -> bool:
    """Whether a part is a thought, or has the signature of one."""
    return any(isinstance(one, ReasoningPart) for one in all_parts((part,)))


def all_parts(parts: Iterable[Part]) -> Iterator[Part]:
    """Give parts, and those inside of them."""
    for part in parts:
        yield part
        yield from all_parts(part.inside)
