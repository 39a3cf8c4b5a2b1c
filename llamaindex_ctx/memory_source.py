"""LlamaIndex's retrievers, memory blocks and embeddings as sources of memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from llama_index.core.async_utils import asyncio_run  # pyright: ignore[reportUnknownVariableType] - of any coroutine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import StaticMemoryBlock
from llama_index.core.schema import MetadataMode
from typing_extensions import override

from ctx_core.engine.layers import Layer
from ctx_core.errors import BudgetError
from ctx_core.memory.retrieved import RetrievedMemory, in_given_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.memory.memory import BaseMemoryBlock
    from llama_index.core.schema import NodeWithScore

    from ctx_core.memory.item import MemoryItem
    from ctx_core.session import LayerRequest
    from ctx_core.sizes import Size

_FOUND = 20


class RetrieverMemory(RetrievedMemory):
    """What a retriever finds for a question, as memories or as a layer: `layers=[RetrieverMemory(retriever)]`."""

    def __init__(self, retriever: BaseRetriever, *, max_items: int = _FOUND, cap: Size | None = None) -> None:
        """Take the retriever.

        Args:
            retriever: any of LlamaIndex's.
            max_items: at most so many.
            cap: the most the layer may cost, where the budget has no part `memory`.

        Raises:
            BudgetError: for something else.
        """
        super().__init__(max_items=max_items, cap=cap)
        if not isinstance(retriever, BaseRetriever):
            msg = f"expected a LlamaIndex retriever, found {type(retriever).__name__}"
            raise BudgetError(msg)
        self._retriever = retriever

    @override
    def _find(self, question: str, *told: Any) -> tuple[MemoryItem, ...]:
        return nodes_as_memories(self._retriever.retrieve(question))

    @override
    async def _afind(self, question: str, *told: Any) -> tuple[MemoryItem, ...]:
        return nodes_as_memories(await self._retriever.aretrieve(question))


class BlockMemory:
    """What one of LlamaIndex's memory blocks has to say, as a layer of the block's name.

    What is cut from the history is put into the block by a `ContextMemoryBuffer(memory_blocks=[block])`; elsewhere it
    is for the caller to `aput` it.
    """

    def __init__(
        self, block: BaseMemoryBlock[Any], *, cap: Size | None = None, protected: bool = False, fed: bool = False
    ) -> None:
        """Take the block.

        Args:
            block: any memory block.
            cap: the most its layer may cost, where the budget has no part of the block's name.
            protected: whether it stays whole, as a block of priority 0 does in `Memory`.
            fed: whether a `ContextMemoryBuffer` puts into it what it leaves out of its requests.
        """
        self.fed = fed
        self._block = block
        self._cap = cap
        self._protected = protected

    def layer(self, messages: Sequence[ChatMessage] = (), *, session_id: str | None = None) -> Layer:
        """Give the layer; `messages` are the latest ones, which retrieving blocks search with."""
        layer: Layer = asyncio_run(self.alayer(messages, session_id=session_id))
        return layer

    async def alayer(self, messages: Sequence[ChatMessage] = (), *, session_id: str | None = None) -> Layer:
        """Give the layer; `messages` are the latest ones, which retrieving blocks search with."""
        content: object = await self._block.aget(list(messages), session_id=session_id)
        return Layer(
            name=self._block.name,
            text=_text(content),
            data=not isinstance(self._block, StaticMemoryBlock),  # whose text is the application's own
            cap=self._cap,
            protected=self._protected,
            stable=False,
        )

    async def aput(self, messages: Sequence[ChatMessage], *, session_id: str) -> None:
        """Put what has left the conversation into the block, as `Memory` does; the block may write into it."""
        await self._block.aput(list(messages), from_short_term_memory=True, session_id=session_id)

    def layer_for(self, request: LayerRequest) -> Layer:
        """Give the layer for a request: `layers=[BlockMemory(block)]`."""
        return self.layer(_asked(request), session_id=request.conversation or None)

    async def alayer_for(self, request: LayerRequest) -> Layer:
        """Give the layer for a request."""
        return await self.alayer(_asked(request), session_id=request.conversation or None)


class LlamaIndexEmbedder:
    """Any LlamaIndex embedding model as what a `ctx_core.memory.Dense` ranker wants."""

    def __init__(self, model: BaseEmbedding) -> None:
        """Take the model."""
        self._model = model

    def embed(self, texts: list[str], /) -> Sequence[Sequence[float]]:
        """Give the vector of each text."""
        return self._model.get_text_embedding_batch(texts)


def _asked(request: LayerRequest) -> list[ChatMessage]:
    """Give the conversation up to the question, which a chat engine has not stored yet."""
    history: list[ChatMessage] = list(request.history)
    stored = bool(history) and history[-1].role == MessageRole.USER and history[-1].content == request.question
    return (
        history if stored or not request.question else [*history, ChatMessage(request.question, role=MessageRole.USER)]
    )


def nodes_as_memories(nodes: Sequence[NodeWithScore]) -> tuple[MemoryItem, ...]:
    """Give the memories of retrieved nodes, the first being the most important."""
    return in_given_order((found.node.get_content(MetadataMode.NONE), found.node.metadata) for found in nodes)


def _text(content: object) -> str:
    """Give the text of what a block gives: a text, content blocks, or messages."""
    if isinstance(content, str):
        return content
    if isinstance(content, ChatMessage):
        return f"{content.role.value}: {content.content or ''}"
    if isinstance(content, list):
        texts = map(_text, cast("list[object]", content))
        return "\n".join(text for text in texts if text)
    text = getattr(content, "text", None)
    return text if isinstance(text, str) else ""
