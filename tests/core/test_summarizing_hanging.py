"""A summarizer that hangs: it costs a thread and not one a turn, stops no turn, and does not keep the process."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest
from typing_extensions import override

from ctx_core import BudgetError, ContextSession, StateCache, Summarizing
from tests.core.summaries import Conversation, OpenAIMessage, contents, talk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx_core import Message


class Hanging:
    """Answers nobody before it is let go."""

    def __init__(self) -> None:
        """Begin without calls."""
        self.calls = 0
        self.let_go = threading.Event()

    def __call__(self, summary: str, messages: Sequence[Message]) -> str:
        """Hang."""
        self.calls += 1
        self.let_go.wait(30)
        return summary or messages[0].text


def called(hanging: Hanging, count: int) -> int:
    """Give how often it was called, when it has been called so often: a thread may still be on its way."""
    for _ in range(500):
        if hanging.calls >= count:
            break
        threading.Event().wait(0.01)
    return hanging.calls


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    """A summarizer that is let go when the test ends."""
    summarizer = Hanging()
    yield summarizer
    summarizer.let_go.set()


def sessions(summarizing: Summarizing, count: int) -> list[ContextSession[OpenAIMessage]]:
    """Give sessions of so many conversations."""
    builder, states = Conversation().builder, StateCache()
    return [
        ContextSession[OpenAIMessage](builder, key=str(at), states=states, summarizer=summarizing)
        for at in range(count)
    ]


async def fitted(session: ContextSession[OpenAIMessage], door: str, turns: int) -> Any:
    """Ask by one of the doors."""
    return await session.afit(talk(turns)) if door == "async" else session.fit(talk(turns))


@pytest.mark.parametrize("door", ["sync", "async"])
async def test_one_call_of_a_conversation_hangs_at_most(hanging: Hanging, door: str) -> None:
    """Turn after turn goes out with the marker, and nothing more is asked until the call has ended."""
    (session,) = sessions(Summarizing(hanging, timeout=0.05), 1)
    for turns in range(20, 26):
        context = await fitted(session, door, turns)
        assert contents(context)[0].endswith("earlier messages omitted]")
    assert called(hanging, 1) == 1
    hanging.let_go.set()
    for _ in range(200):
        if (await fitted(session, door, 30)).state.summary:
            break
        threading.Event().wait(0.01)
    assert session.fit(talk(31)).state.summary == "my question 0"


@pytest.mark.parametrize("door", ["sync", "async"])
async def test_few_calls_hang_at_once(hanging: Hanging, door: str) -> None:
    """Of many conversations `max_hanging` at most, each in one thread."""
    before = threading.active_count()
    for session in sessions(Summarizing(hanging, timeout=0.02, max_hanging=3), 8):
        await fitted(session, door, 20)
    assert called(hanging, 3) == 3
    assert sum(thread.name == "ctx-layers" for thread in threading.enumerate()) >= 3
    assert threading.active_count() - before <= 3 + (8 if door == "async" else 0)  # the loop's own pool comes on top


@pytest.mark.parametrize("door", ["sync", "async"])
async def test_in_the_background_no_turn_waits(hanging: Hanging, door: str) -> None:
    """It goes out with the marker, and a later one shows the summary: one call, however many turns there were."""
    (session,) = sessions(Summarizing(hanging, background=True), 1)
    for turns in (20, 21, 22):
        context = await fitted(session, door, turns)
        assert contents(context)[0].endswith("earlier messages omitted]")
    hanging.let_go.set()
    for _ in range(500):
        context = await fitted(session, door, 22)
        if context.state.summary:
            break
        threading.Event().wait(0.01)
    assert contents(context)[0] == "So far:\n<summary>\nmy question 0\n</summary>"
    assert hanging.calls == 1


def test_in_the_pure_form_there_is_no_background() -> None:
    """Nobody could give what was written there."""
    (session,) = sessions(Summarizing(lambda *_: "notes", background=True), 1)
    with pytest.raises(BudgetError, match="needs a session that keeps its states"):
        session.fit(talk(20), state={})


def test_no_call_is_refused() -> None:
    """There must be one."""
    with pytest.raises(BudgetError, match="found 0"):
        Summarizing(lambda *_: "", max_hanging=0)


PROGRAM = """
import asyncio, threading
from ctx_core import ContextSession, Summarizing

def hang(summary, messages):
    threading.Event().wait()

talk = [{"role": ("user", "assistant")[at % 2], "content": f"message {at} of a long talk"} for at in range(201)]
session = ContextSession(budget=200, summarizer=Summarizing(hang, timeout=0.05))
context = {call}
print(len(context.messages) > 1)
"""


@pytest.mark.parametrize("call", ["session.fit(talk)", "asyncio.run(session.afit(talk))"])
def test_the_process_can_end(call: str) -> None:
    """With a call that hangs for ever."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("{call}", call)],
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "True"), done.stderr


class Answered(dict[str, Any]):
    """A store of states, at one of whose reads a call that hangs ends, and is done before the read is."""

    def __init__(self, hanging: Hanging) -> None:
        """Take what hangs."""
        super().__init__()
        self.hanging = hanging
        self.left = 0

    @override
    def get(self, key: str, default: Any = None, /) -> Any:
        found = super().get(key, default)
        self.left -= 1
        if self.left == 0:
            self.hanging.let_go.set()
            threading.Event().wait(0.3)
        return found


@pytest.mark.parametrize("at", range(1, 6))
@pytest.mark.parametrize("door", ["sync", "async"])
async def test_a_late_answer_is_not_asked_for_again(hanging: Hanging, door: str, at: int) -> None:
    """At whichever read of the next turn it comes: what it was given is never given once more."""
    given: list[str] = []

    def write(summary: str, messages: Sequence[Message]) -> str:
        given.extend(message.text for message in messages)
        return hanging(summary, messages) + "."

    store = Answered(hanging)
    session = ContextSession[OpenAIMessage](
        Conversation().builder, key="a", states=store, summarizer=Summarizing(write, timeout=0.05)
    )
    await fitted(session, door, 20)
    store.left = at
    await fitted(session, door, 21)
    hanging.let_go.set()
    threading.Event().wait(0.1)
    for turns in range(22, 30):
        await fitted(session, door, turns)
    assert len(given) == len(set(given))
