"""The last means: cutting texts of what stays, the largest first and no further than it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.conversation.message_texts import text_units
from ctx_core.conversation.text_steps import opening_of
from ctx_core.history.cuts import steps
from ctx_core.history.places import Index
from ctx_core.history.squeeze import squeeze

if TYPE_CHECKING:
    from ctx_core.history.cut import Cut


def shorten(cut: Cut, at: Index, most: int) -> None:
    """Cut a result to head and tail, and remember it; one too small for the marker stays as it is."""
    stretch = cut.stretch
    form = stretch.results.shortened(at, most)
    if "".join(unit.text for unit in text_units(form)).removeprefix(opening_of(form)):
        cut.decide(cut.decisions.shortened, at, most)


def squeezed_by(cut: Cut) -> int:
    """Give the tokens that kept results could still lose, if there were room for what is put in their place."""
    stretch = cut.stretch
    return sum(max(0, stretch.cost(at) - stretch.results.least(at)) for at in _squeezable(cut))


def squeeze_results(cut: Cut) -> None:
    """Cut the results of the newest step as far as it takes, and where that is not enough all that are kept."""
    stretch, newest, results = cut.stretch, steps(cut.stretch.entries), _squeezable(cut)
    for begin in (newest[-1][0] if newest else Index(0), Index(0)):
        chosen = [at for at in results if at >= begin]
        most = squeeze(map(stretch.cost, chosen), by=cut.tokens - cut.limit)
        if most is None:
            continue
        for at in chosen:
            if stretch.cost(at) > most:
                shorten(cut, at, most)
        if not cut.over(cut.limit):
            return


def _squeezable(cut: Cut) -> list[Index]:
    """Give the results whose texts may be cut; not cleared ones: cut to head and tail, their texts would be back."""
    return [
        at
        for at in sorted(cut.kept)
        if at in cut.stretch.results
        and at not in cut.protected
        and cut.stretch.entries[at].position not in cut.decisions.cleared
    ]
