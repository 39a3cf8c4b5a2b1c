"""What is remembered of conversations: read from a store, written to it, and never a reason to fail.

A key may stand for several conversations: nameless ones that begin alike, users whose names a caller did not tell. So
each key has a short list of states, and the one counts that matches the messages.
"""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, cast
from uuid import uuid4

from ctx_core.history.keys import key_at
from ctx_core.history.remembered import Verify, matching
from ctx_core.history.state import WindowState
from ctx_core.locks import Lock
from ctx_core.session.conversation import Conversation
from ctx_core.session.index import ReadIndex
from ctx_core.session.stores import StateStore

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from ctx_core.transcript import Transcript

_LOG: Final = logging.getLogger("ctx_core.session")
_FRESH: Final = WindowState()
_STATES: Final = "states"
"""Key of the stored dict with the states, the one written last first."""
_ID: Final = "id"
"""Key beside those of a state, of what tells one conversation's state from another's under the same key."""
_MOST_NAMED: Final = 4
_MOST_NAMELESS: Final = 64
"""Conversations that are remembered under one key."""


@dataclass(slots=True)
class Recalled:
    """What one turn has read of its conversation."""

    conversation: Conversation
    state: WindowState = field(default_factory=WindowState)
    """Fresh where nothing is remembered, or where what is remembered does not match."""
    verify: Verify = "all"
    """What of it is still to be held against the messages."""
    id: str | None = None
    """Which of the states under the key it is; None: none of them."""
    stored: WindowState | None = None
    """What is stored under it, as far as this turn knows."""
    found: str | None = None
    """The key under which it was found: an earlier one, where the conversation was shorter then."""
    usable: bool = True
    """Whether the store has answered so far."""


