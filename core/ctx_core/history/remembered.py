"""Holds what is remembered of a conversation against the conversation as it is now."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ctx_core.history.keys import chained, digest_of, key_at
from ctx_core.history.places import Position, positions
from ctx_core.history.state import WindowState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ctx_core.conversation.transcript import Transcript

Verify: TypeAlias = Literal["all", "ends"]
"""What of the part that is left out is held against what was remembered: all of it, which reads it, or its first and
its last message."""


def matching(state: WindowState | None, transcript: Transcript[Any], verify: Verify = "all") -> WindowState:
    """Give the state with its positions as they are now; a fresh one where it does not match the conversation.

    The window is usually where it was. Only where its first message is not at its place (a store that dropped old
    messages, a system message put in front) it is searched for. Where something was edited in the part that is left
    out, nothing of the cut matches: it is decided anew, so that what is an instruction now is sent.
    """
    if state is None:
        return WindowState()
    if not state.decided:
        known = _with_true_summary(state.summary_only(), transcript)
        whole = verify == "ends" or _same_summarized(known, transcript)
        return known if whole else WindowState()
    found = next(_placed(state, transcript, verify), None)
    return WindowState() if found is None else _with_true_summary(_with_true_decisions(found, transcript), transcript)


def _placed(state: WindowState, transcript: Transcript[Any], verify: Verify) -> Iterator[WindowState]:
    """Give the state at each place where the conversation fits it."""
    for start in _starts(state, transcript):
        shift = start - state.start
        searched = shift or state.instructions is None or verify == "all"
        moved = _moved(state, shift, transcript) if searched else state
        if _same_gone(moved, transcript, verify, dropped=shift < 0) and (not shift or _has_question(moved, transcript)):
            yield _bound(moved, transcript) if shift else moved


def _starts(state: WindowState, transcript: Transcript[Any]) -> Iterator[Position]:
    if _is(transcript, state.start, state.start_key):
        yield state.start
    # The nearest first: where steps are alike, one farther away would be taken for it.
    others = (at for at in positions(0, len(transcript)) if at != state.start and _is(transcript, at, state.start_key))
    yield from sorted(others, key=lambda at: abs(at - state.start))


def _has_question(state: WindowState, transcript: Transcript[Any]) -> bool:
    """Whether what goes out begins with a question: it may be among what a store has dropped.

    Then the rest of its turn is what the conversation begins with, of which nothing was left out.
    """
    asked = [at for at in range(state.start + 1) if transcript.is_question(at)]
    sent = {*state.kept_before, state.start}
    return any(at in sent for at in asked) or (not asked and state.last_gone() is None)


def _moved(state: WindowState, shift: int, transcript: Transcript[Any]) -> WindowState:
    start = Position(state.start + shift)
    instructions = tuple(at for at in positions(0, start) if transcript.role(at).instructs)
    ends = state.summary_ends
    return replace(
        state,
        start=start,
        kept_before=_shifted(state.kept_before, shift),
        instructions=instructions,
        head_end=None if state.head_end is None else Position(max(0, state.head_end + shift)),
        forgotten=state.forgotten + _dropped(state, -shift),
        cleared=_moved_pairs(state.cleared, shift),
        shortened=_moved_pairs(state.shortened, shift),
        cleared_calls=_moved_pairs(state.cleared_calls, shift),
        shortened_calls=_moved_pairs(state.shortened_calls, shift),
        media=_moved_pairs(state.media, shift),
        seconds=_shifted(state.seconds, shift),
        reasoning_from=Position(max(0, state.reasoning_from + shift)),
        moved=state.moved - shift,
        summarized=Position(max(0, state.summarized + shift)),
        kept_at_summary=_shifted(state.kept_at_summary, shift),
        summary_ends=None if ends is None else (Position(ends[0] + shift), Position(ends[1] + shift)),
        summary_at=None if state.summary_at is None else max(0, state.summary_at + shift),
    )


def _dropped(state: WindowState, count: int) -> int:
    """Give how many of the first messages, which a store has dropped, were left out before."""
    return max(0, count) - sum(at < count for at in state.staying)


def _moved_pairs(pairs: Mapping[Position, int], shift: int) -> dict[Position, int]:
    return {Position(at + shift): value for at, value in pairs.items()}


def _shifted(places: Iterable[Position], shift: int) -> tuple[Position, ...]:
    return tuple(Position(at + shift) for at in places if at + shift >= 0)


def _same_gone(state: WindowState, transcript: Transcript[Any], verify: Verify, *, dropped: bool) -> bool:
    """Whether what is left out is what was left out then. Of what a store has dropped nothing can be said."""
    first, last = next(state.gone(), None), state.last_gone()
    if last is None or state.gone_keys is None:
        return last is None and (dropped or state.gone_keys is None)
    if not _is(transcript, last, state.gone_keys[1]):
        return False
    if dropped:
        return True
    if not _is(transcript, first, state.gone_keys[0]):
        return False
    # One that was decided without a state before it has no digest yet: nothing was to be remembered then.
    unchecked = verify == "ends" or state.gone_digest is None
    return unchecked or digest_of(transcript, Position(0), state.start) == state.gone_digest


def _bound(state: WindowState, transcript: Transcript[Any]) -> WindowState:
    """Give a state that has moved with the digests of what is left out now."""
    first, last = next(state.gone(), None), state.last_gone()
    ends = None if first is None or last is None else (key_at(transcript, first), key_at(transcript, last))
    return replace(state, gone_keys=ends, gone_digest=digest_of(transcript, Position(0), state.start))


def _with_true_decisions(state: WindowState, transcript: Transcript[Any]) -> WindowState:
    """Give the state with what was decided about messages only where they say what they said, with what is joined."""
    if places_digest((*state.cleared, *state.shortened, *state.seconds), transcript) != state.results_digest:
        state = replace(state, cleared={}, shortened={}, results_digest=None)
    altered = (*state.cleared_calls, *state.shortened_calls, *state.media, *state.seconds)
    if places_digest(altered, transcript) != state.altered_digest:
        state = replace(state, cleared_calls={}, shortened_calls={}, media={}, altered_digest=None)
    return state


def places_digest(found: Iterable[Position], transcript: Transcript[Any]) -> str | None:
    """Give the digest of messages that were altered; None for none, or where one of them is not there."""
    places = sorted(set(found))
    if not places or places[0] < 0 or places[-1] >= len(transcript):
        return None
    return chained(None, (key_at(transcript, at) for at in places))


def _with_true_summary(state: WindowState, transcript: Transcript[Any]) -> WindowState:
    """Give the state with its summary only where the messages that it speaks of are there, by its first and last."""
    ends, keys = state.summary_ends, state.summary_keys
    if ends is not None and keys is not None and all(map(_is, (transcript, transcript), ends, keys)):
        return state
    return state.without_summary()


def partly_summarized(state: WindowState, summary: str, given: int, transcript: Transcript[Any]) -> WindowState:
    """Give a state with a summary of the first messages of those that are left out and not in its summary yet.

    Args:
        state: of the conversation as it is cut.
        summary: speaks of them, and of all that the summary before spoke of.
        given: so many; all of them give a state whose summary is finished.
        transcript: the conversation.
    """
    waiting = state.unsummarized()[given:]
    if not waiting:
        return state.with_summary(summary, at=len(transcript))
    # What a summary before this one spoke of is in it too: it never goes back behind that.
    until = max(waiting[0], state.summarized)
    gone = [at for at in state.gone() if at < until and at not in waiting]
    return replace(
        state,
        summary=summary,
        summarized=until,
        kept_at_summary=tuple(sorted(at for at in {*state.kept_before, *waiting} if at < until)),
        summary_ends=(gone[0], gone[-1]),
        summary_keys=(key_at(transcript, gone[0]), key_at(transcript, gone[-1])),
        summary_digest=digest_of(transcript, Position(0), until),
        summary_at=None,
    )


def _same_summarized(state: WindowState, transcript: Transcript[Any]) -> bool:
    """Whether all that a summary speaks of says what it said, where no window tells."""
    return not state.summary or digest_of(transcript, Position(0), state.summarized) == state.summary_digest


def _is(transcript: Transcript[Any], at: Position | None, key: str | None) -> bool:
    return at is not None and 0 <= at < len(transcript) and key_at(transcript, at) == key
