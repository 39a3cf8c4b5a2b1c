"""The rolling summary: written once for what leaves, kept in the state, never in the way of a turn."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import (
    BudgetError,
    Context,
    ContextBuilder,
    Framing,
    HistoryPolicy,
    Message,
    Role,
    RollingSummary,
    Summarizing,
    TokenCounter,
    Tokens,
    ToolCall,
    WindowState,
)
from ctx_core.summarizing import as_prompt, pieces
from tests.contract.shared import case_files, failed, load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

OpenAIMessage = dict[str, Any]

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
CAP = 12
HEADING = "So far:"


def talk(turns: int) -> list[OpenAIMessage]:
    """Make a conversation of so many answered turns of five words, and a last question."""
    return [
        *(
            {"role": role, "content": f"{text} {at}"}
            for at in range(turns)
            for role, text in (("user", "my question"), ("assistant", "answer"))
        ),
        {"role": "user", "content": f"my question {turns}"},
    ]


def texts(messages: Sequence[Message]) -> list[str]:
    """Show neutral messages."""
    return [message.text for message in messages]


def contents(context: Context[OpenAIMessage]) -> list[str]:
    """Show what goes out."""
    return [str(message["content"]) for message in context.messages]


class Notes:
    """Summarises by numbering its own calls, and remembers what it was given."""

    def __init__(self) -> None:
        """Begin without calls."""
        self.calls: list[tuple[str, list[str]]] = []

    def __call__(self, summary: str, messages: Sequence[Message]) -> str:
        """Note what was given."""
        self.calls.append((summary, texts(messages)))
        return f"notes {len(self.calls)}"

    @property
    def given(self) -> list[str]:
        """All messages that were ever given, in order."""
        return [text for _, given in self.calls for text in given]


class Conversation:
    """Asks turn by turn, with the state of the turn before."""

    def __init__(
        self, role: Role = Role.USER, policy: HistoryPolicy | None = None, *, limit: int = 40, cap: int = CAP
    ) -> None:
        """Begin without a state."""
        rolling = RollingSummary(role=role, cap=Tokens(cap), heading=HEADING)
        self.builder = ContextBuilder(limit, WORDS).history(policy or HistoryPolicy()).rolling_summary(rolling)
        self.state = WindowState()

    def build(self, messages: list[OpenAIMessage]) -> Callable[[WindowState | None], Context[OpenAIMessage]]:
        """Give what builds a request."""
        return lambda state: self.builder.build(messages, state=self.state if state is None else state)

    def ask(self, summarizing: Summarizing, messages: list[OpenAIMessage]) -> Context[OpenAIMessage]:
        """Build a request, and remember its state."""
        context = summarizing.run(self.build(messages), key="c")
        self.state = context.state
        return context

    async def aask(self, summarizing: Summarizing, messages: list[OpenAIMessage]) -> Context[OpenAIMessage]:
        """Build a request in a task, and remember its state."""
        context = await summarizing.arun(self.build(messages), key="c")
        self.state = context.state
        return context


def fail(summary: str, messages: Sequence[Message]) -> str:
    """Fail as a provider does, with content in the error."""
    msg = f"cannot summarise {messages[0].text!r} after {summary!r}"
    raise ConnectionError(msg)


@pytest.mark.parametrize("path", case_files("summarize"))
def test_the_cases_of_the_field_hold(path: Path) -> None:
    """What other summaries got wrong: see `expect` of each case, and the lines below for what it cannot judge."""
    case = load(path)
    source, budget = case["messages"], case["budget"]
    before = copy.deepcopy(source)
    given: list[Message] = []
    answers = budget["summary"] if isinstance(budget["summary"], list) else [budget["summary"]] * 9

    def summarise(_: str, messages: Sequence[Message]) -> str:
        given.extend(messages)
        return answers[0] if answers[0] != "RAISES" else fail("", messages)

    of_messages = budget["counter"] == "messages"
    policy = HistoryPolicy(max_messages=budget["max_tokens"] - 2) if of_messages else HistoryPolicy()
    rolling = RollingSummary(cap=Tokens(budget.get("summary_tokens", 20)))
    builder = ContextBuilder(1_000 if of_messages else budget["max_tokens"], WORDS).history(policy)
    builder = builder.rolling_summary(rolling)
    summarizing = Summarizing(summarise, window=budget.get("summary_input_tokens", 16_000))

    context = summarizing.run(lambda state: builder.build(source, state=state or WindowState()), key="case")

    assert failed(case, context.messages) == []
    assert source == before
    assert not any("Error generating summary" in text for text in contents(context))
    assert not of_messages or len(context.messages) <= budget["max_tokens"]
    sent = [message for message in context.messages if message in source]
    assert given
    assert [message.origin for message in given if message.origin in sent] == []
    # Whatever is gone was given to the summariser; where it failed, a marker says how much is missing.
    assert len(sent) + len(given) == len(source)
    raised = budget["summary"] == "RAISES"
    assert [text for text in contents(context) if f"[{len(given)} earlier messages omitted]" in text][:1] == (
        [contents(context)[0]] if raised else []
    )


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.USER])
def test_every_message_is_summarised_once_in_order_and_onto_the_summary_before(role: Role) -> None:
    """At each cut what leaves is given once, with the summary that stands for all before it."""
    notes, conversation = Notes(), Conversation(role)
    summarizing = Summarizing(notes)
    for turns in range(40):
        context = conversation.ask(summarizing, talk(turns))
        gone = talk(turns)[: conversation.state.start]
        assert notes.given == [message["content"] for message in gone]
        assert context.tokens <= 40
        assert contents(context)[-1] == f"my question {turns}"
    assert len(notes.calls) > 4
    assert [summary for summary, _ in notes.calls] == ["", *(f"notes {at}" for at in range(1, len(notes.calls)))]


def test_between_two_cuts_nothing_is_asked_of_the_model() -> None:
    """The same request again, and those until the next cut, show the summary that was made."""
    notes, conversation = Notes(), Conversation()
    summarizing = Summarizing(notes)
    cut = next(turns for turns in range(40) if conversation.ask(summarizing, talk(turns)).state.summary)
    for turns in (cut, cut, cut + 1):
        assert contents(conversation.ask(summarizing, talk(turns)))[0] == "So far:\nnotes 1"
    assert len(notes.calls) == 1


def test_in_the_system_prompt_it_stands_behind_the_instructions() -> None:
    """As text of the system role it is the end of the one system message."""
    conversation = Conversation(Role.SYSTEM)
    conversation.builder = conversation.builder.system("Be brief.")
    context = conversation.ask(Summarizing(Notes()), talk(20))
    assert context.messages[0] == {"role": "system", "content": "Be brief.\n\nSo far:\nnotes 1"}


def test_as_a_user_message_it_stands_where_the_messages_stood() -> None:
    """Behind what is kept of the beginning, before what is kept up to the present; marked as made here."""
    conversation = Conversation(policy=HistoryPolicy(keep_first=2))
    rolling = conversation.builder
    messages = [Message.user("first words"), Message.assistant("fine"), *(Message.user(f"q {at}") for at in range(40))]
    context = Summarizing(Notes()).run(lambda state: rolling.build(messages, state=state or WindowState()), key="c")
    assert texts(context.messages)[:3] == ["first words", "fine", "So far:\nnotes 1"]
    assert [message.synthetic for message in context.messages[:4]] == [False, False, True, False]


def test_what_stays_is_never_summarised() -> None:
    """System messages, the pinned with their step, the first ones and the current message are not given."""
    pinned = "the password is tide"
    messages = talk(30)
    messages[0:0] = [{"role": "system", "content": "rules"}]
    messages[9:9] = [{"role": "user", "content": pinned}, {"role": "assistant", "content": "noted"}]
    notes = Notes()
    policy = HistoryPolicy(keep_first=1, pinned=lambda message: "tide" in message.text)
    context = Conversation(policy=policy, limit=60).ask(Summarizing(notes), messages)
    assert {"rules", pinned, "my question 0", "my question 30"} <= set(contents(context))
    assert not {"rules", pinned, "my question 0", "my question 30"} & set(notes.given)
    assert len(notes.given) + len(context.messages) - 1 == len(messages)


def test_what_loses_its_place_later_is_summarised_then() -> None:
    """A question that was kept for the running turn leaves with it, and is given when it does."""
    running: list[OpenAIMessage] = [{"role": "user", "content": "do it all"}]
    for at in range(12):
        call = {"id": f"call {at}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        running.append({"role": "assistant", "content": None, "tool_calls": [call]})
        running.append({"role": "tool", "tool_call_id": f"call {at}", "content": f"seen this and {at}"})
    notes, conversation = Notes(), Conversation()
    summarizing = Summarizing(notes)
    assert "do it all" in contents(conversation.ask(summarizing, running))
    assert "do it all" not in notes.given
    after = [*running, {"role": "assistant", "content": "done"}, *talk(12)]
    assert "do it all" not in contents(conversation.ask(summarizing, after))
    assert notes.given.count("do it all") == 1


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.USER])
def test_if_it_fails_a_marker_stands_there_and_the_next_turn_tries_again(role: Role) -> None:
    """The turn goes out within its budget; what waits is given with the next cut's, each message once."""
    notes, conversation = Notes(), Conversation(role)
    context = conversation.ask(Summarizing(fail), talk(20))
    waiting = context.state.start
    assert contents(context)[0] == f"[{waiting} earlier messages omitted]"
    assert (context.state.summary, context.state.summarised) == ("", 0)
    assert context.tokens <= 40
    context = conversation.ask(Summarizing(notes), talk(21))
    assert contents(context)[0] == "So far:\nnotes 1"
    assert notes.given == [message["content"] for message in talk(21)[: context.state.start]]


