"""Turns at once in threads and tasks, turns that are cancelled, processes that fork."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import ContextSession, StateCache
from tests.core.session.kitchen import LIMIT, WORDS, Notes, OpenAIMessage, talk, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core import Layer, Message
    from ctx_core.session import LayerRequest


def make(**options: Any) -> ContextSession[OpenAIMessage]:
    """Give a session that counts words."""
    return ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS, **options)


def test_conversations_do_not_wait_for_each_others_store() -> None:
    """32 of them over a store that takes its time: together they take less than one after the other would."""
    inside, most, guard = [0], [0], threading.Lock()

    class Slow(dict[str, Any]):
        def __setitem__(self, key: str, value: Any) -> None:
            with guard:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
            time.sleep(0.02)
            with guard:
                inside[0] -= 1
            super().__setitem__(key, value)

    states = Slow()
    with ThreadPoolExecutor(32) as pool:
        list(pool.map(lambda at: make(states=states, key=str(at)).fit(talk(20)), range(32)))
    assert most[0] > 1
    assert len(states) == 32


@pytest.mark.parametrize("threads", [16])
def test_threads_share_a_session(threads: int) -> None:
    """Each turn fits and ends with its own question, and the summary is of this conversation."""
    session = make(summarizer=Notes())

    def ask(turns: int) -> None:
        context = session.fit(talk(turns % 40))
        assert context.tokens <= LIMIT
        assert texts(context)[-1] == f"my question {turns % 40}"

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(ask, range(400)))
    assert "\ntold: my question 0\n" in texts(session.fit(talk(40)))[0]


async def test_tasks_share_a_session() -> None:
    """64 at once: nothing lost, nothing foreign, nothing left locked."""
    session = make(summarizer=Notes())
    contexts = await asyncio.gather(*(session.afit(talk(20 + at % 3)) for at in range(64)))
    assert all(context.tokens <= LIMIT for context in contexts)
    assert "\ntold: my question 0\n" in texts(await session.afit(talk(23)))[0]


async def test_a_turn_may_be_cancelled_at_every_point() -> None:
    """The next one finds the way free, and has its summary written."""
    for delay in range(60):
        session = make(summarizer=slowly, layers=[waiting_layer], on_report=wait)
        turn = asyncio.create_task(session.afit(talk(20)))
        await asyncio.sleep(delay / 4_000)
        turn.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await turn
        context = await session.afit(talk(20))
        for _ in range(100):  # the thread of the cancelled turn may still have had its conversation
            if context.state.summary:
                break
            await asyncio.sleep(0.01)
            context = await session.afit(talk(20))
        assert context.state.summary == "notes"


async def slowly(_: str, __: Sequence[Message]) -> str:
    """Take a moment for a summary."""
    await asyncio.sleep(0.001)
    return "notes"


async def waiting_layer(_: LayerRequest) -> Layer | None:
    """Take a moment for nothing."""
    await asyncio.sleep(0.001)
    return None


async def wait(_: Any) -> None:
    """Take a moment to hear."""
    await asyncio.sleep(0.001)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_is_not_locked() -> None:
    """It was forked while other threads were in the middle of everything."""
    session = make(summarizer=Notes(), states=StateCache())
    stop = threading.Event()

    def ask() -> None:
        at = 0
        while not stop.is_set():
            session.fit(talk(20 + at % 20))
            at += 1

    logging.disable()  # a log file's own buffer, which another thread may be writing to, stays locked in the child
    threads = [threading.Thread(target=ask, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:  # no assertion may leave the child
                code = 1
                with contextlib.suppress(BaseException):
                    code = int(session.fit(talk(25)).tokens > LIMIT)
                os._exit(code)
            assert ended(child) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        logging.disable(logging.NOTSET)


def ended(child: int) -> int | None:
    """Give the exit code of a process, or end it and give None if it is stuck."""
    for _ in range(1_000):
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return None
