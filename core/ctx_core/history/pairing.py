"""Which call a result answers.

1. By its id, where both have one: the newest message that asks for it counts, as ids repeat within real conversations.
2. Without an id on either side, by the tool's name, which some models give as the id of the result; else by its place.

What has an id that no call has, while every call has one too, answers nothing. What answers a call that is answered
already is joined to its result, or left out where it says the same. What answers a call that a cut has left out goes
with it, and never to an older one that is kept, though that may have the same id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Final, Generic, TypeAlias

from ctx_core.conversation.messages import Message, TextPart, ToolCall
from ctx_core.history.places import PlaceT

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOOKED_BACK: Final = 32
"""Messages with open calls among which that of a result without an id is searched for, the newest first."""

LeftOut: TypeAlias = Callable[[PlaceT, PlaceT], Iterable[Message]]
"""Gives the messages between two places that are not read."""


class Match(IntEnum):
    """How well a result without a matching id goes with a call."""

    NOT = 0
    PLACE = 1
    """Nothing speaks against it."""
    NAME = 2
    """It has the name of the tool."""


def match(result: Message, call: ToolCall) -> Match:
    """Say how well a result goes with a call, ids that are there on both sides being different; "" is no id."""
    if result.tool_call_id and call.id:
        return Match.NOT
    if call.name in (result.name, result.tool_call_id):
        return Match.NAME
    return Match.NOT if result.name else Match.PLACE


@dataclass(slots=True)
class Asked(Generic[PlaceT]):
    """A message with calls, and the results found for it."""

    place: PlaceT
    calls: Sequence[ToolCall]
    answers: dict[int, tuple[PlaceT, Message]] = field(default_factory=dict[int, "tuple[PlaceT, Message]"])
    """By the number of the call: the place of its result, and the result."""

    @property
    def open(self) -> list[int]:
        """Numbers of the calls that have no result."""
        return [at for at in range(len(self.calls)) if at not in self.answers]


@dataclass(slots=True)
class Placed(Generic[PlaceT]):
    """Where a result went."""

    asked: Asked[PlaceT] | None
    """The message whose call it answers; None: an orphan."""
    second: bool = False
    """Whether the call had one already."""
    equal: bool = False
    """Whether that one says the same."""


class Pairing(Generic[PlaceT]):
    """Pairs results with calls, in the order of the conversation."""

    def __init__(self, left_out: LeftOut[PlaceT] | None = None) -> None:
        """Begin without calls.

        Args:
            left_out: what a cut has left out; None: nothing.
        """
        self._left_out: LeftOut[PlaceT] | None = left_out
        self._asked: list[Asked[PlaceT]] = []
        self._by_id: dict[str, Asked[PlaceT]] = {}
        self._open: list[Asked[PlaceT]] = []

    def ask(self, asked: Asked[PlaceT]) -> None:
        """Add a message with calls."""
        self._asked.append(asked)
        self._open.append(asked)
        self._by_id.update({call.id: asked for call in asked.calls if call.id})

    def place(self, results: Sequence[tuple[PlaceT, Message]]) -> Iterator[Placed[PlaceT]]:
        """Put results that stand in a row to their calls: the surest first, so that the others take what is left.

        Args:
            results: each with its place.
        """
        left = list(results)
        for rule in (self._by_its_id, self._by_its_name, self._by_its_place, self._second):
            waiting: list[tuple[PlaceT, Message]] = []
            for place, message in left:
                found = rule(message)
                by_id = rule == self._by_its_id
                if found is None or self._asked_since(message, found[0].place, place, by_id=by_id):
                    waiting.append((place, message))
                else:
                    yield self._put(place, message, *found)
            left = waiting
        for _ in left:
            yield Placed(None)

    def _put(self, place: PlaceT, message: Message, asked: Asked[PlaceT], at: int) -> Placed[PlaceT]:
        known = asked.answers.get(at)
        if known is None:
            asked.answers[at] = (place, message)
            if not asked.open:
                self._open = [one for one in self._open[-_LOOKED_BACK:] if one is not asked]
            return Placed(asked)
        if _same(known[1], message):
            return Placed(asked, second=True, equal=True)
        asked.answers[at] = (known[0], _joined(known[1], message))
        return Placed(asked, second=True)

    def _asked_since(self, result: Message, after: PlaceT, before: PlaceT, *, by_id: bool) -> bool:
        """Whether a message that is left out has a call that the result answers rather than an older one."""
        if self._left_out is None:
            return False
        calls = (call for message in self._left_out(after, before) for call in message.tool_calls)
        return any(call.id == result.tool_call_id if by_id else match(result, call) for call in calls)

    def _by_its_id(self, message: Message) -> tuple[Asked[PlaceT], int] | None:
        asked = self._by_id.get(message.tool_call_id or "")
        if asked is None:
            return None
        numbers = [at for at, call in enumerate(asked.calls) if call.id == message.tool_call_id]
        return asked, next((at for at in numbers if at not in asked.answers), numbers[-1])

    def _by_its_name(self, message: Message) -> tuple[Asked[PlaceT], int] | None:
        for asked in reversed(self._open[-_LOOKED_BACK:]):
            for at in asked.open:
                if match(message, asked.calls[at]) is Match.NAME:
                    return asked, at
        return None

    def _by_its_place(self, message: Message) -> tuple[Asked[PlaceT], int] | None:
        """Give the first open call of the newest message with calls: what has no name answers nothing older."""
        asked = self._asked[-1] if self._asked else None
        free = () if asked is None else (at for at in asked.open if match(message, asked.calls[at]))
        at = next(iter(free), None)
        return None if asked is None or at is None else (asked, at)

    def _second(self, message: Message) -> tuple[Asked[PlaceT], int] | None:
        """Give the answered call of the newest message that a result without a place goes with."""
        if not self._asked:
            return None
        asked = self._asked[-1]
        return max(
            ((asked, at) for at, call in enumerate(asked.calls) if match(message, call) and at in asked.answers),
            key=lambda found: (match(message, asked.calls[found[1]]), found[1]),
            default=None,
        )


def _same(known: Message, second: Message) -> bool:
    """Whether a second result adds nothing to the one that is known."""
    return not second.parts or (known.parts, known.failed) == (second.parts, second.failed)


def _joined(first: Message, second: Message) -> Message:
    """Give a result that says what two said: texts with a line break between them, blocks in order."""
    before, behind = first.parts, second.parts
    if before and behind and isinstance(before[-1], TextPart) and isinstance(behind[0], TextPart):
        seam = TextPart(f"{before[-1].text}\n{behind[0].text}")
        before, behind = (*before[:-1], seam), behind[1:]
    return replace(first, parts=(*before, *behind), failed=first.failed or second.failed, altered=True)
