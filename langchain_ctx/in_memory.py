"""A history in the memory of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_core.chat_history import BaseChatMessageHistory

from ctx_core.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from langchain_core.messages import BaseMessage


class InMemoryHistory(BaseChatMessageHistory):
    """Keeps everything, in a list; shareable between threads.

    In place of LangChain's own class, which is deprecated and warns whenever one is made. A message that comes
    again is kept once: one with the id and the content of a kept one, and a whole history in front of what is new.
    """

    def __init__(self, messages: Iterable[BaseMessage] = ()) -> None:
        """Begin with these messages."""
        self._messages = list(messages)
        self._lock = Lock()

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # a property, as the base class allows
        """All messages, in a list of the caller's own."""
        return list(self._messages)

    async def aget_messages(self) -> list[BaseMessage]:
        """Give all messages, without a thread: nothing here waits."""
        return self.messages

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages, all of them in one step."""
        with self._lock:
            size = len(self._messages)
            new = (
                messages[size:]
                if size and len(messages) > size and _same(messages[:size], self._messages)
                else messages
            )
            kept = {message.id: message for message in self._messages if message.id is not None} if new else {}
            self._messages.extend(one for one in new if one.id is None or not _same([one], [kept.get(one.id)]))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages, all of them in one step."""
        self.add_messages(messages)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._messages = []

    async def aclear(self) -> None:
        """Forget everything."""
        self.clear()


def _same(some: Sequence[BaseMessage], others: Sequence[BaseMessage | None]) -> bool:
    """Whether messages say the same; an id that one of two lacks makes no difference."""
    return all(
        other is not None
        and (one.id is None or other.id is None or one.id == other.id)
        and one.model_copy(update={"id": None}) == other.model_copy(update={"id": None})
        for one, other in zip(some, others, strict=True)
    )
