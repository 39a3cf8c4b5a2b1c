"""Summarizers that misbehave at any piece, behind every door: no turn ends, nothing is asked twice, nothing is lost."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from llama_index.core.base.llms.types import ChatMessage
from typing_extensions import override

from ctx_core import ContextSession, Framing, RollingSummary, Summarizing, TokenCounter, Tokens
from langchain_ctx import BudgetedChatMessageHistory, ContextRunnable, InMemoryHistory
from llamaindex_ctx import ContextMemoryBuffer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx_core import Message

WORDS: Final = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
LIMIT: Final = 40
SUMMARY: Final = RollingSummary(cap=Tokens(12), heading="So far:")
QUESTION: Final = "and now?"
PIECES: Final = 5
"""Pieces in which the summarizer is given what leaves: 200 turns of five words, some 200 words at once."""


class Door:
    """One way in, with a conversation that goes on."""

    def __init__(self, summarizing: Summarizing) -> None:
        """Take the summarizer; begin with 200 turns."""
        self.options: dict[str, Any] = {"counter": WORDS, "summary": SUMMARY, "summarizer": summarizing}
        self.said = [("user" if at % 2 == 0 else "assistant", f"{at} said this now") for at in range(250)]
        self.begin()

    def begin(self) -> None:
        """Make what is asked."""

    async def ask(self) -> list[str]:
        """Give the texts that go out for one more turn of the user's."""
        sent = await self.sent()
        self.said += [("user", QUESTION), ("assistant", "so it is")]
        return sent

    async def sent(self) -> list[str]:
        """Give the texts that go out."""
        raise NotImplementedError