@dataclass(frozen=True, slots=True)
class StateMemory:
    """The states of many conversations; shareable between threads. Copies share the store and nothing else."""

    store: StateStore
    _lock: Lock = field(default_factory=Lock, repr=False)
    _index: ReadIndex = field(default_factory=ReadIndex, repr=False)
    _busy: dict[str, object] = field(default_factory=dict[str, object], repr=False)

    def read(self, conversation: Conversation, transcript: Transcript[Any]) -> Recalled:
        """Give what is remembered of a conversation, as far as it matches the messages."""
        recalled = Recalled(conversation)
        for key in conversation.keys:
            states = self._states(key, recalled)
            # The farthest one first: where a conversation was forked, its own cut and not that of the trunk.
            for known, stored in sorted(states, key=lambda one: -one[1].start):
                if _stands(stored, transcript) and self._recall(recalled, known, stored, transcript):
                    recalled.found = key
                    return recalled
            if recalled.id is not None:
                recalled.found = key
                return recalled
            for known, stored in states[:_MOST_NAMED]:  # a store has dropped messages, or instructions were put in
                found = matching(stored, transcript)
                if found.decided:
                    return replace(recalled, state=found, verify="ends", id=known, stored=stored, found=key)
        return recalled

    def _recall(self, recalled: Recalled, known: str, stored: WindowState, transcript: Transcript[Any]) -> bool:
        """Take a state that stands where it stood, if the rest of it matches too."""
        seen = self._index.seen(known, stored, transcript)
        found = WindowState() if seen == "edited" else stored if seen == "same" else matching(stored, transcript)
        if found.decided or found.summary:
            recalled.state, recalled.verify = found, "ends"
        elif seen != "edited" and not recalled.conversation.named:
            return False  # another conversation that began alike
        # The same conversation with something edited is decided anew, and its new state takes the place of the old.
        recalled.id, recalled.stored = known, stored
        return found != WindowState()

    def keep(self, recalled: Recalled, state: WindowState, transcript: Transcript[Any]) -> None:
        """Remember the state of a turn, with what another turn may have remembered meanwhile."""
        if not recalled.usable:
            return
        key = recalled.conversation.key
        with self._lock:
            states = self._states(key, recalled)
            if recalled.id is None:
                recalled.id = self._twin(states, transcript)
            before = dict(states).get(recalled.id) if recalled.id is not None else None
            if before is None and recalled.found == key:
                return  # the conversation was forgotten meanwhile
            if before is not None and before != recalled.stored:
                ahead = before.start > state.start and before.limit == state.limit
                state = before.with_newer_summary(state) if ahead else state.with_newer_summary(before)
            if state == (before or WindowState()):
                if recalled.id is not None:
                    self._index.hold(recalled.id, state, transcript)
                return
            recalled.id = recalled.id or uuid4().hex[:12]
            recalled.stored, recalled.found = state, key
            others = [one for one in states if one[0] != recalled.id]
            kept = others if state == WindowState() else [(recalled.id, state), *others]
            self._write(key, kept[: _MOST_NAMED if recalled.conversation.named else _MOST_NAMELESS], recalled)
        self._index.hold(recalled.id, state, transcript)

    def latest(self, recalled: Recalled) -> WindowState:
        """Give what is stored of a turn's conversation by now; fresh where nothing is."""
        known = recalled.id is not None and recalled.usable
        return (
            dict(self._states(recalled.conversation.key, recalled)).get(recalled.id or "", _FRESH) if known else _FRESH
        )

    def _twin(self, states: Sequence[tuple[str, WindowState]], transcript: Transcript[Any]) -> str | None:
        """Give which state another turn of the same conversation has stored since this one has read."""
        return next((at for at, one in states if _stands(one, transcript) and matching(one, transcript).decided), None)

    def forget(self, conversation: Conversation) -> None:
        """Remember nothing of a conversation."""
        for key in conversation.keys:
            recalled = Recalled(conversation)
            with self._lock:
                for known, _ in self._states(key, recalled):
                    self._index.forget(known)
                self._write(key, [], recalled)

    @contextmanager
    def alone(self, claim: str) -> Generator[bool]:
        """Say whether a turn is the one that has its conversation summarized, until it has remembered the summary."""
        turn = object()
        alone = self._busy.setdefault(claim, turn) is turn  # one step, so no lock is needed
        try:
            yield alone
        finally:
            if alone:
                del self._busy[claim]

    def __reduce__(self) -> tuple[type[StateMemory], tuple[StateStore]]:
        """Copy and pickle without what runs."""
        return (StateMemory, (self.store,))

    def _states(self, key: str, recalled: Recalled) -> list[tuple[str, WindowState]]:
        """Give the states under a key; none where the store fails."""
        found = _tried(lambda: _read_states(self.store.get(key)), recalled)
        return [] if found is None else cast("list[tuple[str, WindowState]]", found)

    def _write(self, key: str, states: list[tuple[str, WindowState]], recalled: Recalled) -> None:
        data = {_STATES: [{_ID: known, **state.to_dict()} for known, state in states]}
        if states:
            _tried(lambda: self.store.__setitem__(key, data), recalled)
        elif recalled.usable and _tried(lambda: self.store.get(key), recalled) is not None:
            _tried(lambda: _delete(self.store, key), recalled)


def _read_states(stored: object) -> list[tuple[str, WindowState]]:
    """Give the states of what was stored; what is damaged is none."""
    entries: object = cast("Mapping[str, Any]", stored).get(_STATES) if isinstance(stored, Mapping) else None
    listed = cast("Sequence[object]", entries) if isinstance(entries, list) else ()
    found: list[tuple[str, WindowState]] = []
    for entry in listed:
        state = WindowState.from_dict(entry)
        if state != WindowState() and isinstance(entry, Mapping):
            found.append((str(cast("Mapping[str, Any]", entry).get(_ID)), state))
    return found


def _stands(state: WindowState, transcript: Transcript[Any]) -> bool:
    """Whether a window still begins where it began, or a summary that is merely at hand speaks of what is there."""
    if not state.decided:
        return matching(state, transcript).summary != ""
    return state.start < len(transcript) and key_at(transcript, state.start) == state.start_key


def _delete(store: StateStore, key: str) -> None:
    """Delete what is stored, or put nothing in its place where a store deletes nothing."""
    if hasattr(store, "__delitem__"):
        del store[key]  # pyright: ignore[reportIndexIssue, reportUnknownMemberType]  # it has it
    else:
        store[key] = {}


def _tried(work: Callable[[], object], recalled: Recalled) -> object:
    """Do something with a store; one that fails is left alone for the rest of the turn."""
    if not recalled.usable:
        return None
    try:
        return work()
    except (Exception, CancelledError) as error:  # noqa: BLE001 - whatever a store raises, the request goes out
        recalled.usable = False
        _LOG.warning("states cannot be read or written (%s): the request goes out without", type(error).__name__)
        return None
