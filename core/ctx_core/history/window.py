"""Chooses what of a conversation goes out: newest first, cut at safe positions, decided once and remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ctx_core.history.cut import Cut
from ctx_core.history.new_state import state_after
from ctx_core.history.passes import make_fit
from ctx_core.history.places import Position, indices, positions
from ctx_core.history.protected import first_messages, pinned_messages
from ctx_core.history.repair import Entry
from ctx_core.history.state import WindowState
from ctx_core.history.stretch import stretch_from

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx_core.conversation.transcript import Transcript
    from ctx_core.counting.counter import TokenCounter
    from ctx_core.history.policy import HistoryPolicy
    from ctx_core.history.stretch import Stretch
    from ctx_core.history.truncating import Truncation

_FIRST_EXAMINED: Final = 32
"""Messages that are examined at first; twice as many each time that all of them fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What of a conversation goes out."""

    entries: Sequence[Entry]
    """The messages, in order."""
    tokens: int
    """What they cost."""
    instructions: int
    """Of these, the tokens of system messages."""
    question: int
    """Of these, the tokens of the message that is being answered."""
    state: WindowState
    """What to remember of it."""
    cut: Cut
    """What was done to make it fit."""

    @property
    def fits(self) -> bool:
        """Whether it is within its limit."""
        return self.tokens <= self.cut.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of the request is the conversation's."""

    room: int
    """Tokens that all that goes out of it may cost now."""
    granted: int
    """Tokens that the budget grants it at most. Where they are more than those that a cut was made under, it is decided
    anew; and where the window has become nearly empty, since what took its room is gone."""
    base: int
    """Tokens of which shares of it are taken, whatever layers leave of them now."""


def select(
    transcript: Transcript[Any],
    limits: Limits,
    *,
    counter: TokenCounter,
    policy: HistoryPolicy,
    state: WindowState,
    remembers: bool,
    truncation: Truncation,
    results_follow: bool,
) -> Selection:
    """Choose what goes out.

    Args:
        transcript: history and current message.
        limits: tokens that it may cost.
        counter: prices messages.
        policy: what may happen to them.
        state: what is remembered, as `matching` gave it.
        remembers: whether what is decided is to be remembered. Then a cut goes down to the policy's low-water mark, and
            all that it leaves out is read for its digest; else it fills the limit.
        truncation: how, if all else fails, texts of what stays are cut.
        results_follow: whether results of the last calls may be what follows.

    Returns:
        The window. It may be over the limit where what is protected does not fit.
    """
    low_water = policy.low_water if remembers else 1.0
    limit, granted = limits.room, limits.granted

    def stretch_at(known: WindowState) -> Callable[[Position, Sequence[Position]], Stretch]:
        return partial(
            stretch_from, transcript, counter=counter, policy=policy, state=known, results_follow=results_follow
        )

    def cut_once(known: WindowState) -> Cut:
        stretch = _examined(transcript, limit, stretch_at(known), policy=policy, state=known)
        cut = Cut(
            stretch, first_messages(stretch, limits.base), pinned_messages(stretch), limit, low_water, limits.base
        )
        if stretch.entries:
            make_fit(cut, truncation=truncation)
        return cut

    def cut_from(known: WindowState) -> Cut:
        cut = cut_once(known)
        while cut.lost_copies():
            # A message was left out because it stood before as well, and there the cut has taken it.
            cut = cut_once(state_after(cut, transcript, granted, digested=remembers))
            cut.newly_cut = True
        return cut

    # What is remembered comes first: only where the grant has grown, or the window has become nearly empty, is it worth
    # another beginning of the prompt, which no provider has cached.
    cut = cut_from(state)
    if state.limit is not None and (granted > state.limit or _nearly_empty(cut)):
        cut = _roomier(cut_from(state.summary_only()), cut)
    if cut.newly_cut and cut.stretch.reasoning_from != state.reasoning_from and _nearly_empty(cut):
        # The reasoning that went at this cut has made room: asked again, more would be found to fit.
        known = state_after(cut, transcript, granted, digested=remembers)
        cut = _roomier(cut_from(known.summary_only()), cut)
    stretch = cut.stretch
    entries = cut.listed()
    return Selection(
        entries=entries,
        tokens=counter.count_sequence(entry.message for entry in entries),
        instructions=stretch.total(cut.kept & stretch.instructions),
        question=0 if cut.question is None else stretch.cost(cut.question),
        state=state_after(cut, transcript, granted, digested=remembers),
        cut=cut,
    )


