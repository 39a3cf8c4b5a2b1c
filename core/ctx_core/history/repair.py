"""Makes a conversation one that providers accept: every result behind its call, every call answered, nothing twice.

How calls and results are paired stands in `pairing`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ctx_core.conversation.messages import Message, Role
from ctx_core.history.asked import Asked
from ctx_core.history.copies import Copies
from ctx_core.history.pairing import Pairing
from ctx_core.history.places import Position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.history.pairing import LeftOut
    from ctx_core.history.policy import HistoryPolicy


@dataclass(slots=True)
class Entry:
    """A message and where it stands in the history."""

    position: Position
    """Position in the history; a stub has that of the call it answers."""
    message: Message
    """The message as it is now, perhaps altered."""
    synthetic: bool = False
    """Whether it was made here (a stub, a marker) and did not come with the history."""


@dataclass(slots=True)
class Repairs:
    """How many messages were broken, and how."""

    orphans: int = 0
    """Results without a call before them, left out."""
    duplicates: int = 0
    """Messages that stand a second time with the same id and content, as `copies` tells them, and results that say what
    one of the same call says, left out."""
    stubs: int = 0
    """Calls that were never answered and got a stub result."""
    dropped_calls: int = 0
    """Calls that were never answered and were taken out."""
    moved: int = 0
    """Results that stood apart from their call and were put behind it."""
    joined: int = 0
    """Second results of a call that say something else, and were joined to the first."""
    paired: int = 0
    """Results without an id that were given that of the call they answer."""
    copies: dict[Position, Position] = field(default_factory=dict[Position, Position])
    """Position of each message that stands a second time, and that of the first."""
    seconds: dict[Position, Position] = field(default_factory=dict[Position, Position])
    """Position of each second result of a call, and that of the first, which says what both of them said."""

    def as_dict(self) -> dict[str, int]:
        """Give what happened at all."""
        named = {
            "orphans": self.orphans, "duplicates": self.duplicates, "stubs": self.stubs,
            "dropped_calls": self.dropped_calls, "moved": self.moved, "joined": self.joined,
            "paired": self.paired,
        }  # fmt: skip
        return {name: count for name, count in named.items() if count}


def repair(
    entries: Sequence[Entry],
    policy: HistoryPolicy,
    *,
    length: int,
    results_follow: bool = False,
    left_out: LeftOut[Position] | None = None,
) -> tuple[list[Entry], Repairs]:
    """Give the conversation repaired, and what was done.

    Args:
        entries: messages in order of position; not changed.
        policy: what becomes of unanswered calls.
        length: number of messages of the whole history: a call in the very last one may still be in flight.
        results_follow: whether the results that the last calls lack may be what follows: nothing stands for them then.
        left_out: what of the history is not among the entries.
    """
    repairs, pairing = Repairs(), Pairing[Position](left_out)
    blocks: list[Entry | tuple[Entry, Asked[Position]]] = []
    copies = Copies([entry.message for entry in entries])
    question = next((entry for entry in reversed(entries) if entry.message.is_question), None)
    run: list[tuple[Position, Message]] = []
    for number, entry in enumerate(entries):
        message = entry.message
        if message.role is Role.TOOL:
            # Placed when all of a row are known: a sure one must not lose its call to one that merely fits.
            run.append((entry.position, message))
            continue
        _place(run, pairing, blocks, repairs)
        run = []
        known = copies.first_of(number, _last_said(blocks))
        first = None if known is None else entries[known]
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
            asked = Asked(entry.position, message.tool_calls)
            pairing.ask(asked)
            blocks.append((entry, asked))
        else:
            blocks.append(entry)
    _place(run, pairing, blocks, repairs)
    # Calls are closed when all results are placed: one that came late may stand behind many messages.
    repaired: list[Entry] = []
    last = next((block for block in reversed(blocks) if not _instructs(block)), None)
    for block in blocks:
        if isinstance(block, Entry):
            repaired.append(block)
        else:
            in_flight = block[0].position == length - 1 or (block is last and results_follow)
            repaired.extend(_closed(*block, policy, repairs, in_flight=in_flight))
    return repaired, repairs


def _last_said(blocks: Sequence[Entry | tuple[Entry, Asked[Position]]]) -> Message | None:
    last = next((block for block in reversed(blocks) if not _instructs(block)), None)
    return None if last is None else (last if isinstance(last, Entry) else last[0]).message


def _instructs(block: Entry | tuple[Entry, Asked[Position]]) -> bool:
    return isinstance(block, Entry) and block.message.role.instructs


def _place(
    run: list[tuple[Position, Message]],
    pairing: Pairing[Position],
    blocks: list[Entry | tuple[Entry, Asked[Position]]],
    repairs: Repairs,
) -> None:
    """Put results that stand in a row to their calls, and say what was wrong with them."""
    if not run:
        return
    behind = blocks[-1][1] if blocks and isinstance(blocks[-1], tuple) else None
    for placed in pairing.place(run):
        if placed.asked is None:
            repairs.orphans += 1
        elif placed.first is not None:
            repairs.seconds[placed.place] = placed.first
            repairs.duplicates += placed.equal
            repairs.joined += not placed.equal
        elif placed.asked is not behind:
            repairs.moved += 1


def _closed(
    entry: Entry, asked: Asked[Position], policy: HistoryPolicy, repairs: Repairs, *, in_flight: bool
) -> list[Entry]:
    """Give the message with its calls and behind it a result for each."""
    results: list[Entry] = []
    answers = asked.answers.items()
    for at, (position, message) in answers if len(answers) < 2 else sorted(answers, key=_place_of):  # noqa: PLR2004 - nothing to sort
        named = asked.calls[at].id
        if named and not message.tool_call_id:
            message = replace(message, tool_call_id=named, altered=True)  # noqa: PLW2901 - the same, with its id
            repairs.paired += 1
        results.append(Entry(position, message))
    missing = asked.open
    if not missing or in_flight:
        return [entry, *results]
    if policy.unanswered == "drop":
        repairs.dropped_calls += len(missing)
        message = entry.message.without_calls(frozenset(missing))
        if not message.tool_calls and not message.text.strip():
            return []
        return [replace(entry, message=message), *results]
    repairs.stubs += len(missing)
    stubs = [_stub(entry.position, asked.calls[at].id, asked.calls[at].name, policy) for at in missing]
    return [entry, *results, *stubs]


def _place_of(answer: tuple[int, tuple[Position, Message]]) -> Position:
    return answer[1][0]


def _stub(position: Position, call_id: str | None, name: str, policy: HistoryPolicy) -> Entry:
    # A legacy result is known by its function's name; a result with an id needs no name.
    result = Message.tool(policy.stub, tool_call_id=call_id, name=None if call_id else name)
    return Entry(position, replace(result, synthetic=True), synthetic=True)
