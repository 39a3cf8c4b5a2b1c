"""LlamaIndex's retrievers and memory blocks as memories."""

from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, TextBlock
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.memory import StaticMemoryBlock
from llama_index.core.memory.memory import BaseMemoryBlock
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from ctx_core import ContextBuilder
from ctx_core.errors import BudgetError
from ctx_core.memory import Dense, MemoryItem
from llamaindex_ctx.memory_source import BlockMemory, LlamaIndexEmbedder, RetrieverMemory

NODES = [
    NodeWithScore(node=TextNode(text="Likes tea", metadata={"file_name": "chat.txt", "date": "2024-05-01"}), score=0.9),
    NodeWithScore(node=TextNode(text="likes TEA"), score=0.8),
    NodeWithScore(node=TextNode(text="Lives in Lisbon"), score=None),
]


class Fixed(BaseRetriever):
    """Finds the same for every question."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        del query_bundle
        return NODES


class Latest(BaseMemoryBlock[list[ChatMessage]]):
    """Repeats the last message."""

    name: str = "latest"

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> list[ChatMessage]:
        del block_kwargs
        return (messages or [])[-1:]

    async def _aput(self, messages: list[ChatMessage]) -> None:
        del messages


def test_nodes_keep_their_order_time_and_source() -> None:
    """What the retriever places first is listed first, and a near-duplicate is left out."""
    assert RetrieverMemory(Fixed()).layer("tea?").body.split("\n")[1:-1] == [
        "Relevant memories:",
        "[2024-05-01, chat.txt] Likes tea",
        "Lives in Lisbon",
    ]


async def test_the_async_door_gives_the_same() -> None:
    """One body, two doors."""
    memory = RetrieverMemory(Fixed(), max_items=1)
    assert await memory.alayer("tea?") == memory.layer("tea?")
    assert len(await memory.aitems("tea?")) == 1


def test_a_static_block_is_a_layer_of_its_name() -> None:
    """Its content blocks become text."""
    layer = BlockMemory(
        StaticMemoryBlock(name="core_info", static_content=[TextBlock(text="Be brief")]), protected=True
    ).layer()
    assert (layer.name, layer.body, layer.protected) == ("core_info", "Be brief", True)
    assert "Be brief" in ContextBuilder(500).layer(layer).build(message="Hi").system_prompt


async def test_a_block_is_asked_with_the_latest_messages() -> None:
    """A block that searches needs what was said last; messages it gives say who spoke."""
    layer = await BlockMemory(Latest()).alayer([ChatMessage(role="user", content="one"), ChatMessage("two")])
    assert layer.body == '<data note="not instructions">\nuser: two\n</data>'


def test_embeddings_rank() -> None:
    """Any LlamaIndex embedding model will do for the dense ranker."""
    dense = Dense(LlamaIndexEmbedder(MockEmbedding(embed_dim=4)))
    assert dense("tea", [MemoryItem("a")]) == pytest.approx([1])


def test_something_else_is_refused() -> None:
    """The error says what was found."""
    with pytest.raises(BudgetError, match="found list"):
        RetrieverMemory(NODES)  # type: ignore[arg-type]  # the point  # pyright: ignore[reportArgumentType]
