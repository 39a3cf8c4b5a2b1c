"""A memory over a chat store: the store holds the conversation, and its errors reach the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import Memory
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore
from pydantic import PrivateAttr
from sqlalchemy.ext.asyncio import create_async_engine

from llamaindex_ctx import ContextMemoryBuffer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore

    from ctx_core import TokenCounter


class StoreDownError(Exception):
    """What a store raises that cannot be reached."""


class FlakyStore(SimpleChatStore):
    """Fails when it is told to, and notes which methods were called."""

    _failing: dict[str, tuple[int, int]] = PrivateAttr(default_factory=dict[str, tuple[int, int]])
    _calls: list[str] = PrivateAttr(default_factory=list[str])

    def fail(self, method: str, *, after: int = 0, times: int = 1_000) -> None:
        """Let a method fail so many times, after so many calls that work."""
        self._failing[method] = (after, times)

    @property
    def calls(self) -> list[str]:
        """The methods that were called."""
        return self._calls

    def _check(self, method: str) -> None:
        self._calls.append(method)
        after, times = self._failing.get(method, (0, 0))
        if after:
            self._failing[method] = (after - 1, times)
        elif times:
            self._failing[method] = (0, times - 1)
            raise StoreDownError(method)

    def get_messages(self, key: str) -> list[ChatMessage]:
        """Read."""
        self._check("get_messages")
        return super().get_messages(key)

    def add_message(self, key: str, message: ChatMessage, idx: int | None = None) -> None:
        """Append."""
        self._check("add_message")
        super().add_message(key, message, idx)

    def set_messages(self, key: str, messages: list[ChatMessage]) -> None:
        """Replace, as stores do it: delete first."""
        self.store[key] = []
        self._check("set_messages")
        super().set_messages(key, messages)

    def delete_last_message(self, key: str) -> ChatMessage | None:
        """Take back."""
        self._check("delete_last_message")
        return super().delete_last_message(key)

    async def aget_messages(self, key: str) -> list[ChatMessage]:
        """Read, natively async."""
        self._check("aget_messages")
        return super().get_messages(key)

    async def async_add_message(self, key: str, message: ChatMessage) -> None:
        """Append, natively async."""
        self._check("async_add_message")
        super().add_message(key, message)

    async def aset_messages(self, key: str, messages: list[ChatMessage]) -> None:
        """Replace, natively async."""
        self.store[key] = []
        self._check("aset_messages")
        super().set_messages(key, messages)

    async def adelete_last_message(self, key: str) -> ChatMessage | None:
        """Take back, natively async."""
        self._check("adelete_last_message")
        return super().delete_last_message(key)

    async def adelete_messages(self, key: str) -> list[ChatMessage] | None:
        """Delete, natively async."""
        self._check("adelete_messages")
        return super().delete_messages(key)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[AsyncDBChatStore]:
    """A store of `Memory`, in a file, so that sync and async doors see the same."""
    engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path / 'chat.db'}")
    yield SQLAlchemyChatStore(table_name="chats", async_engine=engine)
    await engine.dispose()


def test_the_store_holds_the_conversation(talk: list[ChatMessage]) -> None:
    """What the memory is given is in the store under its key, and what is in the store is in the memory."""
    store = SimpleChatStore()
    memory = ContextMemoryBuffer.from_defaults(chat_store=store, chat_store_key="eva")
    memory.put_messages(talk)
    assert store.get_messages("eva") == talk
    store.add_message("eva", ChatMessage("from elsewhere", role="assistant"))
    assert memory.get_all()[-1].content == memory.get()[-1].content == "from elsewhere"
    assert memory.messages == []
    memory.set(talk[:1])
    assert store.get_messages("eva") == talk[:1]
    memory.reset()
    assert store.get_keys() == []


def test_a_view_leaves_the_store_alone(words: TokenCounter, talk: list[ChatMessage]) -> None:
    """Trimming is for the view only."""
    store = SimpleChatStore()
    memory = ContextMemoryBuffer.from_defaults(talk, chat_store=store, token_limit=8, counter=words)
    view = memory.get()
    assert len(view) < len(talk)
    view[-1].blocks.clear()
    assert store.get_messages("chat_history") == talk


def test_two_conversations_share_a_store(user: Callable[[str], ChatMessage]) -> None:
    """A key is a conversation, whichever of its names is used."""
    store = SimpleChatStore()
    eva = ContextMemoryBuffer.from_defaults(chat_store=store, session_id="eva")
    adam = ContextMemoryBuffer.from_defaults(chat_store=store, chat_store_key="adam")
    eva.put(user("hi"))
    assert (len(eva.get_all()), len(adam.get_all())) == (1, 0)


def test_a_history_takes_the_place_of_what_is_stored(user: Callable[[str], ChatMessage]) -> None:
    """An empty one does not: engines give an empty list for none, and that must not delete anything."""
    store = SimpleChatStore()
    ContextMemoryBuffer.from_defaults([user("one"), user("two")], chat_store=store)
    assert len(ContextMemoryBuffer.from_defaults([], chat_store=store).get_all()) == 2
    assert len(ContextMemoryBuffer.from_defaults(chat_store=store).get_all()) == 2
    assert len(ContextMemoryBuffer.from_defaults([user("new")], chat_store=store).get_all()) == 1


def test_the_callers_messages_are_not_shared_with_the_store(user: Callable[[str], ChatMessage]) -> None:
    """`SimpleChatStore` keeps the very objects it is given."""
    store, message = SimpleChatStore(), user("hi")
    memory = ContextMemoryBuffer.from_defaults(chat_store=store)
    memory.put(message)
    memory.get_all()[0].blocks.clear()
    message.blocks.clear()
    assert store.get_messages("chat_history") == [user("hi")]


async def test_async_doors_call_the_stores_async_methods(user: Callable[[str], ChatMessage]) -> None:
    """A store with a native async client is never called through its sync one."""
    store = FlakyStore()
    memory = ContextMemoryBuffer.from_defaults(chat_store=store)
    await memory.aput(user("a"))
    await memory.aput_messages([user("b"), user("c")])
    await memory.aget("d")
    await memory.aget_all()
    await memory.aset([user("e")])
    await memory.areset()
    assert set(store.calls) == {"async_add_message", "aget_messages", "aset_messages", "adelete_messages"}


def test_sync_doors_need_no_event_loop(user: Callable[[str], ChatMessage]) -> None:
    """They call the store's sync methods and nothing else."""
    store = FlakyStore()
    memory = ContextMemoryBuffer.from_defaults([user("a")], chat_store=store)
    memory.put(ChatMessage("b", role="assistant"))
    assert len(memory.get()) == 2
    assert set(store.calls) == {"get_messages", "set_messages", "add_message"}


