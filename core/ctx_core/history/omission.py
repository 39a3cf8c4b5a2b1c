"""The omission marker: the gap at which it stands, and what it says there."""

from __future__ import annotations

from dataclasses import dataclass
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
    """Messages that are left out before that entry."""


class OmissionMarker:
    """The marker of one stretch by its policy.

    By default it stands only where what is kept before leaves a gap between turns: a plain cut from the beginning has
    none, and neither have the steps that are left out of a turn, whose question stays as it came with its newest steps.
    """

    def __init__(self, stretch: Stretch, staying: Collection[Index]) -> None:
        """Take what the policy says.

        Args:
            stretch: the conversation.
            staying: indices of the messages from its beginning, or from anywhere, that stay through every cut.
        """
        self._stretch = stretch
        self._template = stretch.policy.omission_marker
        self._between_turns = self._template == GAP_MARKER
        self._running = stretch.turns[-1].start if stretch.turns else Index(0)
        self._waits = self._between_turns and not any(at < self._running for at in staying)

    @property
    def _price(self) -> int:
        """Its tokens with the longest number it can have, so that a cut fits whatever it comes to leave out."""
        stretch = self._stretch
        if self._template is None:
            return 0
        return stretch.counter.count_message(self.message(stretch.length + stretch.state.forgotten))

    @property
    def room_at_a_cut(self) -> int:
        """Tokens that a new cut leaves free for it."""
        return 0 if self._waits else self._price

    @property
    def gives_way(self) -> bool:
        """Whether it goes where it would be too much: nobody asked for the one that stands by default."""
        return self._between_turns

    def room(self, kept: Collection[Index], start: Index) -> int:
        """Give the tokens for it, where it stands; as `gap`."""
        return 0 if self.gap(kept, start) is None else self._price

    def room_for_steps(self, kept: Collection[Index], start: Index) -> int:
        """Give the tokens that stay free for it where turns are chosen and steps of the running one go; as `gap`."""
        return self.room(kept, start) if self._between_turns else self._price

    def message(self, count: int) -> Message:
        """Give the marker of so many messages."""
        text = Message.user((self._template or "").replace("{count}", str(count)))
        return Message(role=self._stretch.policy.marker_role, parts=text.parts, synthetic=True)

    def gap(self, kept: Collection[Index], start: Index) -> Gap | None:
        """Give the gap at which it stands; None for no marker.

        Args:
            kept: indices of what goes out.
            start: index from which on all goes out.
        """
        if self._template is None:
            return None
        begins = {turn.start for turn in self._stretch.turns} if self._between_turns else None
        return last_gap(self._stretch, kept, start, begins=begins)


def last_gap(
    stretch: Stretch, kept: Collection[Index], start: Index, *, begins: Collection[Index] | None = None
) -> Gap | None:
    """Give the last gap before the stretch that goes out up to the present; None where nothing is left out.

    Instructions stay wherever they stand: they neither end a gap nor begin one. Before a result there is none either,
    whatever stood there, as a result comes directly behind its call.

    Args:
        stretch: the conversation.
        kept: indices of what goes out.
        start: index from which on all goes out.
        begins: where turns begin. Then only a gap between turns counts, with something kept before it; None: any.
    """
    entries = stretch.entries
    if start >= len(entries):
        return None
    sent = stretch.positions_of(kept)
    before = sorted((at for at in kept if at < start and at not in stretch.instructions), reverse=True)
    behind = start
    for at in (*before, None):
        position = entries[behind].position
        first = 0 if at is None else entries[at].position + 1
        counts = begins is None or (at is not None and behind in begins)
        counts = counts and not entries[behind].message.is_result
        if counts and any(missing not in sent for missing in range(first, position)):
            whole = entries[start].position if begins is None else position
            left_out = whole - sum(1 for one in sent if one < whole)
            return Gap(behind, left_out + stretch.state.forgotten)
        behind = behind if at is None else at
    return None
