"""No async door of a surface reads, writes or deletes what is remembered on the event loop."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from llama_index.core.base.llms.types import ChatMessage

from ctx_core import ContextSession, Framing, TokenCounter
from langchain_ctx import BudgetedChatMessageHistory, ContextRunnable, InMemoryHistory
from llamaindex_ctx import ContextMemoryBuffer

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
LIMIT = 40
Door = Callable[[dict[str, Any]], Awaitable[object]]


class Watched(dict[str, Any]):
    """A mapping, as a database is one, that notes what it is asked for and on which thread."""

    def __init__(self) -> None:
        """Begin unused."""
        super().__init__()
        self.asked: list[tuple[str, int]] = []

    def get(self, key: str, default: Any = None) -> Any:
        """Note a read."""
        self.asked.append(("read", threading.get_ident()))
        return super().get(key, default)

    def __setitem__(self, key: str, value: Any) -> None:
        """Note a write."""
        self.asked.append(("write", threading.get_ident()))
        super().__setitem__(key, value)

    def __delitem__(self, key: str) -> None:
        """Note a deletion."""
        self.asked.append(("delete", threading.get_ident()))
        super().__delitem__(key)


def openai(turns: int) -> list[dict[str, Any]]:
    """Make a conversation of OpenAI-style messages."""
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "content": f"message number {at}"} for at in range(2 * turns + 1)]


def langchain(turns: int) -> list[Any]:
    """Make one of LangChain's."""
    kinds: tuple[Any, ...] = (HumanMessage, AIMessage)
    return [kinds[at % 2](f"message number {at}") for at in range(2 * turns + 1)]


def llamaindex(turns: int) -> list[ChatMessage]:
    """Make one of LlamaIndex's."""
    roles = ("user", "assistant")
    return [ChatMessage(f"message number {at}", role=roles[at % 2]) for at in range(2 * turns + 1)]


def history(states: dict[str, Any]) -> BudgetedChatMessageHistory:
    """Give a history with much in it."""
    return BudgetedChatMessageHistory(InMemoryHistory(langchain(20)), budget=LIMIT, counter=WORDS, states=states)


def memory(states: dict[str, Any]) -> ContextMemoryBuffer:
    """Give a memory with much in it, a cut of which is kept outside."""
    made = ContextMemoryBuffer.from_defaults(llamaindex(20), budget=LIMIT, counter=WORDS, states=states)
    made.get()
    return made


async def session(states: dict[str, Any]) -> object:
    """Fit a list."""
    return await ContextSession[dict[str, Any]](budget=LIMIT, counter=WORDS, states=states).afit(openai(20))


async def window(states: dict[str, Any]) -> object:
    """Take the window of what was added."""
    keeping = ContextSession[dict[str, Any]](budget=LIMIT, counter=WORDS, states=states)
    keeping.add(openai(20))
    return await keeping.awindow()


async def step(states: dict[str, Any]) -> object:
    """Invoke a step."""
    return await ContextRunnable(LIMIT, counter=WORDS, states=states).ainvoke(langchain(20))


async def cleared(states: dict[str, Any]) -> object:
    """View a history, then empty it."""
    viewed = history(states)
    await viewed.aget_messages()
    await viewed.aclear()
    return viewed


DOORS: dict[str, tuple[Door, set[str]]] = {
    "session.afit": (session, {"read", "write"}),
    "session.awindow": (window, {"read", "write"}),
    "step.ainvoke": (step, {"read", "write"}),
    "history.aget_messages": (lambda states: history(states).aget_messages(), {"read", "write"}),
    "history.aclear": (cleared, {"read", "write", "delete"}),
    "memory.aget": (lambda states: memory(states).aget(), {"read"}),
    "memory.aset": (lambda states: memory(states).aset(llamaindex(2)), {"read", "delete"}),
    "memory.areset": (lambda states: memory(states).areset(), {"delete"}),
}


@pytest.mark.parametrize("name", DOORS)
async def test_what_is_remembered_is_fetched_in_a_thread(name: str) -> None:
    """A database that takes its time keeps no other task waiting."""
    door, expected = DOORS[name]
    states = Watched()
    made: list[Awaitable[object]] = []
    thread = threading.Thread(target=lambda: made.append(door(states)))  # what comes before the door is not watched
    thread.start()
    thread.join()
    states.asked.clear()
    await made[0]
    assert {kind for kind, _ in states.asked} >= expected
    assert threading.get_ident() not in {thread for _, thread in states.asked}