async def test_an_error_on_reading_reaches_the_caller(user: Callable[[str], ChatMessage]) -> None:
    """A store that is down is no empty conversation."""
    store = FlakyStore()
    memory = ContextMemoryBuffer.from_defaults([user("a")], chat_store=store)
    store.fail("get_messages")
    store.fail("aget_messages")
    for read in (memory.get, memory.get_all):
        with pytest.raises(StoreDownError):
            read()
    for aread in (memory.aget, memory.aget_all):
        with pytest.raises(StoreDownError):
            await aread()


def test_an_error_on_writing_reaches_the_caller(user: Callable[[str], ChatMessage]) -> None:
    """The message is not stored, and the caller knows."""
    store = FlakyStore()
    memory = ContextMemoryBuffer.from_defaults([user("a")], chat_store=store)
    store.fail("add_message")
    with pytest.raises(StoreDownError):
        memory.put(user("b"))
    assert memory.get_all() == [user("a")]


@pytest.mark.parametrize("after", [0, 1, 2])
async def test_a_batch_is_stored_as_a_whole_or_not_at_all(user: Callable[[str], ChatMessage], after: int) -> None:
    """When the store fails on the way, what was written is taken back."""
    batch = [user("b"), user("c"), user("d")]
    store = FlakyStore()
    memory = ContextMemoryBuffer.from_defaults([user("a")], chat_store=store)
    store.fail("add_message", after=after)
    store.fail("async_add_message", after=after)
    with pytest.raises(StoreDownError):
        memory.put_messages(batch)
    with pytest.raises(StoreDownError):
        await memory.aput_messages(batch)
    assert memory.get_all() == [user("a")]


def test_a_batch_that_cannot_be_taken_back_is_told(user: Callable[[str], ChatMessage]) -> None:
    """The error says how much of it is in the store."""
    store = FlakyStore()
    memory = ContextMemoryBuffer.from_defaults(chat_store=store)
    store.fail("add_message", after=2)
    store.fail("delete_last_message")
    with pytest.raises(StoreDownError) as caught:
        memory.put_messages([user("b"), user("c"), user("d")])
    assert caught.value.__notes__ == ["2 of 3 messages had been written and could not be taken back"]


def test_a_replacement_that_fails_leaves_the_old_conversation(user: Callable[[str], ChatMessage]) -> None:
    """Stores delete before they write: the old messages are put back."""
    store = FlakyStore()
    memory = ContextMemoryBuffer.from_defaults([user("a"), user("b")], chat_store=store)
    store.fail("set_messages", times=1)
    with pytest.raises(StoreDownError):
        memory.set([user("new")])
    assert memory.get_all() == [user("a"), user("b")]


async def test_a_replacement_that_fails_leaves_the_old_conversation_async(user: Callable[[str], ChatMessage]) -> None:
    """The async door puts them back too."""
    store = FlakyStore()
    memory = ContextMemoryBuffer.from_defaults([user("a"), user("b")], chat_store=store)
    store.fail("aset_messages", times=1)
    with pytest.raises(StoreDownError):
        await memory.aset([user("new")])
    assert await memory.aget_all() == [user("a"), user("b")]