def test_if_it_fails_later_the_summary_so_far_stays() -> None:
    """Summary and marker stand together until the model answers again, and then nothing is given twice."""
    notes, conversation = Notes(), Conversation()
    first = conversation.ask(Summarizing(notes), talk(20)).state.start
    context = conversation.ask(Summarizing(fail), talk(30))
    waiting = context.state.start - first
    assert contents(context)[0] == f"So far:\nnotes 1\n[{waiting} earlier messages omitted]"
    context = conversation.ask(Summarizing(notes), talk(31))
    assert [summary for summary, _ in notes.calls] == ["", "notes 1"]
    assert notes.given == [message["content"] for message in talk(31)[: context.state.start]]


@pytest.mark.parametrize("answer", ["", "  \n", None, 7])
def test_what_is_no_summary_is_a_failure(answer: Any) -> None:
    """An empty text would stand for messages that are gone."""
    context = Conversation().ask(Summarizing(lambda *_: answer), talk(20))
    assert contents(context)[0].endswith("earlier messages omitted]")


def test_a_failure_is_logged_without_content(caplog: pytest.LogCaptureFixture) -> None:
    """The log says what went wrong and how much waits, in counts; a provider's error may quote anything."""
    Conversation().ask(Summarizing(fail), talk(20))
    (record,) = (record for record in caplog.records if "no summary" in record.message)
    assert "ConnectionError" in record.message
    assert "question" not in record.message


