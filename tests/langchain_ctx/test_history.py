"""`BudgetedChatMessageHistory` and the store in memory, by themselves."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ctx_core import (
    BudgetError,
    ContextBudget,
    ContextOverflowError,
    ContextReport,
    HistoryPolicy,
    Share,
    TokenCounter,
    Tokens,
    UsageLog,
)
from langchain_ctx import (
    BudgetedChatMessageHistory,
    ContextRunnable,
    InMemoryHistory,
    LangChainCodec,
    budgeted_session_history,
)
from tests.langchain_ctx.echo import EchoModel

if TYPE_CHECKING:
    from collections.abc import Sequence


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


def counted(messages: list[BaseMessage]) -> int:
    """Count a request from scratch."""
    return TokenCounter(words).count_messages([LangChainCodec().read(message) for message in messages])


def talk(turns: int) -> list[BaseMessage]:
    """Make a conversation of so many turns."""
    return [message for at in range(turns) for message in (HumanMessage(f"question {at}"), AIMessage(f"answer {at}"))]


class AsyncStore(BaseChatMessageHistory):
    """A store whose sync and async methods are different code, as SQL and Redis stores have it."""

    def __init__(self) -> None:
        """Begin empty."""
        self.stored: list[BaseMessage] = []
        self.calls: list[str] = []

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # a property, as the base class allows
        """Give copies, as databases do."""
        self.calls.append("messages")
        return copy.deepcopy(self.stored)

    async def aget_messages(self) -> list[BaseMessage]:
        """Give copies, natively."""
        self.calls.append("aget_messages")
        return copy.deepcopy(self.stored)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store."""
        self.calls.append("add_messages")
        self.stored.extend(messages)

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store, natively."""
        self.calls.append("aadd_messages")
        self.stored.extend(messages)

    def clear(self) -> None:
        """Forget."""
        self.calls.append("clear")
        self.stored.clear()

    async def aclear(self) -> None:
        """Forget, natively."""
        self.calls.append("aclear")
        self.stored.clear()


class BrokenStore(InMemoryHistory):
    """A store that fails."""

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # a property, as the base class allows
        """Fail."""
        msg = "disk unreadable"
        raise OSError(msg)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Fail."""
        msg = f"disk full: {len(messages)}"
        raise OSError(msg)


def test_the_view_fits_and_the_store_keeps_everything() -> None:
    """Reads are within the budget; not one message is ever taken from the store."""
    store = AsyncStore()
    history = BudgetedChatMessageHistory(store, 60, counter=words)
    for message in talk(40):
        history.add_message(message)
    assert counted(history.messages) <= 60
    assert history.messages[-1].content == "answer 39"
    assert isinstance(history.messages[0], HumanMessage)
    assert store.stored == talk(40)
    assert history.backing is store


def test_every_read_is_a_fresh_list() -> None:
    """LangChain extends what it reads: that changes neither the store nor the next read."""
    history = BudgetedChatMessageHistory(InMemoryHistory(talk(3)), 1_000)
    history.messages.clear()
    assert history.messages == talk(3)


def test_two_reads_in_a_row_are_equal() -> None:
    """LangChain reads twice in a turn and compares the lengths, so reading must change nothing."""
    history = BudgetedChatMessageHistory(InMemoryHistory(), 60, counter=words)
    for turn in range(1, 40):
        history.add_messages(talk(turn)[-2:])
        assert history.messages == history.messages


async def test_native_async_is_kept() -> None:
    """Every method reaches the store's own of the same name."""
    store = AsyncStore()
    history = BudgetedChatMessageHistory(store, 1_000)
    await history.aadd_messages(talk(1))
    assert await history.aget_messages() == talk(1)
    await history.aclear()
    history.add_messages(talk(2))
    assert history.messages == talk(2)
    history.clear()
    assert store.calls == ["aadd_messages", "aget_messages", "aclear", "add_messages", "messages", "clear"]


