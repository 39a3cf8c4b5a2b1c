"""A memory takes what every surface takes: layers, states and listeners; its class takes what `from_defaults` does."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, TextBlock
from llama_index.core.llms import MockLLM
from llama_index.core.memory import StaticMemoryBlock
from llama_index.core.storage.chat_store import SimpleChatStore

from ctx_core import ContextBudget, ContextBuilder, Framing, StateCache, TokenCounter, UsageLog
from ctx_core.memory import ConversationMemory, MemoryItem, RankedMemory
from llamaindex_ctx import ContextMemoryBuffer
from llamaindex_ctx.memory_source import BlockMemory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core import Message

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())


def talk(turns: int, name: str = "my") -> list[ChatMessage]:
    """Make a conversation of so many answered turns, and a last question."""
    said = [
        ChatMessage(f"{name} {text} {at}", role=role)
        for at in range(turns)
        for role, text in (("user", "question"), ("assistant", "answer"))
    ]
    return [*said, ChatMessage(f"{name} question {turns}", role="user")]


def texts(messages: Sequence[ChatMessage]) -> list[str]:
    """Show messages."""
    return [str(message.content) for message in messages]


def quoting(summary: str, messages: Sequence[Message]) -> str:
    """Summarize by quoting the first message."""
    return summary or f"told: {messages[0].text}"


def test_the_class_takes_what_from_defaults_takes() -> None:
    """The names of both of LlamaIndex's memories mean the same in either."""
    for make in (ContextMemoryBuffer, ContextMemoryBuffer.from_defaults):
        assert make(token_limit=500).token_limit == 500
        assert make(token_limit=500, reserve=100).token_limit == 400
        assert make(llm=MockLLM(), token_limit=9_000).token_limit == 9_000
        assert make(session_id="me").chat_store_key == "me"
        assert make(tokenizer_fn=str.split, token_limit=40).tokenizer_fn("two words")
        assert texts(make(chat_history=talk(1), token_limit=100, counter=WORDS).get()) == texts(talk(1))


@pytest.mark.parametrize("door", ["get", "aget"])
async def test_layers_stand_before_the_conversation(door: str) -> None:
    """Facts by the question, a memory block, and the turns that were cut, within the budget."""
    memory = ContextMemoryBuffer(
        token_limit=120,
        counter=WORDS,
        layers=[
            RankedMemory([MemoryItem("the ferry leaves at noon")], name="facts"),
            BlockMemory(StaticMemoryBlock(name="who", static_content=[TextBlock(text="her name is Ada")])),
            ConversationMemory(),
        ],
    )
    memory.put_messages(
        [ChatMessage("the password is swordfish"), ChatMessage("noted", role="assistant"), *talk(40)[:-1]]
    )
    asked = "which password was it?"
    shown = texts(memory.get(asked) if door == "get" else await memory.aget(asked))
    assert all(text in shown[0] for text in ("ferry leaves", "name is Ada", "swordfish"))
    assert sum(len(text.split()) for text in shown) + 4 <= 120


def test_cut_and_summary_may_be_kept_outside() -> None:
    """An application that makes a memory anew for each request goes on where it was; others have their own."""
    store, states, calls = SimpleChatStore(), StateCache(), list[str]()

    def summarizer(summary: str, messages: Sequence[Message]) -> str:
        calls.append(messages[0].text)
        return quoting(summary, messages)

    def memory(user: str) -> ContextMemoryBuffer:
        return ContextMemoryBuffer(
            chat_store=store, chat_store_key=user, token_limit=40, counter=WORDS, states=states, summarizer=summarizer
        )

    for turn in range(20):
        for user in ("ada", "bob"):
            memory(user).put_messages(talk(turn, user)[-2:] if turn else talk(0, user))
            shown = texts(memory(user).get())
            assert not any(("bob" if user == "ada" else "ada") in text for text in shown)
    written = len(calls)
    memory("ada").get()
    assert len(calls) == written
    memory("ada").reset()
    assert states.get("ada") is None
    assert states.get("bob") is not None


async def test_listeners_are_fields_of_a_memory() -> None:
    """A log, and a function that may be async."""
    log, heard = UsageLog(), list[int]()

    async def hear(report: Any) -> None:
        heard.append(report.used)

    memory = ContextMemoryBuffer(chat_history=talk(3), token_limit=100, counter=WORDS, usage_log=log, on_report=hear)
    memory.get()
    await memory.aget()
    assert [record.used for record in log.entries] == heard == [21, 21]


def test_it_is_switched_while_it_runs() -> None:
    """Off, all there is goes out, and is counted."""
    memory = ContextMemoryBuffer(chat_history=talk(20), token_limit=40, counter=WORDS)
    first = memory.get()
    memory.enabled = False
    assert texts(memory.get()) == texts(talk(20))
    assert memory.last_report is not None
    assert memory.last_report.used > 40
    memory.enabled = True
    assert memory.get() == first


def test_a_limit_that_is_set_anew_holds_from_the_next_view_on() -> None:
    """A field of the memory: what has room again is shown again."""
    memory = ContextMemoryBuffer(chat_history=talk(20), token_limit=40, counter=WORDS)
    memory.get()
    memory.budget = ContextBudget(1_000)
    assert texts(memory.get()) == texts(talk(20))


@pytest.mark.parametrize("again", [copy.deepcopy, lambda memory: pickle.loads(pickle.dumps(memory))])  # noqa: S301 - our own bytes
def test_copies_have_its_layers_and_a_state_of_their_own(again: Any) -> None:
    """What a copy cuts and has summarized is no business of the memory that it was made of."""
    memory = ContextMemoryBuffer(
        chat_history=talk(20), recipe=ContextBuilder(50, WORDS).system("Be brief."), summarizer=quoting
    )
    memory.get()
    other = again(memory)
    other.set(talk(20, "her"))
    assert not any("my" in text for text in texts(other.get()))
    assert texts(memory.get())[1].endswith("told: my question 0\n</summary>")


def test_a_message_of_another_text_in_the_store_is_noticed() -> None:
    """An instruction written over a message that was left out is shown."""
    store = SimpleChatStore()
    memory = ContextMemoryBuffer(
        chat_history=talk(20), chat_store=store, chat_store_key="me", token_limit=40, counter=WORDS
    )
    memory.get()
    messages = store.get_messages("me")
    messages[3] = ChatMessage("new rule", role="system")
    store.set_messages("me", messages)
    assert texts(memory.get())[0] == "new rule"
