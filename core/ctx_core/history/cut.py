"""What of a stretch is kept, and what has been done to it: the passes work on this."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ctx_core.history.decisions import Decisions
from ctx_core.history.omission import Gaps, OmissionMarker
from ctx_core.history.places import Index, Position, indices
from ctx_core.history.repair import Entry
from ctx_core.history.stretch import Stretch

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(slots=True)
class Cut:
    """One stretch under one limit. At first all of it is kept."""

    stretch: Stretch
    head: set[Index]
    """Indices of the first messages, which stay through every cut."""
    pinned: set[Index]
    """Indices of the pinned messages, which do so too."""
    limit: int
    """Tokens that everything kept may cost."""
    low_water: float
    """Share of the limit, and of the most messages, that a new cut goes down to."""
    base: int
    """Tokens of which shares are taken; they do not move with what layers leave."""

    protected: set[Index] = field(init=False)
    """Indices that stay whatever else goes."""
    kept: set[Index] = field(init=False)
    """Indices that go out."""
    start: Index = field(init=False)
    """Index from which everything up to the present is kept; before it, only what is protected and a question."""
    newly_cut: bool = field(init=False, default=False)
    """Whether something had to go now that had not gone before."""
    decided: bool = field(init=False, default=False)
    """Whether it is what the budget's limit of now asks for, though nothing had to go."""
    decisions: Decisions = field(init=False)
    """What was decided about single messages."""
    marked: bool = field(init=False, default=True)
    """Whether omission markers stand at the gaps, if there are to be any."""
    fewest: int | None = field(init=False, default=None)
    """Tokens of what is kept if every text were cut as far as it can be; None where that was not asked for."""
    truncated: list[Position] = field(init=False, default_factory=list[Position])
    """Positions of protected messages whose text was cut."""
    marker: OmissionMarker = field(init=False)
    """What stands where messages are left out."""

    def __post_init__(self) -> None:
        """Keep all there is, in the remembered form."""
        stretch = self.stretch
        self.protected = {*stretch.instructions, *self.head, *self.pinned}
        self.kept = set(indices(0, len(stretch.entries)))
        self.start = stretch.index_of(stretch.first)
        self.decisions = stretch.decisions
        self.marker = OmissionMarker(stretch, self.pinned)

    @property
    def allowance(self) -> int:
        """Tokens that everything but the system messages may cost."""
        return max(0, self.limit - self.stretch.total(self.stretch.instructions))

    @property
    def low(self) -> int:
        """Tokens that a new cut goes down to."""
        return self.limit - int(self.allowance * (1 - self.low_water))

    @property
    def omitted(self) -> int:
        """Number of messages of the history that are left out before the stretch that is kept."""
        entries = self.stretch.entries
        if self.start >= len(entries):
            return 0
        position = entries[self.start].position
        return position - len(self.positions_before(position))

    @property
    def tokens(self) -> int:
        """What everything kept costs, with room for the omission markers."""
        return self.stretch.total(self.kept) + self.marker_room

    @property
    def marker_room(self) -> int:
        """Tokens for the omission markers, where there are any."""
        return self.marker.room(self.marker.gaps(self._before), self.start) if self.marked else 0

    @property
    def _before(self) -> set[Index]:
        return {at for at in self.kept if at < self.start}

    def unmark(self) -> None:
        """Leave the omission markers out, if they are those that stand by default."""
        self.marked = self.marked and not self.marker.gives_way

    def room(self, staying: Iterable[Index], limit: int, *, start: Index) -> Remaining:
        """Give the room that is left within a limit beside what stays wherever the cut is, and the markers at its gaps.

        Args:
            staying: indices of these entries.
            limit: tokens.
            start: where what is added begins.
        """
        chosen = set(staying)
        left = limit - self.stretch.total(chosen)
        return Remaining(self, left, self.count(chosen), self.marker.gaps(chosen), start)

    def count(self, chosen: Iterable[Index]) -> int:
        """Count the messages of the history: without instructions and without the one that is being answered."""
        stretch = self.stretch
        question = self.question
        return sum(1 for at in chosen if at != question and at not in stretch.instructions)

    def over(self, limit: int) -> bool:
        """Whether what is kept exceeds a limit; counts newest first and no further than it must."""
        left = limit - self.marker_room - self.stretch.total(self.kept & self.protected)
        for at in sorted(self.kept - self.protected, reverse=True):
            if left < 0:
                return True
            left -= self.stretch.cost(at)
        return left < 0

    def most_messages(self, share: float = 1.0) -> float:
        """Give how many messages of the history may be kept: a share of what the policy allows, at least 1."""
        most = self.stretch.policy.max_messages
        return math.inf if most is None else max(1, int(most * share))

    def too_many(self, share: float = 1.0) -> bool:
        """Whether more messages are kept than a share of those the policy allows."""
        return self.count(self.kept) > self.most_messages(share)

    @property
    def question(self) -> Index | None:
        """Index of the message that is being answered."""
        turns = self.stretch.turns
        return turns[-1].start if turns and turns[-1].has_question else None

    @property
    def first_preserved(self) -> int:
        """Number of the oldest turn that is never left out; what stands before the first question may be."""
        turns = self.stretch.turns
        asked = next((number for number, turn in enumerate(turns) if turn.has_question), len(turns) - 1)
        return max(asked, len(turns) - 1 - self.stretch.policy.preserve_recent_turns)

    def asked(self, *, after_clearing: bool = False, last: int = 0) -> int:
        """Give what the running turn and all that stays before it cost before anything was cut, with the marker.

        Args:
            after_clearing: whether results that the policy clears on overflow cost what is put in their place.
            last: so many messages before the running turn as well, with the question that they belong to.
        """
        stretch, turns = self.stretch, self.stretch.turns
        if not turns:
            return 0
        preserved = turns[self.first_preserved].start
        stays = {at for at in indices(0, len(stretch.entries)) if at >= preserved or at in self.protected}
        stays |= self._last_messages(last)
        saved = stretch.saved_by_giving_way(stays - self.protected) if after_clearing else 0
        return sum(map(stretch.asked, stays)) - saved + self.marker_room

    def _last_messages(self, count: int) -> set[Index]:
        """Give the indices of the last messages before the running turn, and of what they cannot go without."""
        stretch, turns = self.stretch, self.stretch.turns
        before = [at for at in indices(0, turns[-1].start) if at not in stretch.instructions]
        history = before[-count:] if count else []
        if not history:
            return set()
        turn = next(turn for turn in turns if turn.start <= history[0] < turn.end)
        # A turn of question and answer is kept whole or not; of one with tool calls the newest steps may be.
        first = history[0] if stretch.has_steps(turn) else turn.start
        return {turn.start, *(at for at in before if at >= first)}

    def decide(self, kind: dict[Position, int], at: Index, value: int) -> int:
        """Decide something about an entry; returns the tokens that it saves, and nothing is decided where it is none.

        Args:
            kind: of the cut's decisions those of this kind.
            at: index of the entry.
            value: what is decided.
        """
        form = self.stretch.decided_as(kind, at, value)
        if self.stretch.priced(at, form) >= self.stretch.cost(at):
            return 0
        kind[self.stretch.entries[at].position] = value
        return self.stretch.alter(at, form)

    def is_remembered_when_shortened(self, at: Index) -> bool:
        """Whether an entry is a result of the caller's that is shown: cleared, another text stands for it."""
        entry = self.stretch.entries[at]
        return at in self.stretch.results and not entry.synthetic and entry.position not in self.decisions.cleared

    def keep(self, chosen: set[Index], start: Index) -> None:
        """Keep these entries and no others; from `start` on they are all there are up to the present."""
        self.kept = chosen
        self.start = max(start, self.start)

    def listed(self) -> list[Entry]:
        """Give the entries that go out, with an omission marker at each gap."""
        stretch, marked = self.stretch, self._marked
        listed: list[Entry] = []
        for at in sorted(self.kept):
            entry = stretch.entries[at]
            if at in marked:
                listed.append(Entry(entry.position, self.marker.message(marked[at]), synthetic=True))
            if not stretch.is_hollow(at):
                form = stretch.form(at)
                as_it_came = form is entry.message
                listed.append(entry if as_it_came else Entry(entry.position, form, synthetic=entry.synthetic))
        return listed

    @property
    def _marked(self) -> dict[Index, int]:
        """Before which entries a marker stands, and of how many messages."""
        gaps = self.marker.gaps(self._before) if self.marked else None
        return {} if gaps is None else {gap.behind: gap.count for gap in gaps.before(self.start)}

    @property
    def gap(self) -> int:
        """How many entries go out before the last gap; where there is none, before the stretch up to the present."""
        gaps = Gaps(self.stretch, self._before).before(self.start)
        end = gaps[-1].behind if gaps else self.start
        return sum(at < end and not self.stretch.is_hollow(at) for at in self.kept) + sum(
            at < end for at in self._marked
        )

    def lost_copies(self) -> bool:
        """Whether a message in the stretch was taken for a copy of one that does not go out."""
        position = self.stretch.entries[self.start].position if self.start < len(self.stretch.entries) else Position(0)
        before = self.positions_before(position)
        copies = self.stretch.repairs.copies.items()
        return any(first < position <= copy and first not in before for copy, first in copies)

    def positions_before(self, position: Position) -> set[Position]:
        """Give the positions of what goes out before one."""
        return {at for at in self.stretch.positions_of(self.kept) if at < position}


@dataclass(slots=True)
class Remaining:
    """Tokens and messages that are left while entries are added, newest first."""

    cut: Cut
    beside: int
    """Tokens, without those of the omission markers."""
    messages: int
    """Messages of the history so far."""
    gaps: Gaps | None
    """Where markers stand, wherever it begins; None: nowhere."""
    start: Index
    """Where what was added begins."""

    @property
    def left(self) -> int:
        """Tokens."""
        return self.beside - self.cut.marker.room(self.gaps, self.start)

    def add(self, chosen: Iterable[Index], start: Index) -> None:
        """Add entries that begin at an index; stops counting where the room is used up."""
        self.start = start
        for at in sorted(chosen, reverse=True):
            if self.beside < 0:
                return
            self.beside -= self.cut.stretch.cost(at)
            self.messages += self.cut.count((at,))

    def holds(self) -> bool:
        """Whether nothing is exceeded."""
        return self.left >= 0 and self.messages <= self.cut.most_messages()