async def test_an_empty_batch_reaches_no_store() -> None:
    """Storing nothing is no write."""
    store = AsyncStore()
    history = BudgetedChatMessageHistory(store, 1_000)
    history.add_messages([])
    await history.aadd_messages([])
    assert store.calls == []


async def test_an_empty_history_is_empty() -> None:
    """Nothing stored, nothing sent."""
    history = BudgetedChatMessageHistory(budget=100)
    assert history.messages == []
    assert await history.aget_messages() == []


def test_storing_never_fails_for_the_budget() -> None:
    """A message far over the budget is stored, and the next read leaves its turn out."""
    history = BudgetedChatMessageHistory(budget=50, counter=words)
    history.add_messages([HumanMessage("word " * 1_000), AIMessage("short")])
    assert history.messages == []
    history.add_messages(talk(1))
    assert history.messages == talk(1)
    assert len(history.backing.messages) == 4


def test_reserve_is_kept_free() -> None:
    """Tokens for the prompt's own text and the input are left over."""
    store = InMemoryHistory(talk(40))
    whole = BudgetedChatMessageHistory(store, 100, counter=words).messages
    less = BudgetedChatMessageHistory(store, 100, counter=words, reserve=40).messages
    assert counted(less) <= 60
    assert len(less) < len(whole)


@pytest.mark.parametrize(
    ("budget", "most"),
    [
        (ContextBudget(200, reserve=100), 100),
        (ContextBudget(200, parts={"history": Tokens(80)}), 80),
        (ContextBudget(200, parts={"system": Share(0.5), "history": Share(0.3)}, reserve=Share(0.2)), 60),
    ],
)
def test_a_budget_of_whole_requests_gives_its_part(budget: ContextBudget, most: int) -> None:
    """The history has its own part of a budget that names one, else all of the input."""
    reports: list[ContextReport] = []
    store = InMemoryHistory(talk(40))
    history = BudgetedChatMessageHistory(store, budget, counter=words, on_report=reports.append)
    assert counted(history.messages) <= most
    assert reports[0].limit == most


@pytest.mark.parametrize(
    ("reserve", "said"), [(-1, "from 0 up, or a share, found -1"), (100, "below the 100 tokens"), (1_000, "found 1000")]
)
def test_a_reserve_that_leaves_nothing_is_refused(reserve: int, said: str) -> None:
    """The error names both numbers, where the history is made."""
    with pytest.raises(BudgetError, match=said):
        BudgetedChatMessageHistory(budget=100, reserve=reserve)


def test_misspelt_option_is_refused() -> None:
    """No keyword is swallowed."""
    with pytest.raises(TypeError, match="polcy"):
        BudgetedChatMessageHistory(budget=100, polcy=None)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue] - wrong on purpose


def test_a_number_in_the_place_of_the_store_is_refused() -> None:
    """With the words that help: the store comes first here, and a session may have one in memory."""
    number: Any = 8_000
    with pytest.raises(BudgetError, match=r"backing must be a BaseChatMessageHistory, found int: .* budget="):
        BudgetedChatMessageHistory(number, counter=words)
    with pytest.raises(BudgetError, match="store_factory must give the store of a session, found int"):
        budgeted_session_history(number, counter=words)


