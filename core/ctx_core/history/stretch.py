"""The part of a conversation that is looked at: repaired, in its remembered form, priced where it is asked for."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ctx_core.conversation.messages import Message, Role
from ctx_core.counting.counter import TokenCounter
from ctx_core.history.cuts import Turn, turns
from ctx_core.history.places import Index, Position, indexed, positions
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
    _forms: list[Message | None] = field(init=False)
    _costs: list[int | None] = field(init=False)
    _asked: dict[Index, int] = field(init=False, default_factory=dict[Index, int])

    def __post_init__(self) -> None:
        """Price nothing yet."""
        self.turns = turns(self.entries)
        self.instructions = frozenset(at for at, entry in indexed(self.entries) if entry.message.role.instructs)
        self.results = Results(self.entries, self.counter, self.policy.results)
        self._forms = [None] * len(self.entries)
        self._costs = [None] * len(self.entries)

    def form(self, at: Index) -> Message:
        """Give an entry's message in the form in which it goes out."""
        form = self._forms[at]
        if form is None:
            form = self._forms[at] = self._decided(at)
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
        """Give the tokens that an entry would cost in some form."""
        return self.counter.count_message(form, parallel=self.results.is_parallel(at))

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

    def _decided(self, at: Index) -> Message:
        """Give the form that was decided earlier, or that the policy gives every message at first sight."""
        message, position, policy = self.entries[at].message, self.entries[at].position, self.policy
        if at in self.results:
            # What was decided once holds, whatever the policy says by now: the prompt keeps its bytes.
            if position in self.state.cleared:
                return self.results.with_placeholder(at, max(0, self.state.cleared[position]))
            # At first sight, not at the next overflow: else the model sees it whole once and cut from then on.
            limit = policy.results.max_tokens
            if position in self.state.shortened:
                limit = self.state.shortened[position]
            if limit is None:
                return message
            return self.results.shortened(at, limit)
        if message.role is Role.ASSISTANT:
            old = policy.reasoning == "drop_old_turns" and at < self.turns[-1].start
            if old or position < self.state.reasoning_from:
                return message.without_reasoning(signed=policy.reasoning == "bound")
        return message


def stretch_from(
    transcript: Transcript[Any],
    first: Position,
    kept: Iterable[Position],
    *,
    counter: TokenCounter,
    policy: HistoryPolicy,
    state: WindowState,
) -> Stretch:
    """Give the stretch from a position to the end, behind the kept messages from before it."""
    listed = [*(at for at in kept if at < first), *positions(first, len(transcript))]
    read = set(listed)
    gap_ends = [at for at in listed if at and at - 1 not in read]

    def left_out(after: Position, before: Position) -> Iterator[Message]:
        """Give what stands between two positions and is not read; most have no gap between them."""
        if bisect(gap_ends, after) != bisect(gap_ends, before):
            yield from (transcript[at] for at in range(after, before) if at not in read)

    entries = [Entry(at, transcript[at]) for at in listed]
    entries, repairs = repair(entries, policy, length=len(transcript), left_out=left_out if gap_ends else None)
    return Stretch(entries, first, len(transcript), repairs, counter, policy, state)
