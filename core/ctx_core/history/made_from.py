"""What states were made from, as the objects that it was read from, held while the state lives.

A state that comes back in the process that made it is held against these objects, and messages that were read are not
read again. One that was stored as JSON has its digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from ctx_core.conversation.held import Held, Listed, Reading
from ctx_core.history.state import WindowState

if TYPE_CHECKING:
    from ctx_core.conversation.transcript import Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class _MadeFrom:
    """What one state was made from."""

    state: ref[WindowState]
    left_out: list[Any] = field(repr=False)
    """What stands before its start."""
    read: Mapping[int, Held] = field(repr=False)
    """What was read, by the identity of the caller's object."""
    listed: Listed | None = field(repr=False)
    """The list that was looked through."""


# By identity: states are compared by what they say, and two that say the same may be of two conversations.
_HELD: Final[dict[int, _MadeFrom]] = {}


def reading_for(state: WindowState | None) -> Reading:
    """Give what reads the conversation of a state: what was read when it was made is taken as it is."""
    held = _HELD.get(id(state))
    if held is None:
        return Reading()
    return Reading(held.read, {} if held.listed is None else {id(held.listed.natives[1]): held.listed})


def leaves_out_the_same(state: WindowState, transcript: Transcript[Any]) -> bool:
    """Whether a conversation begins with what a state leaves out: the same objects, or others that are equal.

    False too where nothing is held of the state.
    """
    held = _HELD.get(id(state))
    if held is None or len(held.left_out) > len(transcript):
        return False
    try:
        return bool(transcript.sources(len(held.left_out)) == held.left_out)
    except Exception:  # noqa: BLE001 - an object of the caller's may raise anything; its digest tells then
        return False


def hold(state: WindowState, transcript: Transcript[Any]) -> None:
    """Hold what a state was made from until the state is gone."""
    place, reading = id(state), transcript.reading
    if reading is not None:
        _HELD[place] = _MadeFrom(
            state=ref(state, lambda _: _HELD.pop(place, None)),
            left_out=transcript.sources(state.start),
            read=reading.now,
            listed=reading.listed,
        )
