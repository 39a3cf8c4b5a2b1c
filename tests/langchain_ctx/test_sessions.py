"""Our histories in `RunnableWithMessageHistory`: every mode, turns at once, and everything that goes wrong."""

from __future__ import annotations

import asyncio
import inspect
import threading
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import ConfigurableFieldSpec, RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

from ctx_core import ContextOverflowError, ContextReport, TokenCounter
from langchain_ctx import (
    BudgetedChatMessageHistory,
    ContextRunnable,
    InMemoryHistory,
    LangChainCodec,
    budgeted_session_history,
)
from tests.langchain_ctx.echo import EchoModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from langchain_core.chat_history import BaseChatMessageHistory

pytestmark = pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")

CONFIG: Any = {"configurable": {"session_id": "s"}}
TURNS = 12
BUDGET = 60


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


def counted(messages: list[BaseMessage]) -> int:
    """Count a request from scratch."""
    return TokenCounter(words).count_messages([LangChainCodec().read(message) for message in messages])


def talk_of(value: dict[str, Any]) -> Any:
    """Give what is under the key `talk`."""
    return value["talk"]


class Stores(dict[str, InMemoryHistory]):
    """One store a session, made when it is first asked for, as every tutorial does it."""

    def __call__(self, session_id: str) -> InMemoryHistory:
        """Give the store of a session."""
        if session_id not in self:
            self[session_id] = InMemoryHistory()
        return self[session_id]

    @property
    def texts(self) -> list[str]:
        """What is stored of the session of these tests."""
        return [str(message.text) for message in self["s"].messages]


@pytest.fixture
def stores() -> Stores:
    """Give empty stores."""
    return Stores()


def frozen(stores: Stores) -> Callable[..., BaseChatMessageHistory]:
    """Give the factory of views, one a turn."""
    return budgeted_session_history(stores, BUDGET, counter=words)


def live(stores: Stores) -> Callable[..., BaseChatMessageHistory]:
    """Give the histories that are kept per session, as every tutorial does it."""
    kept: dict[str, BudgetedChatMessageHistory] = {}

    def session_history(session_id: str) -> BaseChatMessageHistory:
        if session_id not in kept:
            kept[session_id] = BudgetedChatMessageHistory(stores(session_id), BUDGET, counter=words)
        return kept[session_id]

    return session_history


both = pytest.mark.parametrize("histories", [frozen, live])

Mode = tuple["Callable[[EchoModel], Any]", dict[str, Any], "Callable[[str], Any]"]

MODES: dict[str, Mode] = {
    "model, list": (lambda model: model, {}, lambda text: [HumanMessage(text)]),
    "model, text": (lambda model: model, {}, lambda text: text),
    "chain, list": (
        lambda model: RunnableLambda(lambda messages: messages) | model | StrOutputParser(),
        {},
        lambda text: [HumanMessage(text)],
    ),
    "messages in a dict": (
        lambda model: RunnableLambda(talk_of) | model,
        {"input_messages_key": "talk"},
        lambda text: {"talk": [HumanMessage(text)]},
    ),
    "dict out": (
        lambda model: RunnableLambda(talk_of) | {"answer": model},
        {"input_messages_key": "talk", "output_messages_key": "answer"},
        lambda text: {"talk": text},
    ),
    "history in a dict": (
        lambda model: (
            ChatPromptTemplate.from_messages([("system", "Be brief."), MessagesPlaceholder("past"), ("human", "{q}")])
            | model
            | StrOutputParser()
        ),
        {"input_messages_key": "q", "history_messages_key": "past"},
        lambda text: {"q": text},
    ),
}

modes = pytest.mark.parametrize("mode", MODES.values(), ids=MODES)


def expected(turns: int) -> list[str]:
    """Give what must be stored after so many turns."""
    return [text for at in range(turns) for text in (f"q{at} and more", f"re: q{at} and more")]


def check(model: EchoModel, stores: Stores, turns: int = TURNS) -> None:
    """Check that all is stored, once and in order, and that every request was cut to the budget."""
    assert stores.texts == expected(turns)
    assert len(model.received) == turns
    assert max(len(request) for request in model.received) < 2 * turns - 1
    for request in model.received:
        history = [message for message in request[:-1] if not isinstance(message, SystemMessage)]
        assert counted(history) <= BUDGET
        assert isinstance((history or request)[0], HumanMessage | SystemMessage)
        kept = [str(message.text) for message in history]
        at = int(str(request[-1].text).split()[0][1:])
        assert kept == expected(at)[2 * at - len(kept) :]


