"""Of more memories than can be held, those that a ranker should see."""

from __future__ import annotations

import re
from heapq import heappop, heappush
from math import log
from typing import TYPE_CHECKING, Final

from ctx_core.memory.english import STOP_WORDS, english_forms
from ctx_core.memory.words import folded, plain_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx_core.memory.item import MemoryItem

MAX_CANDIDATES: Final = 200
_MOST_TEXT: Final = 200_000  # characters that are held
_MOST_TERMS: Final = 64  # of a query: a pasted file is no question


def candidates(query: str, items: Iterable[MemoryItem], *, limit: int = MAX_CANDIDATES) -> list[MemoryItem]:
    """Give those of a stream that share most with the query, in the stream's order, never holding many more.

    Rare words count more, by what was seen of the stream so far; of equals the later is kept. Looks for the
    beginnings of words only: who gets in is finally ranked with care, who shares nothing is the latest there are.

    Args:
        query: usually the current message.
        items: oldest first, any number.
        limit: at most so many.
    """
    terms = dict.fromkeys(word for word in plain_words(query) if word not in STOP_WORDS)
    beginnings = {form: term for term in list(terms)[:_MOST_TERMS] for form in english_forms(term)}
    by_length = sorted(beginnings, key=len, reverse=True)
    # An ASCII beginning must stand at the start of a word; scripts without spaces have no such place.
    alternatives = "|".join(rf"\b{re.escape(form)}" if form.isascii() else re.escape(form) for form in by_length)
    pattern = re.compile(alternatives) if alternatives else None
    seen: dict[str, int] = {}
    held: list[tuple[float, int, MemoryItem]] = []
    size = 0
    for number, item in enumerate(items, 1):
        found = {beginnings[form] for form in pattern.findall(folded(item.searchable))} if pattern else set[str]()
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
