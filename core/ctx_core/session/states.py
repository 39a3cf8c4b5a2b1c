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
from ctx_core.history.places import Position
from ctx_core.history.remembered import Verify, matching
from ctx_core.history.state import WindowState
from ctx_core.locks import Lock
from ctx_core.session.conversation_id import ConversationId
from ctx_core.session.index import ReadIndex
from ctx_core.session.stores import StateCache, StateStore

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from ctx_core.conversation.transcript import Transcript

_LOG: Final = logging.getLogger("ctx_core.session")
_STATES: Final = "states"
"""Key of the stored dict with the states, the one written last first."""
_ID: Final = "id"
"""Key beside those of a state, of what tells one conversation's state from another's under the same key."""
_BROUGHT: Final = "brought"
"""In the place of the id, where the caller keeps the state: the last of a conversation is held."""
_MOST_NAMED: Final = 64
_MOST_NAMELESS: Final = 256
"""Conversations that are remembered under one key."""
_SEARCHED: Final = 4
"""Of them, those that are looked for where they do not stand where they stood."""
_STRIPES: Final = 64
"""Locks that all keys share."""


@dataclass(slots=True)
class Recalled:
    """What one turn has read of its conversation."""

    conversation: ConversationId
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
    quiet: bool = False
    """Whether it is no matter for the log if it does not."""
    asked: Verify = "all"
    """What of a stored state is held against the messages; of a history that is read in part it is the ends."""


class StateMemory:
    """The states of many conversations; shareable between threads. Copies share the store and nothing else."""

    def __init__(self, store: StateStore) -> None:
        """Take the store."""
        self.store = store
        # A store may wait for a network: conversations wait for one another only where they share a lock.
        self._locks = tuple(Lock() for _ in range(_STRIPES))
        self._index = ReadIndex()
        self._busy: dict[str, object] = {}

    def read(
        self, conversation: ConversationId, transcript: Transcript[Any], *, quiet: bool = False, verify: Verify = "all"
    ) -> Recalled:
        """Give what is remembered of a conversation, as far as it matches the messages.

        Args:
            conversation: whose turn it is.
            transcript: its messages.
            quiet: whether a store that fails is no matter for the log.
            verify: what of it is held against the messages: all that is left out, or its first and last message.
        """
        recalled = Recalled(conversation, quiet=quiet, asked=verify)
        for key in conversation.keys:
            entries = self._entries(key, recalled)
            # The farthest one first: where a conversation was forked, its own cut and not that of the trunk.
            standing = [_read(entry) for entry in entries if _may_stand(entry, transcript)]
            for known, stored in sorted(standing, key=lambda one: -one[1].start):
                if _stands(stored, transcript, verify) and self._recall(recalled, known, stored, transcript):
                    recalled.found = key
                    return recalled
            if recalled.id is not None:
                recalled.found = key
                return recalled
            for entry in entries[:_SEARCHED]:  # a store has dropped messages, or instructions were put in
                known, stored = _read(entry)
                found = matching(stored, transcript, verify)
                if found.decided:
                    return replace(recalled, state=found, verify="ends", id=known, stored=stored, found=key)
        return recalled

    def _recall(self, recalled: Recalled, known: str, stored: WindowState, transcript: Transcript[Any]) -> bool:
        """Take a state that stands where it stood, if the rest of it matches too."""
        whole = recalled.asked == "all"
        seen = self._index.seen(recalled.conversation.key, known, stored, transcript) if whole else "unknown"
        found = matching(stored, transcript, recalled.asked) if seen == "unknown" else stored
        found = WindowState() if seen == "edited" else found
        if found.decided or found.summary:
            recalled.state, recalled.verify = found, "ends"
        elif seen != "edited" and not recalled.conversation.named:
            return False  # another conversation that began alike
        # The same conversation with something edited is decided anew, and its new state takes the place of the old.
        recalled.id, recalled.stored = known, stored
        return found != WindowState()

    def verifying(
        self, conversation: ConversationId, state: WindowState, transcript: Transcript[Any], verify: Verify
    ) -> Verify:
        """Give what is still to be checked of a state that the caller keeps: what was held here is compared already."""
        seen = self._index.seen(conversation.key, _BROUGHT, state, transcript) if verify == "all" else "unknown"
        return "ends" if seen == "same" else verify

    def keep(self, recalled: Recalled, state: WindowState, transcript: Transcript[Any]) -> None:
        """Remember the state of a turn, with what another turn may have remembered meanwhile."""
        key = recalled.conversation.key
        if not recalled.usable:
            self._hold(recalled, _BROUGHT, state, transcript)
            return
        with self._lock(key):
            entries = self._entries(key, recalled)
            if recalled.id is None:
                recalled.id = _twin(entries, transcript)
            before = _find(entries, recalled.id)
            if before is None and recalled.found == key:
                return  # the conversation was forgotten meanwhile
            if before is not None and before != recalled.stored:
                ahead = before.start > state.start and before.limit == state.limit
                state = before.with_newer_summary(state) if ahead else state.with_newer_summary(before)
            # Compared as they are stored: what was looked up anew, such as where the instructions are, is no change.
            if state.to_dict() != (before or WindowState()).to_dict():
                known = recalled.id or uuid4().hex[:12]
                recalled.id, recalled.stored, recalled.found = known, state, key
                others = [entry for entry in entries if entry.get(_ID) != known]
                if state != WindowState():
                    others.insert(0, {_ID: known, **state.to_dict()})
                self._write(key, others[: _MOST_NAMED if recalled.conversation.named else _MOST_NAMELESS], recalled)
        if recalled.id is not None:
            self._hold(recalled, recalled.id, state, transcript)

    def _hold(self, recalled: Recalled, known: str, state: WindowState, transcript: Transcript[Any]) -> None:
        """Hold what is left out, which reads all of it, unless its ends are enough."""
        if recalled.asked == "all":
            self._index.hold(recalled.conversation.key, known, state, transcript)

    def latest(self, recalled: Recalled) -> WindowState:
        """Give what is stored of a turn's conversation by now; fresh where nothing is."""
        if recalled.id is None or not recalled.usable:
            return WindowState()
        return _find(self._entries(recalled.conversation.key, recalled), recalled.id) or WindowState()

    def forget(self, conversation: ConversationId) -> None:
        """Remember nothing of a conversation."""
        for key in conversation.keys:
            recalled = Recalled(conversation)
            with self._lock(key):
                self._index.forget(key)
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

    def __reduce__(self) -> tuple[Callable[[StateStore], StateMemory], tuple[StateStore]]:
        """Copy and pickle without what runs."""
        return (memory_of, (self.store,))

    def _lock(self, key: str) -> Lock:
        return self._locks[hash(key) % _STRIPES]

    def _entries(self, key: str, recalled: Recalled) -> list[Mapping[str, Any]]:
        """Give the states under a key as they are stored; none where the store fails."""
        found = _tried(lambda: _listed(self.store.get(key)), recalled)
        return [] if found is None else cast("list[Mapping[str, Any]]", found)

    def _write(self, key: str, entries: Sequence[Mapping[str, Any]], recalled: Recalled) -> None:
        if entries:
            _tried(lambda: self.store.__setitem__(key, {_STATES: list(entries)}), recalled)
        elif recalled.usable and _tried(lambda: self.store.get(key), recalled) is not None:
            _tried(lambda: _delete(self.store, key), recalled)


