"""Calls and their results: which belong to which, and what is left over."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from ctx_core.providers.checks.reading import Block

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
    late = _Calls()
    at = 0
    while at < len(turns):
        turn = turns[at]
        at += 1
        if not turn.calls:
            for result in turn.results:
                _settle_late(result, late, found)
            continue
        waiting, answered = _Calls(turn.calls), _Calls()
        for place, behind in enumerate(_zone(turns, at)):
            for result in behind.results:
                mine = list(islice(waiting.of(result), 1 if one_each else None))
                if mine:
                    if in_user_turns and place:
                        found.divided.append(result)
                    # Two calls of one id are answered by one result; that there are two is another rule's.
                    waiting.take(mine)
                    answered.add(mine)
                elif next(iter(answered.of(result)), None) is not None:
                    found.surplus.append(result)
                else:
                    _settle_late(result, late, found)
            at += 1
        late.add(waiting.all)
    found.unanswered += late.all
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


class _Calls:
    """Calls in order. Finding those of a result does not ask each of them."""

    def __init__(self, calls: Iterable[Block] = ()) -> None:
        self._all = OrderedDict[int, Block]()
        self._by_id: dict[str | None, dict[int, Block]] = {}
        self.add(calls)

    @property
    def all(self) -> list[Block]:
        """All of them."""
        return list(self._all.values())

    def add(self, calls: Iterable[Block]) -> None:
        """Put calls behind the others."""
        for call in calls:
            self._all[id(call)] = call
            self._by_id.setdefault(call.id, {})[id(call)] = call

    def take(self, calls: Iterable[Block]) -> None:
        """Take calls out."""
        for call in calls:
            del self._all[id(call)]
            del self._by_id[call.id][id(call)]
            if not self._by_id[call.id]:
                del self._by_id[call.id]

    def of(self, result: Block) -> Iterable[Block]:
        """Give the calls that a result answers: those of its id; without ids, the first."""
        if result.id is not None and len(self._by_id) > (None in self._by_id):
            return self._by_id.get(result.id, {}).values()
        return islice(self._all.values(), 1)


def _zone(turns: Sequence[Turn], begin: int) -> Iterator[Turn]:
    """Give the turns with results from a place on."""
    for at in range(begin, len(turns)):
        turn = turns[at]
        if not turn.results or turn.calls:
            return
        yield turn


def _settle_late(result: Block, late: _Calls, found: Pairing) -> None:
    """Note what is wrong with a result that does not stand behind its call's turn."""
    mine = [] if result.id is None else list(late.of(result))
    (found.displaced if mine else found.uncalled).append(result)
    late.take(mine)
