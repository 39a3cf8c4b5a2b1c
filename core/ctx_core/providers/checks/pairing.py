"""Calls and their results: which belong to which, and what is left over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ctx_core.providers.checks.reading import Block

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx_core.providers.checks.reading import Turn


@dataclass(slots=True, kw_only=True)
class Pairing:
    """What is wrong with calls and results, by what it is."""

    unanswered: list[Block] = field(default_factory=list[Block])
    """Calls without any result."""
    uncalled: list[Block] = field(default_factory=list[Block])
    """Results without any call."""
    displaced: list[Block] = field(default_factory=list[Block])
    """Results whose call stands before them, but not right before."""
    divided: list[Block] = field(default_factory=list[Block])
    """Results in a turn behind the turn in which others of their call's turn stand."""
    surplus: list[Block] = field(default_factory=list[Block])
    """Results of calls that have one already."""


def paired(turns: Sequence[Turn], *, in_user_turns: bool, one_each: bool = False) -> Pairing:
    """Pair calls and results.

    Args:
        turns: as the provider has them.
        in_user_turns: whether the results of a turn stand all in the next one; else in messages right behind it.
        one_each: whether results are counted, whatever their ids: then two calls of one id have two.
    """
    found = Pairing()
    late: list[Block] = []
    at = 0
    while at < len(turns):
        turn = turns[at]
        at += 1
        if not turn.calls:
            for result in turn.results:
                _settle_late(result, late, found)
            continue
        waiting, answered = list(turn.calls), list[Block]()
        for place, behind in enumerate(_zone(turns[at:])):
            for result in behind.results:
                mine = _calls_of(result, waiting)[: 1 if one_each else None]
                if mine:
                    if in_user_turns and place:
                        found.divided.append(result)
                    # Two calls of one id are answered by one result; that there are two is another rule's.
                    waiting = [call for call in waiting if not any(call is one for one in mine)]
                    answered += mine
                elif _calls_of(result, answered):
                    found.surplus.append(result)
                else:
                    _settle_late(result, late, found)
            at += 1
        late += waiting
    found.unanswered += late
    return found


def paired_anywhere(turns: Sequence[Turn]) -> Pairing:
    """Pair calls and results by their ids alone, wherever results stand behind their calls."""
    found = Pairing()
    called: set[str | None] = set()
    answered: set[str | None] = set()
    for turn in turns:
        called |= {call.id for call in turn.calls}
        answered |= {result.id for result in turn.results if result.id in called}
        found.uncalled += [result for result in turn.results if result.id not in called]
    found.unanswered += [call for turn in turns for call in turn.calls if call.id not in answered]
    return found


def _zone(turns: Sequence[Turn]) -> Iterator[Turn]:
    """Give the turns with results right behind."""
    for turn in turns:
        if not turn.results or turn.calls:
            return
        yield turn


def _settle_late(result: Block, late: list[Block], found: Pairing) -> None:
    """Note what is wrong with a result that does not stand behind its call's turn."""
    mine = _calls_of(result, late) if result.id is not None else []
    (found.displaced if mine else found.uncalled).append(result)
    for call in mine:
        late.remove(call)


def _calls_of(result: Block, calls: list[Block]) -> list[Block]:
    """Give the calls that a result answers: those of its id; without ids, the first."""
    if result.id is not None and any(call.id is not None for call in calls):
        return [call for call in calls if call.id == result.id]
    return calls[:1]
