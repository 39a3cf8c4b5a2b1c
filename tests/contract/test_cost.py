"""A turn on a long history tokenizes the new text only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from llama_index.core.base.llms.types import ChatMessage

from ctx_core import HistoryPolicy, TokenCounter, ToolResultPolicy, WindowState, fit
from langchain_ctx import BudgetedChatMessageHistory, ContextRunnable, InMemoryHistory
from llamaindex_ctx import ContextMemoryBuffer

if TYPE_CHECKING:
    from collections.abc import Callable

OpenAIMessage = dict[str, Any]

BUDGET = 2_000
LONG = 10_000
"""Messages of the history."""


class Recording:
    """Counts letters by four, and remembers every text that it is asked for."""

    name = "recording"

    def __init__(self) -> None:
        """Begin with nothing."""
        self.texts: list[str] = []

    def count(self, text: str) -> int:
        """Count, and write it down."""
        self.texts.append(text)
        return -(-len(text) // 4)

    def news(self) -> list[str]:
        """Give what it was asked since the last time, but for nothing at all."""
        texts, self.texts = [text for text in self.texts if text], []
        return texts


@pytest.fixture
def recording() -> Recording:
    """A tokenizer that remembers what it was asked."""
    return Recording()


@pytest.fixture
def counter(recording: Recording) -> TokenCounter:
    """The counter around it."""
    return TokenCounter(recording)


def text(at: int) -> str:
    """Give a text that no other message has: about 15 tokens."""
    return f"message number {at} of a long talk about the tide and the ferry"


def talk(size: int) -> list[OpenAIMessage]:
    """Give a conversation of so many messages."""
    return [{"role": ("user", "assistant")[at % 2], "content": text(at)} for at in range(size)]


QUESTION = {"role": "user", "content": "and when does the next one leave?"}


def test_a_first_look_tokenizes_the_window_and_not_the_history(recording: Recording, counter: TokenCounter) -> None:
    """Newest first, until no more fits: of ten thousand messages a few dozen are looked at."""
    context = fit([*talk(LONG), QUESTION], BUDGET, counter=counter)
    asked = recording.news()
    kept = context.report.history.messages
    assert kept < len(asked) <= 3 * kept + 40
    assert text(0) not in asked


@pytest.mark.parametrize("remembered", [True, False], ids=["with a state", "without a state"])
def test_a_turn_tokenizes_the_new_text_only(recording: Recording, counter: TokenCounter, remembered: bool) -> None:  # noqa: FBT001 - a table's column
    """What was counted once is known, whatever objects hold it."""
    state = WindowState() if remembered else None
    first = fit([*talk(LONG), QUESTION], BUDGET, counter=counter, state=state)
    recording.news()
    answer, more = {"role": "assistant", "content": "at noon"}, {"role": "user", "content": "and the one after that?"}
    fit([*talk(LONG), dict(QUESTION), answer, more], BUDGET, counter=counter, state=first.state if remembered else None)
    assert sorted(recording.news()) == sorted([answer["content"], more["content"]])


@pytest.mark.parametrize(
    "policy",
    [
        HistoryPolicy(keep_first=2),
        HistoryPolicy(max_messages=50),
        HistoryPolicy(omission_marker="[{count} left out]"),
        HistoryPolicy(results=ToolResultPolicy(clear_after_steps=2, max_tokens=100)),
    ],
    ids=["keep first", "max messages", "marker", "results"],
)
def test_a_turn_tokenizes_little_under_every_policy(
    recording: Recording, counter: TokenCounter, policy: HistoryPolicy
) -> None:
    """The new text, and a marker where there is one."""
    first = fit([*talk(LONG), QUESTION], BUDGET, counter=counter, policy=policy, state=WindowState())
    recording.news()
    answer, more = {"role": "assistant", "content": "at noon"}, {"role": "user", "content": "and the one after that?"}
    fit([*talk(LONG), QUESTION, answer, more], BUDGET, counter=counter, policy=policy, state=first.state)
    new = set(recording.news())
    assert {answer["content"], more["content"]} <= new
    assert all("left out" in one for one in new - {answer["content"], more["content"]})


def test_many_turns_tokenize_each_text_once(recording: Recording, counter: TokenCounter) -> None:
    """A conversation that grows through several cuts."""
    messages, state = talk(200), WindowState()
    for at in range(200, 400, 2):
        messages += [{"role": "user", "content": text(at)}]
        state = fit(messages, BUDGET, counter=counter, state=state).state
        messages += [{"role": "assistant", "content": text(at + 1)}]
    asked = recording.news()
    assert len(asked) == len(set(asked))


def langchain(at: int) -> BaseMessage:
    """Give a message of LangChain's."""
    return AIMessage(text(at)) if at % 2 else HumanMessage(text(at))


def runnable_turns(counter: TokenCounter) -> Callable[[int], object]:
    """Give what sends a conversation of so many messages and a question through `ContextRunnable`."""
    step = ContextRunnable(BUDGET, counter=counter)
    config: Any = {"configurable": {"session_id": "s"}}
    return lambda size: step.invoke([*map(langchain, range(size)), HumanMessage(f"question behind {size}")], config)


def history_turns(counter: TokenCounter) -> Callable[[int], object]:
    """Give what reads a budgeted history of so many messages."""
    history = BudgetedChatMessageHistory(InMemoryHistory(map(langchain, range(LONG))), BUDGET, counter=counter)

    def read(size: int) -> object:
        history.add_messages([langchain(at) for at in range(len(history.backing.messages), size)])
        return history.messages

    return read


def memory_turns(counter: TokenCounter) -> Callable[[int], object]:
    """Give what reads a memory of so many messages, and asks."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=BUDGET, counter=counter)

    def read(size: int) -> object:
        stored = len(memory.get_all())
        memory.put_messages([ChatMessage(text(at), role=("user", "assistant")[at % 2]) for at in range(stored, size)])
        return memory.get(input=f"question behind {size}")

    return read


@pytest.mark.parametrize("turns", [runnable_turns, history_turns, memory_turns], ids=["runnable", "history", "memory"])
def test_a_turn_through_a_face_tokenizes_the_new_text_only(
    turns: Callable[[TokenCounter], Callable[[int], object]], recording: Recording, counter: TokenCounter
) -> None:
    """On ten thousand messages: the two that are new, and the question where the face sees it."""
    send = turns(counter)
    send(LONG)
    assert len(recording.news()) < 400
    send(LONG + 2)
    new = set(recording.news())
    assert {text(LONG), text(LONG + 1)} <= new
    assert new - {text(LONG), text(LONG + 1)} <= {f"question behind {LONG + 2}"}
