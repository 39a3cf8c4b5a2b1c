"""Where a conversation is kept, behind plain methods: each in a sync and an async form.

What takes several calls of a store is written once, as a body of effects.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from llama_index.core.async_utils import (
    asyncio_run,  # pyright: ignore[reportUnknownVariableType]  # a bare Coroutine in its signature
)
from llama_index.core.storage.chat_store.base import BaseChatStore
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus

from ctx_core import BudgetError
from ctx_core.clean import told
from ctx_core.effects import Effect, Effects, arun, run
from llamaindex_ctx.copies import list_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.base.llms.types import ChatMessage

ChatStore: TypeAlias = BaseChatStore | AsyncDBChatStore
"""The stores that LlamaIndex has: those of `ChatMemoryBuffer`, and those of `Memory`."""


def as_status(status: object) -> MessageStatus | None:
    """Give the status that is meant: `Memory`'s own, or its name.

    Raises:
        BudgetError: for something else.
    """
    if status is None or isinstance(status, MessageStatus):
        return status
    names = [str(one.value) for one in MessageStatus]
    if status in names:
        return MessageStatus(status)
    msg = f"status must be a MessageStatus, or one of {', '.join(names)}, found {told(status)}"
    raise BudgetError(msg)


class Access(ABC):
    """One conversation: read, added to, replaced, deleted. Errors of a store reach the caller."""

    @abstractmethod
    def read(self, status: MessageStatus | None = None) -> list[ChatMessage]:
        """Give all messages, or those of a status, in a new list."""

    @abstractmethod
    async def aread(self, status: MessageStatus | None = None) -> list[ChatMessage]:
        """Give all messages, or those of a status, in a new list."""

    @abstractmethod
    def add(self, messages: Sequence[ChatMessage]) -> None:
        """Append all of the messages, or none."""

    @abstractmethod
    async def aadd(self, messages: Sequence[ChatMessage]) -> None:
        """Append all of the messages, or none."""

    @abstractmethod
    def replace(self, messages: Sequence[ChatMessage]) -> None:
        """Put these in the place of all messages, or leave them as they are."""

    @abstractmethod
    async def areplace(self, messages: Sequence[ChatMessage]) -> None:
        """Put these in the place of all messages, or leave them as they are."""

    @abstractmethod
    def delete(self) -> None:
        """Delete the conversation."""

    @abstractmethod
    async def adelete(self) -> None:
        """Delete the conversation."""


class ListAccess(Access):
    """A conversation in a list. Each of the four is one operation of the list, so threads may share it."""

    def __init__(self, messages: list[ChatMessage]) -> None:
        """Take the list."""
        self._messages = messages

    def read(self, status: MessageStatus | None = None) -> list[ChatMessage]:
        """Give the messages; archived ones only a database has."""
        return [] if status is MessageStatus.ARCHIVED else self._messages.copy()

    async def aread(self, status: MessageStatus | None = None) -> list[ChatMessage]:
        """Give the messages."""
        return self.read(status)

    def add(self, messages: Sequence[ChatMessage]) -> None:
        """Append the messages."""
        self._messages.extend(messages)

    async def aadd(self, messages: Sequence[ChatMessage]) -> None:
        """Append the messages."""
        self.add(messages)

    def replace(self, messages: Sequence[ChatMessage]) -> None:
        """Put these in the place of all messages."""
        self._messages[:] = messages

    async def areplace(self, messages: Sequence[ChatMessage]) -> None:
        """Put these in the place of all messages."""
        self.replace(messages)

    def delete(self) -> None:
        """Delete the messages."""
        self._messages.clear()

    async def adelete(self) -> None:
        """Delete the messages."""
        self.delete()


class StoreAccess(Access):
    """A conversation in a `BaseChatStore`, which adds one message at a time."""

    def __init__(self, store: BaseChatStore, key: str) -> None:
        """Take the store, and the key of the conversation in it."""
        self._store = store
        self._key = key

    def read(self, status: MessageStatus | None = None) -> list[ChatMessage]:
        """Give the messages; archived ones only a database has."""
        return [] if status is MessageStatus.ARCHIVED else list_of(self._store.get_messages(self._key))

    async def aread(self, status: MessageStatus | None = None) -> list[ChatMessage]:
        """Give the messages."""
        return [] if status is MessageStatus.ARCHIVED else list_of(await self._store.aget_messages(self._key))

    def add(self, messages: Sequence[ChatMessage]) -> None:
        """Append all of the messages, or none."""
        run(self._adding(messages))

    async def aadd(self, messages: Sequence[ChatMessage]) -> None:
        """Append all of the messages, or none."""
        await arun(self._adding(messages))

    def replace(self, messages: Sequence[ChatMessage]) -> None:
        """Put these in the place of all messages, or leave them as they are."""
        run(_replacing(self, messages))

    async def areplace(self, messages: Sequence[ChatMessage]) -> None:
        """Put these in the place of all messages, or leave them as they are."""
        await arun(_replacing(self, messages))

    def delete(self) -> None:
        """Delete the messages."""
        self._store.delete_messages(self._key)

    async def adelete(self) -> None:
        """Delete the messages."""
        await self._store.adelete_messages(self._key)

    def write(self, messages: list[ChatMessage]) -> Effect:
        """Give what has the store write these in the place of what it has."""
        store, key = self._store, self._key
        return Effect(partial(store.set_messages, key, messages), partial(store.aset_messages, key, messages))

    def _adding(self, messages: Sequence[ChatMessage]) -> Effects[None]:
        store, key, written = self._store, self._key, 0
        try:
            for message in messages:
                yield Effect(partial(store.add_message, key, message), partial(store.async_add_message, key, message))
                written += 1
        except Exception as error:
            for _ in range(written):
                with suppress(Exception):
                    yield Effect(partial(store.delete_last_message, key), partial(store.adelete_last_message, key))
                    written -= 1
            if written:
                error.add_note(f"{written} of {len(messages)} messages had been written and could not be taken back")
            raise


class DatabaseAccess(Access):
    """A conversation in an `AsyncDBChatStore`. What a `Memory` has archived in it belongs to the conversation too."""

    def __init__(self, store: AsyncDBChatStore, key: str) -> None:
        """Take the store, and the key of the conversation in it."""
        self._store = store
        self._key = key

    def read(self, status: MessageStatus | None = None) -> list[ChatMessage]:
        """Give the messages."""
        messages: list[ChatMessage] = asyncio_run(self.aread(status))
        return messages

    async def aread(self, status: MessageStatus | None = None) -> list[ChatMessage]:
        """Give the messages."""
        return list(await self._store.get_messages(self._key, status))

    def read_rows(self, start: int, count: int | None = None) -> list[ChatMessage]:
        """Give so many messages from a position on, or all that follow."""
        messages: list[ChatMessage] = asyncio_run(self.aread_rows(start, count))
        return messages

    async def aread_rows(self, start: int, count: int | None = None) -> list[ChatMessage]:
        """Give so many messages from a position on, or all that follow."""
        return list(await self._store.get_messages(self._key, None, limit=count, offset=start))

    def size(self) -> int:
        """Count the messages, without reading what they say."""
        count: int = asyncio_run(self.asize())
        return count

    async def asize(self) -> int:
        """Count the messages, without reading what they say."""
        return await self._store.count_messages(self._key, None)

    def add(self, messages: Sequence[ChatMessage]) -> None:
        """Append the messages, at once."""
        asyncio_run(self.aadd(messages))

    async def aadd(self, messages: Sequence[ChatMessage]) -> None:
        """Append the messages, at once."""
        if messages:
            await self._store.add_messages(self._key, list(messages))

    def replace(self, messages: Sequence[ChatMessage]) -> None:
        """Put these in the place of all messages, or leave them as they are."""
        run(_replacing(self, messages))

    async def areplace(self, messages: Sequence[ChatMessage]) -> None:
        """Put these in the place of all messages, or leave them as they are."""
        await arun(_replacing(self, messages))

    def delete(self) -> None:
        """Delete the messages."""
        asyncio_run(self.adelete())

    async def adelete(self) -> None:
        """Delete the messages."""
        await self._store.delete_messages(self._key)

    def write(self, messages: list[ChatMessage]) -> Effect:
        """Give what has the store write these in the place of what it has."""
        write = partial(self._store.set_messages, self._key, messages)
        return Effect(lambda: asyncio_run(write()), write)


def _replacing(access: StoreAccess | DatabaseAccess, messages: Sequence[ChatMessage]) -> Effects[None]:
    """Replace what a store has: it deletes that before it writes, so it is kept at hand."""
    old: list[ChatMessage] = yield Effect(access.read, access.aread)
    try:
        yield access.write(list(messages))
    except Exception as error:
        try:
            yield access.write(old)
        except Exception:  # noqa: BLE001 - the first error is the one to raise
            error.add_note(f"the {len(old)} old messages could not be put back")
        raise


def door(store: ChatStore, key: str) -> Access:
    """Give the door to a conversation in a store."""
    return DatabaseAccess(store, key) if isinstance(store, AsyncDBChatStore) else StoreAccess(store, key)


def as_store(store: object) -> ChatStore | None:
    """Give the store itself; None for None.

    Raises:
        BudgetError: if it is none of LlamaIndex's.
    """
    if store is None or isinstance(store, BaseChatStore | AsyncDBChatStore):
        return store
    msg = f"chat_store must be a BaseChatStore or an AsyncDBChatStore, found {type(store).__name__}"
    raise BudgetError(msg)
