"""A history as the model is to see it, over a store that keeps everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import HumanMessage
from langchain_core.runnables.config import run_in_executor

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
        self._key = key

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
        return self._fitted(stored)

    async def aget_messages(self) -> list[BaseMessage]:
        """Give the messages that fit; as `messages`."""
        async with self._lock.ahold():
            stored = await self._backing.aget_messages()
        return await run_in_executor(None, self._fitted, stored)

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
        """Empty the store."""
        with self._lock.hold():
            self._backing.clear()

    async def aclear(self) -> None:
        """Empty the store."""
        async with self._lock.ahold():
            await self._backing.aclear()

    def _fitted(self, stored: Sequence[BaseMessage]) -> list[BaseMessage]:
        """Fit what came before the input that nobody has shown us yet: an empty one stands in for it.

        Every turn of the past may then be left out. Only a turn that still waits for a tool is itself the
        one to be answered.
        """
        if ends_in_flight(stored):
            return self._fitting.fit(stored, key=self._key).messages
        # Its id tells it from the stand-in of the next turn: where nothing else fits, the window begins with it.
        unseen = HumanMessage("", id=f"after {len(stored)}")
        return self._fitting.fit(stored, unseen, key=self._key).messages[:-1]
