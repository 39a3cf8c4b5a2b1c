"""`Memory` as it is known, with its blocks, and ours in its place."""

from __future__ import annotations

import gc
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core import MockEmbedding
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.llms import MockLLM
from llama_index.core.memory import FactExtractionMemoryBlock, StaticMemoryBlock, VectorMemoryBlock
from llama_index.core.memory.memory import BaseMemoryBlock, InsertMethod
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore
from llama_index.core.vector_stores.types import BasePydanticVectorStore, VectorStoreQueryResult
from pydantic import Field
from typing_extensions import override

from tests.frameworks.llamaindex.swapped import WARNINGS, every_swap, judged, said, texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.frameworks.llamaindex.swapped import Swap

pytestmark = WARNINGS
TALK = ("Hello", "Hi, how can I help?", "When does the ferry leave?", "At noon.")


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Collect the databases that LlamaIndex's memory leaves open, here, and not in the middle of another test."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()


class Kept(BaseMemoryBlock[str]):
    """Keeps what leaves the short-term memory, and what it was asked with."""

    name: str = "kept"
    got: list[ChatMessage] = Field(default_factory=list)
    asked: list[list[ChatMessage]] = Field(default_factory=list)
    sessions: list[Any] = Field(default_factory=list)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """Say how much it has."""
        self.asked.append(list(messages or ()))
        self.sessions.append(block_kwargs.get("session_id"))
        return f"kept {len(self.got)}" if self.got else ""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Keep it."""
        self.got.extend(messages)


@every_swap
async def test_what_is_put_is_given(swap: Swap) -> None:
    """Under a session, sync and async, one and many."""
    memory = swap.memory.from_defaults(session_id="s", token_limit=4_000)
    await memory.aput(said(*TALK)[0])
    await memory.aput_messages(said(*TALK)[1:])
    assert texts(await memory.aget()) == texts(await memory.aget_all()) == list(TALK)
    assert memory.session_id == "s"


@every_swap
def test_the_sync_doors_do_the_same(swap: Swap) -> None:
    """Put, get, set and reset."""
    memory = swap.memory.from_defaults(session_id="s", token_limit=4_000, chat_history=said(*TALK)[:2])
    memory.put(said(*TALK)[2])
    assert texts(memory.get()) == list(TALK[:3])
    memory.set(said(*TALK))
    assert texts(memory.get_all()) == list(TALK)
    memory.reset()
    assert memory.get_all() == []


@every_swap
@pytest.mark.parametrize("asked", ["When?", ChatMessage("When?", role="user")])
async def test_a_question_may_be_told(swap: Swap, asked: Any) -> None:
    """As text or as a message; it is not stored."""
    memory = swap.memory.from_defaults(session_id="s", token_limit=4_000, chat_history=said(*TALK))
    assert texts(await memory.aget(input=asked)) == list(TALK)
    assert len(await memory.aget_all()) == 4


@every_swap
async def test_the_oldest_turns_leave(swap: Swap) -> None:
    """What is given begins with a user's message and is no more than the limit; all of it is stored."""
    memory = swap.memory.from_defaults(session_id="s", token_limit=400)
    for message in said(*(f"{'word ' * 20}{at}" for at in range(60))):
        await memory.aput(message)
    given = await memory.aget()
    assert 0 < len(given) < 30
    assert given[0].role == "user"
    assert (given[-1].content or "").endswith("59")
    assert len(await memory.aget_all()) == 60


