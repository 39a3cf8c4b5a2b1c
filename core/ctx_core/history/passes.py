"""How a conversation is made to fit: one pass after the other, in the order in which things go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ctx_core.conversation.messages import Role
from ctx_core.history.cuts import safe_cuts
from ctx_core.history.last_means import shorten, squeeze_results
from ctx_core.history.places import Index, Position, indices
from ctx_core.history.truncating import truncate

if TYPE_CHECKING:
    from ctx_core.history.cut import Cut, Remaining
    from ctx_core.history.truncating import Truncation


def make_fit(cut: Cut, *, truncation: Truncation) -> None:
    """Let go of what has to go until the rest fits; afterwards it may still not fit.

    Args:
        cut: what is worked on.
        truncation: how, if all else fails, texts of what stays are cut.
    """
    _start_with_user(cut)
    over = cut.over(cut.limit)
    if not over and not cut.too_many():
        return
    cut.newly_cut = True
    if cut.stretch.policy.reasoning == "bound":
        # Whatever goes, the reasoning behind it goes too: by itself it may be enough.
        _drop_bound_reasoning(cut)
        over = cut.over(cut.limit)
        if not over and not cut.too_many():
            return
    # From what harms least: results were read by the model when they came, so their texts go before any turn does.
    # Whole turns go before steps of the running one, which say what was done for the question that is being answered.
    if over:
        _shorten_oversized(cut)
        _clear_results(cut)
        _clear_calls(cut)
    _name_media(cut)
    if cut.too_many(cut.low_water) or cut.over(cut.low):
        _drop_turns(cut)
    if cut.too_many() or cut.over(cut.limit):
        _drop_steps(cut)
    # Once it is known where the window begins, and before anything that is protected loses text for it.
    _drop_reasoning(cut)
    if cut.over(cut.limit):
        squeeze_results(cut)
    if cut.over(cut.limit):
        cut.unmark()
    if truncation != "no" and cut.over(cut.limit):
        truncate(cut, marked=truncation == "marked")


def _start_with_user(cut: Cut) -> None:
    """Leave out what stands before the first question, if the policy asks for it."""
    stretch = cut.stretch
    if stretch.policy.start_with_user and len(stretch.turns) > 1 and not stretch.turns[0].has_question:
        end = stretch.turns[0].end
        stay = {at for at in cut.kept if at >= end or at in stretch.instructions}
        if stay != cut.kept:
            cut.keep(stay, end)


def _shorten_oversized(cut: Cut) -> None:
    """Cut single results that alone take more than their share to head and tail."""
    stretch, tokens = cut.stretch, 0
    base = cut.base - stretch.total(stretch.instructions)
    most = max(1, int(base * stretch.policy.results.overflow_share))
    for at in sorted(cut.kept, reverse=True):
        if tokens > cut.limit:
            return  # what is older goes anyway
        if at in stretch.results and at not in cut.protected and stretch.cost(at) > most:
            shorten(cut, at, most)
        tokens += stretch.cost(at)


def _clear_results(cut: Cut) -> None:
    """Let results give way to placeholders, until what is kept is down to the low-water mark."""
    stretch = cut.stretch
    if not stretch.policy.results.clears:
        return
    decisions, tokens = cut.decisions, cut.tokens
    for at, age in stretch.results.clearable():
        position = stretch.entries[at].position
        if tokens <= cut.low:
            return
        if at in cut.kept and at not in cut.protected and position not in decisions.cleared:
            tokens -= cut.decide(decisions.cleared, at, age)
            if position in decisions.cleared:
                decisions.shortened.pop(position, None)


def _clear_calls(cut: Cut) -> None:
    """Let the arguments of old calls give way to placeholders, as far as that takes it down to the low-water mark."""
    stretch, decisions = cut.stretch, cut.decisions
    if not stretch.policy.calls.clears:
        return
    tokens = cut.tokens
    for at, age in stretch.calls.clearable():
        if tokens <= cut.low:
            return
        if at in cut.kept and at not in cut.protected and stretch.entries[at].position not in decisions.cleared_calls:
            tokens -= cut.decide(decisions.cleared_calls, at, age)


def _name_media(cut: Cut) -> None:
    """Let words stand for old media: all but the newest that stay, or as many as it takes."""
    stretch, decisions, policy = cut.stretch, cut.decisions, cut.stretch.policy.media
    if policy is None:
        return
    tokens = cut.tokens
    for at, number in stretch.media_that_may_go():
        position = stretch.entries[at].position
        if policy.keep_newest is None and tokens <= cut.low:
            return
        known = position in decisions.cleared or decisions.media.get(position, 0) >= number
        if at in cut.kept and at not in cut.protected and not known:
            tokens -= cut.decide(decisions.media, at, number)


def _drop_turns(cut: Cut) -> None:
    """Keep so many of the newest turns that what is kept is nearest to the low-water mark; at least the running one."""
    stretch, turns = cut.stretch, cut.stretch.turns
    last = cut.first_preserved
    start, question = turns[last].start, set[Index]()
    room = cut.room(cut.protected, cut.limit, start=start)
    room.add({at for at in cut.kept if at >= start} - cut.protected, start)
    # Only the newest finished run may lose its beginning: of older ones the answer alone is worth its room.
    run = next((turn for turn in reversed(turns[:-1]) if stretch.has_steps(turn)), None)
    for turn in reversed(turns[:last]):
        before = replace(room)
        room.add(set(indices(turn.start, turn.end)) & cut.kept - cut.protected, turn.start)
        if not _still_nearer(cut, room, before.left):
            if turn is run and stretch.policy.split_last_run and turn.has_question:
                before.gaps = cut.marker.gaps({*cut.protected, turn.start})
                begun = _newest_steps(cut, before, turn.start, turn.end, Index(turn.start + 1))
                start, question = (start, question) if begun is None else (begun, {turn.start})
            break
        start = turn.start
    cut.keep(cut.protected | question | {at for at in cut.kept if at >= start}, start)


def _drop_steps(cut: Cut) -> None:
    """Keep the question of the running turn and its newest steps, as with turns; at least the newest."""
    stretch, turn = cut.stretch, cut.stretch.turns[-1]
    first = stretch.turns[cut.first_preserved].start
    begin = Index(turn.start + 1) if turn.has_question else turn.start
    always = cut.protected | {at for at in cut.kept if first <= at < begin}
    start = _newest_steps(cut, cut.room(always, cut.limit, start=first), begin, turn.end, begin, at_least=True)
    if start is not None:
        cut.keep(always | set(indices(start, turn.end)), start)


def _newest_steps(
    cut: Cut, room: Remaining, first: Index, end: Index, begin: Index, *, at_least: bool = False
) -> Index | None:
    """Give where the newest steps of a turn begin, of which as many are kept as bring it nearest to the low-water mark.

    Args:
        cut: what is worked on.
        room: what is left beside all else that is kept.
        first: index from which messages are kept for the steps' sake: that of their question, where it is not kept yet.
        end: index behind the turn.
        begin: index of its first step.
        at_least: whether the last step stays, fit or not.

    Returns:
        An index; None where there is no step, or the last one does not fit.
    """
    entries, protected = cut.stretch.entries, cut.protected
    cuts = [at for at in safe_cuts(entries, begin, end) if at not in cut.stretch.instructions]
    if not cuts:
        return None
    start = cuts[-1]
    room.add(({*indices(first, begin), *indices(start, end)} & cut.kept) - protected, start)
    if not at_least and not room.holds():
        return None
    for at in reversed(cuts[:-1]):
        before = room.left
        room.add((set(indices(at, start)) & cut.kept) - protected, at)
        if not _still_nearer(cut, room, before):
            break
        start = at
    return start


def _still_nearer(cut: Cut, room: Remaining, before: int) -> bool:
    """Whether what was just added brings what is kept nearer to the low-water mark, and within the limit.

    A single large turn may go over the mark if without it next to nothing would be kept.

    Args:
        cut: says where the mark is.
        room: what is left now.
        before: tokens that were left before.
    """
    if room.holds() and room.messages <= (cut.stretch.policy.layers_yield_to or 0):
        return True
    free = cut.limit - cut.low
    if not room.holds() or room.messages > cut.most_messages(cut.low_water):
        return False
    return room.left >= free or free - room.left < before - free


def _drop_bound_reasoning(cut: Cut) -> None:
    """Take all signed reasoning that is there now, the running turn's too."""
    stretch = cut.stretch
    stretch.reasoning_from = Position(stretch.length)
    for at in cut.kept:
        if stretch.entries[at].message.role is Role.ASSISTANT:
            stretch.alter(at, stretch.form(at).without_reasoning(signed=True))


def _drop_reasoning(cut: Cut) -> None:
    """Take the reasoning out of what was there before this cut, but for a running turn that it leaves whole."""
    stretch = cut.stretch
    if stretch.policy.reasoning != "drop_at_cut":
        return
    turn = stretch.turns[-1]
    whole = cut.start <= turn.start
    until = stretch.entries[turn.start].position if whole else Position(stretch.entries[-1].position + 1)
    for at in cut.kept:
        if stretch.entries[at].position < until and stretch.entries[at].message.role is Role.ASSISTANT:
            stretch.alter(at, stretch.form(at).without_reasoning())
    stretch.reasoning_from = until
