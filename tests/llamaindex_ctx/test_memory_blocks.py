"""LlamaIndex's memory blocks in ours, and our block in LlamaIndex's memory; room for what context engines find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.base.llms.types import TextBlock
from llama_index.core.llms import MockLLM
from llama_index.core.memory import BaseMemoryBlock, StaticMemoryBlock

from ctx_core import BudgetError
from llamaindex_ctx import ContextMemoryBlock, ContextMemoryBuffer, with_context_budget
from tests.llamaindex_ctx.spies import COUNTER, asks, says, talk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.base.llms.types import ChatMessage

    from ctx_core import Message


class Notes(BaseMemoryBlock[str]):
    """Notes what is put into it, and what it is asked with."""

    name: str = "notes"
    priority: int = 1
    put: list[str] = []  # noqa: RUF012 - pydantic copies it
    asked: list[str] = []  # noqa: RUF012 - as above

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        self.asked.append((messages or [])[-1].content or "")
        return "The kiosk closes at noon."

    async def _aput(self, messages: list[ChatMessage]) -> None:
        self.put += [message.content or "" for message in messages]


async def test_blocks_are_asked_with_the_question_and_given_what_leaves() -> None:
    """Each message once, in order; by both doors; what a block says stands before the conversation."""
    messages = [one for at in range(40) for one in (asks(f"question {at} " + "word " * 10), says(f"answer {at}"))]
    block = Notes()
    fixed = StaticMemoryBlock(name="fixed", static_content=[TextBlock(text="Her name is Aino.")])
    memory = ContextMemoryBuffer.from_defaults(token_limit=400, counter=COUNTER, memory_blocks=[block, fixed])
    view: list[ChatMessage] = []
    for at in range(0, 80, 2):
        memory.put_messages(messages[at : at + 2])
        view = memory.get() if at % 4 else await memory.aget()
        assert "Her name is Aino." in (view[0].content or "")
    assert "The kiosk closes at noon." in (view[0].content or "")
    assert block.asked[-1].startswith("question 39")
    told = [message.content for message in messages]
    assert block.put == told[: len(block.put)]
    assert len(block.put) == 80 - (len(view) - 1)
    memory.reset()
    assert memory.fed == 0


def test_something_else_than_a_block_is_refused() -> None:
    """With its place."""
    blocks: Any = [Notes(), "notes"]
    with pytest.raises(BudgetError, match="memory block 2 must be a BaseMemoryBlock, found str"):
        ContextMemoryBuffer.from_defaults(memory_blocks=blocks)


async def test_our_block_brings_a_summary_and_what_the_question_needs() -> None:
    """As `Memory` uses a block: what leaves is put, then it is asked; each session is shown its own."""

    def summarizer(summary: str, messages: Sequence[Message]) -> str:
        return f"{summary} {len(messages)} messages.".strip()

    block = ContextMemoryBlock(summarizer=summarizer, max_items=1)
    gone = [asks("The password of the gate is swordfish."), says("Noted."), asks("When does the ferry leave?")]
    await block.aput(gone, from_short_term_memory=True, session_id="a")
    await block.aput([asks("My secret is plum.")], from_short_term_memory=True, session_id="b")
    content = await block.aget([asks("Which password has the gate?")], session_id="a")
    assert "3 messages." in content
    assert "swordfish" in content
    assert "plum" not in content
    other = await block.aget([asks("Which password has the gate?")], session_id="b")
    assert "swordfish" not in other
    shorter = await block.atruncate(content, 10)
    assert shorter is not None
    assert len(shorter) < len(content)
    assert await block.atruncate(content, 10_000) is None
    again = ContextMemoryBlock(**block.model_dump())
    assert await again.aget([asks("Which password has the gate?")], session_id="a") == content


async def test_a_summary_that_cannot_be_had_is_written_with_what_leaves_next() -> None:
    """Nothing is lost, and nothing raised."""
    told: list[int] = []

    def summarizer(_: str, messages: Sequence[Message]) -> str:
        told.append(len(messages))
        if len(told) == 1:
            msg = "down"
            raise RuntimeError(msg)
        return f"{len(messages)} messages."

    block = ContextMemoryBlock(summarizer=summarizer)
    await block.aput([asks("one"), says("two")])
    await block.aput([asks("three")])
    assert told == [2, 3]
    assert "3 messages." in await block.aget([asks("hi")])


@pytest.mark.filterwarnings("ignore:`langchain-community` is being sunset:DeprecationWarning")
@pytest.mark.parametrize("made", ["llm", "token_limit", "with_context_budget"])
@pytest.mark.parametrize("mode", ["context", "condense_plus_context", "condense_question", "simple", "best"])
def test_no_conversation_of_a_context_engine_ends_in_an_error(mode: Any, made: str) -> None:
    """Its prompt helper has room for what was found, at any length."""
    llm: Any = MockLLM(max_tokens=40, is_chat_model=True)
    llm = with_context_budget(llm, 2_000) if made == "with_context_budget" else llm
    given: dict[str, Any] = {"token_limit": 3_900} if made == "token_limit" else {"llm": llm}
    documents = [Document(text="The ferry leaves at noon. " * 200)]
    index = VectorStoreIndex.from_documents(documents, embed_model=MockEmbedding(8))
    memory = ContextMemoryBuffer.from_defaults(counter="gpt-4o", **given)
    engine = index.as_chat_engine(chat_mode=mode, llm=llm, memory=memory)
    for message in talk(5, words=600):
        if message.role.value == "user":
            engine.chat(message.content or "")
    assert len(memory.get_all()) == 12