def test_old_messages_that_cannot_be_put_back_are_told(user: Callable[[str], ChatMessage]) -> None:
    """The error that is raised is the first one, with a note."""
    store = FlakyStore()
    memory = ContextMemoryBuffer.from_defaults([user("a"), user("b")], chat_store=store)
    store.fail("set_messages")
    with pytest.raises(StoreDownError) as caught:
        memory.set([user("new")])
    assert caught.value.__notes__ == ["the 2 old messages could not be put back"]


def test_a_bad_message_never_reaches_the_store(user: Callable[[str], ChatMessage]) -> None:
    """What is checked is checked before anything is written."""
    store = FlakyStore()
    memory = ContextMemoryBuffer.from_defaults([user("a")], chat_store=store)
    store.calls.clear()
    bad: Any = "no message"
    with pytest.raises(ValueError, match="expected a ChatMessage"):
        memory.put_messages([user("b"), bad])
    with pytest.raises(ValueError, match="expected a ChatMessage"):
        memory.set([user("b"), bad])
    assert store.calls == []


async def test_a_database_store_of_memory_works(
    database: AsyncDBChatStore, talk: list[ChatMessage], user: Callable[[str], ChatMessage]
) -> None:
    """An `AsyncDBChatStore` is read and written through both doors."""
    memory = ContextMemoryBuffer.from_defaults(chat_store=database, session_id="eva")
    await memory.aput_messages(talk)
    await memory.aput_messages([])
    memory.put(user("sync within a running loop"))
    assert await memory.aget_all() == memory.get_all() == [*talk, user("sync within a running loop")]
    assert await memory.aget() == memory.get()
    await memory.aset(talk[:2])
    assert await database.get_messages("eva") == talk[:2]
    await memory.areset()
    assert memory.get_all() == []


async def test_a_database_conversation_gets_a_name_of_its_own(database: AsyncDBChatStore) -> None:
    """Two memories over one database don't share a conversation by accident, as with `Memory`."""
    one = ContextMemoryBuffer.from_defaults(chat_store=database)
    other = ContextMemoryBuffer.from_defaults(chat_store=database)
    await one.aput(ChatMessage("hi"))
    assert one.session_id != other.session_id
    assert await other.aget_all() == []


async def test_what_memory_has_archived_is_part_of_the_conversation(
    database: AsyncDBChatStore, talk: list[ChatMessage]
) -> None:
    """A conversation that a `Memory` began is gone on with, whole and in order."""
    theirs = Memory.from_defaults(
        session_id="eva", chat_store=database, token_limit=20, token_flush_size=10, tokenizer_fn=str.split
    )
    for message in talk:
        await theirs.aput(message)
    assert len(await database.get_messages("eva")) < len(talk)
    ours = ContextMemoryBuffer.from_defaults(session_id="eva", chat_store=database)
    assert await ours.aget_all() == talk


async def test_a_database_conversation_is_stored_with_its_memory(
    database: AsyncDBChatStore, talk: list[ChatMessage]
) -> None:
    """Its messages come along, also where an event loop is running, as in a workflow."""
    memory = ContextMemoryBuffer.from_defaults(chat_store=database, session_id="eva")
    await memory.aput_messages(talk)
    data = {**memory.to_dict(), "token": "of another process"}
    assert ContextMemoryBuffer.from_dict(data).get_all() == talk
    assert ContextMemoryBuffer.from_dict(data, chat_store=database).messages == []


async def test_a_database_that_fails_halfway_keeps_the_old_conversation(
    database: AsyncDBChatStore, talk: list[ChatMessage]
) -> None:
    """What a database cannot hold is found while it writes: the old messages are put back."""
    memory = ContextMemoryBuffer.from_defaults(chat_store=database, session_id="eva")
    await memory.aput_messages(talk)
    unwritable = ChatMessage("x", additional_kwargs={"client": object()})
    with pytest.raises(Exception, match="serialize"):
        await memory.aset([talk[0], unwritable])
    assert await memory.aget_all() == talk
    with pytest.raises(Exception, match="serialize"):
        await memory.aput_messages([talk[0], unwritable])
    assert await memory.aget_all() == talk


def test_an_engine_talks_over_a_store(user: Callable[[str], ChatMessage]) -> None:
    """What is said in an engine is in the store, and the error of a store ends the call."""
    store = FlakyStore()
    memory = ContextMemoryBuffer.from_defaults(chat_store=store)
    engine = SimpleChatEngine.from_defaults(llm=MockLLM(max_tokens=2, is_chat_model=True), memory=memory)
    engine.chat("hi")
    assert [message.content for message in store.get_messages("chat_history")] == ["hi", "text text"]
    store.fail("add_message", after=1)
    with pytest.raises(StoreDownError):
        engine.chat("more")
    assert store.store["chat_history"][-1] == user("more")