def memory_of(store: StateStore) -> StateMemory:
    """Give what remembers in a store: for a `StateCache` the same one each time, so that copies of a step share it."""
    if not isinstance(store, StateCache):
        return StateMemory(store)
    memory = store.memory
    if not isinstance(memory, StateMemory):
        store.memory = memory = StateMemory(store)
    return memory


def _listed(stored: object) -> list[Mapping[str, Any]]:
    """Give the states of what was stored; what is damaged is none."""
    entries: object = cast("Mapping[str, Any]", stored).get(_STATES) if isinstance(stored, Mapping) else None
    listed = cast("Sequence[object]", entries) if isinstance(entries, list) else ()
    return [dict(cast("Mapping[str, Any]", entry)) for entry in listed if isinstance(entry, Mapping)]


def _read(entry: Mapping[str, Any]) -> tuple[str, WindowState]:
    known = entry.get(_ID)
    return known if isinstance(known, str) else "", WindowState.from_dict(entry)


def _find(entries: Sequence[Mapping[str, Any]], known: str | None) -> WindowState | None:
    return next((WindowState.from_dict(entry) for entry in entries if known and entry.get(_ID) == known), None)


def _twin(entries: Sequence[Mapping[str, Any]], transcript: Transcript[Any]) -> str | None:
    """Give which state another turn of the same conversation has stored since this one has read."""
    standing = (_read(entry) for entry in entries if _may_stand(entry, transcript))
    return next((known for known, state in standing if state.decided and matching(state, transcript).decided), None)


def _may_stand(entry: Mapping[str, Any], transcript: Transcript[Any]) -> bool:
    """Whether a stored window begins with a message that is in its place; seen before the rest of it is read."""
    start: Any = entry.get("start")
    key = entry.get("start_key")
    if key is None:
        return "summary" in entry
    return type(start) is int and 0 <= start < len(transcript) and key_at(transcript, Position(start)) == key


def _stands(state: WindowState, transcript: Transcript[Any], verify: Verify) -> bool:
    """Whether a window still begins where it began, or a summary that is merely at hand speaks of what is there."""
    if not state.decided:
        return matching(state, transcript, verify).summary != ""
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
        level = logging.DEBUG if recalled.quiet else logging.WARNING
        _LOG.log(level, "states cannot be read or written (%s): the request goes out without", type(error).__name__)
        return None