@modes
@both
def test_sync_turns(mode: Mode, histories: Any, stores: Stores) -> None:
    """Turn by turn, the model sees the newest turns and the store keeps all."""
    chain, keys, value = mode
    model = EchoModel()
    runnable = RunnableWithMessageHistory(chain(model), histories(stores), **keys)
    for at in range(TURNS):
        runnable.invoke(value(f"q{at} and more"), CONFIG)
    check(model, stores)


@modes
@both
async def test_async_turns(mode: Mode, histories: Any, stores: Stores) -> None:
    """The same, asynchronously."""
    chain, keys, value = mode
    model = EchoModel()
    runnable = RunnableWithMessageHistory(chain(model), histories(stores), **keys)
    for at in range(TURNS):
        await runnable.ainvoke(value(f"q{at} and more"), CONFIG)
    check(model, stores)


@modes
@both
async def test_streamed_turns(mode: Mode, histories: Any, stores: Stores) -> None:
    """The same, streamed in turn synchronously and asynchronously."""
    chain, keys, value = mode
    model = EchoModel()
    runnable = RunnableWithMessageHistory(chain(model), histories(stores), **keys)
    for at in range(0, TURNS, 2):
        assert list(runnable.stream(value(f"q{at} and more"), CONFIG))
        assert [piece async for piece in runnable.astream(value(f"q{at + 1} and more"), CONFIG)]
    check(model, stores)


def check_pairs(stores: Stores, turns: int) -> None:
    """Check that every turn is stored once, each reply behind its own question."""
    texts = stores.texts
    assert sorted(texts[::2]) == sorted(f"q{at}" for at in range(turns))
    assert texts[1::2] == [f"re: {question}" for question in texts[::2]]


