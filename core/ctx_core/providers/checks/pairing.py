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


def paired(turns: Sequence[Turn], *, in_user_turns: bool) -> Pairing:
    """Pair calls and results.

    Args:
        turns: as the provider has them.
        in_user_turns: whether the results of a turn stand all in the next one; else in messages right behind it.
    """
    found = Pairing()
    open_calls: list[Block] = []
    answered: list[Block] = []
    """Calls that may not be answered again."""
    late: list[Block] = []
    """Calls that were left open by turns before."""
    at = 0
    while at < len(turns):
        turn = turns[at]
        at += 1
        if turn.calls and turn.role != "tool":
            late += open_calls
            open_calls, answered = list(turn.calls), []
            zone = 0
            for behind in _zone(turns[at:]):
                zone += 1
                for result in behind.results:
                    _settle(result, open_calls, answered, late, found, is_late=in_user_turns and zone > 1)
            at += zone
            late += open_calls
            open_calls = []
            continue
        for result in turn.results:
            _settle(result, [], answered, late, found, is_late=False)
    found.unanswered += late + open_calls
    return found


def _zone(turns: Sequence[Turn]) -> Iterator[Turn]:
    """Give the turns with results right behind."""
    for turn in turns:
        if not turn.results or turn.calls:
            return
        yield turn


def _settle(
    result: Block,
    open_calls: list[Block],
    answered: list[Block],
    late: list[Block],
    found: Pairing,
    *,
    is_late: bool,
) -> None:
    """Find the call of a result, and note what is wrong with it."""
    mine = _calls_of(result, open_calls)
    if mine:
        if is_late:
            found.divided.append(result)
        # Two calls of one id are answered by one result; that there are two is another rule's.
        for call in mine:
            open_calls.remove(call)
        answered.extend(mine)
    elif _calls_of(result, answered) or (answered and result.id is None):
        found.surplus.append(result)
    elif mine := _calls_of(result, late):
        found.displaced.append(result)
        for call in mine:
            late.remove(call)
    else:
        found.uncalled.append(result)


def _calls_of(result: Block, calls: list[Block]) -> list[Block]:
    """Give the calls that a result answers: those of its id; without ids, the first."""
    if result.id is not None and any(call.id is not None for call in calls):
        return [call for call in calls if call.id == result.id]
    return calls[:1]