def _nearly_empty(cut: Cut) -> bool:
    """Whether what was cut before, or now from where that began, keeps less than half of what a cut goes down to.

    Tools, a large layer or another counter took the room then. Half, and not a little less: what they take may be
    another amount on every turn, and each new decision moves the beginning of the prompt.
    """
    if not (cut.omitted or cut.decisions.count):
        return False
    instructions = cut.stretch.total(cut.kept & cut.stretch.instructions)
    return 2 * (cut.tokens - instructions) < cut.allowance * cut.low_water


def _roomier(anew: Cut, before: Cut) -> Cut:
    """Give the one of two cuts that leaves out less, as decided now; the prompt has another beginning then.

    A window that has grown nearly full since its cut holds more than a new cut would leave: it stays.
    """
    better = _taken(anew) < _taken(before)
    cut = anew if better else before
    cut.newly_cut = True if better else before.newly_cut
    cut.decided = True
    return cut


def _taken(cut: Cut) -> tuple[Position, int]:
    """Give what a cut takes away: where it begins, and how many messages it alters."""
    entries = cut.stretch.entries
    start = entries[cut.start].position if cut.start < len(entries) else Position(0)
    return start, cut.decisions.count


def _examined(
    transcript: Transcript[Any],
    limit: int,
    stretch_at: Callable[[Position, Sequence[Position]], Stretch],
    *,
    policy: HistoryPolicy,
    state: WindowState,
) -> Stretch:
    """Look at as much of the conversation as may be needed, so that a turn costs the window and not the history."""
    size = len(transcript)
    if state.decided:
        # What the cut left out is not read again, however long it is.
        return stretch_at(state.start, sorted(state.staying))
    if policy.pinned is not None or policy.keep_first:
        # What is pinned may stand anywhere: all of it is read, until there is a cut that knows.
        return stretch_at(Position(0), ())
    instructions = [at for at in positions(0, size) if transcript.role(at).instructs]
    examined = max(_FIRST_EXAMINED, size - _preserved_from(transcript, policy))
    while True:
        first = _question_before(transcript, max(0, size - examined))
        stretch = stretch_at(first, instructions)
        if first == 0 or not _all_fit(stretch, limit):
            return stretch
        examined = 2 * (size - first)


def _preserved_from(transcript: Transcript[Any], policy: HistoryPolicy) -> Position:
    """Give the position of the oldest turn that is never left out."""
    at = len(transcript)
    for _ in range(policy.preserve_recent_turns + 1):
        at = _question_before(transcript, at - 1)
    return Position(max(0, at))


def _question_before(transcript: Transcript[Any], at: int) -> Position:
    return Position(transcript.question_before(at) or 0)


def _all_fit(stretch: Stretch, limit: int) -> bool:
    """Whether all entries fit, with results cleared as far as they may be; stops counting where they don't."""
    policy = stretch.policy
    size = len(stretch.entries)
    if policy.max_messages is not None and size - len(stretch.instructions) - 1 > policy.max_messages:
        return False
    tokens = 0
    for at in reversed(indices(0, size)):
        is_result = stretch.entries[at].message.is_result
        # A result that may be cleared counts as nothing: else too little is examined, and turns are lost for it.
        if not (policy.results.clears and is_result):
            tokens += stretch.cost(at)
        if tokens > limit:
            return False
    return True