@modes
def test_threads_at_once_on_one_session(mode: Mode, stores: Stores) -> None:
    """Eight threads that all read before any of them writes store sixteen messages, in pairs."""
    chain, keys, value = mode
    model = EchoModel(meanwhile=threading.Barrier(8, timeout=30).wait)
    runnable = RunnableWithMessageHistory(chain(model), frozen(stores), **keys)
    threads = [threading.Thread(target=runnable.invoke, args=(value(f"q{at}"), CONFIG)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check_pairs(stores, 8)


@modes
async def test_tasks_at_once_on_one_session(mode: Mode, stores: Stores) -> None:
    """Eight tasks on one session store sixteen messages, in pairs."""
    chain, keys, value = mode
    runnable = RunnableWithMessageHistory(chain(EchoModel()), frozen(stores), **keys)
    await asyncio.gather(*(runnable.ainvoke(value(f"q{at}"), CONFIG) for at in range(8)))
    check_pairs(stores, 8)


@modes
async def test_batches_on_one_session(mode: Mode, stores: Stores) -> None:
    """Batches of eight on one session, sync and async, store all of it, in pairs."""
    chain, keys, value = mode
    runnable = RunnableWithMessageHistory(chain(EchoModel()), frozen(stores), **keys)
    runnable.batch([value(f"q{at}") for at in range(8)], [CONFIG] * 8)
    check_pairs(stores, 8)
    await runnable.abatch([value(f"q{at}") for at in range(8, 16)], [CONFIG] * 8)
    check_pairs(stores, 16)


def test_a_quick_turn_during_a_slow_one(stores: Stores) -> None:
    """A turn that begins and ends while another is running loses nothing of either."""
    started, done = threading.Event(), threading.Event()

    def answer(messages: list[BaseMessage]) -> AIMessage:
        if messages[-1].text == "slow":
            started.set()
            done.wait(30)
        return AIMessage(f"re: {messages[-1].text}")

    runnable = RunnableWithMessageHistory(RunnableLambda(answer), frozen(stores))
    thread = threading.Thread(target=runnable.invoke, args=([HumanMessage("slow")], CONFIG))
    thread.start()
    started.wait(30)
    runnable.invoke([HumanMessage("quick")], CONFIG)
    done.set()
    thread.join()
    assert stores.texts == ["quick", "re: quick", "slow", "re: slow"]


def test_sessions_do_not_mix(stores: Stores) -> None:
    """Each session has its store, its window and its cut."""
    states: dict[str, Any] = {}
    histories = budgeted_session_history(stores, BUDGET, counter=words, states=states)
    runnable = RunnableWithMessageHistory(EchoModel(), histories)
    for at in range(30):
        runnable.invoke(f"q{at}", {"configurable": {"session_id": f"s{at % 2}"}})
    assert [str(message.text) for message in stores["s1"].messages[:2]] == ["q1", "re: q1"]
    assert len(stores["s0"].messages) == len(stores["s1"].messages) == 30
    assert sorted(states) == ["s0", "s1"]


def test_the_start_stays_for_some_turns(stores: Stores) -> None:
    """The cut of a session outlives its requests, so that the prompt cache stays warm."""
    model = EchoModel()
    runnable = RunnableWithMessageHistory(model, budgeted_session_history(stores, 120, counter=words))
    starts: list[str] = []
    for at in range(30):
        runnable.invoke(f"q{at}", CONFIG)
        starts.append(model.texts[0])
    assert 2 <= len(set(starts)) <= 8


def test_several_keys(stores: Stores) -> None:
    """A store factory of two keys works with `history_factory_config`, which looks at their names."""

    def store_of(user_id: str, conversation_id: str) -> InMemoryHistory:
        return stores(f"{user_id}/{conversation_id}")

    specs = [ConfigurableFieldSpec(id=key, annotation=str) for key in ("user_id", "conversation_id")]
    states: dict[str, Any] = {}
    histories = budgeted_session_history(store_of, BUDGET, counter=words, states=states)
    runnable = RunnableWithMessageHistory(EchoModel(), histories, history_factory_config=specs)
    config: Any = {"configurable": {"user_id": "ann", "conversation_id": "1"}}
    for at in range(20):
        runnable.invoke(f"q{at}", config)
    assert len(stores["ann/1"].messages) == 40
    assert list(states) == ['{"conversation_id": "1", "user_id": "ann"}']


def test_no_key(stores: Stores) -> None:
    """A store factory without parameters works too."""
    histories = budgeted_session_history(lambda: stores("s"), BUDGET)
    runnable = RunnableWithMessageHistory(EchoModel(), histories)
    runnable.invoke("hi", CONFIG)
    assert stores.texts == ["hi", "re: hi"]


def test_the_factory_looks_like_the_users_own(stores: Stores) -> None:
    """Names, kinds and defaults of the parameters are those of the store factory."""

    def store_of(session_id: str, *, user_id: str = "ann") -> InMemoryHistory:
        return stores(f"{user_id}/{session_id}")

    assert inspect.signature(budgeted_session_history(store_of, 100)) == inspect.signature(store_of)


def test_a_careless_store_factory_is_never_called_at_once() -> None:
    """A factory that looks first and makes a store then would lose a turn if two threads were in it."""
    made: list[InMemoryHistory] = []
    kept: dict[str, InMemoryHistory] = {}

    def store_of(session_id: str) -> InMemoryHistory:
        if session_id not in kept:
            threading.Event().wait(0.05)
            made.append(InMemoryHistory())
            kept[session_id] = made[-1]
        return kept[session_id]

    histories = budgeted_session_history(store_of, 100)
    together = threading.Barrier(4, timeout=30)
    views: list[BaseChatMessageHistory] = []

    def open_view() -> None:
        together.wait()
        views.append(histories("s"))

    threads = [threading.Thread(target=open_view) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(views) == 4
    assert len(made) == 1


def test_stores_made_anew_for_every_turn_share_the_lock() -> None:
    """Turns of one session write one after the other even if each has a store object of its own."""
    lines: list[BaseMessage] = []

    class Store(InMemoryHistory):
        @property
        def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # a property, as the base class allows
            return list(lines)

        def add_messages(self, messages: Sequence[BaseMessage]) -> None:
            for message in messages:
                threading.Event().wait(0.002)
                lines.append(message)

    def store_of(session_id: str) -> Store:
        assert session_id == "s"
        return Store()

    model = EchoModel(meanwhile=threading.Barrier(8, timeout=30).wait)
    runnable = RunnableWithMessageHistory(model, budgeted_session_history(store_of, 1_000))
    threads = [threading.Thread(target=runnable.invoke, args=(f"q{at}", CONFIG)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    texts = [str(message.text) for message in lines]
    assert len(texts) == 16
    assert texts[1::2] == [f"re: {question}" for question in texts[::2]]


@both
async def test_a_stream_left_early_stores_nothing(histories: Any, stores: Stores) -> None:
    """A turn that the consumer walks away from is not stored, and the next one is."""
    runnable = RunnableWithMessageHistory(EchoModel(), histories(stores))
    for _ in runnable.stream("left", CONFIG):
        break
    async for _ in runnable.astream("left", CONFIG):
        break
    runnable.invoke("stayed", CONFIG)
    assert stores.texts == ["stayed", "re: stayed"]


@both
def test_a_model_that_raises_stores_nothing(histories: Any, stores: Stores) -> None:
    """The error reaches the caller, nothing is stored, and the next turn works."""

    def fail() -> None:
        msg = "overloaded"
        raise RuntimeError(msg)

    model = EchoModel(meanwhile=fail)
    runnable = RunnableWithMessageHistory(model, histories(stores))
    with pytest.raises(RuntimeError, match="overloaded"):
        runnable.invoke("first", CONFIG)
    model.meanwhile = None
    runnable.invoke("second", CONFIG)
    assert stores.texts == ["second", "re: second"]


@both
async def test_a_history_that_cannot_fit_is_an_error_before_the_model(histories: Any, stores: Stores) -> None:
    """What is protected and too large raises out of the chain; no request is made and nothing is lost."""
    stores("s").add_messages([SystemMessage("word " * 200), HumanMessage("q"), AIMessage("a")])
    model = EchoModel()
    runnable = RunnableWithMessageHistory(model, histories(stores))
    with pytest.raises(ContextOverflowError):
        runnable.invoke("next", CONFIG)
    with pytest.raises(ContextOverflowError):
        await runnable.ainvoke("next", CONFIG)
    assert model.received == []
    assert len(stores["s"].messages) == 3


@both
def test_a_huge_turn_does_not_block_the_session(histories: Any, stores: Stores) -> None:
    """A turn over the whole budget is stored, and later turns go on without it."""
    model = EchoModel()
    runnable = RunnableWithMessageHistory(model, histories(stores))
    runnable.invoke("word " * 500, CONFIG)
    runnable.invoke("small", CONFIG)
    assert model.texts == ["small"]
    runnable.invoke("next", CONFIG)
    assert model.texts == ["small", "re: small", "next"]
    assert len(stores["s"].messages) == 6


def test_a_store_that_cannot_be_read_raises_out_of_the_chain() -> None:
    """The store's own error reaches the caller before the model is called."""

    class Unreadable(InMemoryHistory):
        @property
        def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # a property, as the base class allows
            msg = "connection lost"
            raise ConnectionError(msg)

    model = EchoModel()
    runnable = RunnableWithMessageHistory(model, budgeted_session_history(lambda session_id: Unreadable(), 100))  # noqa: ARG005 - LangChain looks at the name
    with pytest.raises(ConnectionError, match="connection lost"):
        runnable.invoke("q", CONFIG)
    assert model.received == []


def test_a_store_that_cannot_be_written_frees_its_session(stores: Stores) -> None:
    """LangChain swallows what a store raises on writing; we leave nothing half written and nobody waiting."""

    class Unwritable(InMemoryHistory):
        fails = True

        def add_messages(self, messages: Sequence[BaseMessage]) -> None:
            if self.fails:
                msg = "disk full"
                raise OSError(msg)
            super().add_messages(messages)

    stores["s"] = store = Unwritable()
    histories = frozen(stores)
    with pytest.raises(OSError, match="disk full"):
        histories("s").add_messages([HumanMessage("q")])
    runnable = RunnableWithMessageHistory(EchoModel(), histories)
    runnable.invoke("lost", CONFIG)
    store.fails = False
    runnable.invoke("kept", CONFIG)
    assert stores.texts == ["kept", "re: kept"]


async def test_a_view_stays_until_its_own_turn_has_written(stores: Stores) -> None:
    """What others write in the meantime is not seen, what the turn itself writes is."""
    histories = frozen(stores)
    view, other = histories("s"), histories("s")
    assert view.messages == []
    other.add_messages([HumanMessage("theirs"), AIMessage("x")])
    assert view.messages == await view.aget_messages() == []
    view.messages.append(HumanMessage("stray"))
    assert view.messages == []
    await view.aadd_messages([HumanMessage("ours"), AIMessage("y")])
    assert [str(message.text) for message in view.messages] == ["theirs", "x", "ours", "y"]
    view.clear()
    assert await view.aget_messages() == []
    other.add_messages([HumanMessage("again")])
    await view.aclear()
    assert view.messages == []
    assert stores["s"].messages == []


def test_a_turn_is_reported_once(stores: Stores) -> None:
    """LangChain reads twice in a turn; a frozen view is fitted once."""
    reports: list[ContextReport] = []
    histories = budgeted_session_history(stores, BUDGET, on_report=reports.append)
    RunnableWithMessageHistory(EchoModel(), histories).invoke("q", CONFIG)
    assert len(reports) == 1


def test_history_and_runnable_together(stores: Stores) -> None:
    """A history with a budget, and the step that fits the whole prompt behind it."""
    model = EchoModel()
    prompt = ChatPromptTemplate.from_messages([("system", "Be brief."), MessagesPlaceholder("past"), ("human", "{q}")])
    runnable = RunnableWithMessageHistory(
        prompt | ContextRunnable(50, counter=words) | model,
        budgeted_session_history(stores, 500, counter=words),
        input_messages_key="q",
        history_messages_key="past",
    )
    for at in range(TURNS):
        runnable.invoke({"q": f"q{at} and more"}, CONFIG)
    assert stores.texts == expected(TURNS)
    assert all(counted(request) <= 50 for request in model.received)
