"""The rolling summary in LangChain's faces: made once, shown as a message that nobody said, never in the way."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables.history import RunnableWithMessageHistory

from ctx_core import (
    BudgetError,
    ContextBudget,
    ContextReport,
    Framing,
    HistoryPolicy,
    Message,
    Role,
    RollingSummary,
    Summarizing,
    TokenCounter,
    Tokens,
)
from langchain_ctx import (
    BudgetedChatMessageHistory,
    ContextRunnable,
    InMemoryHistory,
    LangChainCodec,
    StateCache,
    budgeted_session_history,
)
from tests.contract.shared import case_files, load
from tests.langchain_ctx.echo import EchoModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


WORDS = TokenCounter(words, framing=Framing.free())
LIMIT = 40
SUMMARY = RollingSummary(role=Role.USER, cap=Tokens(12), heading="So far:")
SESSION: Any = {"configurable": {"session_id": "s"}}


def talk(turns: int, name: str = "my") -> list[BaseMessage]:
    """Make a conversation of so many answered turns, and a last question."""
    past = [
        message
        for at in range(turns)
        for message in (HumanMessage(f"{name} question {at}"), AIMessage(f"{name} answer {at}"))
    ]
    return [*past, HumanMessage(f"{name} question {turns}")]


def texts(messages: Sequence[BaseMessage]) -> list[str]:
    """Show messages."""
    return [str(message.text) for message in messages]


class Notes:
    """Summarizes by numbering its own calls, in either door, and remembers what it was given."""

    def __init__(self) -> None:
        """Begin without calls."""
        self.calls: list[tuple[str, list[str]]] = []
        self.doors: set[str] = set()

    def __call__(self, summary: str, messages: Sequence[Message]) -> str:
        """Note what was given."""
        self.doors.add("sync")
        return self._noted(summary, messages)

    async def acall(self, summary: str, messages: Sequence[Message]) -> str:
        """Note what was given, in a task."""
        self.doors.add("async")
        await asyncio.sleep(0)
        return self._noted(summary, messages)

    def _noted(self, summary: str, messages: Sequence[Message]) -> str:
        self.calls.append((summary, [message.text for message in messages]))
        return f"notes {len(self.calls)}"

    @property
    def given(self) -> list[str]:
        """All messages that were ever given, in order."""
        return [text for _, given in self.calls for text in given]


def fail(_: str, __: Sequence[Message]) -> str:
    """Fail as a provider does."""
    raise ConnectionError


def runnable(summarizer: Any, **options: Any) -> ContextRunnable:
    """Make the step of these tests."""
    options = {"counter": WORDS, "summary": SUMMARY, **options}
    options.setdefault("provider", "openai")  # for which the summary need not be one message with the question
    return ContextRunnable(LIMIT, summarizer=summarizer, **options)


def is_marked(message: BaseMessage) -> bool:
    """Whether a message says that no human wrote it."""
    return isinstance(message, HumanMessage) and message.additional_kwargs.get("lc_source") == "ctx_layers"


async def _invoke(step: ContextRunnable, messages: list[BaseMessage], config: Any = None) -> list[BaseMessage]:
    output: list[BaseMessage] = step.invoke(messages, config)
    return output


async def _ainvoke(step: ContextRunnable, messages: list[BaseMessage], config: Any = None) -> list[BaseMessage]:
    output: list[BaseMessage] = await step.ainvoke(messages, config)
    return output


doors = pytest.mark.parametrize("ask", [_invoke, _ainvoke])
named_or_not = pytest.mark.parametrize("config", [SESSION, None], ids=["named", "unnamed"])


@doors
@named_or_not
async def test_what_leaves_is_summarized_once_and_onto_the_summary_before(ask: Any, config: Any) -> None:
    """Turn by turn: each message is given once, in order; the request is within its budget and ends in the question."""
    notes = Notes()
    step = runnable(Summarizing(notes, every=1))
    for turns in range(40):
        output = await ask(step, talk(turns), config)
        assert WORDS.count_messages([LangChainCodec().read(message) for message in output]) <= LIMIT
        assert output[-1] == talk(turns)[-1]
        shown = [text for text in texts(output) if text in texts(talk(turns))]
        assert [*notes.given, *shown] == texts(talk(turns))
    assert len(notes.calls) > 4
    assert [summary for summary, _ in notes.calls] == ["", *(f"notes {at}" for at in range(1, len(notes.calls)))]
    assert len(notes.doors) == 1


async def test_each_door_of_a_summarizer_is_used_by_the_same_door_of_the_step() -> None:
    """The async step doesn't take a thread for a model that can be awaited."""
    notes = Notes()
    await runnable(notes).ainvoke(talk(20))
    assert notes.doors == {"async"}
    runnable(notes).invoke(talk(20))
    assert notes.doors == {"async", "sync"}


