"""Where a conversation is kept, behind two doors: sync and async.

What is done there is written once, as a coroutine. The sync door calls the store in a way that never waits,
so its coroutine ends at the first step and needs no event loop.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar, cast

from llama_index.core.async_utils import (
    asyncio_run,  # pyright: ignore[reportUnknownVariableType]  # a bare Coroutine in its signature
)
from llama_index.core.storage.chat_store.base import BaseChatStore
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus

from ctx_core import BudgetError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from llama_index.core.base.llms.types import ChatMessage

ChatStore: TypeAlias = BaseChatStore | AsyncDBChatStore
"""The stores that LlamaIndex has: those of `ChatMemoryBuffer`, and those of `Memory`."""
ResultT = TypeVar("ResultT")

_ASYNC_NAMES: Final = {
    "get_messages": "aget_messages",
    "add_message": "async_add_message",
    "set_messages": "aset_messages",
    "delete_messages": "adelete_messages",
    "delete_last_message": "adelete_last_message",
}


class _Call(Protocol):
    async def __call__(self, method: str, *arguments: object) -> Any:  # noqa: ANN401 - what the method gives
        """Call a method of the store."""
        ...


class Access(ABC):
    """One conversation: read, added to, replaced, deleted. Errors of a store reach the caller."""

    def read(self, status: MessageStatus | None = None) -> list[ChatMessage]:
        """Give all messages, or those of a status, in a new list."""
        return _complete(self._read(self._now, status))

    async def aread(self, status: MessageStatus | None = None) -> list[ChatMessage]:
        """Give all messages, or those of a status, in a new list."""
        return await self._read(self._soon, status)

    def add(self, messages: Sequence[ChatMessage]) -> None:
        """Append all of the messages, or none."""
        _complete(self._add(self._now, messages))

    async def aadd(self, messages: Sequence[ChatMessage]) -> None:
        """Append all of the messages, or none."""
        await self._add(self._soon, messages)

    def replace(self, messages: Sequence[ChatMessage]) -> None:
        """Put these in the place of all messages, or leave them as they are."""
        _complete(self._replace(self._now, messages))

    async def areplace(self, messages: Sequence[ChatMessage]) -> None:
        """Put these in the place of all messages, or leave them as they are."""
        await self._replace(self._soon, messages)

    def delete(self) -> None:
        """Delete the conversation."""
        _complete(self._delete(self._now))

    async def adelete(self) -> None:
        """Delete the conversation."""
        await self._delete(self._soon)

    @abstractmethod
    async def _read(self, call: _Call, status: MessageStatus | None) -> list[ChatMessage]: ...

    @abstractmethod
    async def _add(self, call: _Call, messages: Sequence[ChatMessage]) -> None: ...

    @abstractmethod
    async def _replace(self, call: _Call, messages: Sequence[ChatMessage]) -> None: ...

    @abstractmethod
    async def _delete(self, call: _Call) -> None: ...

    @abstractmethod
    async def _now(self, method: str, *arguments: object) -> Any:  # noqa: ANN401 - what the method gives
        """Call a method of what keeps the messages, without waiting for anything."""

    @abstractmethod
    async def _soon(self, method: str, *arguments: object) -> Any:  # noqa: ANN401 - what the method gives
        """Call a method of what keeps the messages, on the event loop."""


class ListAccess(Access):
    """A conversation in a list. Each of the four is one operation of the list, so threads may share it."""

    def __init__(self, messages: list[ChatMessage]) -> None:
        """Take the list."""
        self._messages = messages

    async def _read(self, call: _Call, status: MessageStatus | None) -> list[ChatMessage]:
        if status is MessageStatus.ARCHIVED:  # which only a database has
            return []
        return list(cast("Sequence[ChatMessage]", await call("copy")))

    async def _add(self, call: _Call, messages: Sequence[ChatMessage]) -> None:
        await call("extend", messages)

    async def _replace(self, call: _Call, messages: Sequence[ChatMessage]) -> None:
        await call("__setitem__", slice(None), messages)

    async def _delete(self, call: _Call) -> None:
        await call("clear")

    async def _now(self, method: str, *arguments: object) -> Any:  # noqa: ANN401 - what the method gives
        return getattr(self._messages, method)(*arguments)

    async def _soon(self, method: str, *arguments: object) -> Any:  # noqa: ANN401 - what the method gives
        return await self._now(method, *arguments)


class StoreAccess(Access):
    """A conversation in a `BaseChatStore`, which adds one message at a time."""

    def __init__(self, store: ChatStore, key: str) -> None:
        """Take the store, and the key of the conversation in it."""
        self._store = store
        self._key = key

    async def _read(self, call: _Call, status: MessageStatus | None) -> list[ChatMessage]:
        if status is MessageStatus.ARCHIVED:
            return []
        return list(cast("Sequence[ChatMessage]", await call("get_messages")))

    async def _add(self, call: _Call, messages: Sequence[ChatMessage]) -> None:
        written = 0
        try:
            for message in messages:
                await call("add_message", message)
                written += 1
        except Exception as error:
            for _ in range(written):
                with suppress(Exception):
                    await call("delete_last_message")
                    written -= 1
            if written:
                error.add_note(f"{written} of {len(messages)} messages had been written and could not be taken back")
            raise

    async def _replace(self, call: _Call, messages: Sequence[ChatMessage]) -> None:
        # Stores delete what they have before they write, each in its own way: what was there is kept at hand.
        old = await self._read(call, None)
        try:
            await call("set_messages", list(messages))
        except Exception as error:
            try:
                await call("set_messages", old)
            except Exception:  # noqa: BLE001 - the first error is the one to raise
                error.add_note(f"the {len(old)} old messages could not be put back")
            raise

    async def _delete(self, call: _Call) -> None:
        await call("delete_messages")

    async def _now(self, method: str, *arguments: object) -> Any:  # noqa: ANN401 - what the method gives
        return getattr(self._store, method)(self._key, *arguments)

    async def _soon(self, method: str, *arguments: object) -> Any:  # noqa: ANN401 - what the method gives
        return await getattr(self._store, _ASYNC_NAMES[method])(self._key, *arguments)


class DatabaseDoor(StoreAccess):
    """A conversation in an `AsyncDBChatStore`. What a `Memory` has archived in it belongs to the conversation too."""

    async def _read(self, call: _Call, status: MessageStatus | None) -> list[ChatMessage]:
        return list(cast("Sequence[ChatMessage]", await call("get_messages", status)))

    async def _add(self, call: _Call, messages: Sequence[ChatMessage]) -> None:
        if messages:
            await call("add_messages", list(messages))

    async def _now(self, method: str, *arguments: object) -> Any:  # noqa: ANN401 - what the method gives
        return asyncio_run(self._soon(method, *arguments))

    async def _soon(self, method: str, *arguments: object) -> Any:  # noqa: ANN401 - what the method gives
        return await getattr(self._store, method)(self._key, *arguments)


def door(store: ChatStore, key: str) -> Access:
    """Give the door to a conversation in a store."""
    return DatabaseDoor(store, key) if isinstance(store, AsyncDBChatStore) else StoreAccess(store, key)


def as_store(store: object) -> ChatStore | None:
    """Give the store itself; None for None.

    Raises:
        BudgetError: if it is none of LlamaIndex's.
    """
    if store is None or isinstance(store, BaseChatStore | AsyncDBChatStore):
        return store
    msg = f"chat_store must be a BaseChatStore or an AsyncDBChatStore, found {type(store).__name__}"
    raise BudgetError(msg)


def _complete(coroutine: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Run a coroutine that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return cast("ResultT", end.value)
    msg = "a sync call waited"
    raise AssertionError(msg)