class Core(Door):
    """The core's session."""

    @override
    def begin(self) -> None:
        self.session: ContextSession[dict[str, Any]] = ContextSession(budget=LIMIT, **self.options)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation."""
        return [{"role": role, "content": text} for role, text in self.said]

    @override
    async def sent(self) -> list[str]:
        return [str(message["content"]) for message in self.session.fit(self.messages, QUESTION).messages]


class AsyncCore(Core):
    """On a loop."""

    @override
    async def sent(self) -> list[str]:
        return [str(message["content"]) for message in (await self.session.afit(self.messages, QUESTION)).messages]


class Step(Door):
    """The step of a LangChain chain."""

    @override
    def begin(self) -> None:
        self.step = ContextRunnable(LIMIT, provider="openai", **self.options)  # as the dicts of the core are

    @property
    def messages(self) -> list[BaseMessage]:
        """The conversation, with the question."""
        past = [HumanMessage(text) if role == "user" else AIMessage(text) for role, text in self.said]
        return [*past, HumanMessage(QUESTION)]

    @override
    async def sent(self) -> list[str]:
        return [message.text for message in self.step.invoke(self.messages)]


class AsyncStep(Step):
    """On a loop."""

    @override
    async def sent(self) -> list[str]:
        return [message.text for message in await self.step.ainvoke(self.messages)]


class StreamedStep(Step):
    """Streamed."""

    @override
    async def sent(self) -> list[str]:
        return [message.text for chunk in self.step.stream(self.messages) for message in chunk]


class AsyncStreamedStep(Step):
    """Streamed, on a loop."""

    @override
    async def sent(self) -> list[str]:
        return [message.text async for chunk in self.step.astream(self.messages) for message in chunk]


class History(Step):
    """A LangChain history: it sees the question when it is stored."""

    @override
    def begin(self) -> None:
        self.store = InMemoryHistory()
        self.history = BudgetedChatMessageHistory(self.store, LIMIT, **self.options)

    def catch_up(self) -> None:
        """Store what is not stored yet."""
        self.store.add_messages(self.messages[len(self.store.messages) :])

    @override
    async def ask(self) -> list[str]:
        self.catch_up()
        sent = await self.sent()
        self.said += [("user", QUESTION), ("assistant", "so it is")]
        return sent

    @override
    async def sent(self) -> list[str]:
        return [message.text for message in self.history.messages]


class AsyncHistory(History):
    """On a loop."""

    @override
    async def sent(self) -> list[str]:
        return [message.text for message in await self.history.aget_messages()]


class Memory(Door):
    """A LlamaIndex memory."""

    @override
    def begin(self) -> None:
        self.memory = ContextMemoryBuffer(token_limit=LIMIT, **self.options)

    def catch_up(self) -> None:
        """Store what is not stored yet."""
        asked = [*self.said, ("user", QUESTION)]
        new = asked[len(self.memory.get_all()) :]
        self.memory.put_messages([ChatMessage(text, role=role) for role, text in new])

    @override
    async def sent(self) -> list[str]:
        self.catch_up()
        return [str(message.content) for message in self.memory.get()]


class AsyncMemory(Memory):
    """On a loop."""

    @override
    async def sent(self) -> list[str]:
        self.catch_up()
        return [str(message.content) for message in await self.memory.aget()]


DOORS: Final = (
    Core, AsyncCore, Step, AsyncStep, StreamedStep, AsyncStreamedStep, History, AsyncHistory, Memory, AsyncMemory,
)  # fmt: skip


class Odd(BaseException):
    """What nobody catches."""


def raising(error: BaseException) -> Callable[[], Any]:
    """Give what raises."""

    def work() -> Any:
        raise error

    return work


def hang() -> None:
    """Wait until the turn has long gone."""
    threading.Event().wait(1.5)


TROUBLE: Final[dict[str, Callable[[], Any]]] = {
    "fails": raising(ConnectionError("secret")),
    "base exception": raising(Odd("secret")),
    "exits": raising(SystemExit(3)),
    "is closed": raising(GeneratorExit()),
    "is cancelled": raising(asyncio.CancelledError()),
    "has run out": raising(StopIteration()),
    "hangs": hang,
    "says nothing": lambda: "",
    "says blanks": lambda: "\u200b \n\u2060\t",
    "gives bytes": lambda: b"notes",
    "gives nothing": lambda: None,
    "gives a message": lambda: ChatMessage("notes"),
}


class Troubled:
    """Writes notes, but at one of its calls something else happens."""

    def __init__(self, trouble: Callable[[], Any], at: int) -> None:
        """Take what happens, and at which call."""
        self.trouble, self.at = trouble, at
        self.calls = 0
        self.given: list[str] = []

    def __call__(self, summary: str, messages: Sequence[Message]) -> Any:
        """Write."""
        del summary
        self.calls += 1
        if self.calls == self.at and self.trouble is hang:
            hang()  # and then writes after all
        elif self.calls == self.at:
            return self.trouble()
        return self.write(messages)

    def write(self, messages: Sequence[Message]) -> str:
        """Note what was given."""
        self.given += [message.text for message in messages]
        return f"notes {self.calls}"


class AsyncTroubled(Troubled):
    """On a loop."""

    @override
    async def __call__(self, summary: str, messages: Sequence[Message]) -> Any:
        if self.trouble is hang and self.calls + 1 == self.at:
            self.calls += 1
            await asyncio.sleep(1.5)  # and then writes after all, where nobody has cancelled it
            return self.write(messages)
        return super().__call__(summary, messages)


async def threads_left(most: int) -> bool:
    """Whether no more threads than these run; one that has given its result may still be on its way out."""
    for _ in range(200):
        if sum(thread.name == "ctx-layers" for thread in threading.enumerate()) <= most:
            return True
        await asyncio.sleep(0.01)
    return False


@pytest.mark.parametrize("trouble", TROUBLE)
@pytest.mark.parametrize("kind", [Troubled, AsyncTroubled])
@pytest.mark.parametrize(
    ("door", "at"), [(door, at) for door in DOORS for at in ((1, 2, PIECES) if door in (Core, AsyncCore) else (2,))]
)
async def test_no_turn_ends_and_no_message_is_given_twice(
    door: type[Door], kind: type[Troubled], trouble: str, at: int, caplog: pytest.LogCaptureFixture
) -> None:
    """The turn goes out with what is written so far; those after it go on from there, each with one failure at most."""
    summarizer = kind(TROUBLE[trouble], at)
    timeout = 0.5 if trouble == "hangs" else 60
    surface = door(Summarizing(summarizer, window=200, counter=WORDS, timeout=timeout))
    sent = await surface.ask()
    assert await threads_left(1 if trouble == "hangs" else 0)
    assert summarizer.calls == at
    assert sent[-1] == QUESTION
    assert sum(len(text.split()) for text in sent) <= LIMIT
    assert sent[0].endswith("earlier messages omitted]")
    assert (f"notes {at - 1}\n" in sent[0]) is (at > 1)
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) == 1
    assert "secret" not in caplog.text
    for _ in range(200):
        sent = await surface.ask()
        if f"notes {summarizer.calls}\n" in sent[0] and not sent[0].endswith("omitted]"):
            break
        await asyncio.sleep(0.05)
    assert sent[0] == f"So far:\n<summary>\nnotes {summarizer.calls}\n</summary>"
    assert sum(len(text.split()) for text in sent) <= LIMIT
    kept = [text for text in sent if text != QUESTION]
    said = [text for _, text in surface.said if text != QUESTION]
    told = [text for text in summarizer.given if text != QUESTION]
    assert told == said[: len(told)]
    assert set(kept[1:]) <= set(said[len(told) :])
