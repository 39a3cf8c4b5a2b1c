"""What orders memories: anything that gives a score to each item, and the two simplest ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ctx_core.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.memory.item import MemoryItem


class Ranker(Protocol):
    """Scores items for a query. A plain function with these two arguments is one."""

    def __call__(self, query: str, items: Sequence[MemoryItem], /) -> Sequence[float]:
        """Give a score for each item, in their order: higher is better, 0 or less says that nothing fits."""
        ...


def importance(query: str, items: Sequence[MemoryItem], /) -> list[float]:
    """Score by importance alone."""
    del query
    return [item.importance for item in items]


def recency(query: str, items: Sequence[MemoryItem], /) -> list[float]:
    """Score by age alone: the newest has 1, the oldest of n has 1/n.

    The age is that of the times where every item has one, else the later in the list is the newer.
    """
    del query
    order = by_age(items)
    scores = [0.0] * len(items)
    for place, at in enumerate(order, 1):
        scores[at] = place / len(items)
    return scores


def by_age(items: Sequence[MemoryItem]) -> list[int]:
    """Give the positions of the items, oldest first; of equal times, the earlier in the list."""
    times = [item.timestamp for item in items]
    known = [time for time in times if time is not None]
    positions = range(len(items))
    return sorted(positions, key=lambda at: known[at]) if len(known) == len(items) else list(positions)


def scored(ranker: Ranker, query: str, items: Sequence[MemoryItem]) -> list[float]:
    """Give what the ranker says, checked.

    Raises:
        BudgetError: if it gives another number of scores, or NaN.
    """
    scores = [float(score) for score in ranker(query, items)]
    if len(scores) != len(items):
        msg = f"the ranker gave {len(scores):,} scores for {len(items):,} items; it must give one for each"
        raise BudgetError(msg)
    if any(score != score for score in scores):  # noqa: PLR0124 - only NaN differs from itself
        msg = "the ranker gave a score that is NaN; scores must be comparable"
        raise BudgetError(msg)
    return scores


def best_first(items: Sequence[MemoryItem], scores: Sequence[float]) -> list[int]:
    """Give positions, best first; of equal scores the more important, then the newer one."""
    age = [0] * len(items)
    for place, at in enumerate(by_age(items)):
        age[at] = place
    return sorted(range(len(items)), key=lambda at: (-scores[at], -items[at].importance, -age[at]))
