"""LangChain's retrievers and vector stores as memories."""

from datetime import UTC, datetime

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import InMemoryVectorStore

from ctx_core import ContextBuilder, Tokens
from ctx_core.errors import BudgetError
from ctx_core.memory import Dense, MemoryItem
from langchain_ctx.memory_source import LangChainEmbedder, RetrieverMemory

DOCUMENTS = [
    Document("Likes tea", metadata={"source": "chat.txt", "created_at": "2024-05-01T10:00:00+00:00"}),
    Document("Lives in Lisbon", metadata={"title": "profile", "date": 1_714_600_000, "tags": "home, city"}),
    Document("likes TEA", metadata={}),
    Document("Works at night", metadata={"date": "some day"}),
]


class Fixed(BaseRetriever):
    """Finds the same for every question."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        del query, run_manager
        return DOCUMENTS


def test_documents_keep_their_order_time_and_source() -> None:
    """What the retriever places first is listed first, and a near-duplicate is left out."""
    assert RetrieverMemory(Fixed()).layer("tea?").body.split("\n")[1:-1] == [
        "Relevant memories:",
        "[2024-05-01, chat.txt] Likes tea",
        "[2024-05-01, profile] Lives in Lisbon",
        "Works at night",
    ]


async def test_the_async_door_gives_the_same() -> None:
    """One body, two doors."""
    memory = RetrieverMemory(Fixed(), max_items=2)
    assert await memory.alayer("tea?") == memory.layer("tea?")
    assert len(await memory.aitems("tea?")) == 2


def test_metadata_is_read() -> None:
    """Time as text or as seconds, and tags as text or as a list."""
    items = RetrieverMemory(Fixed()).items("tea?")
    assert items[0].time == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert items[1].tags == ("home", "city")
    assert items[3].time is None


def test_the_cap_drops_the_last() -> None:
    """What the retriever placed last goes first."""
    layer = RetrieverMemory(Fixed(), cap=Tokens(30)).layer("tea?")
    context = ContextBuilder(500, "gpt-4o").layer(layer).build(message="tea?")
    assert "Likes tea" in context.system_prompt
    assert "Works at night" not in context.system_prompt


def test_a_vector_store_is_searched() -> None:
    """A store is asked for as many as are wanted."""
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    store.add_documents(DOCUMENTS)
    items = RetrieverMemory(store, max_items=2).items("Likes tea")
    assert len(items) == 2
    assert items[0].text == "Likes tea"


def test_embeddings_rank() -> None:
    """Any LangChain embeddings will do for the dense ranker."""
    dense = Dense(LangChainEmbedder(DeterministicFakeEmbedding(size=32)))
    scores = dense("Likes tea", [MemoryItem("Lives in Lisbon"), MemoryItem("Likes tea")])
    assert scores[1] == pytest.approx(1)
    assert scores[0] < 1


def test_something_else_is_refused() -> None:
    """The error says what was found."""
    with pytest.raises(BudgetError, match="found list"):
        RetrieverMemory(DOCUMENTS)  # type: ignore[arg-type]  # the point  # pyright: ignore[reportArgumentType]