def test_the_summary_is_a_user_message_that_no_human_wrote() -> None:
    """By default, since agents drop system messages of a history; marked as LangChain marks notifications."""
    output = ContextRunnable(2_000, counter=WORDS, summarizer=Notes(), provider="openai").invoke(talk(600))
    assert output[0].text.startswith("Summary of earlier messages, not instructions:\n<summary>\nnotes ")
    assert [is_marked(message) for message in output[:3]] == [True, False, False]
    assert isinstance(output[1], HumanMessage)


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.DEVELOPER])
def test_it_can_be_a_system_message(role: Role) -> None:
    """Where the caller wants it so; the role of the developer is LangChain's."""
    summary = RollingSummary(role=role, cap=Tokens(12), heading="So far:")
    output = runnable(Notes(), summary=summary).invoke(talk(20))
    assert isinstance(output[0], SystemMessage)
    assert LangChainCodec().role(output[0]) is role
    assert output[0].text == "So far:\n<summary>\nnotes 1\n</summary>"


def test_the_budget_says_what_it_may_cost() -> None:
    """The part `summary` of the budget wins over the cap; what is over it is cut, with a marker."""
    budget = ContextBudget(LIMIT, parts={"summary": Tokens(7)})
    step = ContextRunnable(
        budget, counter=WORDS, summary=SUMMARY, summarizer=lambda *_: "word " * 90, provider="openai"
    )
    output = step.invoke(talk(20))
    assert output[0].text == "So far:\n<summary>\nword word\n[truncated]\n</summary>"


@doors
async def test_a_failure_never_stops_the_turn_and_the_next_one_tries_again(ask: Any) -> None:
    """A marker stands for what waits; then it is given, each message once, and nothing of it is lost."""
    states, notes = StateCache(), Notes()
    output = await ask(runnable(fail, states=states), talk(20), SESSION)
    waiting = len(talk(20)) - len(output) + 1
    assert output[0].text == f"[{waiting} earlier messages omitted]"
    assert is_marked(output[0])
    output = await ask(runnable(notes, states=states), talk(21), SESSION)
    assert output[0].text == "So far:\n<summary>\nnotes 1\n</summary>"
    assert [*notes.given, *texts(output[1:])] == texts(talk(21))


@doors
async def test_a_model_that_hangs_is_not_waited_for(ask: Any) -> None:
    """The `Summarizing` says how long: then the turn goes out with the marker."""
    done = threading.Event()

    def hang(_: str, __: Sequence[Message]) -> str:
        done.wait(20)
        return "late"

    try:
        output = await ask(runnable(Summarizing(hang, timeout=0.01)), talk(20))
        assert not done.is_set()
    finally:
        done.set()
    assert output[0].text.endswith("earlier messages omitted]")


def test_a_summarizing_says_how_much_is_given_at_once() -> None:
    """What leaves goes to the model in pieces of its window."""
    notes = Notes()
    runnable(Summarizing(notes, window=100, counter=WORDS)).invoke(talk(200))
    assert len(notes.calls) > 5
    assert all(sum(len(text.split()) for text in given) <= 100 for _, given in notes.calls)


def test_what_stays_is_never_summarized() -> None:
    """System messages, what is pinned and the current message are not given."""
    messages = [SystemMessage("rules"), *talk(20)]
    notes = Notes()
    policy = HistoryPolicy(pinned=lambda message: message.text == "my question 3")
    output = runnable(notes, policy=policy).invoke(messages)
    stays = {"rules", "my question 3", "my question 20"}
    assert stays <= set(texts(output))
    assert not stays & set(notes.given)
    assert sorted([*notes.given, *(text for text in texts(output) if "notes" not in text)]) == sorted(texts(messages))


