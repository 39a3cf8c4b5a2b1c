"""Memories that are asked on every request for those which its question needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ctx_core.memory.combine import relevance
from ctx_core.memory.item import MemoryItem
from ctx_core.memory.ranker import Ranker
from ctx_core.memory.recall import HEADING, MAX_ITEMS, memory_layer
from ctx_core.sizes import Size

if TYPE_CHECKING:
    from ctx_core.engine.layers import Layer
    from ctx_core.session import LayerRequest


@dataclass(frozen=True, slots=True)
class RankedMemory:
    """Facts, entries or anything else that is remembered, as a source of a layer: `layers=[RankedMemory(facts)]`."""

    items: Iterable[MemoryItem] = field(repr=False)
    """All there is, oldest first. A list that grows is read anew on every request."""
    ranker: Ranker = field(default_factory=relevance, kw_only=True)
    """Scores them for a question; by default relevance by words with a little weight on importance."""
    max_items: int | None = field(default=MAX_ITEMS, kw_only=True)
    """At most so many; None for all."""
    only_relevant: bool = field(default=False, kw_only=True)
    """Whether those with a score of 0 or less stay out."""
    chronological: bool = field(default=False, kw_only=True)
    """Whether they are listed oldest first instead of best first."""
    heading: str = field(default=HEADING, kw_only=True)
    """Stands above them."""
    name: str = field(default="memory", kw_only=True)
    """Of the layer."""
    cap: Size | None = field(default=None, kw_only=True)
    """The most it may cost, where the budget has no part of that name."""

    def layer_for(self, request: LayerRequest) -> Layer:
        """Give the layer of those that the question of a request needs."""
        return memory_layer(
            request.question,
            list(self.items),
            ranker=self.ranker,
            max_items=self.max_items,
            only_relevant=self.only_relevant,
            chronological=self.chronological,
            heading=self.heading,
            name=self.name,
            cap=self.cap,
        )
