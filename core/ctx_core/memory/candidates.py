"""Of more memories than can be held, those that a ranker should see."""

from __future__ import annotations

import re
from heapq import heappop, heappush
from math import log
from typing import TYPE_CHECKING, Final

from ctx_core.memory.english import STOP_WORDS, english_forms
from ctx_core.memory.words import folded, plain_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctx_core.memory.item import MemoryItem

MAX_CANDIDATES: Final = 200
_MOST_TEXT: Final = 200_000  # characters that are held
_HEADINGS: Final = re.compile(r"^#{1,6} .*$", re.MULTILINE)
_MOST_TERMS: Final = 64  # of a query: a pasted file is no question


class Sought:
    """What a query looks for in a stream of memories, by the beginnings of words."""

    __slots__ = ("_beginnings", "_pattern")

    def __init__(self, query: str) -> None:
        """Take the query, usually the current message."""
        terms = dict.fromkeys(word for word in plain_words(query) if word not in STOP_WORDS)
        self._beginnings = {form: term for term in list(terms)[:_MOST_TERMS] for form in english_forms(term)}
        longest_first = sorted(self._beginnings, key=len, reverse=True)
        # An ASCII beginning must stand at the start of a word; scripts without spaces have no such place.
        forms = "|".join(rf"\b{re.escape(form)}" if form.isascii() else re.escape(form) for form in longest_first)
        self._pattern = re.compile(forms) if forms else None

    def found(self, text: str) -> set[str]:
        """Give the words of the query that the text has."""
        return {self._beginnings[form] for form in self._pattern.findall(folded(text))} if self._pattern else set()

    def lines(self, pieces: Iterable[str]) -> Iterator[str]:
        """Give the lines of the pieces that have a word of the query, of the others the headings, and the last piece.

        So that of a file of any size only what matters is taken apart.
        """
        last = ""
        for piece in pieces:
            last = ""
            if self._pattern and self._pattern.search(folded(piece)):
                yield from piece.splitlines()
            else:
                last = piece
                if piece.startswith("#") or "\n#" in piece:
                    yield from _HEADINGS.findall(piece)
        yield from last.splitlines()

    def best(self, items: Iterable[MemoryItem], *, limit: int = MAX_CANDIDATES) -> list[MemoryItem]:
        """Give those of a stream that share most with the query, in the stream's order, never holding many more.

        Rare words count more, by what was seen of the stream so far; of equals the later is kept. Whoever gets in
        is to be ranked with more care.

        Args:
            items: oldest first, any number.
            limit: at most so many.
        """
        seen: dict[str, int] = {}
        held: list[tuple[float, int, MemoryItem]] = []
        size = 0
        for number, item in enumerate(items, 1):
            found = self.found(item.searchable)
            for term in found:
                seen[term] = seen.get(term, 0) + 1
            weight = sum(log(1 + number / seen[term]) for term in sorted(found))
            if len(held) == limit and weight < held[0][0]:
                continue
            heappush(held, (weight, number, item))
            size += len(item.text)
            while held and (len(held) > limit or size > _MOST_TEXT):
                size -= len(heappop(held)[2].text)
        return [item for _, _, item in sorted(held, key=lambda entry: entry[1])]