def test_a_model_that_takes_too_long_is_not_waited_for() -> None:
    """The turn goes out with the marker while the model still thinks."""
    done = threading.Event()

    def slow(_: str, __: Sequence[Message]) -> str:
        done.wait()
        return "late"

    try:
        context = Conversation().ask(Summarizing(slow, timeout=0.01), talk(20))
        assert not done.is_set()
    finally:
        done.set()
    assert contents(context)[0].endswith("earlier messages omitted]")


async def test_a_task_that_takes_too_long_is_cancelled() -> None:
    """So that nobody pays for an answer that nobody reads."""
    cancelled = []

    async def slow(_: str, __: Sequence[Message]) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise
        return "never"

    context = await Conversation().aask(Summarizing(slow, timeout=0.01), talk(20))
    assert contents(context)[0].endswith("earlier messages omitted]")
    assert cancelled == [True]


async def test_a_cancelled_turn_leaves_the_way_free() -> None:
    """The next turn of the conversation has it summarised."""
    started = asyncio.Event()
    answers: list[Callable[[], Any]] = [asyncio.Event().wait, lambda: asyncio.sleep(0)]

    async def summarise(_: str, __: Sequence[Message]) -> str:
        started.set()
        await answers.pop(0)()
        return "notes"

    conversation, summarizing = Conversation(), Summarizing(summarise)
    turn = asyncio.create_task(conversation.aask(summarizing, talk(20)))
    await started.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert (await conversation.aask(summarizing, talk(20))).state.summary == "notes"


