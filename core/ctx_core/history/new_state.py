"""What is remembered of a cut when it is decided: its state, for the next turn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ctx_core.history.keys import digest_of, key_at
from ctx_core.history.places import Position
from ctx_core.history.remembered import places_digest

if TYPE_CHECKING:
    from ctx_core.conversation.transcript import Transcript
    from ctx_core.history.cut import Cut
    from ctx_core.history.state import WindowState


def state_after(cut: Cut, transcript: Transcript[Any], granted: int, *, digested: bool = True) -> WindowState:
    """Give what to remember of a cut.

    Args:
        cut: is decided.
        transcript: the conversation.
        granted: tokens that the conversation is granted, under which it was decided.
        digested: whether all that is left out is read for its digest.
    """
    entries, state = cut.stretch.entries, cut.stretch.state
    position = entries[cut.start].position if cut.start < len(entries) else Position(0)
    stay = {entries[at].position for at in cut.kept}
    still = cut.decisions.within(stay)
    if not (position or any(still.values()) or cut.stretch.reasoning_from):
        return state.summary_only()
    # Bound to the grant of the turn on which it was decided: what it may still hold against is the grant of then.
    anew = cut.newly_cut or cut.decided or state.limit is None
    results, calls = (*still["cleared"], *still["shortened"]), (*still["cleared_calls"], *still["shortened_calls"])
    seconds = cut.stretch.repairs.joined_to({*results, *still["media"]})
    decided = replace(
        state,
        start=position,
        start_key=key_at(transcript, position),
        limit=granted if anew else state.limit,
        head_end=_head_end(cut) if cut.newly_cut and position else state.head_end,
        seconds=tuple(sorted(seconds)),
        results_digest=places_digest((*results, *seconds), transcript),
        altered_digest=places_digest((*calls, *still["media"], *seconds), transcript),
        **still,
        reasoning_from=cut.stretch.reasoning_from,
    )
    return _with_gone(cut, decided, transcript, digested=digested)


def _with_gone(cut: Cut, decided: WindowState, transcript: Transcript[Any], *, digested: bool) -> WindowState:
    """Give the state with what it keeps of what stands before its start, bound to what it leaves out."""
    state, position = cut.stretch.state, decided.start
    before = sorted(cut.positions_before(position))
    instructions = tuple(at for at in before if transcript.role(at).instructs)
    decided = replace(
        decided, kept_before=tuple(at for at in before if at not in {*instructions}), instructions=instructions
    )
    told = state.gone_digest is not None or not digested
    if told and (decided.start, decided.kept_before, instructions) == (
        state.start,
        state.kept_before,
        state.instructions,
    ):
        return decided
    first, last = next(decided.gone(), None), decided.last_gone()
    ends = None if first is None or last is None else (key_at(transcript, first), key_at(transcript, last))
    digest = None
    if position and digested:
        # The digest goes on where the last one ended, so that a turn reads what leaves now and nothing twice.
        goes_on = 0 < state.start <= position and state.gone_digest is not None
        begun = state.start if goes_on else Position(0)
        digest = digest_of(transcript, begun, position, state.gone_digest if goes_on else None) or None
    return replace(decided, gone_keys=ends, gone_digest=digest)


def _head_end(cut: Cut) -> Position | None:
    """Give the position behind the first messages; None where they are all there is, so that more may join them."""
    if cut.stretch.policy.keep_first == 0:
        return Position(0)
    entries, end = cut.stretch.entries, max(cut.head, default=-1) + 1
    return entries[end].position if end < len(entries) else None
