"""From memories and a question to a layer: the relevant ones first, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ctx_core.engine.layers import Item, Layer
from ctx_core.errors import BudgetError
from ctx_core.memory.combine import relevance
from ctx_core.memory.duplicates import Duplicates
from ctx_core.memory.ranker import best_first, by_age, scored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.memory.item import MemoryItem
    from ctx_core.memory.ranker import Ranker
    from ctx_core.sizes import Size

HEADING: Final = "Relevant memories:"
MAX_ITEMS: Final = 20


def recall(
    query: str,
    items: Sequence[MemoryItem],
    *,
    ranker: Ranker | None = None,
    max_items: int | None = MAX_ITEMS,
    only_relevant: bool = False,
) -> list[MemoryItem]:
    """Give the memories that a question needs, best first; near-duplicates of a better one are left out.

    Of equal scores the more important comes first, then the newer, then the later in the list.

    Args:
        query: usually the current message.
        items: all there is, oldest first.
        ranker: scores them; by default relevance by words with a little weight on importance.
        max_items: at most so many; None for all.
        only_relevant: whether those with a score of 0 or less stay out.

    Raises:
        BudgetError: if `max_items` is negative, or the ranker gives no score for each item.
    """
    return [item for item, _ in _recalled(query, items, ranker or relevance(), max_items, only_relevant=only_relevant)]


def memory_layer(  # noqa: PLR0913 - options with names and defaults
    query: str,
    items: Sequence[MemoryItem],
    *,
    ranker: Ranker | None = None,
    max_items: int | None = MAX_ITEMS,
    only_relevant: bool = False,
    chronological: bool = False,
    heading: str = HEADING,
    name: str = "memory",
    cap: Size | None = None,
    time_format: str = "%Y-%m-%d",
) -> Layer:
    """Give the layer of the memories that a question needs; over its cap the least relevant go.

    Args:
        query: usually the current message.
        items: all there is, oldest first.
        ranker: as for `recall`. One that is kept from turn to turn indexes only what is new.
        max_items: at most so many; None for all.
        only_relevant: whether those with a score of 0 or less stay out.
        chronological: whether they are listed oldest first instead of best first.
        heading: stands above them.
        name: of the layer.
        cap: the most it may cost, where the budget has no part of that name.
        time_format: as for `strftime`; an empty one leaves times out.

    Raises:
        BudgetError: as `recall`.
    """
    best = _recalled(query, items, ranker or relevance(), max_items, only_relevant=only_relevant)
    if chronological:
        best = [best[at] for at in _by_age_of(best, items)]
    listed = tuple(Item(item.rendered(time_format), importance=score) for item, score in best)
    return Layer(name=name, items=listed, heading=heading, data=True, cap=cap, stable=False)


def _by_age_of(best: list[tuple[MemoryItem, float]], items: Sequence[MemoryItem]) -> list[int]:
    """Give the positions in `best`, in the order of age that the items have among all."""
    places = {id(items[at]): place for place, at in enumerate(by_age(items))}
    return sorted(range(len(best)), key=lambda at: places[id(best[at][0])])


def _recalled(
    query: str, items: Sequence[MemoryItem], ranker: Ranker, max_items: int | None, *, only_relevant: bool
) -> list[tuple[MemoryItem, float]]:
    """Give the items with what they weigh: their number from the end, as the layer drops the lightest first."""
    if max_items is not None and max_items < 0:
        msg = f"max_items must be 0 or more, or None for all; found {max_items}"
        raise BudgetError(msg)
    scores = scored(ranker, query, items)
    said = Duplicates()
    chosen: list[MemoryItem] = []
    for at in best_first(items, scores):
        if len(chosen) == max_items or (only_relevant and scores[at] <= 0):
            break
        if items[at].text.strip() and not said.seen(items[at].text):
            chosen.append(items[at])
    return [(item, float(len(chosen) - place)) for place, item in enumerate(chosen)]