@doors
@pytest.mark.parametrize("summarizer", [Notes(), fail])
async def test_each_request_is_reported_once_with_its_cut(ask: Any, summarizer: Any) -> None:
    """A turn that is built again with its summary is one turn; the next one, without a cut, says so."""
    reports: list[ContextReport] = []
    step = runnable(summarizer, on_report=reports.append)
    await ask(step, talk(20), SESSION)
    await ask(step, talk(20), SESSION)
    assert [report.history.cut for report in reports] == [True, False]


def test_a_preview_asks_no_model() -> None:
    """It shows what would go out if the summary could not be had, and remembers nothing."""
    notes, states = Notes(), StateCache()
    step = runnable(notes, states=states)
    assert step.preview(talk(20)).messages[0].text.endswith("earlier messages omitted]")
    assert notes.calls == []
    assert "of 0 conversations" in repr(states)


def test_threads_at_once_have_it_summarized_once_and_keep_it() -> None:
    """The others go out with the marker; what they remember doesn't take the summary away."""
    asked, others = threading.Event(), threading.Event()
    notes = Notes()

    def slow(summary: str, messages: Sequence[Message]) -> str:
        asked.set()
        others.wait(20)
        return notes(summary, messages)

    step = runnable(slow)
    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(step.invoke, talk(20), SESSION)
        assert asked.wait(20)
        meanwhile = list(pool.map(lambda _: step.invoke(talk(20), SESSION), range(4)))
        others.set()
        assert first.result()[0].text == "So far:\n<summary>\nnotes 1\n</summary>"
    assert all(output[0].text.endswith("earlier messages omitted]") for output in meanwhile)
    assert step.invoke(talk(20), SESSION)[0].text == "So far:\n<summary>\nnotes 1\n</summary>"
    assert len(notes.calls) == 1


def test_a_turn_without_the_summary_that_ends_later_keeps_it() -> None:
    """It began before the summary was there, and remembers its own state after."""
    states = StateCache()
    notes, step = Notes(), runnable(fail, states=states)
    step.invoke(talk(19), SESSION)

    class Overtaken(StateCache):
        """A store in which another turn adds its summary after this one has read."""

        def __setitem__(self, key: str, state: dict[str, Any], /) -> None:
            states[key] = state

        def get(self, key: str, /) -> dict[str, Any] | None:
            read = states.get(key)
            if not notes.calls:
                runnable(notes, states=states).invoke(talk(20), SESSION)
            return read

    runnable(None, states=Overtaken()).invoke(talk(20), SESSION)
    assert step.invoke(talk(20), SESSION)[0].text == "So far:\n<summary>\nnotes 1\n</summary>"


async def test_tasks_at_once_have_it_summarized_once() -> None:
    """The same on an event loop."""
    notes = Notes()
    step = runnable(notes)
    outputs = await asyncio.gather(*(step.ainvoke(talk(20), SESSION) for _ in range(5)))
    assert len(notes.calls) == 1
    assert sum(output[0].text == "So far:\n<summary>\nnotes 1\n</summary>" for output in outputs) >= 1
    assert (await step.ainvoke(talk(20), SESSION))[0].text == "So far:\n<summary>\nnotes 1\n</summary>"
    assert len(notes.calls) == 1


def test_a_turn_that_comes_before_the_summary_is_remembered_does_not_make_another() -> None:
    """Between the model's answer and the end of its turn, others go out with the marker."""
    notes, meanwhile = Notes(), list[list[BaseMessage]]()

    def another_turn_comes(_: Message) -> bool:
        if notes.calls and not meanwhile:
            meanwhile.append([])
            with ThreadPoolExecutor(1) as pool:
                meanwhile[0] = pool.submit(step.invoke, talk(20), SESSION).result()
        return False

    step = runnable(notes, policy=HistoryPolicy(pinned=another_turn_comes))
    assert step.invoke(talk(20), SESSION)[0].text == "So far:\n<summary>\nnotes 1\n</summary>"
    assert meanwhile[0][0].text.endswith("earlier messages omitted]")
    assert len(notes.calls) == 1


