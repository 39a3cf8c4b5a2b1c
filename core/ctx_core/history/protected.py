"""Which messages stay through every cut beside the instructions: the first ones, and the pinned."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ctx_core.history.cuts import safe_cuts
from ctx_core.history.places import Index, indices
from ctx_core.sizes import Share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx_core.history.stretch import Stretch


def first_messages(stretch: Stretch, limit: int) -> set[Index]:
    """Give the indices of the first messages, from the first user message on, in whole steps.

    Args:
        stretch: the conversation; where it was cut before, they are among those that were kept then.
        limit: tokens of the history, of which `keep_first` may be a share.
    """
    wanted = stretch.policy.keep_first
    head: set[Index] = set()
    if wanted == 0:
        return head
    for grown in heads(stretch):
        if isinstance(wanted, Share):
            if stretch.total(grown) > (limit - stretch.total(stretch.instructions)) * wanted.of_total:
                break
        elif len(head) >= wanted:
            break
        head = grown
    return head


def heads(stretch: Stretch) -> Iterator[set[Index]]:
    """Give what the first messages may be, each time a step more."""
    entries, end_then = stretch.entries, stretch.state.head_end
    first = next((turn.start for turn in stretch.turns if turn.has_question), None)
    # Where a cut was made, no more join them: the beginning of the prompt would be another one.
    cut_at = Index(len(entries)) if end_then is None else stretch.index_of(end_then)
    if first is None or first >= cut_at:
        return
    for end in (*safe_cuts(entries, Index(first + 1), cut_at), cut_at):
        yield {at for at in indices(first, end) if not entries[at].message.role.instructs}


def pinned_messages(stretch: Stretch) -> set[Index]:
    """Give the indices of the pinned entries, with the whole of their step and the question of their turn."""
    pinned = stretch.policy.pinned
    if pinned is None:
        return set()
    found: set[Index] = set()
    for turn in stretch.turns:
        cuts = [*safe_cuts(stretch.entries, turn.start, turn.end), turn.end]
        for start, end in pairwise(cuts):
            group = indices(start, end)
            if any(not stretch.entries[at].synthetic and pinned(stretch.entries[at].message) for at in group):
                found.update(group)
                if turn.has_question:
                    found.add(turn.start)
    return found
