"""Rankers made of rankers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ctx_core.errors import BudgetError
from ctx_core.memory.bm25 import Bm25
from ctx_core.memory.ranker import best_first, importance, scored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctx_core.memory.item import MemoryItem
    from ctx_core.memory.ranker import Ranker

RANK_CONSTANT: Final = 60
"""How slowly a place in a ranking loses weight; the usual number of reciprocal rank fusion."""
IMPORTANCE_WEIGHT: Final = 0.2
"""How much more the most important item's relevance weighs than the least important one's."""


class Weighted:
    """Adds the scores of several rankers, each scaled so that its best is 1."""

    def __init__(self, rankers: Mapping[Ranker, float]) -> None:
        """Take the rankers and how much each weighs.

        Raises:
            BudgetError: if there is none, or a weight is negative.
        """
        if not rankers or any(weight < 0 for weight in rankers.values()):
            msg = "Weighted needs at least one ranker, and weights of 0 or more"
            raise BudgetError(msg)
        self._rankers = tuple(rankers.items())

    def __call__(self, query: str, items: Sequence[MemoryItem], /) -> list[float]:
        """Score the items, from 0 to the sum of the weights."""
        total = [0.0] * len(items)
        for ranker, weight in self._rankers:
            for at, score in enumerate(_to_one(scored(ranker, query, items))):
                total[at] += weight * score
        return total


class Fused:
    """Adds places, not scores: what several rankers place high comes first, whatever their scales.

    An item that a ranker gives 0 or less gets nothing from it.
    """

    def __init__(self, *rankers: Ranker, constant: float = RANK_CONSTANT) -> None:
        """Take the rankers.

        Raises:
            BudgetError: if there is none, or the constant is negative.
        """
        if not rankers or constant < 0:
            msg = "Fused needs at least one ranker, and a constant of 0 or more"
            raise BudgetError(msg)
        self._rankers = rankers
        self._constant = constant

    def __call__(self, query: str, items: Sequence[MemoryItem], /) -> list[float]:
        """Score the items, by the sum of 1 / (constant + place)."""
        total = [0.0] * len(items)
        for ranker in self._rankers:
            for at, place in _places(items, scored(ranker, query, items)).items():
                total[at] += 1 / (self._constant + place)
        return total


class Boosted:
    """Lets importance weigh in the relevance: of two that fit equally well, the important one comes first."""

    def __init__(self, ranker: Ranker, *, by: Ranker = importance, weight: float = IMPORTANCE_WEIGHT) -> None:
        """Take the ranker, what raises its scores, and how much: the highest by `1 + weight`, the lowest not at all.

        Raises:
            BudgetError: if the weight is negative.
        """
        if weight < 0:
            msg = f"weight must be 0 or more, found {weight}"
            raise BudgetError(msg)
        self._ranker = ranker
        self._by = by
        self._weight = weight

    def __call__(self, query: str, items: Sequence[MemoryItem], /) -> list[float]:
        """Score the items."""
        scores = scored(self._ranker, query, items)
        raised = _spread(scored(self._by, query, items))
        return [score * (1 + self._weight * more) for score, more in zip(scores, raised, strict=True)]


def relevance(*, neighbors: bool = True) -> Ranker:
    """Give the usual ranker: by words, with a little weight on importance.

    Args:
        neighbors: whether an item profits from those beside it, as turns of a conversation do and facts of a list
            don't.
    """
    return Boosted(Bm25() if neighbors else Bm25(neighbors=(), episode=0))


def _places(items: Sequence[MemoryItem], scores: list[float]) -> dict[int, int]:
    """Give the place of each item that fits at all, from 1; equal scores share a place."""
    places: dict[int, int] = {}
    place, last = 0, 0.0
    for passed, at in enumerate(best_first(items, scores), 1):
        if scores[at] <= 0:
            break
        if scores[at] != last:
            place, last = passed, scores[at]
        places[at] = place
    return places


def _to_one(scores: list[float]) -> list[float]:
    """Scale so that the best is 1; from 0, or from the worst if that is below it."""
    low = min(0.0, *scores) if scores else 0.0
    size = max(scores, default=0.0) - low
    return [(score - low) / size for score in scores] if size else [0.0] * len(scores)


def _spread(scores: list[float]) -> list[float]:
    """Scale so that the worst is 0 and the best 1; all 0 if they are equal."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) for score in scores] if high > low else [0.0] * len(scores)
