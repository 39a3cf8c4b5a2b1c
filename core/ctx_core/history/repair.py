"""Makes a conversation one that providers accept: every result behind its call, every call answered, nothing twice.

Calls and results are paired by position and id, never by id alone: ids repeat within real conversations.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from ctx_core.conversation.messages import Message, Role, ToolCall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.history.policy import HistoryPolicy


@dataclass(slots=True)
class Entry:
    """A message and where it stands in the history."""

    position: int
    """Position in the history; a stub has that of the call it answers."""
    message: Message
    """The message as it is now, perhaps altered."""
    made: bool = False
    """Whether it was made here (a stub, a marker) and did not come with the history."""


@dataclass(slots=True)
class Repairs:
    """How many messages were broken, and how."""

    orphans: int = 0
    """Results without a call before them, left out."""
    duplicates: int = 0
    """Messages that stand a second time with the same id and content, and second results of a call, left out."""
    stubs: int = 0
    """Calls that were never answered and got a stub result."""
    dropped_calls: int = 0
    """Calls that were never answered and were taken out."""
    moved: int = 0
    """Results that stood apart from their call and were put behind it."""
    paired: int = 0
    """Results without an id that were given that of the call they answer."""
    copies: dict[int, int] = field(default_factory=dict[int, int])
    """Position of each message that stands a second time, and that of the first."""

    def as_dict(self) -> dict[str, int]:
        """Give what happened at all."""
        named = {
            "orphans": self.orphans, "duplicates": self.duplicates, "stubs": self.stubs,
            "dropped_calls": self.dropped_calls, "moved": self.moved, "paired": self.paired,
        }  # fmt: skip
        return {name: count for name, count in named.items() if count}


@dataclass(slots=True)
class _Asked:
    """An assistant message with calls, and the results found for it so far."""

    entry: Entry
    answered: set[int] = field(default_factory=set[int])
    results: list[Entry] = field(default_factory=list[Entry])

    def asks(self, message: Message) -> bool:
        """Whether this result answers one of the calls, be it open or not."""
        return any(_answers(message, call) for call in self.entry.message.tool_calls)

    def slot(self, message: Message) -> int | None:
        """Give which of the open calls this result answers; None if none."""
        calls = self.entry.message.tool_calls
        return next((at for at in range(len(calls)) if at not in self.answered and _answers(message, calls[at])), None)


def repair(entries: Sequence[Entry], policy: HistoryPolicy, *, length: int) -> tuple[list[Entry], Repairs]:
    """Give the conversation repaired, and what was done.

    Args:
        entries: messages in order of position; not changed.
        policy: what becomes of unanswered calls.
        length: number of messages of the whole history: a call in the very last one may still be in flight.
    """
    repairs = Repairs()
    blocks: list[Entry | _Asked] = []
    seen: dict[str, Entry] = {}
    asking: list[_Asked] = []
    question = next((entry for entry in reversed(entries) if entry.message.role is Role.USER), None)
    run: list[Entry] = []
    for entry in entries:
        message = entry.message
        if message.role is Role.TOOL:
            run.append(entry)
            continue
        _place_results(run, asking, blocks, repairs)
        run = []
        first = _original(entry, seen)
        if first is not None and entry is question:
            # Who asks again wants an answer: it stays, and goes for the first where nothing was said in between.
            if blocks[-1] is first:
                blocks.pop()
                repairs.duplicates += 1
            blocks.append(entry)
        elif first is not None:
            repairs.copies[entry.position] = first.position
            repairs.duplicates += 1
        elif message.tool_calls:
            asked = _Asked(entry)
            blocks.append(asked)
            asking.append(asked)
        else:
            blocks.append(entry)
    _place_results(run, asking, blocks, repairs)
    repaired: list[Entry] = []
    for block in blocks:
        if isinstance(block, Entry):
            repaired.append(block)
        else:
            repaired.extend(_closed(block, policy, repairs, in_flight=block.entry.position == length - 1))
    return repaired, repairs


def _answers(message: Message, call: ToolCall) -> bool:
    """Whether a result goes with a call: by id, or without one by name, or without either by position alone."""
    if message.tool_call_id is not None:
        return call.id == message.tool_call_id
    return message.name is None or message.name == call.name


def _original(entry: Entry, seen: dict[str, Entry]) -> Entry | None:
    """Give the message that stood before with the same id and content; the same id with another is another message."""
    if entry.message.id is None:
        return None
    first = seen.setdefault(entry.message.id, entry)
    return None if first is entry or first.message != entry.message else first


def _place_results(run: list[Entry], asked: list[_Asked], blocks: list[Entry | _Asked], repairs: Repairs) -> None:
    """Put results that stand in a row to their calls: those with an id first, so that the others take what is left."""
    for entry in sorted(run, key=lambda entry: entry.message.tool_call_id is None):
        _place_result(entry, asked, blocks, repairs)


def _place_result(entry: Entry, asked: list[_Asked], blocks: list[Entry | _Asked], repairs: Repairs) -> None:
    """Put a result to the newest message that asks for its id; if that has it already, it stands twice."""
    message = entry.message
    nearest = next((one for one in reversed(asked) if one.asks(message)), None)
    if nearest is None:
        repairs.orphans += 1
        return
    at = nearest.slot(message)
    if at is None:
        repairs.duplicates += 1
        return
    call = nearest.entry.message.tool_calls[at]
    if message.tool_call_id is None and call.id is not None:
        entry = replace(entry, message=replace(message, tool_call_id=call.id, altered=True))
        repairs.paired += 1
    if blocks[-1] is not nearest:
        repairs.moved += 1
    nearest.answered.add(at)
    insort(nearest.results, entry, key=attrgetter("position"))


def _closed(asked: _Asked, policy: HistoryPolicy, repairs: Repairs, *, in_flight: bool) -> list[Entry]:
    """Give the message with its calls and behind it a result for each."""
    entry, calls = asked.entry, asked.entry.message.tool_calls
    missing = [at for at in range(len(calls)) if at not in asked.answered]
    if not missing or (in_flight and not asked.results):
        return [entry, *asked.results]
    if policy.unanswered == "drop":
        repairs.dropped_calls += len(missing)
        message = entry.message.without_calls(frozenset(missing))
        if not message.tool_calls and not message.text.strip():
            return []
        return [replace(entry, message=message), *asked.results]
    repairs.stubs += len(missing)
    stubs = [_stub(entry.position, calls[at].id, calls[at].name, policy) for at in missing]
    return [entry, *asked.results, *stubs]


def _stub(position: int, call_id: str | None, name: str, policy: HistoryPolicy) -> Entry:
    # A legacy result is known by its function's name; a result with an id needs no name.
    result = Message.tool(policy.stub, tool_call_id=call_id, name=None if call_id is not None else name)
    return Entry(position, replace(result, synthetic=True), made=True)
