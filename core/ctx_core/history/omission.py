"""The omission marker: the gaps at which it stands, and what it says there."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ctx_core.conversation.messages import Message
from ctx_core.history.places import Index
from ctx_core.history.policy import GAP_MARKER

if TYPE_CHECKING:
    from collections.abc import Collection

    from ctx_core.history.stretch import Stretch


@dataclass(frozen=True, slots=True)
class Gap:
    """Where messages are left out between others, or before all."""

    behind: Index
    """Index of the first entry behind it."""
    count: int
    """Messages that are left out in it, or before it in one that does not count."""


class Gaps:
    """The gaps between what stays before a cut, wherever that comes to be.

    Instructions stay wherever they stand: they neither end a gap nor begin one. Before a result there is none either,
    whatever stood there, as a result comes directly behind its call.
    """

    __slots__ = ("_anchors", "_begins", "_found", "_sent", "_stretch")

    def __init__(
        self, stretch: Stretch, staying: Collection[Index], *, begins: Collection[Index] | None = None
    ) -> None:
        """Find those between what stays.

        Args:
            stretch: the conversation.
            staying: indices of what stays wherever the cut is.
            begins: before which entries a gap counts, and only if something stays before it; None: any gap counts.
        """
        self._stretch = stretch
        self._begins = begins
        self._sent = sorted(stretch.positions_of({*staying, *stretch.instructions}))
        self._anchors = sorted(at for at in staying if not (at in stretch.instructions or self._is_result(at)))
        between = pairwise([None, *self._anchors])
        self._found = [behind for before, behind in between if behind is not None and self._is_gap(before, behind)]

    def before(self, start: Index) -> list[Gap]:
        """Give those before an index from which on all stays, in order."""
        found, told = list[Gap](), 0
        for behind in (*self._found[: bisect_left(self._found, start)], *((start,) if self._is_last(start) else ())):
            gone = self._gone_before(behind)
            found.append(Gap(behind, gone - told))
            told = gone
        return found

    def count(self, start: Index) -> int:
        """Count them."""
        return bisect_left(self._found, start) + self._is_last(start)

    def _is_last(self, start: Index) -> bool:
        """Whether there is one directly before an index."""
        before = bisect_left(self._anchors, start)
        return start < len(self._stretch.entries) and self._is_gap(self._anchors[before - 1] if before else None, start)

    def _is_gap(self, at: Index | None, behind: Index) -> bool:
        if self._is_result(behind) or not (self._begins is None or (at is not None and behind in self._begins)):
            return False
        first, position = 0 if at is None else self._position(at) + 1, self._position(behind)
        return position - first > self._sent_before(position) - self._sent_before(first)

    def _gone_before(self, at: Index) -> int:
        """Give how many messages are left out before an entry; what a store has dropped stood before all there is."""
        return self._position(at) - self._sent_before(self._position(at)) + self._stretch.state.forgotten

    def _sent_before(self, position: int) -> int:
        return bisect_left(self._sent, position)

    def _position(self, at: Index) -> int:
        return self._stretch.entries[at].position

    def _is_result(self, at: Index) -> bool:
        return self._stretch.entries[at].message.is_result


class OmissionMarker:
    """The marker of one stretch by its policy: one at each gap.

    By default only behind what is kept, between turns and before what is pinned in a finished one: a plain cut from the
    beginning has none, and neither have the steps that are left out before the newest ones of a turn, whose question
    stays as it came.
    """

    def __init__(self, stretch: Stretch, pinned: Collection[Index]) -> None:
        """Take what the policy says.

        Args:
            stretch: the conversation.
            pinned: indices of what is pinned.
        """
        self._stretch = stretch
        self._template = stretch.policy.omission_marker
        self.gives_way = self._template == GAP_MARKER
        """Whether it goes where it would be too much: nobody asked for the one that stands by default."""
        running = stretch.turns[-1].start if stretch.turns else Index(0)
        self._begins = {turn.start for turn in stretch.turns} | {at for at in pinned if at < running}

    def room(self, gaps: Gaps | None, start: Index) -> int:
        """Give the tokens for those before a cut, as `gaps` has them.

        With the longest number that one can have, so that a cut fits whatever it comes to leave out.
        """
        count = 0 if gaps is None else gaps.count(start)
        stretch = self._stretch
        longest = stretch.length + stretch.state.forgotten
        return count and count * stretch.counter.count_message(self.message(longest))

    def message(self, count: int) -> Message:
        """Give the marker of so many messages."""
        text = Message.user((self._template or "").replace("{count}", str(count)))
        return Message(role=self._stretch.policy.marker_role, parts=text.parts, synthetic=True)

    def gaps(self, staying: Collection[Index]) -> Gaps | None:
        """Give the gaps at which it stands; None for no marker.

        Args:
            staying: indices of what stays wherever the cut is.
        """
        if self._template is None:
            return None
        return Gaps(self._stretch, staying, begins=self._begins if self.gives_way else None)
