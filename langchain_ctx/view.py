"""A history as the model is to see it, over a store that keeps everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import HumanMessage

from langchain_ctx.conversations import Conversation
from langchain_ctx.in_flight import ends_in_flight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.messages import BaseMessage

    from langchain_ctx.fitting import Fitting
    from langchain_ctx.session_lock import SessionLock


class HistoryView(BaseChatMessageHistory):
    """Reads through a budget and writes through to the store, whole."""

    def __init__(self, backing: BaseChatMessageHistory, fitting: Fitting, *, lock: SessionLock, key: str) -> None:
        """Take the store, how it is fitted, the lock of its session, and the key of its conversation."""
        self._backing = backing
        self._fitting = fitting
        self._lock = lock
        self._conversation = Conversation(key=key)

    @property
    def backing(self) -> BaseChatMessageHistory:
        """The store, with every message that was ever added."""
        return self._backing

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # a property, as the base class allows
        """The messages that fit, in a list of the caller's own.

        Raises:
            ContextOverflowError: if system messages or what the policy pins do not fit.
        """
        with self._lock.hold():
            stored = self._backing.messages
        waiting = _input_to_come(stored)
        return _before(waiting, self._fitting.fit(stored, waiting, conversation=self._conversation).messages)

    async def aget_messages(self) -> list[BaseMessage]:
        """Give the messages that fit; as `messages`."""
        async with self._lock.ahold():
            stored = await self._backing.aget_messages()
        waiting = _input_to_come(stored)
        context = await self._fitting.afit(stored, waiting, conversation=self._conversation)
        return _before(waiting, context.messages)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store messages, whatever their size. What the store raises is passed on."""
        if messages:
            with self._lock.hold():
                self._backing.add_messages(messages)

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store messages, whatever their size. What the store raises is passed on."""
        if messages:
            async with self._lock.ahold():
                await self._backing.aadd_messages(messages)

    def clear(self) -> None:
        """Empty the store, and forget what was summarised of it."""
        with self._lock.hold():
            self._backing.clear()
        self._fitting.states.forget(self._conversation)

    async def aclear(self) -> None:
        """Empty the store, and forget what was summarised of it."""
        async with self._lock.ahold():
            await self._backing.aclear()
        self._fitting.states.forget(self._conversation)


def _input_to_come(stored: Sequence[BaseMessage]) -> HumanMessage | None:
    """Give what stands in for the input that nobody has shown us yet: what is stored comes before it.

    Every turn of the past may then be left out. Only a turn that still waits for a tool is itself the
    one to be answered.
    """
    # Its id tells it from the stand-in of the next turn: where nothing else fits, the window begins with it.
    return None if ends_in_flight(stored) else HumanMessage("", id=f"after {len(stored)}")


def _before(waiting: HumanMessage | None, messages: list[BaseMessage]) -> list[BaseMessage]:
    return messages if waiting is None else messages[:-1]
