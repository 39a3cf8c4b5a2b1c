"""Stored histories whose end does not fit: what is to be answered is there, or the read says so; no turn is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

from ctx_core import ContextOverflowError, TokenCounter
from langchain_ctx import BudgetedChatMessageHistory, InMemoryHistory, LangChainCodec, budgeted_session_history
from langchain_ctx.turn_reads import read_of_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from langchain_core.chat_history import BaseChatMessageHistory

pytestmark = pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")

CONFIG: Any = {"configurable": {"session_id": "s"}}
LARGE = "word " * 1_000


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


def counted(messages: Sequence[BaseMessage]) -> int:
    """Count a request from scratch."""
    return TokenCounter(words).count_messages(list(map(LangChainCodec().read, messages)))


def history(stored: Sequence[BaseMessage], budget: int = 60, **options: Any) -> BudgetedChatMessageHistory:
    """Open a history."""
    options.setdefault("provider", "openai")  # which takes instructions anywhere
    return BudgetedChatMessageHistory(InMemoryHistory(stored), budget, counter=words, **options)


def calls(text: str = "", **args: Any) -> AIMessage:
    """Make an answer with a call."""
    return AIMessage(text, tool_calls=[{"id": "1", "name": "look", "args": args}])


OLD: list[BaseMessage] = [HumanMessage("old question"), AIMessage("old answer")]
ASKED = HumanMessage("How is the weather?")
RESULT = ToolMessage(f"first {LARGE}last", tool_call_id="1")

TOO_LARGE: dict[str, list[BaseMessage]] = {
    "a question": [HumanMessage(LARGE)],
    "a question with instructions behind it": [HumanMessage(LARGE), SystemMessage("Be brief.")],
    "a question that calls were made for": [HumanMessage(LARGE), calls(), ToolMessage("sunny", tool_call_id="1")],
    "arguments that were answered": [ASKED, calls(place=LARGE), ToolMessage("sunny", tool_call_id="1")],
    "arguments that wait": [ASKED, calls(place=LARGE)],
}


@pytest.mark.parametrize("end", TOO_LARGE.values(), ids=list(TOO_LARGE))
async def test_an_end_that_cannot_fit_raises(end: list[BaseMessage]) -> None:
    """What is to be answered is never left out in silence: not as an empty history, and not for an older turn."""
    for stored in (end, [*OLD, *end]):
        with pytest.raises(ContextOverflowError):
            _ = history(stored).messages
        with pytest.raises(ContextOverflowError):
            await history(stored).aget_messages()


@pytest.mark.parametrize("name", ["a question", "a question with instructions behind it"])
def test_it_is_cut_where_that_is_allowed(name: str) -> None:
    """With the mark of what was cut, and within the budget."""
    sent = history([*OLD, *TOO_LARGE[name]], on_overflow="truncate").messages
    asked = next(message for message in sent if isinstance(message, HumanMessage))
    assert asked.text.endswith("[truncated]")
    assert counted(sent) <= 60


@pytest.mark.parametrize("options", [{}, {"on_overflow": "truncate"}])
def test_results_at_the_end_are_cut_to_head_and_tail(options: dict[str, Any]) -> None:
    """They are what is to be answered, with their question and their call."""
    sent = history([*OLD, ASKED, calls(), RESULT], **options).messages
    assert [message.type for message in sent[-3:]] == ["human", "ai", "tool"]
    assert sent[-3:-1] == [ASKED, calls()]
    assert sent[-1].text.startswith("first word")
    assert sent[-1].text.endswith("word last")
    assert counted(sent) <= 60


def test_the_oldest_steps_of_a_run_go_before_the_newest() -> None:
    """A run that is longer than the budget shows its question and its last step."""
    steps = [message for at in range(9) for message in (calls(at=at), ToolMessage("word " * 9, tool_call_id="1"))]
    sent = history([ASKED, *steps]).messages
    assert sent[0] == ASKED
    assert sent[-2:] == steps[-2:]
    assert len(sent) < len(steps)


@pytest.mark.parametrize("end", TOO_LARGE.values(), ids=list(TOO_LARGE))
def test_it_is_an_old_turn_where_a_later_one_is_behind_it(end: list[BaseMessage]) -> None:
    """A question behind it, or an answer: then it may be left out, and nothing is raised."""
    assert history([*end, ASKED]).messages[-1] == ASKED
    sent = history([*end, AIMessage("Sunny."), ASKED]).messages
    assert sent[-1] == ASKED
    assert counted(sent) <= 60
    assert counted(history([*end, AIMessage("Sunny.")]).messages) <= 60


@pytest.mark.parametrize("stored", [[], [SystemMessage("Be brief.")], OLD])
def test_nothing_is_due_where_all_is_answered(stored: list[BaseMessage]) -> None:
    """Such a history comes whole."""
    assert history(stored).messages == stored


def plain(store: InMemoryHistory) -> Callable[..., BaseChatMessageHistory]:
    """Keep one history for the session."""
    kept = BudgetedChatMessageHistory(store, 60, counter=words)

    def session_history(session_id: str) -> BaseChatMessageHistory:
        del session_id
        return kept

    return session_history


def by_factory(store: InMemoryHistory) -> Callable[..., BaseChatMessageHistory]:
    """Make a history for each turn."""

    def session_store(session_id: str) -> BaseChatMessageHistory:
        del session_id
        return store

    return budgeted_session_history(session_store, 60, counter=words)


def sync(chat: RunnableWithMessageHistory, asked: str) -> None:
    """Ask."""
    chat.invoke([HumanMessage(asked)], CONFIG)


def streamed(chat: RunnableWithMessageHistory, asked: str) -> None:
    """Ask, and take all there is."""
    assert list(chat.stream([HumanMessage(asked)], CONFIG))


@pytest.mark.parametrize("ask", [sync, streamed])
@pytest.mark.parametrize("factory", [plain, by_factory])
def test_a_turn_is_stored_whatever_comes_into_the_store_meanwhile(
    factory: Callable[[InMemoryHistory], Any], ask: Callable[[RunnableWithMessageHistory, str], None]
) -> None:
    """LangChain reads once more when a turn ends: an end that is too large by then is no reason to lose the turn."""
    store = InMemoryHistory(OLD)

    def model(messages: list[BaseMessage]) -> BaseMessage:
        store.add_messages([HumanMessage(LARGE)])
        return AIMessage(f"{len(messages)} messages")

    ask(RunnableWithMessageHistory(RunnableLambda(model), factory(store)), "And now?")
    assert store.messages == [*OLD, HumanMessage(LARGE), HumanMessage("And now?"), AIMessage("3 messages")]


@pytest.mark.parametrize("factory", [plain, by_factory])
async def test_it_is_stored_on_a_loop_too(factory: Callable[[InMemoryHistory], Any]) -> None:
    """By the async doors, invoked and streamed."""
    store = InMemoryHistory(OLD)

    async def model(messages: list[BaseMessage]) -> BaseMessage:
        await store.aadd_messages([HumanMessage(LARGE)])
        return AIMessage(f"{len(messages)} messages")

    chat = RunnableWithMessageHistory(RunnableLambda(model), factory(store))
    await chat.ainvoke([HumanMessage("And now?")], CONFIG)
    assert store.messages[2:] == [HumanMessage(LARGE), HumanMessage("And now?"), AIMessage("3 messages")]
    async for _ in chat.astream([HumanMessage("And then?")], CONFIG):
        pass
    assert store.messages[-2:] == [HumanMessage("And then?"), AIMessage("3 messages")]


def test_a_turn_that_stores_steps_itself_stores_its_question_once() -> None:
    """What goes through the same history while the model runs is no part of the turn's input."""
    store = InMemoryHistory(OLD)
    session_history = plain(store)

    def agent(messages: list[BaseMessage]) -> BaseMessage:
        session_history(session_id="s").add_messages([*messages[-1:], calls(), RESULT])
        return AIMessage("Sunny.")

    RunnableWithMessageHistory(RunnableLambda(agent), session_history).invoke([ASKED], CONFIG)
    assert store.messages == [*OLD, ASKED, calls(), RESULT, ASKED, AIMessage("Sunny.")]


