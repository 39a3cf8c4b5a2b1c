"""What the caller allows with `truncate`: texts of what stays are cut, and no request fails where a text can be cut.

1. The question, and what cannot go with it: the newest step, pinned and preserved messages. The largest first.
2. Where that is not enough, the instructions too.
3. At the very last the marks of what is missing go as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from ctx_core.conversation.message_texts import LEFT_OUT, text_units
from ctx_core.conversation.messages import Role
from ctx_core.conversation.text_steps import opening_of
from ctx_core.counting.counter import TokenCounter
from ctx_core.history.cut import Cut
from ctx_core.history.least import least_of
from ctx_core.history.policy import HistoryPolicy
from ctx_core.history.shortening import Shortening
from ctx_core.history.squeeze import squeeze
from ctx_core.truncation import MARKER, cut_end

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx_core.conversation.messages import Message
    from ctx_core.history.places import Index

Truncation: TypeAlias = Literal["no", "marked", "bare"]
"""Whether texts of what stays are cut: not at all, with a mark where something is missing, or without."""


def truncate(cut: Cut, *, marked: bool) -> None:
    """Cut texts so that what is kept fits; where that cannot be, they stay as they are.

    Args:
        cut: what is worked on.
        marked: whether the omission marker stays, and a mark stands wherever a text is cut.
    """
    if not marked:
        cut.marked = False
    by = cut.tokens - cut.limit
    if by <= 0:
        return
    for with_marks in (True,) if marked else (True, False):
        cutting = _Cutting(cut, marked=with_marks)
        for candidates in (cut.kept - cut.stretch.instructions, cut.kept):
            forms = cutting.within(sorted(candidates), by=by)
            if forms is not None:
                for at, (form, most) in forms.items():
                    _take(cut, at, form, most)
                return
        cut.fewest = cut.tokens - cutting.saves(cut.kept)


def _take(cut: Cut, at: Index, form: Message, most: int) -> None:
    stretch, position = cut.stretch, cut.stretch.entries[at].position
    if form.role is Role.ASSISTANT:
        stretch.alter(at, form)
        cut.decisions.shortened_calls[position] = most
        return
    shortened = cut.decisions.shortened
    if cut.is_remembered_when_shortened(at) and stretch.decided_as(shortened, at, most) == form:
        # As it goes out from now on: asked for again, it would be cut otherwise.
        shortened[position] = most
    stretch.alter(at, form)
    if at not in stretch.results and not stretch.entries[at].synthetic:
        cut.truncated.append(position)


@dataclass(frozen=True, slots=True)
class _Least:
    """The least tokens of a message that says something, and for what they were found."""

    tokens: int
    """To what it is cut."""
    cost: int
    """What it costs then; as much as before where it cannot be cut."""
    counter: TokenCounter
    policy: HistoryPolicy


@dataclass(frozen=True, slots=True)
class _Cutting:
    """How the texts of a stretch are cut."""

    cut: Cut
    marked: bool

    def within(self, candidates: Iterable[Index], *, by: int) -> dict[Index, tuple[Message, int]] | None:
        """Give forms of some entries that save so many tokens together, and what each was cut to; None for none."""
        stretch = self.cut.stretch
        left = self._sizes(candidates)
        forms: dict[Index, tuple[Message, int]] = {}
        if all(self._known(at, size) is not None for at, size in left.items()) and self._saved(left) < by:
            return None
        while True:
            most = squeeze(left.values(), by=by)
            if most is None:
                return None
            cut = {at: self._form(at, most) for at, size in left.items() if size > most}
            stuck = [at for at, form in cut.items() if form is None]
            if not stuck:
                return forms | {at: (form, most) for at, form in cut.items() if form is not None}
            if not forms and self._saved(left) < by:
                return None
            for at in stuck:  # its frame alone is over: it gives what it can, and the others the rest
                size = left.pop(at)
                if (least := self._least(at, size)) is not None:
                    forms[at] = least
                    by -= size - stretch.priced(at, least[0])

    def saves(self, candidates: Iterable[Index]) -> int:
        """Give the most tokens that these entries save together."""
        return self._saved(self._sizes(candidates))

    def _sizes(self, candidates: Iterable[Index]) -> dict[Index, int]:
        return {at: self.cut.stretch.cost(at) for at in candidates if self._can_be_cut(at)}

    def _saved(self, sizes: dict[Index, int]) -> int:
        return sum(size - self._fewest(at, size).cost for at, size in sizes.items())

    def _least(self, at: Index, size: int) -> tuple[Message, int] | None:
        """Give the smallest form of an entry that says something, and what it was cut to."""
        least = self._fewest(at, size).tokens
        form = None if least == size else self._form(at, least)
        return None if form is None else (form, least)

    def _fewest(self, at: Index, size: int) -> _Least:
        """Give the least tokens of an entry that says something: searched for once, and not in every build."""
        known = self._known(at, size)
        if known is not None:
            return known
        stretch = self.cut.stretch
        least = least_of(lambda tokens: self._form(at, tokens) is not None, over=0, fitting=size)
        form = None if least == size else self._form(at, least)
        cost = size if form is None else stretch.priced(at, form)
        found = _Least(least, cost, stretch.counter, stretch.policy)
        stretch.entries[at].message.figures[self._key(at, size)] = found
        return found

    def _known(self, at: Index, size: int) -> _Least | None:
        """Give what was found for an entry as it is now; None where nothing was."""
        stretch = self.cut.stretch
        found = stretch.entries[at].message.figures.get(self._key(at, size))
        if not isinstance(found, _Least) or found.counter is not stretch.counter:
            return None
        return found if found.policy == stretch.policy else None

    def _key(self, at: Index, size: int) -> tuple[object, ...]:
        """Give what the least form of an entry depends on beside counter and policy: what is decided about it."""
        position, decisions = self.cut.stretch.entries[at].position, self.cut.decisions
        decided = (decisions.cleared, decisions.shortened, decisions.shortened_calls)
        return (_Cutting, self.marked, size, *(kind.get(position) for kind in decided))

    def _can_be_cut(self, at: Index) -> bool:
        message = self.cut.stretch.form(at)
        return bool(text_units(message) or message.tool_calls)

    def _form(self, at: Index, most: int) -> Message | None:
        """Give an entry cut to so many tokens; None where nothing of what it says would be left."""
        stretch, decisions = self.cut.stretch, self.cut.decisions
        message, counter = stretch.form(at), stretch.counter
        if message.role is Role.ASSISTANT:
            form = stretch.decided_as(decisions.shortened_calls, at, most)
            return form if stretch.priced(at, form) <= most and (form.tool_calls or self._says(form)) else None
        if self.cut.is_remembered_when_shortened(at):
            remembered = stretch.decided_as(decisions.shortened, at, most)
            if stretch.priced(at, remembered) <= most and self._says(remembered):
                return remembered
        shortening = Shortening(
            counter=counter,
            price=lambda one: stretch.priced(at, one),
            cut=lambda text, room: cut_end(text, room, counter, marker=MARKER if self.marked else ""),
        )
        cut = shortening.of(message, most, opening=opening_of(message))
        return cut if cut is not None and self._says(cut) else None

    def _says(self, form: Message) -> bool:
        """Whether anything is left of what a message said itself."""
        texts = "".join(unit.text for unit in text_units(form)).removeprefix(opening_of(form))
        return bool(texts.replace(MARKER, "").replace(LEFT_OUT, "").strip())
