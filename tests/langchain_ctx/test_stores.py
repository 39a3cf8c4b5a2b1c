"""Our histories over LangChain's own stores, and in its classic memory."""

from __future__ import annotations

import asyncio
import importlib
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables.history import RunnableWithMessageHistory

from langchain_ctx import BudgetedChatMessageHistory, budgeted_session_history
from tests.langchain_ctx.echo import EchoModel

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from langchain_core.chat_history import BaseChatMessageHistory

    StoreFactory = Callable[[str], BaseChatMessageHistory]
    Stores = Callable[[Path], AbstractContextManager[StoreFactory]]

pytestmark = pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")

CONFIG: Any = {"configurable": {"session_id": "s"}}

STEP: list[BaseMessage] = [
    HumanMessage("q", id="h1"),
    AIMessage(
        "",
        tool_calls=[{"name": "f", "args": {"a": 1}, "id": "t1"}],
        usage_metadata={"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
    ),
    ToolMessage("r", tool_call_id="t1", artifact={"a": 1}, status="error"),
    AIMessage("done"),
]


def module(name: str) -> Any:
    """Import a module of LangChain's that warns when it is imported, or skip."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except ImportError as error:
            pytest.skip(f"{name} is not installed ({error.name})")


@contextmanager
def sql_stores(folder: Path) -> Generator[StoreFactory]:
    """Give a factory of stores in one SQLite file, made anew on every call."""
    history = module("langchain_community.chat_message_histories").SQLChatMessageHistory
    engine = module("sqlalchemy").create_engine(f"sqlite:///{folder / 'talk.db'}")
    yield lambda session_id: history(session_id, connection=engine)
    engine.dispose()


@contextmanager
def file_stores(folder: Path) -> Generator[StoreFactory]:
    """Give a factory of stores in a JSON file each, which is read and written whole for every message."""
    history = module("langchain_community.chat_message_histories").FileChatMessageHistory
    yield lambda session_id: history(str(folder / f"{session_id}.json"))


stores = pytest.mark.parametrize("stores", [sql_stores, file_stores])


def paired(messages: list[BaseMessage]) -> bool:
    """Whether sixteen messages of eight turns stand in pairs of question and reply."""
    texts = [str(message.text) for message in messages]
    questions = sorted(texts[::2]) == sorted(f"q{at}" for at in range(8))
    return questions and texts[1::2] == [f"re: {question}" for question in texts[::2]]


@stores
def test_every_field_survives_the_store(stores: Stores, tmp_path: Path) -> None:
    """Ids, calls, usage, artifacts and status come back through the view as they went in."""
    with stores(tmp_path) as store_of:
        history = BudgetedChatMessageHistory(store_of("s"), 1_000)
        history.add_messages(STEP)
        assert history.messages == STEP


@stores
def test_the_store_keeps_what_the_view_leaves_out(stores: Stores, tmp_path: Path) -> None:
    """Turn by turn the view is cut, and the store grows."""
    model = EchoModel()
    with stores(tmp_path) as store_of:
        runnable = RunnableWithMessageHistory(model, budgeted_session_history(store_of, 100))
        for at in range(20):
            runnable.invoke(f"q{at}", CONFIG)
        assert len(store_of("s").messages) == 40
    assert len(model.received[-1]) < 39


@stores
def test_a_batch_on_one_session(stores: Stores, tmp_path: Path) -> None:
    """Eight turns at once are all stored, each reply behind its own question."""
    with stores(tmp_path) as store_of:
        runnable = RunnableWithMessageHistory(EchoModel(), budgeted_session_history(store_of, 1_000))
        runnable.batch([f"q{at}" for at in range(8)], [CONFIG] * 8)
        assert paired(store_of("s").messages)


async def test_tasks_on_one_session_of_a_store_with_threads(tmp_path: Path) -> None:
    """The same by tasks, with a store that has no asynchronous methods of its own."""
    with file_stores(tmp_path) as store_of:
        runnable = RunnableWithMessageHistory(EchoModel(), budgeted_session_history(store_of, 1_000))
        await asyncio.gather(*(runnable.ainvoke(f"q{at}", CONFIG) for at in range(8)))
        assert paired(store_of("s").messages)


async def test_tasks_on_one_session_of_an_asynchronous_store(tmp_path: Path) -> None:
    """The same by tasks, with a store whose synchronous methods would be refused."""
    module("aiosqlite")
    history = module("langchain_community.chat_message_histories").SQLChatMessageHistory
    engine = module("sqlalchemy.ext.asyncio").create_async_engine(f"sqlite+aiosqlite:///{tmp_path / 'talk.db'}")

    def store_of(session_id: str) -> BaseChatMessageHistory:
        store: BaseChatMessageHistory = history(session_id, connection=engine, async_mode=True)
        return store

    runnable = RunnableWithMessageHistory(EchoModel(), budgeted_session_history(store_of, 1_000))
    await asyncio.gather(*(runnable.ainvoke(f"q{at}", CONFIG) for at in range(8)))
    assert paired(await store_of("s").aget_messages())
    await engine.dispose()


def test_classic_memory_takes_our_history() -> None:
    """LangChain's classic memory accepts our history as its `chat_memory`."""
    memories = module("langchain_classic.memory")
    history = BudgetedChatMessageHistory(budget=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        memory = memories.ConversationBufferMemory(chat_memory=history, return_messages=True)
    for at in range(20):
        memory.save_context({"input": f"q{at}"}, {"output": f"a{at}"})
    loaded = memory.load_memory_variables({})["history"]
    assert loaded == history.messages
    assert loaded[-1].content == "a19"
    assert len(loaded) < len(history.backing.messages) == 40