@every_swap
async def test_a_turn_with_tools_leaves_as_a_whole(swap: Swap) -> None:
    """No result is given without its call, and no call without its result."""
    memory = swap.memory.from_defaults(session_id="s", token_limit=600)
    for at in range(30):
        block: Any = ToolCallBlock(tool_call_id=f"{at}", tool_name="f", tool_kwargs={})
        await memory.aput_messages(
            [
                ChatMessage(f"question {at}", role="user"),
                ChatMessage(role="assistant", blocks=[block]),
                ChatMessage("word " * 40, role="tool", additional_kwargs={"tool_call_id": f"{at}"}),
                ChatMessage(f"answer {at}", role="assistant"),
            ]
        )
    roles = [message.role.value for message in await memory.aget()]
    assert roles
    assert roles == ["user", "assistant", "tool", "assistant"] * (len(roles) // 4)


@every_swap
async def test_a_static_block_is_in_what_is_given(swap: Swap) -> None:
    """On every request."""
    content: Any = "Her name is Aino."
    block = StaticMemoryBlock(name="person", static_content=content, priority=0)
    memory = swap.memory.from_defaults(
        session_id="s", token_limit=4_000, memory_blocks=[block], chat_history=said(*TALK)
    )
    given = await memory.aget(input="So?")
    assert "Her name is Aino." in (given[0].content or "")
    assert texts(given[1:]) == list(TALK)


@every_swap
async def test_a_static_block_of_parts(swap: Swap) -> None:
    """Content blocks instead of a text."""
    block = StaticMemoryBlock(name="person", static_content=[TextBlock(text="Aino"), TextBlock(text="Oslo")])
    memory = swap.memory.from_defaults(
        session_id="s", token_limit=4_000, memory_blocks=[block], chat_history=said(*TALK)
    )
    given = str([message.content for message in await memory.aget()])
    assert "Aino" in given
    assert "Oslo" in given


@every_swap
async def test_blocks_are_given_what_leaves(swap: Swap) -> None:
    """In order, once, and they are asked with the conversation and its session."""
    block = Kept(priority=1)
    memory = swap.memory.from_defaults(session_id="s", token_limit=400, memory_blocks=[block])
    for message in said(*(f"{'word ' * 20}{at}" for at in range(60))):
        await memory.aput(message)
        await memory.aget()
    kept = [int((message.content or "").split()[-1]) for message in block.got]
    assert kept == list(range(len(kept)))
    assert 20 < len(kept) < 60
    assert block.asked[-1][-1].content is not None
    assert set(block.sessions) == {"s"}
    assert f"kept {len(kept)}" in str([message.content for message in await memory.aget()])


@every_swap
async def test_facts_are_extracted_from_what_leaves(swap: Swap) -> None:
    """By the LLM of the block."""
    llm = MockLLM(max_tokens=3)
    block = FactExtractionMemoryBlock(name="facts", llm=llm, max_facts=5)
    memory = swap.memory.from_defaults(session_id="s", token_limit=300, memory_blocks=[block])
    for message in said(*(f"{'word ' * 20}{at}" for at in range(30))):
        await memory.aput(message)
        await memory.aget()
    assert isinstance(block.facts, list)


class Newest(BasePydanticVectorStore):
    """Finds what was added last."""

    stores_text: bool = True
    added: list[Any] = Field(default_factory=list)

    @property
    @override
    def client(self) -> None:
        return None

    @override
    def add(self, nodes: Any, **add_kwargs: Any) -> list[str]:
        self.added.extend(nodes)
        return [node.node_id for node in nodes]

    @override
    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        return None

    @override
    def query(self, query: Any, **kwargs: Any) -> VectorStoreQueryResult:
        found = self.added[-query.similarity_top_k :]
        return VectorStoreQueryResult(nodes=found, similarities=[1.0] * len(found), ids=[one.node_id for one in found])


@every_swap
async def test_a_vector_block_finds_what_left(swap: Swap) -> None:
    """It is put what leaves, and asked with the question."""
    store = Newest()
    block = VectorMemoryBlock(
        name="found", vector_store=store, embed_model=MockEmbedding(embed_dim=4), similarity_top_k=1, priority=0
    )
    memory = swap.memory.from_defaults(session_id="s", token_limit=800, memory_blocks=[block])
    for message in said(*(f"{'word ' * 20}{at}" for at in range(60))):
        await memory.aput(message)
        await memory.aget()
    newest = store.added[-1].get_content()
    given = await memory.aget(input="word")
    assert newest in "\n".join(message.content or "" for message in given)


@judged("a memory that is put in the place of another is asked, not written to: blocks are put what leaves only")
async def test_a_put_block_gets_every_message_of_long_term_memory(swap: Swap) -> None:
    """`accept_short_term_memory=False` blocks are put by hand, through `aput` of the memory."""
    block = Kept(priority=1, accept_short_term_memory=False)
    memory = swap.memory.from_defaults(session_id="s", token_limit=400, memory_blocks=[block])
    for message in said(*(f"{'word ' * 20}{at}" for at in range(60))):
        await memory.aput(message)
        await memory.aget()
    assert memory.memory_blocks == [block]


@judged("in whose text layers go before the conversation is recipe_role=")
def test_the_insert_method(swap: Swap) -> None:
    """System or user."""
    memory = swap.memory.from_defaults(insert_method=InsertMethod.USER)
    assert memory.insert_method is InsertMethod.USER


@judged("nothing is flushed: how far a cut goes is HistoryPolicy(low_water=…)")
def test_the_size_of_a_flush(swap: Swap) -> None:
    """In tokens."""
    memory = swap.memory.from_defaults(token_flush_size=100, chat_history_token_ratio=0.5)
    assert (memory.token_flush_size, memory.chat_history_token_ratio) == (100, 0.5)


@judged("the store brings its table, its schema and its engine: chat_store=SQLAlchemyChatStore(…)")
@pytest.mark.parametrize("option", ["table_name", "async_database_uri", "db_schema"])
def test_a_database_by_its_name(swap: Swap, option: str) -> None:
    """As arguments of the memory."""
    values = {"table_name": "t", "async_database_uri": "sqlite+aiosqlite:///:memory:", "db_schema": None}
    memory = swap.memory.from_defaults(**{option: values[option] or "s"})
    assert getattr(memory.sql_store, option) == (values[option] or "s")


@every_swap
async def test_a_database_holds_the_conversation(swap: Swap, tmp_path: Path) -> None:
    """For all who have the same session."""
    store = SQLAlchemyChatStore(table_name="t", async_database_uri=f"sqlite+aiosqlite:///{tmp_path / 'a.db'}")
    one = swap.memory.from_defaults(session_id="s", token_limit=4_000, chat_store=store)
    await one.aput_messages(said(*TALK))
    assert texts(await store.get_messages("s")) == list(TALK)
    assert await store.get_messages("other") == []
    await one.areset()
    assert await one.aget_all() == []
