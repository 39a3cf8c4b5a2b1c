"""Summaries, threads and tasks: nobody waits for another, and nothing is paid for twice."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import Context, ContextSession, Message, StateCache, Summarizing
from tests.core.summaries import WORDS, Conversation, OpenAIMessage, contents, talk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


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


@pytest.mark.parametrize("door", ["sync", "async"])
async def test_after_a_timeout_no_further_piece_is_asked_for(door: str) -> None:
    """What was given in time is kept, and a model that comes too late is left alone."""
    calls: list[int] = []
    let_go = threading.Event()

    def third_hangs(summary: str, messages: Sequence[Message]) -> str:
        del summary
        calls.append(len(messages))
        if len(calls) == 3:
            let_go.wait(30)
        return f"notes {len(calls)}"

    session = Conversation().session(Summarizing(third_hangs, window=100, timeout=2, counter=WORDS))
    context = session.fit(talk(200)) if door == "sync" else await session.afit(talk(200))
    assert context.state.summary == "notes 2"
    assert len(context.unsummarized()) == context.state.start - sum(calls[:2])
    let_go.set()
    await asyncio.sleep(0.3)
    assert len(calls) == 3


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

    context = await Conversation().aask(Summarizing(slow, timeout=0.3), talk(20))
    assert contents(context)[0].endswith("earlier messages omitted]")
    assert cancelled == [True]


async def test_a_cancelled_turn_leaves_the_way_free() -> None:
    """The next turn of the conversation has it summarized."""
    started = asyncio.Event()
    answers: list[Callable[[], Any]] = [asyncio.Event().wait, lambda: asyncio.sleep(0)]

    async def summarize(_: str, __: Sequence[Message]) -> str:
        started.set()
        await answers.pop(0)()
        return "notes"

    conversation, summarizing = Conversation(), Summarizing(summarize)
    turn = asyncio.create_task(conversation.aask(summarizing, talk(20)))
    await started.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert (await conversation.aask(summarizing, talk(20))).state.summary == "notes"


def test_threads_at_once_have_it_summarized_once() -> None:
    """One has it summarized; the others go out with the marker and don't wait."""
    asked, others, calls = threading.Event(), threading.Event(), []

    def summarize(_: str, __: Sequence[Message]) -> str:
        calls.append(1)
        asked.set()
        others.wait(20)
        return "notes"

    session = Conversation().session(Summarizing(summarize))

    def ask() -> Context[OpenAIMessage]:
        return session.fit(talk(20))

    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(ask)
        assert asked.wait(20)
        meanwhile = list(pool.map(lambda _: ask(), range(4)))
        others.set()
        assert first.result().state.summary == "notes"
    assert len(calls) == 1
    assert {context.state.summary for context in meanwhile} == {""}
    assert all(contents(context)[0].endswith("earlier messages omitted]") for context in meanwhile)


async def test_tasks_at_once_have_it_summarized_once() -> None:
    """The same on an event loop."""
    calls = []

    async def summarize(_: str, __: Sequence[Message]) -> str:
        calls.append(1)
        await asyncio.sleep(0)
        return "notes"

    session = Conversation().session(Summarizing(summarize))
    turns = [session.afit(talk(20)) for _ in range(5)]
    contexts = await asyncio.gather(*turns)
    assert len(calls) == 1
    # Who comes when it is written shows it, and does not have it written again.
    assert {context.state.summary for context in contexts} in ({"notes"}, {"", "notes"})


async def test_conversations_do_not_wait_for_each_other() -> None:
    """Each has a key of its own, over one store and one summarizer."""
    builder, states, summarizing = Conversation().builder, StateCache(), Summarizing(Meeting(2))
    sessions = [
        ContextSession[OpenAIMessage](builder, key=key, states=states, summarizer=summarizing) for key in ("a", "b")
    ]
    turns = [session.afit(talk(20)) for session in sessions]
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


def test_a_coroutine_function_serves_the_sync_door() -> None:
    """The same summarizer goes to both doors."""

    async def summarize(_: str, __: Sequence[Message]) -> str:
        await asyncio.sleep(0)
        return "notes"

    assert Conversation().ask(Summarizing(summarize), talk(20)).state.summary == "notes"


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

    def summarize(_: str, __: Sequence[Message]) -> str:
        threads.append(threading.get_ident())
        return "notes"

    await Conversation().aask(Summarizing(summarize), talk(20))
    assert len(threads) == 1
    assert threads[0] != loop_thread


def test_without_a_timeout_it_runs_where_the_turn_runs() -> None:
    """No thread is made that nobody asked for."""
    threads = []

    def summarize(_: str, __: Sequence[Message]) -> str:
        threads.append(threading.get_ident())
        return "notes"

    Conversation().ask(Summarizing(summarize, timeout=None), talk(20))
    assert threads == [threading.get_ident()]