def test_conversations_that_begin_alike_never_see_each_others_summary() -> None:
    """Nobody says which is which, their beginning and their newest turns are the same: what lies between is not."""
    step = runnable(lambda _, messages: "secret" if any("Ana" in message.text for message in messages) else "plain")
    menu = [HumanMessage("hi"), AIMessage("yes?"), HumanMessage("refund"), AIMessage("who are you?")]
    newest = [HumanMessage(f"word word word {at}") for at in range(12)]
    anas = [*menu, HumanMessage("I am Ana"), *newest]
    bobs = [*menu, HumanMessage("I am Bob"), *newest]
    assert step.invoke(anas)[0].text == "So far:\n<summary>\nsecret\n</summary>"
    assert step.invoke(bobs)[0].text == "So far:\n<summary>\nplain\n</summary>"
    assert "secret" not in " ".join(texts(step.invoke([*bobs, AIMessage("ok"), HumanMessage("and now?")])))


@pytest.mark.parametrize("path", [path for path in case_files("summarize") if "04" in str(path.id)[:2]])
def test_the_cases_of_the_field_hold(path: Path) -> None:
    """Summaries that fail, and summaries of running tool steps: what is gone was given, or a marker stands for it."""
    case = load(path)
    raises = case["budget"]["summary"] == "RAISES"
    notes = Notes()
    words = 1_000 if case["budget"]["counter"] == "messages" else case["budget"]["max_tokens"]
    policy = HistoryPolicy(max_messages=2)
    step = ContextRunnable(
        words, counter=WORDS, policy=policy, summary=SUMMARY, summarizer=fail if raises else notes, provider="openai"
    )
    output = step.invoke(case["messages"])
    source = [str(message["content"] or "") for message in case["messages"]]
    sent = [text for text, message in zip(texts(output), output, strict=True) if not is_marked(message)]
    assert sorted([*sent, *notes.given]) == sorted(source) or raises
    assert any("earlier messages omitted" in text for text in texts(output)) is raises


def frozen(store: InMemoryHistory, summarizer: Any) -> Callable[[str], Any]:
    """Give the factory of views, one a turn."""

    def store_of(session_id: str) -> InMemoryHistory:
        assert session_id == "s"
        return store

    return budgeted_session_history(
        store_of, LIMIT, counter=WORDS, summarizer=summarizer, summary=SUMMARY, provider="openai"
    )


def live(store: InMemoryHistory, summarizer: Any) -> Callable[[str], Any]:
    """Give one history that is kept."""
    history = BudgetedChatMessageHistory(
        store, LIMIT, counter=WORDS, summarizer=summarizer, summary=SUMMARY, provider="openai"
    )

    def history_of(session_id: str) -> BudgetedChatMessageHistory:
        assert session_id == "s"
        return history

    return history_of


class Unsteady(Notes):
    """Fails every other time."""

    def __init__(self) -> None:
        """Begin with a failure."""
        super().__init__()
        self.asked = 0

    def _noted(self, summary: str, messages: Sequence[Message]) -> str:
        self.asked += 1
        return fail(summary, messages) if self.asked % 2 else super()._noted(summary, messages)