def test_threads_at_once_have_it_summarised_once() -> None:
    """One has it summarised; the others go out with the marker and don't wait."""
    asked, others, calls = threading.Event(), threading.Event(), []

    def summarise(_: str, __: Sequence[Message]) -> str:
        calls.append(1)
        asked.set()
        others.wait(20)
        return "notes"

    conversation, summarizing = Conversation(), Summarizing(summarise)

    def ask() -> Context[OpenAIMessage]:
        return summarizing.run(conversation.build(talk(20)), key="c")

    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(ask)
        assert asked.wait(20)
        meanwhile = list(pool.map(lambda _: ask(), range(4)))
        others.set()
        assert first.result().state.summary == "notes"
    assert len(calls) == 1
    assert {context.state.summary for context in meanwhile} == {""}
    assert all(contents(context)[0].endswith("earlier messages omitted]") for context in meanwhile)


async def test_tasks_at_once_have_it_summarised_once() -> None:
    """The same on an event loop."""
    calls = []

    async def summarise(_: str, __: Sequence[Message]) -> str:
        calls.append(1)
        await asyncio.sleep(0)
        return "notes"

    conversation, summarizing = Conversation(), Summarizing(summarise)
    turns = [summarizing.arun(conversation.build(talk(20)), key="c") for _ in range(5)]
    contexts = await asyncio.gather(*turns)
    assert len(calls) == 1
    assert sorted(context.state.summary for context in contexts) == ["", "", "", "", "notes"]


async def test_conversations_do_not_wait_for_each_other() -> None:
    """Each has a key of its own."""
    summarizing, conversation = Summarizing(Meeting(2)), Conversation()
    turns = [summarizing.arun(conversation.build(talk(20)), key=key) for key in ("a", "b")]
    assert [context.state.summary for context in await asyncio.gather(*turns)] == ["met", "met"]


class Meeting:
    """Answers nobody before all have asked."""

    def __init__(self, count: int) -> None:
        """Take the number of those who are to ask."""
        self.barrier = asyncio.Barrier(count)

    async def __call__(self, _: str, __: Sequence[Message]) -> str:
        """Wait for the others."""
        await self.barrier.wait()
        return "met"


def test_a_summary_over_its_cap_is_cut_with_a_marker() -> None:
    """The request stays within its budget and the cut where it was; the report says what was cut."""
    conversation = Conversation()
    context = conversation.ask(Summarizing(lambda *_: "word " * 500), talk(20))
    row = context.report.layer("summary")
    assert (row.used, row.budget) == (CAP, CAP)
    assert contents(context)[0].endswith("\n[truncated]")
    assert WORDS.count_text(contents(context)[0]) == CAP
    start = context.state.start
    assert conversation.ask(Summarizing(fail), talk(20)).state.start == start


def test_room_for_the_summary_is_kept_free_before_it_is_there() -> None:
    """One that takes the whole of its cap drives nothing more out."""
    waiting = Conversation().ask(Summarizing(fail), talk(20))
    full = Conversation().ask(Summarizing(lambda *_: "word " * 500), talk(20))
    assert full.state.start == waiting.state.start
    assert contents(full)[1:] == contents(waiting)[1:]


def test_more_than_the_summariser_takes_goes_to_it_piece_by_piece() -> None:
    """Each piece is within the window and comes with the summary of those before it."""
    notes, conversation = Notes(), Conversation()
    context = conversation.ask(Summarizing(notes, window=100, counter=WORDS), talk(200))
    assert len(notes.calls) > 5
    assert all(sum(len(text.split()) for text in given) <= 100 for _, given in notes.calls)
    assert [summary for summary, _ in notes.calls[:3]] == ["", "notes 1", "notes 2"]
    assert notes.given == [message["content"] for message in talk(200)[: context.state.start]]
    assert context.state.summary == f"notes {len(notes.calls)}"


