"""What a retriever gave, as a layer: the order is the retriever's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from ctx_core.memory.metadata import memory_of
from ctx_core.memory.ranker import importance
from ctx_core.memory.recall import HEADING, memory_layer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctx_core.engine.layers import Layer
    from ctx_core.memory.item import MemoryItem
    from ctx_core.session import LayerRequest
    from ctx_core.sizes import Size


def in_given_order(texts: Iterable[tuple[str, Mapping[str, Any]]]) -> tuple[MemoryItem, ...]:
    """Give the memories of texts with metadata, the first one being the most important.

    Args:
        texts: best first, as retrievers give them.
    """
    return tuple(memory_of(text, metadata, importance=1 / place) for place, (text, metadata) in enumerate(texts, 1))


def retrieved_layer(
    items: Sequence[MemoryItem],
    *,
    max_items: int | None = None,
    heading: str = HEADING,
    name: str = "memory",
    cap: Size | None = None,
) -> Layer:
    """Give the layer of what was retrieved, near-duplicates left out; over its cap the last go first.

    Args:
        items: from `in_given_order`, or with an importance of their own.
        max_items: at most so many; None for all.
        heading: stands above them.
        name: of the layer.
        cap: the most it may cost, where the budget has no part of that name.
    """
    return memory_layer("", items, ranker=importance, max_items=max_items, heading=heading, name=name, cap=cap)


class RetrievedMemory(ABC):
    """What a retriever finds for a question, as memories, as a layer, or as a source of layers.

    The order is the retriever's. A face says how one of its framework is asked.
    """

    def __init__(self, *, max_items: int, cap: Size | None) -> None:
        """Take how much of what is found is used.

        Args:
            max_items: at most so many.
            cap: the most the layer may cost, where the budget has no part `memory`.
        """
        self._max_items = max_items
        self._cap = cap

    @abstractmethod
    def _find(self, question: str, *told: Any) -> tuple[MemoryItem, ...]:
        """Ask the retriever; what else was told is the framework's own."""

    @abstractmethod
    async def _afind(self, question: str, *told: Any) -> tuple[MemoryItem, ...]:
        """Ask the retriever."""

    def items(self, question: str, *told: Any) -> tuple[MemoryItem, ...]:
        """Give what is found, best first."""
        return self._find(question, *told)[: self._max_items]

    async def aitems(self, question: str, *told: Any) -> tuple[MemoryItem, ...]:
        """Give what is found, best first."""
        return (await self._afind(question, *told))[: self._max_items]

    def layer(self, question: str, *told: Any) -> Layer:
        """Give the layer of what is found."""
        return retrieved_layer(self.items(question, *told), cap=self._cap)

    async def alayer(self, question: str, *told: Any) -> Layer:
        """Give the layer of what is found."""
        return retrieved_layer(await self.aitems(question, *told), cap=self._cap)

    def layer_for(self, request: LayerRequest) -> Layer:
        """Give the layer of what is found for the question of a request."""
        return self.layer(request.question)

    async def alayer_for(self, request: LayerRequest) -> Layer:
        """Give the layer of what is found for the question of a request."""
        return await self.alayer(request.question)
