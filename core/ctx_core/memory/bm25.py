"""Relevance by words: BM25 over stems, blended with what was said just before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ctx_core.errors import BudgetError
from ctx_core.locks import Lock
from ctx_core.memory.index import LexicalIndex
from ctx_core.memory.words import Analyzer, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.memory.item import MemoryItem

NEIGHBORS: Final = (0.5, 0.25)
"""What an item gets of the scores of the item beside it, and of the next but one."""
EPISODE: Final = 0.2
"""What an item gets of the score of the stretch of time it belongs to."""
_EPISODE_GAP: Final = 4 * 3600.0  # seconds of silence that end an episode
_EPISODE_BEST: Final = 3  # hits that make an episode relevant: one may be chance, more hardly are
_INDEXES: Final = 8  # lists of items that are remembered at a time


class Bm25:
    """Scores items by the words they share with the query.

    In a conversation the answer stands beside what is asked about, so an item gets a share of its
    neighbors' scores, and a small one of the best scores of its episode (items with less than four hours
    between them). Where the order of the items says nothing, use `Bm25(neighbors=(), episode=0)`.

    The index of a list is kept and grows with it: what was indexed is not indexed again. May be shared
    between threads; the scores depend on the arguments only.
    """

    def __init__(
        self,
        *,
        k1: float = 1.2,
        b: float = 0.75,
        neighbors: Sequence[float] = NEIGHBORS,
        episode: float = EPISODE,
        analyzer: Analyzer = words,
    ) -> None:
        """Take the numbers of the formula.

        Args:
            k1: how soon repetition of a word in an item stops to matter.
            b: how much a long item is held against it, 0 to 1.
            neighbors: shares of the scores of the items at distance 1, 2, …
            episode: share of the mean of the three best scores of the same episode.
            analyzer: gives the terms of a text.

        Raises:
            BudgetError: for a negative number, or a `b` over 1.
        """
        if k1 < 0 or not 0 <= b <= 1 or episode < 0 or any(share < 0 for share in neighbors):
            msg = "k1, episode and neighbors must be 0 or more, and b between 0 and 1"
            raise BudgetError(msg)
        self._k1 = k1
        self._b = b
        self._neighbors = tuple(neighbors)
        self._episode = episode
        self._analyzer = analyzer
        self._known: list[tuple[list[MemoryItem], LexicalIndex]] = []
        self._lock = Lock()

    def __call__(self, query: str, items: Sequence[MemoryItem], /) -> list[float]:
        """Score the items."""
        terms = self._analyzer(query)
        with self._lock:
            scores = self._index(items).scores(terms, k1=self._k1, b=self._b)
        if not any(scores):
            return scores
        blended = _with_neighbors(scores, self._neighbors) if self._neighbors else scores
        return _with_episodes(blended, items, self._episode) if self._episode else blended

    def _index(self, items: Sequence[MemoryItem]) -> LexicalIndex:
        """Give the index of exactly these items: one whose items they begin with, or a new one."""
        at = next((at for at, (indexed, _) in enumerate(self._known) if _begins(items, indexed)), None)
        if at is not None:
            self._known.insert(0, self._known.pop(at))
        elif items:  # an empty list would be the beginning of any other
            self._known = [([], LexicalIndex()), *self._known[: _INDEXES - 1]]
        else:
            return LexicalIndex()
        indexed, index = self._known[0]
        for item in items[len(indexed) :]:
            index.add(self._analyzer(item.searchable))
            indexed.append(item)
        return index


def _begins(items: Sequence[MemoryItem], indexed: list[MemoryItem]) -> bool:
    """Say whether the items begin with those that are indexed."""
    size = len(indexed)
    # The last one first: it tells most lists apart. Lists compare by identity before equality, at the speed of C.
    return 0 < size <= len(items) and indexed[-1] == items[size - 1] and list(items[:size]) == indexed


def _with_neighbors(scores: list[float], shares: tuple[float, ...]) -> list[float]:
    blended = list(scores)
    last = len(scores)
    for at, score in enumerate(scores):
        if score:
            for distance, share in enumerate(shares, 1):
                if at >= distance:
                    blended[at - distance] += share * score
                if at + distance < last:
                    blended[at + distance] += share * score
    return blended


def _with_episodes(scores: list[float], items: Sequence[MemoryItem], share: float) -> list[float]:
    """Add the share to items of an episode of more than one; items without a time belong to none."""
    blended = list(scores)
    start = 0
    times = [item.timestamp for item in items]
    for at in range(1, len(items) + 1):
        if at < len(items) and _together(times[at - 1], times[at]):
            continue
        if at - start > 1:
            best = sorted(scores[start:at], reverse=True)[:_EPISODE_BEST]
            extra = share * sum(best) / _EPISODE_BEST
            for inside in range(start, at):
                blended[inside] += extra
        start = at
    return blended


def _together(before: float | None, after: float | None) -> bool:
    return before is not None and after is not None and abs(after - before) < _EPISODE_GAP
