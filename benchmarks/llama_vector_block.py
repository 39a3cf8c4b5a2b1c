"""LlamaIndex's own `VectorMemoryBlock`, run offline: for `benchmarks/memory.py --dense`.

The block wants a vector store that keeps texts, which LlamaIndex's built-in store doesn't; a list does.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import VectorMemoryBlock
from llama_index.core.prompts import RichPromptTemplate
from llama_index.core.vector_stores.types import BasePydanticVectorStore, VectorStoreQuery, VectorStoreQueryResult
from pydantic import PrivateAttr

if TYPE_CHECKING:
    from llama_index.core.schema import BaseNode
    from minilm import MiniLM

    from ctx_core.memory import MemoryItem

_MESSAGE = re.compile(r"<message role='user'>(.*?)</message>", re.DOTALL)
_MOST = 400  # of similarity_top_k: more than the largest budget holds


class _Model(BaseEmbedding):
    _model: Any = PrivateAttr()

    def _get_text_embedding(self, text: str) -> list[float]:
        return [float(value) for value in self._model.embed([text])[0]]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class _ListStore(BasePydanticVectorStore):
    stores_text: bool = True
    _nodes: list[BaseNode] = PrivateAttr(default_factory=list)

    @property
    def client(self) -> None:
        return None

    def add(self, nodes: Any, **kwargs: Any) -> list[str]:  # noqa: ANN401 - the framework's signature
        del kwargs
        self._nodes.extend(nodes)
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **kwargs: Any) -> None:
        del kwargs
        self._nodes = [node for node in self._nodes if node.ref_doc_id != ref_doc_id]

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        del kwargs
        import numpy as np

        scores = np.array([node.get_embedding() for node in self._nodes]) @ np.array(query.query_embedding)
        order = np.argsort(-scores, kind="stable")[: query.similarity_top_k]
        nodes = [self._nodes[at] for at in order]
        return VectorStoreQueryResult(
            nodes=nodes, similarities=scores[order].tolist(), ids=[node.node_id for node in nodes]
        )


class VectorBlock:
    """Fills a block a conversation, one message at a time, and asks it each question."""

    def __init__(self, model: MiniLM) -> None:
        """Take what embeds."""
        self._model = _Model(model_name="minilm")
        self._model._model = model  # noqa: SLF001 - our own class
        self._blocks: dict[int, tuple[VectorMemoryBlock, dict[str, MemoryItem]]] = {}

    def select(self, known: Any, question: str, budget: int | None) -> list[MemoryItem]:  # noqa: ANN401 - a Conversation
        """Give the turns that the block gives for a question."""
        del budget
        if id(known) not in self._blocks:
            block = VectorMemoryBlock(
                vector_store=_ListStore(),
                embed_model=self._model,
                similarity_top_k=_MOST,
                format_template=RichPromptTemplate("{{ text }}"),
            )
            by_text = {item.text: item for item in known.items}

            async def fill() -> None:
                for text in by_text:
                    await block._aput([ChatMessage(role="user", content=text)])  # noqa: SLF001 - what Memory calls

            asyncio.run(fill())
            self._blocks[id(known)] = (block, by_text)
        block, by_text = self._blocks[id(known)]
        text = asyncio.run(block._aget([ChatMessage(role="user", content=question)]))  # noqa: SLF001 - as above
        found = (by_text.get(said) for said in _MESSAGE.findall(text))
        return [item for item in found if item is not None]
