"""LangChain's retrievers, vector stores and embeddings as sources of memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore

from ctx_core.errors import BudgetError
from ctx_core.memory.retrieved import in_given_order, retrieved_layer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.runnables import RunnableConfig

    from ctx_core.budget import Size
    from ctx_core.layers import Layer
    from ctx_core.memory.item import MemoryItem
    from ctx_core.session import LayerRequest

_FOUND = 20


class RetrieverMemory:
    """What a retriever or a vector store finds for a question, as memories or as a layer.

    `builder.layer(memory.layer(question))`; the order is the retriever's.
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
        if isinstance(source, VectorStore):
            source = source.as_retriever(search_kwargs={"k": max_items})
        if not isinstance(source, BaseRetriever):
            msg = f"expected a BaseRetriever or a VectorStore, found {type(source).__name__}"
            raise BudgetError(msg)
        self._retriever: BaseRetriever = source
        self._max_items = max_items
        self._cap = cap

    def items(self, question: str, config: RunnableConfig | None = None) -> tuple[MemoryItem, ...]:
        """Give what is found, best first."""
        return documents_as_memories(self._retriever.invoke(question, config))[: self._max_items]

    async def aitems(self, question: str, config: RunnableConfig | None = None) -> tuple[MemoryItem, ...]:
        """Give what is found, best first."""
        return documents_as_memories(await self._retriever.ainvoke(question, config))[: self._max_items]

    def layer(self, question: str, config: RunnableConfig | None = None) -> Layer:
        """Give the layer of what is found."""
        return retrieved_layer(self.items(question, config), cap=self._cap)

    async def alayer(self, question: str, config: RunnableConfig | None = None) -> Layer:
        """Give the layer of what is found."""
        return retrieved_layer(await self.aitems(question, config), cap=self._cap)

    def layer_for(self, request: LayerRequest) -> Layer:
        """Give the layer of what is found for the question of a request: `layers=[RetrieverMemory(retriever)]`."""
        return self.layer(request.question)

    async def alayer_for(self, request: LayerRequest) -> Layer:
        """Give the layer of what is found for the question of a request."""
        return await self.alayer(request.question)


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
