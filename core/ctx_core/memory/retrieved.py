"""What a retriever gave, as a layer: the order is the retriever's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctx_core.memory.metadata import memory_of
from ctx_core.memory.ranker import importance
from ctx_core.memory.recall import HEADING, memory_layer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctx_core.budget import Size
    from ctx_core.layers import Layer
    from ctx_core.memory.item import MemoryItem


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