def test_budget_and_counter_come_from_the_model() -> None:
    """A model that is told to the history says how much it may have."""
    model = EchoModel(model_name="gpt-4o", profile={"max_input_tokens": 5_000})
    reports: list[ContextReport] = []
    assert BudgetedChatMessageHistory(model=model, reserve=100, on_report=reports.append).messages == []
    assert (reports[0].limit, reports[0].model) == (5_000 - 5_000 // 4 - 100, "gpt-4o")


def test_what_is_protected_and_too_large_raises_when_read() -> None:
    """System messages that cannot fit are an error on reading, with nothing lost."""
    store = InMemoryHistory([SystemMessage("word " * 100), *talk(2)])
    history = BudgetedChatMessageHistory(store, 50, counter=words)
    with pytest.raises(ContextOverflowError):
        _ = history.messages
    assert len(store.messages) == 5
    cut = BudgetedChatMessageHistory(store, 50, counter=words, on_overflow="truncate").messages
    assert isinstance(cut[0], SystemMessage)
    assert counted(cut) <= 50


def test_a_call_in_flight_is_left_open() -> None:
    """A history that ends in a call waits for its result: nothing stands in for it."""
    call = AIMessage("", tool_calls=[{"id": "1", "name": "f", "args": {}}])
    waiting = [*talk(2), HumanMessage("q"), call]
    assert BudgetedChatMessageHistory(InMemoryHistory(waiting), 1_000).messages == waiting


@pytest.mark.parametrize("answered", [("1",), ("2",), ("3", "1")])
async def test_parallel_calls_that_have_some_of_their_results_wait_for_the_others(answered: tuple[str, ...]) -> None:
    """What comes as the input answers the rest: nothing stands in for it, in any door of the history."""
    asking = AIMessage("", tool_calls=[{"id": one, "name": "f", "args": {}} for one in "123"])
    results = {one: ToolMessage(f"result {one}", tool_call_id=one) for one in "123"}
    stored = [*talk(2), HumanMessage("q"), asking, *(results[one] for one in answered)]
    history = BudgetedChatMessageHistory(InMemoryHistory(stored), 1_000, provider="openai")
    assert history.messages == await history.aget_messages() == stored
    assert budgeted_session_history(lambda: InMemoryHistory(stored), 1_000)().messages == stored
    rest = [result for one, result in results.items() if one not in answered]
    whole = [*history.messages, *rest]
    assert ContextRunnable(1_000).invoke(whole) == whole


def test_an_abandoned_call_is_answered() -> None:
    """A call that the conversation has gone on without gets a stub result."""
    call = AIMessage("", tool_calls=[{"id": "1", "name": "f", "args": {}}])
    history = BudgetedChatMessageHistory(InMemoryHistory([HumanMessage("q"), call, *talk(1)]), 1_000, provider="openai")
    assert [message.type for message in history.messages] == ["human", "ai", "tool", "human", "ai"]
    assert len(history.backing.messages) == 4


def test_the_last_answer_of_a_history_is_not_gone_on_with() -> None:
    """An input follows it: its blanks stay, though providers refuse them at the end of a request."""
    stored = [HumanMessage("q"), AIMessage("so: \n"), ToolMessage("of no call", tool_call_id="x")]
    history = BudgetedChatMessageHistory(InMemoryHistory(stored), 1_000, counter=words, provider="anthropic")
    assert history.messages == stored[:2]


def test_finished_steps_may_go_with_their_turn() -> None:
    """A history that ends in an answer is past, and may be left out as a whole."""
    call = AIMessage("", tool_calls=[{"id": "1", "name": "f", "args": {}}])
    stored = [HumanMessage("q"), call, ToolMessage("word " * 100, tool_call_id="1"), AIMessage("word " * 40)]
    assert BudgetedChatMessageHistory(InMemoryHistory(stored), 30, counter=words).messages == []


def test_the_start_stays_for_some_turns() -> None:
    """The view keeps its start for several turns, so that a prompt cache stays warm."""
    history = BudgetedChatMessageHistory(budget=120, counter=words)
    starts: list[str] = []
    for turn in range(1, 41):
        history.add_messages(talk(turn)[-2:])
        starts.append(history.messages[0].text)
    assert 2 <= len(set(starts)) <= 10


def test_the_cut_can_be_kept_by_the_user() -> None:
    """A history over the same store, made anew with the same states, goes on from the same start."""
    store, states = InMemoryHistory(), dict[str, Any]()

    def read() -> str:
        history = BudgetedChatMessageHistory(store, 120, counter=words, states=states, session="ann")
        return history.messages[0].text

    starts: list[str] = []
    for turn in range(1, 41):
        store.add_messages(talk(turn)[-2:])
        starts.append(read())
    assert list(states) == ["ann"]
    assert 2 <= len(set(starts)) <= 10


def test_policy_and_log_are_heeded() -> None:
    """The options of the runnable are those of the history."""
    log = UsageLog()
    policy = HistoryPolicy(max_messages=3, omission_marker="[{count} gone]")
    history = BudgetedChatMessageHistory(InMemoryHistory(talk(10)), 1_000, policy=policy, usage_log=log)
    assert len([message for message in history.messages if message.type != "system"]) <= 3
    assert len(log.entries) == 1


async def test_what_the_store_raises_reaches_the_caller() -> None:
    """Errors of the store come through as they are, on reading and on writing."""
    history = BudgetedChatMessageHistory(BrokenStore(), 100)
    with pytest.raises(OSError, match="unreadable"):
        _ = history.messages
    with pytest.raises(OSError, match="unreadable"):
        await history.aget_messages()
    with pytest.raises(OSError, match="full: 2"):
        history.add_messages(talk(1))
    with pytest.raises(OSError, match="full: 2"):
        await history.aadd_messages(talk(1))


def test_writes_of_threads_stay_whole() -> None:
    """What one call adds stands together, even in a store that adds one message at a time."""

    class Slow(InMemoryHistory):
        def add_messages(self, messages: Sequence[BaseMessage]) -> None:
            for message in messages:
                threading.Event().wait(0.001)
                super().add_messages([message])

    history = BudgetedChatMessageHistory(Slow(), 1_000_000)
    threads = [threading.Thread(target=history.add_messages, args=(talk(at)[-2:],)) for at in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stored = [str(message.content).split() for message in history.backing.messages]
    assert len(stored) == 16
    assert all(asked[1] == answered[1] for asked, answered in zip(stored[::2], stored[1::2], strict=True))


async def test_writes_of_tasks_stay_whole() -> None:
    """What one task adds stands together, even in a store that waits between two messages."""

    class Slow(InMemoryHistory):
        async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
            for message in messages:
                await asyncio.sleep(0.001)
                self.add_messages([message])

    history = BudgetedChatMessageHistory(Slow(), 1_000_000)
    await asyncio.gather(*(history.aadd_messages(talk(at)[-2:]) for at in range(1, 9)))
    stored = [str(message.content).split() for message in history.backing.messages]
    assert len(stored) == 16
    assert all(asked[1] == answered[1] for asked, answered in zip(stored[::2], stored[1::2], strict=True))


def test_nothing_warns_of_deprecation() -> None:
    """Our histories are made and used without LangChain's warning, which its own store gives."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        history = BudgetedChatMessageHistory(budget=100)
        history.add_user_message("hi")
        history.add_ai_message("hello")
    assert str(history) == "Human: hi\nAI: hello"


def test_histories_can_be_copied_and_pickled() -> None:
    """A copy has a store of its own, with the same messages."""
    history = BudgetedChatMessageHistory(InMemoryHistory(talk(2)), 1_000)
    for other in (copy.deepcopy(history), pickle.loads(pickle.dumps(history))):  # noqa: S301 - our own bytes
        assert isinstance(other, BudgetedChatMessageHistory)
        other.add_messages(talk(1))
        assert len(other.messages) == 6
    assert len(history.messages) == 4


async def test_store_in_memory_keeps_its_list_to_itself() -> None:
    """What is read or given is never the store's own list."""
    given = talk(1)
    store = InMemoryHistory(given)
    given.clear()
    store.messages.clear()
    (await store.aget_messages()).clear()
    assert store.messages == talk(1)
    await store.aadd_messages(talk(1))
    assert len(store.messages) == 4
    await store.aclear()
    assert store.messages == []
