"""What states were made from, as the objects that it was read from, held while the state lives.

A state that comes back in the process that made it is held against these objects, and messages that were read are not
read again. One that was stored as JSON has its digest.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from ctx_core.conversation.held import Held, Listed, Reading
from ctx_core.history.state import WindowState
from ctx_core.locks import Lock

if TYPE_CHECKING:
    from ctx_core.conversation.transcript import Transcript

_MOST: Final = 20_000
"""Messages of all states that are held, beside those of the one that was made last."""
_MOST_STATES: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeFrom:
    """What one state was made from."""

    state: ref[WindowState]
    left_out: list[Any] = field(repr=False)
    """What stands before its start."""
    read: Mapping[int, Held] = field(repr=False)
    """What was read, by the identity of the caller's object."""
    listed: Listed | None = field(repr=False)
    """The list that was looked through."""

    @property
    def size(self) -> int:
        """Number of messages."""
        return len(self.left_out) + len(self.read) + (0 if self.listed is None else len(self.listed.natives))


class StatesMade:
    """The states that were made last, as long as somebody has them; shareable between threads."""

    def __init__(self, most: int = _MOST) -> None:
        """Hold nothing, and at most so many messages beside those of the last state."""
        self._most = most
        self._lock = Lock()
        # By identity: states are compared by what they say, and two that say the same may be of two conversations.
        self._held: OrderedDict[int, MadeFrom] = OrderedDict()

    def __len__(self) -> int:
        """Count the states."""
        return len(self._held)

    def of(self, state: WindowState | None) -> MadeFrom | None:
        """Give what a state was made from; None where it is not held."""
        held = self._held.get(id(state))
        return held if held is not None and held.state() is state else None

    def hold(self, state: WindowState, transcript: Transcript[Any]) -> None:
        """Hold what a state was made from until it is gone, or many others were made."""
        place, reading = id(state), transcript.reading
        if reading is None:
            return
        held = MadeFrom(
            state=ref(state, lambda gone: self._drop(place, gone)),
            left_out=transcript.sources(state.start),
            read=reading.now,
            listed=reading.listed,
        )
        with self._lock:
            self._held.pop(place, None)
            self._held[place] = held
            over = sum(one.size for one in [*self._held.values()]) - self._most
            while len(self._held) > 1 and (over > 0 or len(self._held) > _MOST_STATES):
                over -= self._held.popitem(last=False)[1].size

    def _drop(self, place: int, gone: ref[WindowState]) -> None:
        # Without the lock: it may be called while the same thread has it, as whatever allocates may find garbage.
        held = self._held.get(place)
        if held is not None and held.state is gone:
            self._held.pop(place, None)


STATES_MADE: Final = StatesMade()
"""Those of this process."""


def reading_for(state: WindowState | None) -> Reading:
    """Give what reads the conversation of a state: what was read when it was made is taken as it is."""
    held = STATES_MADE.of(state)
    if held is None:
        return Reading()
    return Reading(held.read, {} if held.listed is None else {id(held.listed.natives[1]): held.listed})


def leaves_out_the_same(state: WindowState, transcript: Transcript[Any]) -> bool:
    """Whether a conversation begins with what a state leaves out: the same objects, or others that are equal.

    False too where nothing is held of the state.
    """
    held = STATES_MADE.of(state)
    if held is None or len(held.left_out) > len(transcript):
        return False
    try:
        return bool(transcript.sources(len(held.left_out)) == held.left_out)
    except Exception:  # noqa: BLE001 - an object of the caller's may raise anything; its digest tells then
        return False
