"""A history in the memory of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_core.chat_history import BaseChatMessageHistory

from ctx_core.locks import Lock
from langchain_ctx.inputs import read_messages

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from langchain_core.messages import BaseMessage


class InMemoryHistory(BaseChatMessageHistory):
    """Keeps everything, in a list; shareable between threads.

    In place of LangChain's own class, which is deprecated and warns whenever one is made. A whole history that comes
    again in front of what is new is kept once. Any other message is kept, equal to an earlier one or not, whatever its
    id: people say yes twice, and ids repeat.
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
        """Add messages, all of them in one step; the cost is that of what is given, whatever is kept."""
        messages = read_messages(messages)
        with self._lock:
            size = len(self._messages)
            # With nothing new behind it, it may be the same turn once more, unless each message says which one it is.
            longer = size < len(messages) or all(message.id is not None for message in messages)
            again = 0 < size <= len(messages) and longer and _same(messages[:size], self._messages)
            self._messages.extend(messages[size:] if again else messages)

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


def _same(some: Sequence[BaseMessage], others: Sequence[BaseMessage]) -> bool:
    """Whether messages say the same; an id that one of two lacks makes no difference."""
    return all(
        (one.id is None or other.id is None or one.id == other.id)
        and one.model_copy(update={"id": None}) == other.model_copy(update={"id": None})
        for one, other in zip(some, others, strict=True)
    )
