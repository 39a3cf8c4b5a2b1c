"""What a conversation is known by."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from ctx_core.history.keys import key_at
from ctx_core.history.places import positions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx_core.conversation.transcript import Transcript

_FIRST_MESSAGES: Final = 4
"""So many messages tell nameless conversations apart: the first one alone is a mere greeting too often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationId:
    """The names under which a conversation is remembered.

    Two with one name are still right: what is remembered is held against the messages.
    """

    key: str
    """Under which its state is kept."""
    earlier: tuple[str, ...] = ()
    """Under which it was kept while it was shorter, the latest first."""
    named: bool = True
    """Whether somebody said which one it is. Else it is told by how it begins, and others may begin alike."""

    @property
    def keys(self) -> tuple[str, ...]:
        """All of them, the present one first."""
        return (self.key, *self.earlier)


def nameless(transcript: Transcript[Any]) -> ConversationId:
    """Give the conversation that begins with these messages."""
    key, *earlier = reversed([f"first:{digest}" for digest in _beginnings(transcript)])
    return ConversationId(key=key, earlier=tuple(earlier), named=False)


def _beginnings(transcript: Transcript[Any]) -> Iterator[str]:
    """Give the digests of the first message, of the first two and so on; of nothing where there are none.

    System messages are no part of them, as they may hold the time of day.
    """
    digest = blake2b(digest_size=12)
    told = 0
    for at in positions(0, len(transcript)):
        if told == _FIRST_MESSAGES:
            return
        if not transcript.role(at).instructs:
            digest.update(key_at(transcript, at).encode())
            told += 1
            yield digest.hexdigest()
    if not told:
        yield digest.hexdigest()
