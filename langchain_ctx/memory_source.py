"""LangChain's retrievers, vector stores and embeddings as sources of memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from typing_extensions import override

from ctx_core.errors import BudgetError
from ctx_core.memory.retrieved import RetrievedMemory, in_given_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings

    from ctx_core.memory.item import MemoryItem
    from ctx_core.sizes import Size

_FOUND = 20


class RetrieverMemory(RetrievedMemory):
    """What a retriever or a vector store finds for a question, as memories or as a layer.

    `layers=[RetrieverMemory(retriever)]`, or `builder.layer(memory.layer(question))`. Behind the question its methods
    take a `RunnableConfig`, which goes along to the retriever.
    """

    def __init__(
        self, source: BaseRetriever | VectorStore, *, max_items: int = _FOUND, cap: Size | None = None
    ) -> None:
        """Take the retriever.

        Args:
            source: a vector store is asked for `max_items` by similarity.
            max_items: at most so many.
            cap: the most the layer may cost, where the budget has no part `memory`.

        Raises:
            BudgetError: for something that is neither.
        """
        super().__init__(max_items=max_items, cap=cap)
        if isinstance(source, VectorStore):
            source = source.as_retriever(search_kwargs={"k": max_items})
        if not isinstance(source, BaseRetriever):
            msg = f"expected a BaseRetriever or a VectorStore, found {type(source).__name__}"
            raise BudgetError(msg)
        self._retriever: BaseRetriever = source

    @override
    def _find(self, question: str, *told: Any) -> tuple[MemoryItem, ...]:
        return documents_as_memories(self._retriever.invoke(question, *told))

    @override
    async def _afind(self, question: str, *told: Any) -> tuple[MemoryItem, ...]:
        return documents_as_memories(await self._retriever.ainvoke(question, *told))


class LangChainEmbedder:
    """Any LangChain embeddings as what a `ctx_core.memory.Dense` ranker wants."""

    def __init__(self, embeddings: Embeddings) -> None:
        """Take the embeddings."""
        self._embeddings = embeddings

    def embed(self, texts: list[str], /) -> Sequence[Sequence[float]]:
        """Give the vector of each text."""
        return self._embeddings.embed_documents(texts)


def documents_as_memories(documents: Sequence[Document]) -> tuple[MemoryItem, ...]:
    """Give the memories of documents, the first being the most important; time and source are in their metadata."""
    texts: list[tuple[str, dict[str, Any]]] = [(document.page_content, document.metadata) for document in documents]
    return in_given_order(texts)
