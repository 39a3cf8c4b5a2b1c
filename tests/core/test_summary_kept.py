"""A summary that was paid for stays, one that failed is not asked for again, and nobody waits longer than they said."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import (
    BudgetError,
    ContextBudget,
    ContextBuilder,
    ContextSession,
    HistoryPolicy,
    RollingSummary,
    Summarizing,
    TokenCounter,
    WindowState,
)
from ctx_core.recipes import Rolling
from ctx_core.session.summarizing import as_summarizing
from tests.core.summaries import WORDS, Conversation, Notes, OpenAIMessage, contents, fail, talk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core import Message

FOUR = TokenCounter(lambda text: -(-len(text) // 4))
"""Four characters a token."""


def turns(count: int) -> list[OpenAIMessage]:
    """Make turns of 40 tokens each way, and a question."""
    past = [
        {"role": role, "content": f"{role} {at} {'x ' * 75}"} for at in range(count) for role in ("user", "assistant")
    ]
    return [*past, {"role": "user", "content": "and now?"}]


def test_a_turn_with_large_tools_does_not_cost_the_summary() -> None:
    """It gives way on that turn, and is there again on the next."""
    tool = {"type": "function", "function": {"name": "f", "description": "d " * 1_900, "parameters": {}}}
    session = ContextSession[OpenAIMessage](
        budget=1_120, counter=FOUR, summarizer=lambda summary, _: f"{summary} Ann is allergic.".strip()
    )
    assert session.fit(turns(20)).state.summary == "Ann is allergic."
    session.fit(turns(24), tools=[tool])
    context = session.fit(turns(25))
    assert context.state.summary.startswith("Ann is allergic.")
    assert any("Ann is allergic." in text for text in contents(context))


@pytest.mark.parametrize("limit", [6, 10, 20])
def test_where_there_is_no_room_for_one_nobody_is_asked(limit: int) -> None:
    """The marker stands, and nothing counts as summarized."""
    notes = Notes()
    context = ContextSession[OpenAIMessage](budget=limit, counter=WORDS, summarizer=notes).fit(talk(20))
    assert notes.calls == []
    assert len(context.unsummarized()) == context.state.start > 0


def test_what_is_all_fence_is_cut_like_any_other() -> None:
    """What grows as it is made harmless is measured as it is shown."""
    rolling = RollingSummary(heading="So far:")
    session = ContextSession[OpenAIMessage](
        ContextBuilder(8_000, FOUR).rolling_summary(rolling), summarizer=lambda *_: "<summary>" * 1_000_000
    )
    context = session.fit(turns(200))
    assert 500 < context.report.layer("summary").used <= 1_000
    assert contents(context)[0].count("<summary>") == 1


@pytest.mark.parametrize(
    "answer", ["\ufe0f", "\u034f", "\u115f", "\u3164", "\u2800", "\u200b\n", "\u0301", " " * 100_000]
)
def test_what_shows_nothing_is_no_summary(answer: str) -> None:
    """Fillers, marks upon nothing, blanks of any number."""
    context = Conversation().ask(Summarizing(lambda *_: answer), talk(20))
    assert context.state.summary == ""
    assert contents(context)[0].endswith("earlier messages omitted]")


def test_blanks_around_a_summary_are_no_part_of_it() -> None:
    """However many there are."""
    context = Conversation().ask(Summarizing(lambda *_: " " * 100_000 + "text\n\n"), talk(20))
    assert context.state.summary == "text"


def steps(count: int) -> list[OpenAIMessage]:
    """Make a question and so many steps of an agent."""
    messages: list[OpenAIMessage] = talk(20)
    for at in range(count):
        call = {"id": f"c{at}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{at}", "content": "r " * 6},
        ]
    return messages


@pytest.mark.parametrize("door", ["pure", "json", "made anew", "recipe", "in front"])
def test_one_failure_in_a_turn_of_the_users_however_it_is_built(door: str) -> None:
    """The state knows of it: it goes from build to build, through JSON, and from one session to the next."""
    calls: list[int] = []

    def failing(summary: str, messages: Sequence[Message]) -> str:
        calls.append(len(messages))
        return fail(summary, messages)

    summarizing, states, state = Summarizing(failing), dict[str, Any](), WindowState()
    recipe = Rolling(system="S.", budget=ContextBudget(40), counter=WORDS)
    for count in range(12):
        messages = steps(count)
        if door == "in front":
            messages = [{"role": "system", "content": f"Hi {at}."} for at in range(min(count, 3))] + messages
        if door == "recipe":
            state = recipe.build(messages, state=state, summarizer=summarizing).state
        elif door in ("made anew", "in front"):
            ContextSession[OpenAIMessage](budget=40, counter=WORDS, states=states, key="k", summarizer=summarizing).fit(
                messages
            )
        else:
            session = ContextSession[OpenAIMessage](budget=40, counter=WORDS, summarizer=summarizing)
            given = json.loads(json.dumps(state.to_dict())) if door == "json" else state
            state = session.fit(messages, state=given).state
    assert len(calls) == 1
    more = [*steps(12), {"role": "assistant", "content": "so"}, {"role": "user", "content": "next"}]
    ContextSession[OpenAIMessage](budget=40, counter=WORDS, states=states, key="k", summarizer=summarizing).fit(more)
    assert len(calls) == 2


class Down(dict[str, Any]):
    """A store that takes nothing."""

    def __setitem__(self, key: str, value: Any) -> None:
        """Fail."""
        raise ConnectionError


def test_a_store_that_is_down_costs_one_summary_a_turn() -> None:
    """However many steps there are; the turn in which it is written shows it."""
    notes = Notes()
    session = ContextSession[OpenAIMessage](budget=40, counter=WORDS, states=Down(), summarizer=notes)
    assert "notes 1" in contents(session.fit(steps(0)))[0]
    for count in range(1, 12):
        session.fit(steps(count))
    assert len(notes.calls) == 1


def test_many_conversations_at_once_hang_no_more_than_they_may() -> None:
    """20 that ask in one moment: 4 calls, 4 threads."""
    let_go, calls = threading.Event(), list[int]()

    def hang(_: str, messages: Sequence[Message]) -> str:
        calls.append(len(messages))
        let_go.wait(20)
        return "late"

    summarizing = Summarizing(hang, timeout=0.3)
    sessions = [
        ContextSession[OpenAIMessage](Conversation().builder, key=str(at), summarizer=summarizing) for at in range(20)
    ]
    asking = [threading.Thread(target=session.fit, args=(talk(20),)) for session in sessions]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len(calls) == 4
    let_go.set()


def test_in_the_background_too() -> None:
    """Without a limit of time as well."""
    let_go, calls = threading.Event(), list[int]()

    def hang(_: str, messages: Sequence[Message]) -> str:
        calls.append(len(messages))
        let_go.wait(20)
        return "late"

    summarizing = Summarizing(hang, timeout=None, background=True)
    for at in range(12):
        ContextSession[OpenAIMessage](Conversation().builder, key=str(at), summarizer=summarizing).fit(talk(20))
    for _ in range(100):
        if len(calls) == 4:
            break
        time.sleep(0.01)
    time.sleep(0.05)
    assert len(calls) == 4
    let_go.set()


def test_a_function_is_one_summarizer_however_many_sessions_take_it() -> None:
    """As long as one of them is there, or a call hangs: a step that is made anew for each request costs one thread."""
    let_go, calls = threading.Event(), list[int]()

    def hang(_: str, messages: Sequence[Message]) -> str:
        calls.append(len(messages))
        let_go.wait(20)
        return "late"

    states = dict[str, Any]()
    for at in range(5):
        builder = Conversation().builder
        session = ContextSession[OpenAIMessage](builder, states=states, key=f"{at}", summarizer=as_summarizing(hang))
        asking = threading.Thread(target=session.fit, args=(talk(20),), daemon=True)
        asking.start()
        asking.join(0.1)
    assert len(calls) == 4
    let_go.set()


@pytest.mark.parametrize("kind", ["answers", "goes on", "raises"])
async def test_who_catches_their_cancellation_holds_no_turn(kind: str) -> None:
    """And is asked for no further piece."""
    calls: list[int] = []
    let_go = asyncio.Event()

    async def stubborn(_: str, messages: Sequence[Message]) -> str:
        calls.append(len(messages))
        try:
            await let_go.wait()
        except asyncio.CancelledError:
            if kind == "goes on":
                await let_go.wait()
            if kind == "raises":
                raise ConnectionError from None
        return "partial"

    # A turn that waited for it would not end: nobody lets go of it before.
    turn = Conversation().aask(Summarizing(stubborn, timeout=0.1, window=100, counter=WORDS), talk(200))
    context = await asyncio.wait_for(turn, 60)
    let_go.set()
    assert contents(context)[0].endswith("earlier messages omitted]")
    await asyncio.sleep(0.05)
    assert len(calls) == 1


async def test_a_cancellation_that_was_caught_before_is_none_of_the_turn() -> None:
    """Whose cancellation it is tells how many there were before the call."""

    async def cancelled(_: str, __: Sequence[Message]) -> str:
        raise asyncio.CancelledError

    async def turn() -> str:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(5)
        return contents(await Conversation().aask(Summarizing(cancelled, timeout=None), talk(20)))[-1]

    task = asyncio.create_task(turn())
    await asyncio.sleep(0.01)
    task.cancel()
    assert await task == "my question 20"


@pytest.mark.parametrize("door", ["sync", "async"])
async def test_an_answer_that_comes_late_is_kept(door: str) -> None:
    """It was paid for: the turn went out without, the next one shows it and asks for nothing."""
    let_go, ended, calls = threading.Event(), threading.Event(), list[int]()

    def slow(_: str, messages: Sequence[Message]) -> str:
        calls.append(len(messages))
        let_go.wait(20)
        ended.set()
        return "late notes"

    session = ContextSession[OpenAIMessage](Conversation().builder, summarizer=Summarizing(slow, timeout=0.1))
    context = await session.afit(talk(20)) if door == "async" else session.fit(talk(20))
    assert contents(context)[0].endswith("earlier messages omitted]")
    let_go.set()
    for _ in range(300):
        context = session.fit(talk(20))
        if context.state.summary:
            break
        await asyncio.sleep(0.01)
    assert contents(context)[0] == "So far:\n<summary>\nlate notes\n</summary>"
    assert len(calls) == 1


def test_a_failure_never_goes_back_behind_the_summary_that_was() -> None:
    """Pins that are lifted wait beside it: what was summarized before is not given again."""
    notes = Notes()
    pinned = HistoryPolicy(pinned=lambda message: message.text in {f"my question {at}" for at in (3, 9, 15)})
    conversation = Conversation(policy=pinned, limit=60)
    conversation.ask(Summarizing(notes), talk(60))
    before = conversation.state.summarized
    conversation.builder = conversation.builder.history(HistoryPolicy())
    answers = ["first", ""]
    conversation.ask(Summarizing(lambda *_: answers.pop(0), window=100, counter=WORDS, every=1), talk(90))
    assert conversation.state.summary == "first"
    assert conversation.state.summarized >= before
    later = Notes()
    conversation.ask(Summarizing(later, every=1), talk(91))
    assert not set(later.given) & set(notes.given)


def test_messages_that_nobody_answers_are_summarized_too() -> None:
    """A log, a group of people: it is due in five messages of users then."""
    notes = Notes()
    session = ContextSession[OpenAIMessage](budget=40, counter=WORDS, summarizer=notes)
    said = [{"role": "user", "name": f"u{at % 3}", "content": f"one two three {at}"} for at in range(100)]
    waiting = [len(session.fit(said[: at + 1]).unsummarized()) for at in range(100)]
    assert 5 <= len(notes.calls) <= 20
    assert max(waiting) < 12


@pytest.mark.parametrize(
    "options",
    [
        {"every": 2.5}, {"every": True}, {"every": "3"}, {"max_hanging": 2.5}, {"max_hanging": 0}, {"window": "x"},
        {"window": 99.5}, {"timeout": math.nan}, {"timeout": "5"}, {"timeout": True},
    ],
)  # fmt: skip
def test_what_is_no_number_of_its_kind_is_refused(options: dict[str, Any]) -> None:
    """With its name, and what was found."""
    (found,) = options.values()
    with pytest.raises(BudgetError, match=f"found {found!r}"):
        Summarizing(fail, **options)