def test_if_one_piece_fails_all_of_them_wait() -> None:
    """Half a summary must not stand for the whole."""
    notes = Notes()

    def second_fails(summary: str, messages: Sequence[Message]) -> str:
        return notes(summary, messages) if not notes.calls else fail(summary, messages)

    context = Conversation().ask(Summarizing(second_fails, window=100, counter=WORDS), talk(200))
    assert (context.state.summary, len(context.unsummarised())) == ("", context.state.start)


def test_a_message_over_the_window_loses_its_middle() -> None:
    """Head and tail of it are summarised, and it shares its piece with nobody."""
    long = Message.user(" ".join(f"w{at}" for at in range(1_000)))
    cut = pieces([Message.user("before"), long, Message.user("after")], 100, WORDS)
    assert [len(piece) for piece in cut] == [1, 1, 1]
    (middle,) = cut[1]
    assert WORDS.count_message(middle) <= 100
    assert middle.text.startswith("w0 ")
    assert middle.text.endswith(" w999")


def test_a_coroutine_function_serves_the_sync_door() -> None:
    """The same summariser goes to both doors."""

    async def summarise(_: str, __: Sequence[Message]) -> str:
        await asyncio.sleep(0)
        return "notes"

    assert Conversation().ask(Summarizing(summarise), talk(20)).state.summary == "notes"


async def test_the_async_door_prefers_a_method_that_does_not_block() -> None:
    """An object may have both; each door takes its own."""

    class Both:
        def __call__(self, _: str, __: Sequence[Message]) -> str:
            return "sync"

        async def acall(self, _: str, __: Sequence[Message]) -> str:
            return "async"

    assert (await Conversation().aask(Summarizing(Both()), talk(20))).state.summary == "async"
    assert Conversation().ask(Summarizing(Both()), talk(20)).state.summary == "sync"


async def test_a_plain_function_does_not_stop_the_event_loop() -> None:
    """In the async door it runs in a thread."""
    loop_thread, threads = threading.get_ident(), []

    def summarise(_: str, __: Sequence[Message]) -> str:
        threads.append(threading.get_ident())
        return "notes"

    await Conversation().aask(Summarizing(summarise), talk(20))
    assert len(threads) == 1
    assert threads[0] != loop_thread


def test_without_a_timeout_it_runs_where_the_turn_runs() -> None:
    """No thread is made that nobody asked for."""
    threads = []

    def summarise(_: str, __: Sequence[Message]) -> str:
        threads.append(threading.get_ident())
        return "notes"

    Conversation().ask(Summarizing(summarise, timeout=None), talk(20))
    assert threads == [threading.get_ident()]


@pytest.mark.parametrize(
    ("options", "said"),
    [({"window": 99}, "found 99"), ({"timeout": 0}, "found 0"), ({"timeout": -1.5}, "found -1.5")],
)
def test_what_cannot_work_is_refused(options: dict[str, Any], said: str) -> None:
    """When it is made, with what was found."""
    with pytest.raises(BudgetError, match=said):
        Summarizing(fail, **options)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])  # noqa: S301 - our own bytes
def test_copies_work_on_their_own(again: Callable[[Summarizing], Summarizing]) -> None:
    """A copy summarises with the same settings, and its lock is its own."""
    other = again(Summarizing(fail, timeout=None))
    assert contents(Conversation().ask(other, talk(20)))[0].endswith("earlier messages omitted]")


def test_a_prompt_has_the_summary_so_far_and_who_said_what() -> None:
    """Calls are shown with their arguments; a message without text says so."""
    call = ToolCall(id="1", name="look", arguments='{"at": 1}')
    messages = [
        Message.user("where?"),
        Message(role=Role.ASSISTANT, tool_calls=(call,)),
        Message(role=Role.TOOL, tool_call_id="1"),
    ]
    prompt = as_prompt("Ana asks.", messages)
    assert "<summary>\nAna asks.\n</summary>" in prompt
    assert 'user: where?\nassistant: [calls look {"at": 1}]\ntool: [no text]' in prompt


def test_a_first_prompt_has_no_summary_so_far() -> None:
    """Nothing in it speaks of one."""
    assert "<summary>" not in as_prompt("", [Message.user("hi")])
    assert "summary so far" not in as_prompt("", [Message.user("hi")])