@pytest.mark.parametrize("factory", [plain, by_factory])
def test_the_read_before_the_model_raises(factory: Callable[[InMemoryHistory], Any]) -> None:
    """Also behind a turn that went well, or failed: it is another turn's. The model is not asked."""
    store, asked = InMemoryHistory(OLD), list[int]()

    def model(messages: list[BaseMessage]) -> BaseMessage:
        asked.append(len(messages))
        if len(asked) > 1:
            msg = "model down"
            raise RuntimeError(msg)
        return AIMessage("Sunny.")

    chat = RunnableWithMessageHistory(RunnableLambda(model), factory(store))
    chat.invoke([ASKED], CONFIG)
    with pytest.raises(RuntimeError, match="model down"):
        chat.invoke([ASKED], CONFIG)
    store.add_messages([HumanMessage(LARGE)])
    with pytest.raises(ContextOverflowError):
        chat.invoke([ASKED], CONFIG)
    assert asked == [3, 5]


def sunny(messages: list[BaseMessage]) -> BaseMessage:
    """Answer."""
    del messages
    return AIMessage("Sunny.")


def test_reads_of_others_are_no_reads_of_a_turn() -> None:
    """Whoever reads a history directly is told what is there now."""
    assert read_of_turn() is None
    store = InMemoryHistory(OLD)
    session_history = plain(store)
    RunnableWithMessageHistory(RunnableLambda(sunny), session_history).invoke([ASKED], CONFIG)
    assert len(session_history(session_id="s").messages) == 4
