"""Which call a result answers.

1. By its id, where both have one: the newest message that asks for it counts, as ids repeat within real conversations.
2. Without an id on either side, by the tool's name; else by its place. The tool's name as the id of the result, as some
   models give it, is no id.

What has another id that no call has, while every call has one too, answers nothing. What answers a call that has its
answer is joined to its result, or left out where it says the same. What answers a call that a cut has left out goes
with it, and never to an older one that is kept, though that may have the same id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, TypeAlias

from ctx_core.conversation.messages import Message
from ctx_core.history.asked import Asked, may_answer
from ctx_core.history.places import PlaceT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SEARCHED: Final = 32
"""Messages with open calls among which that of a result without an id is searched for, the newest first."""

LeftOut: TypeAlias = Callable[[PlaceT, PlaceT], Iterable[Message]]
"""Gives the messages between two places that are not read."""


@dataclass(slots=True)
class Placed(Generic[PlaceT]):
    """Where a result went."""

    place: PlaceT
    """Where it stands itself."""
    asked: Asked[PlaceT] | None
    """The message whose call it answers; None: an orphan."""
    first: PlaceT | None = None
    """Place of the result that the call had already; None: it had none."""
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
        for call in asked.calls:
            if call.id:
                self._by_id[call.id] = asked

    def place(self, results: Sequence[tuple[PlaceT, Message]]) -> Iterator[Placed[PlaceT]]:
        """Put results that stand in a row to their calls: the surest first, so that the others take what is left.

        Args:
            results: each with its place.
        """
        left = list(results)
        for rule in (self._by_its_id, self._by_its_name, self._by_its_place, self._second):
            if not left:
                return
            waiting: list[tuple[PlaceT, Message]] = []
            by_id = rule == self._by_its_id
            for place, message in left:
                found = rule(message)
                if found is None or self._asked_since(message, found[0].place, place, by_id=by_id):
                    waiting.append((place, message))
                else:
                    yield self._put(place, message, *found)
            left = waiting
        for place, _ in left:
            yield Placed(place, None)

    def _put(self, place: PlaceT, message: Message, asked: Asked[PlaceT], at: int) -> Placed[PlaceT]:
        first = asked.answered_at(at)
        equal = asked.put(at, place, message)
        if equal is not None:
            return Placed(place, asked, first=first, equal=equal)
        if asked.is_closed:
            self._open = [one for one in self._open[-_SEARCHED:] if one is not asked]
        return Placed(place, asked)

    def _asked_since(self, result: Message, after: PlaceT, before: PlaceT, *, by_id: bool) -> bool:
        """Whether a message that is left out has a call that the result answers rather than an older one."""
        if self._left_out is None:
            return False
        calls = (call for message in self._left_out(after, before) for call in message.tool_calls)
        if by_id:
            return any(call.id == result.tool_call_id for call in calls)
        return any(may_answer(result, call) for call in calls)

    def _by_its_id(self, message: Message) -> tuple[Asked[PlaceT], int] | None:
        asked = self._by_id.get(message.tool_call_id or "")
        return None if asked is None else (asked, asked.of_id(message.tool_call_id or ""))

    def _by_its_name(self, message: Message) -> tuple[Asked[PlaceT], int] | None:
        for asked in reversed(self._open[-_SEARCHED:]):
            at = asked.named(message)
            if at is not None:
                return asked, at
        return None

    def _by_its_place(self, message: Message) -> tuple[Asked[PlaceT], int] | None:
        """Give the first open call of the newest message with calls: what has no name answers nothing older."""
        asked = self._asked[-1] if self._asked else None
        at = None if asked is None else asked.free(message)
        return None if asked is None or at is None else (asked, at)

    def _second(self, message: Message) -> tuple[Asked[PlaceT], int] | None:
        """Give the answered call of the newest message that a result without a place goes with."""
        asked = self._asked[-1] if self._asked else None
        at = None if asked is None else asked.second(message)
        return None if asked is None or at is None else (asked, at)
