"""An inverted index that grows: adding a text costs its own words, whatever is there already."""

from __future__ import annotations

from collections import Counter
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class LexicalIndex:
    """Where each term stands, and how long each text is. Not thread-safe: its owner has the lock."""

    __slots__ = ("_lengths", "_postings", "_total")

    def __init__(self) -> None:
        """Begin with nothing."""
        self._postings: dict[str, list[tuple[int, int]]] = {}
        self._lengths: list[int] = []
        self._total = 0

    @property
    def size(self) -> int:
        """Number of texts."""
        return len(self._lengths)

    def add(self, terms: Iterable[str]) -> None:
        """Append a text by its terms."""
        at = len(self._lengths)
        length = 0
        for term, times in Counter(terms).items():
            self._postings.setdefault(term, []).append((at, times))
            length += times
        self._lengths.append(length)
        self._total += length

    def scores(self, terms: Iterable[str], *, k1: float, b: float) -> list[float]:
        """Give the BM25 score of every text for a query; a term that the query repeats counts once.

        Args:
            terms: those of the query.
            k1: how soon repetition of a term in a text stops to matter.
            b: how much a long text is held against it, 0 to 1.
        """
        size = len(self._lengths)
        scores = [0.0] * size
        if not self._total:
            return scores
        lengths = self._lengths
        flat = k1 * (1 - b)
        slope = k1 * b * size / self._total
        for term in dict.fromkeys(terms):  # in order, so that sums round alike on every run
            postings = self._postings.get(term)
            if postings is None:
                continue
            found = len(postings)
            weight = (k1 + 1) * log(1 + (size - found + 0.5) / (found + 0.5))
            for at, times in postings:
                scores[at] += weight * times / (times + flat + slope * lengths[at])
        return scores
