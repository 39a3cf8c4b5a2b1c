"""What is remembered of conversations: read from a store, written to it, and only ever moved forward."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ctx_core.history.state import WindowState
from langchain_ctx.conversations import beginning, spoken
from langchain_ctx.session_lock import SessionLock

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from langchain_core.messages import BaseMessage

    from langchain_ctx.conversations import Conversation
    from langchain_ctx.state_cache import StateStore

_COVERED: Final = "summary_of"
"""Key, beside those of the state, of how many messages a summary speaks of, and their fingerprint."""


class StateMemory:
    """The states of many conversations, shareable between threads."""

    def __init__(self, store: StateStore) -> None:
        """Take the store."""
        self._store = store
        self._lock = SessionLock()
        self._summarising: dict[str, object] = {}

    def turn(self, conversation: Conversation) -> str:
        """Give what turns of the same conversation in the same store have in common."""
        return f"{id(self._store):x} {conversation.key}"

    def read(self, conversation: Conversation, messages: Sequence[BaseMessage]) -> WindowState:
        """Give what is remembered of a conversation.

        A summary counts only if it speaks of these very messages: keys may be equal by mistake, and what was said in
        one conversation must never be seen in another.
        """
        keys = (conversation.key, *conversation.earlier)
        data = next((found for key in keys if (found := self._store.get(key))), None)
        if data is None:
            return WindowState()
        state = WindowState.from_dict(data)
        if state.summary and not _covers(data, messages):
            return replace(state, summary="", summarised=0, spared=())
        return state

    def note(self, conversation: Conversation, messages: Sequence[BaseMessage], state: WindowState) -> None:
        """Remember the cut of a request, with the summary that another turn may have added to it meanwhile."""
        with self._lock.hold():
            self._write(conversation, messages, state.with_newer_summary(self.read(conversation, messages)))

    def add_summary(self, conversation: Conversation, messages: Sequence[BaseMessage], state: WindowState) -> None:
        """Add the summary of a state to what is remembered, if that still has the cut which it belongs to."""
        with self._lock.hold():
            self._write(conversation, messages, self.read(conversation, messages).with_newer_summary(state))

    @contextmanager
    def alone(self, conversation: Conversation) -> Generator[bool]:
        """Say whether a turn is the one that has a conversation summarised, until it has remembered the summary."""
        turn = object()
        alone = self._summarising.setdefault(conversation.key, turn) is turn  # one step, so no lock is needed
        try:
            yield alone
        finally:
            if alone:
                del self._summarising[conversation.key]

    def forget(self, conversation: Conversation) -> None:
        """Remember nothing of a conversation."""
        with self._lock.hold():
            if self._store.get(conversation.key):
                self._store[conversation.key] = WindowState().to_dict()

    def __reduce__(self) -> tuple[type[StateMemory], tuple[StateStore]]:
        """Copy and pickle without what runs."""
        return (StateMemory, (self._store,))

    def _write(self, conversation: Conversation, messages: Sequence[BaseMessage], state: WindowState) -> None:
        data = state.to_dict()
        if state.summary:
            count = spoken(messages[: state.summarised])
            data[_COVERED] = [count, beginning(messages, count)]
        if data != (self._store.get(conversation.key) or WindowState().to_dict()):
            self._store[conversation.key] = data


def _covers(data: Mapping[str, Any], messages: Sequence[BaseMessage]) -> bool:
    """Whether a summary speaks of the first of these messages."""
    try:
        count, digest = data[_COVERED]
        return 0 < int(count) <= spoken(messages) and digest == beginning(messages, int(count))
    except (KeyError, TypeError, ValueError):
        return False