@pytest.mark.parametrize("histories", [frozen, live])
@pytest.mark.parametrize("kind", [Notes, Unsteady])
@pytest.mark.parametrize("is_async", [False, True])
async def test_a_history_loses_and_doubles_nothing(histories: Any, kind: type[Notes], is_async: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """LangChain reads a history at both ends of a turn and takes its length for the place where the turn begins."""
    store, notes, model = InMemoryHistory(), kind(), EchoModel()
    chain = RunnableWithMessageHistory(model, histories(store, notes))
    said = []
    for at in range(25):
        asked = f"my question {at}"
        answer = await chain.ainvoke(asked, SESSION) if is_async else chain.invoke(asked, SESSION)
        said += [asked, f"re: {asked}"]
        assert answer.text == f"re: {asked}"
        assert texts(store.messages) == said
        assert model.texts[-1] == asked
    assert len(notes.calls) > 2
    assert model.texts[0].startswith("So far:\n<summary>\nnotes ")
    assert is_marked(model.received[-1][0])
    assert notes.given == said[: len(notes.given)]


@pytest.mark.parametrize("is_async", [False, True])
async def test_turns_at_once_of_a_session_lose_nothing(is_async: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Each turn sees the history of when it began, and one of them has it summarized."""
    store, notes = InMemoryHistory(talk(20)[:-1]), Notes()
    chain = RunnableWithMessageHistory(EchoModel(), frozen(store, notes))
    asked = [f"turn {at}" for at in range(6)]
    if is_async:
        await asyncio.gather(*(chain.ainvoke(text, SESSION) for text in asked))
    else:
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda text: chain.invoke(text, SESSION), asked))
    stored = texts(store.messages)
    assert sorted(stored[40:]) == sorted([*asked, *(f"re: {text}" for text in asked)])
    assert notes.given == stored[: len(notes.given)]


@pytest.mark.parametrize("is_async", [False, True])
async def test_what_was_said_before_clear_is_never_seen_again(is_async: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Not even where the new conversation says the same at the place of the cut."""
    kept: Any = {"session": "s", "states": {}}
    history = BudgetedChatMessageHistory(
        InMemoryHistory(talk(20)),
        LIMIT,
        counter=WORDS,
        summarizer=lambda *_: "secret",
        summary=SUMMARY,
        provider="openai",
        **kept,
    )
    assert "secret" in history.messages[0].text
    if is_async:
        await history.aclear()
    else:
        history.clear()
    history.add_messages(talk(20))
    silent = BudgetedChatMessageHistory(
        history.backing, LIMIT, counter=WORDS, summary=SUMMARY, provider="openai", **kept
    )
    assert silent.messages[0].text.endswith("earlier messages omitted]")


def test_a_history_gives_the_summary_its_part_of_the_budget() -> None:
    """The part `summary` holds for a history too."""
    budget = ContextBudget(LIMIT, parts={"summary": Tokens(7)})
    history = BudgetedChatMessageHistory(
        InMemoryHistory(talk(20)),
        budget,
        counter=WORDS,
        summary=SUMMARY,
        summarizer=lambda *_: "word " * 90,
        provider="openai",
    )
    assert history.messages[0].text == "So far:\n<summary>\nword word\n[truncated]\n</summary>"


def test_what_cannot_summarize_is_refused() -> None:
    """A bare model is the likely mistake: the error says what to do with it."""
    model: Any = "gpt-4o"
    with pytest.raises(BudgetError, match=r"found str: a model goes into langchain_ctx\.ChatModelSummarizer"):
        ContextRunnable(LIMIT, summarizer=model)
    with pytest.raises(BudgetError, match="found str"):
        BudgetedChatMessageHistory(budget=LIMIT, summarizer=model)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda step: pickle.loads(pickle.dumps(step))])  # noqa: S301 - our own bytes
def test_copies_summarize_too(again: Callable[[ContextRunnable], ContextRunnable]) -> None:
    """A copy, deep or pickled, has the same summarizer and settings."""
    assert again(runnable(Notes())).invoke(talk(20))[0].text == "So far:\n<summary>\nnotes 1\n</summary>"


def test_a_summary_that_was_kept_outlives_the_process() -> None:
    """It is a part of the JSON that the user's mapping keeps; without a summarizer it is still shown."""
    states: dict[str, Any] = {}
    runnable(Notes(), states=states).invoke(talk(20), SESSION)
    kept = runnable(None, states=states)
    assert kept.invoke(talk(20), SESSION)[0].text == "So far:\n<summary>\nnotes 1\n</summary>"


@pytest.mark.parametrize("first", [{"user_id": "a", "conversation_id": "1"}, {"thread_id": "t"}])
@pytest.mark.parametrize("second", [{"user_id": "b", "conversation_id": "1"}, {"thread_id": "t"}])
def test_a_summary_is_never_shown_in_another_conversation(first: dict[str, str], second: dict[str, str]) -> None:
    """One user is not sent what another has said: neither under keys that differ in one name, nor under equal ones."""
    step = ContextRunnable(
        LIMIT, counter=WORDS, summary=SUMMARY, summarizer=lambda _, leaving: f"told: {leaving[0].text}"
    )
    step.invoke(talk(30, "secret"), {"configurable": first})
    sent = step.invoke(talk(30, "other"), {"configurable": second})
    assert not any("secret" in str(message.content) for message in sent)
    assert any("told: other" in str(message.content) for message in sent)
