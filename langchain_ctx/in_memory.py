"""A history in the memory of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_core.chat_history import BaseChatMessageHistory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from langchain_core.messages import BaseMessage


class InMemoryHistory(BaseChatMessageHistory):
    """Keeps everything, in a list; shareable between threads.

    In place of LangChain's own class, which is deprecated and warns whenever one is made.
    """

    def __init__(self, messages: Iterable[BaseMessage] = ()) -> None:
        """Begin with these messages."""
        self._messages = list(messages)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # a property, as the base class allows
        """All messages, in a list of the caller's own."""
        return list(self._messages)

    async def aget_messages(self) -> list[BaseMessage]:
        """Give all messages, without a thread: nothing here waits."""
        return self.messages

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages, all of them in one step."""
        self._messages.extend(messages)

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages, all of them in one step."""
        self.add_messages(messages)

    def clear(self) -> None:
        """Forget everything."""
        self._messages = []

    async def aclear(self) -> None:
        """Forget everything."""
        self.clear()
