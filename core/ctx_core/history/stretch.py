"""The part of a conversation that is looked at: repaired, in its remembered form, priced where it is asked for."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from ctx_core.conversation.content_blocks import says_nothing
from ctx_core.conversation.message_texts import text_units
from ctx_core.conversation.messages import Message, Role
from ctx_core.counting.counter import TokenCounter
from ctx_core.history.calls import Calls
from ctx_core.history.cuts import Turn, turns
from ctx_core.history.decisions import Decisions
from ctx_core.history.media import media_places, with_named_media
from ctx_core.history.places import Index, Position, indexed, indices, positions
from ctx_core.history.policy import HistoryPolicy
from ctx_core.history.repair import Entry, Repairs, repair
from ctx_core.history.results import Results
from ctx_core.history.state import WindowState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctx_core.conversation.transcript import Transcript


@dataclass(slots=True)
class Stretch:
    """Messages of a conversation, each with the form in which it goes out and what that costs.

    Forms and costs are worked out once, and only for messages that are asked for.
    """

    entries: list[Entry]
    """The messages as they came, repaired."""
    first: Position
    """Position from which all messages of the history are here; before it, only those that are kept."""
    length: int
    """Number of messages of the whole history."""
    repairs: Repairs
    """What was broken in them."""
    counter: TokenCounter
    policy: HistoryPolicy
    state: WindowState
    """What is remembered of them."""

    turns: list[Turn] = field(init=False)
    instructions: frozenset[Index] = field(init=False)
    """Indices of the system messages."""
    results: Results = field(init=False)
    """What may become of the results in it."""
    calls: Calls = field(init=False)
    """What may become of the calls in it."""
    reasoning_from: Position = field(init=False)
    """Messages before this position go out without their reasoning."""
    decisions: Decisions = field(init=False)
    """What was decided about single messages; a cut adds to it."""
    _forms: list[Message | None] = field(init=False)
    _costs: list[int | None] = field(init=False)
    _asked: dict[Index, int] = field(init=False, default_factory=dict[Index, int])

    def __post_init__(self) -> None:
        """Price nothing yet."""
        self.turns = turns(self.entries)
        self.instructions = frozenset(at for at, entry in indexed(self.entries) if entry.message.role.instructs)
        self.decisions = Decisions.of(self.state)
        # What is joined to a result only now has been read by nobody yet.
        decided = {*self.decisions.cleared, *self.decisions.shortened, *self.decisions.media}
        joined = self.repairs.joined_to(decided).items() if decided else ()
        self.decisions.forget(first for second, first in joined if second not in self.state.seconds)
        self.reasoning_from = self.state.reasoning_from
        self.calls = Calls(self.entries, self.counter, self.policy.calls)
        self.results = Results(self.entries, self.counter, self.policy.results)
        self._forms = [None] * len(self.entries)
        self._costs = [None] * len(self.entries)

    def form(self, at: Index) -> Message:
        """Give an entry's message in the form in which it goes out."""
        form = self._forms[at]
        if form is None:
            form = self._forms[at] = self.decided(at)
        return form

    def cost(self, at: Index) -> int:
        """Give the tokens of an entry in the form in which it goes out."""
        cost = self._costs[at]
        if cost is None:
            cost = self._costs[at] = self.priced(at, self.form(at))
        return cost

    def total(self, chosen: Iterable[Index]) -> int:
        """Give the tokens of several entries."""
        return sum(map(self.cost, chosen))

    def alter(self, at: Index, form: Message) -> int:
        """Give an entry another form; returns the tokens that this saves."""
        before = self.cost(at)
        self._asked.setdefault(at, before)
        self._forms[at] = form
        after = self._costs[at] = self.priced(at, form)
        return before - after

    def asked(self, at: Index) -> int:
        """Give the tokens of an entry before anything was done to it on this turn."""
        return self._asked[at] if at in self._asked else self.cost(at)

    def priced(self, at: Index, form: Message) -> int:
        """Give the tokens that an entry would cost in some form; one of which nothing is left does not go out."""
        if self._is_hollow(at, form):
            return 0
        return self.counter.count_message(form, parallel=self.results.is_parallel(at))

    def is_hollow(self, at: Index) -> bool:
        """Whether nothing is left of an answer whose reasoning has gone: providers refuse a message without content."""
        return self._is_hollow(at, self.form(at))

    def _is_hollow(self, at: Index, form: Message) -> bool:
        return (
            form is not self.entries[at].message
            and form.role is Role.ASSISTANT
            and not (form.tool_calls or form.beside)
            and all(map(says_nothing, form.parts))
        )

    def positions_of(self, chosen: Iterable[Index]) -> set[Position]:
        """Give the positions of what goes out with some entries: theirs, and those of what they say for others too."""
        own = {self.entries[at].position for at in chosen}
        others = chain(self.repairs.copies.items(), self.repairs.seconds.items())
        return own | {second for second, first in others if first in own}

    def has_steps(self, turn: Turn) -> bool:
        """Whether a turn holds calls of tools, or results in user messages."""
        messages = (self.entries[at].message for at in range(turn.start, turn.end))
        return any(message.tool_calls or message.step_result for message in messages)

    def index_of(self, position: Position) -> Index:
        """Give the index of the first entry that stands at a position of the history or behind it.

        A result that came later than its call, and was put to it, belongs to what stands before.
        """
        later = (
            at for at, entry in indexed(self.entries) if entry.position >= position and not entry.message.is_result
        )
        return next(later, Index(len(self.entries)))

    def decided(self, at: Index) -> Message:
        """Give the form that was decided, or that the policy gives every message at first sight."""
        entry, decisions, policy = self.entries[at], self.decisions, self.policy
        message, position = entry.message, entry.position
        if entry.synthetic:
            return message
        message = with_named_media(message, self._named(at))
        if at in self.results:
            if position in decisions.cleared:
                return self.results.with_placeholder(at, max(0, decisions.cleared[position]))
            limit = decisions.shortened.get(position, policy.results.max_tokens)
            return message if limit is None else self.results.shortened(at, limit, message)
        if message.role is Role.ASSISTANT:
            old = policy.reasoning == "drop_old_turns" and at < self.turns[-1].start
            if old or position < self.reasoning_from:
                message = message.without_reasoning(signed=policy.reasoning == "bound")
            return self.calls.decided(at, message, decisions)
        return message

    def decided_as(self, kind: dict[Position, int], at: Index, value: int) -> Message:
        """Give the form that an entry would have from now on, if something were decided about it.

        Args:
            kind: of the decisions those of this kind.
            at: index of the entry.
            value: what would be decided.
        """
        position = self.entries[at].position
        known = kind.get(position)
        kind[position] = value
        form = self.decided(at)
        if known is None:
            del kind[position]
        else:
            kind[position] = known
        return form

    def saved_by_giving_way(self, chosen: Iterable[Index]) -> int:
        """Give the tokens saved where all gives way that the policy lets, on messages as they were at first sight."""
        chosen = set(chosen)
        saved = self.results.saved_by_clearing(chosen) + self.calls.saved_by_clearing(chosen)
        for at, number in self.media_that_may_go():
            if at in chosen:
                message = self.entries[at].message
                form = with_named_media(message, self._media(at)[:number])
                saved += max(0, self.priced(at, message) - self.priced(at, form))
        return saved

    def is_cut(self, at: Index) -> bool:
        """Whether an entry goes out with other texts than it came with."""
        form, message = self.form(at), self.entries[at].message
        if form is message:
            return False
        return [unit.text for unit in text_units(form)] != [
            unit.text for unit in text_units(with_named_media(message, self._named(at)))
        ]

    def is_answer_cut(self, at: Index) -> bool:
        """Whether an entry is an answer of the assistant that goes out with less text."""
        form, message = self.form(at), self.entries[at].message
        return form is not message and message.role is Role.ASSISTANT and form.text != message.text

    def media_gone(self, at: Index) -> int:
        """Give how many media of an entry do not go out."""
        form, message = self.form(at), self.entries[at].message
        return 0 if form is message else len(media_places(message)) - len(media_places(form))

    def media_that_may_go(self) -> list[tuple[Index, int]]:
        """Give the messages of which media may be named at a cut, oldest first: index, and how many, the first ones.

        Those of the question that is being answered and of the newest step stay, and count to the newest.
        """
        if self.policy.media is None:
            return []
        left, going = self.policy.media.keep_newest or 0, list[tuple[Index, int]]()
        question = self.turns[-1].start if self.turns and self.turns[-1].has_question else None
        for at in reversed(indices(0, len(self.entries))):
            found = len(self._media(at))
            stays = min(found, left)
            left -= stays
            newest = at == question or (at in self.results and self.results[at].age == 0)
            if found > stays and not newest:
                going.append((at, found - stays))
        return going[::-1]

    def _named(self, at: Index) -> list[int]:
        """Give which parts of a message it was decided to name."""
        number = self.decisions.media.get(self.entries[at].position, 0)
        return self._media(at)[:number] if number else []

    def _media(self, at: Index) -> list[int]:
        """Give which parts of a message are media that may be named."""
        entry, policy = self.entries[at], self.policy.media
        if policy is None or entry.synthetic or not (entry.message.role is Role.USER or at in self.results):
            return []
        return media_places(entry.message, policy.kinds)


def stretch_from(
    transcript: Transcript[Any],
    first: Position,
    kept: Iterable[Position],
    *,
    counter: TokenCounter,
    policy: HistoryPolicy,
    state: WindowState,
    results_follow: bool,
) -> Stretch:
    """Give the stretch from a position to the end, behind the kept messages from before it; else as `repair`."""
    listed = [*(at for at in kept if at < first), *positions(first, len(transcript))]
    read = set(listed)
    gap_ends = [at for at in listed if at and at - 1 not in read]

    def left_out(after: Position, before: Position) -> Iterator[Message]:
        """Give what stands between two positions and is not read; most have no gap between them."""
        if bisect(gap_ends, after) != bisect(gap_ends, before):
            yield from (transcript[at] for at in range(after, before) if at not in read)

    entries = [Entry(at, transcript[at]) for at in listed]
    entries, repairs = repair(
        entries, policy, length=len(transcript), results_follow=results_follow, left_out=left_out if gap_ends else None
    )
    return Stretch(entries, first, len(transcript), repairs, counter, policy, state)
