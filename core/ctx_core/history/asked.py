"""The calls of one message, and the results that are found for them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final, Generic

from ctx_core.conversation.messages import Message, ToolCall
from ctx_core.conversation.parts import Part, TextPart
from ctx_core.history.places import PlaceT

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence


class _By(Enum):
    """By what kind of key a call is known."""

    ID = "id"
    ANY = "any"
    NO_ID = "no id"


_ID: Final = _By.ID


def _keys(call: ToolCall) -> Iterator[object]:
    """Give by what a call is found: its id; its name and its place, for results with an id where it has none itself.

    Ids that are there on both sides and differ speak against each other; "" is no id.
    """
    if call.id:
        yield (_By.ID, call.id)
    else:
        yield _By.NO_ID
        yield (_By.NO_ID, call.name)
    yield _By.ANY
    yield (_By.ANY, call.name)


def _nameless(result: Message) -> _By:
    """Give which calls a result may answer without a matching id."""
    return _By.NO_ID if result.tool_call_id else _By.ANY


def may_answer(result: Message, call: ToolCall) -> bool:
    """Whether nothing speaks against it, without a matching id."""
    if result.tool_call_id and call.id:
        return result.tool_call_id == call.name
    return not result.name or call.name in (result.name, result.tool_call_id)


def _names(result: Message) -> list[object]:
    """Give the names of a tool by which a result can be known: some models give it as the id.

    Then it is no id, and one that the call has does not speak against it.
    """
    kinds = ((_nameless(result), result.name), (_By.ANY, result.tool_call_id))
    return [(kind, name) for kind, name in kinds if name]


def _found(numbers: Iterable[int | None]) -> Iterator[int]:
    return (at for at in numbers if at is not None)


class _Open:
    """Numbers of calls without a result, in order, by what a result can be known by."""

    __slots__ = ("_by_key",)

    def __init__(self, calls: Sequence[ToolCall]) -> None:
        self._by_key: dict[object, deque[int]] = {}
        for at, call in enumerate(calls):
            for key in _keys(call):
                self._by_key.setdefault(key, deque()).append(at)

    def first(self, key: object, answered: Container[int]) -> int | None:
        """Give the first; what has been answered since is dropped, once."""
        numbers = self._by_key.get(key)
        while numbers and numbers[0] in answered:
            numbers.popleft()
        return numbers[0] if numbers else None


class Asked(Generic[PlaceT]):
    """A message with calls, and the results found for it. Finding the call of a result does not ask each of them.

    A result is mostly that of a single call, or has its id: what it can be known by otherwise is worked out where it is
    needed.
    """

    __slots__ = ("_answered", "_known", "_numbers", "calls", "place")

    def __init__(self, place: PlaceT, calls: Sequence[ToolCall]) -> None:
        """Begin without results."""
        self.place: PlaceT = place
        self.calls = calls
        self._answered: dict[int, _Answer[PlaceT]] = {}
        self._known: _Open | None = None
        self._numbers: dict[object, int] | None = None

    @property
    def _open(self) -> _Open:
        if self._known is None:
            self._known = _Open(self.calls)
        return self._known

    @property
    def _last(self) -> dict[object, int]:
        """The last number that has a result, by what it can be known by; of an id that has none, the first."""
        if self._numbers is None:
            self._numbers = {}
            for at, call in enumerate(self.calls):
                if call.id:
                    self._numbers.setdefault((_ID, call.id), at)
            for at in self._answered:
                self._note_last(at, self._numbers)
        return self._numbers

    def _note_last(self, at: int, numbers: dict[object, int]) -> None:
        for key in _keys(self.calls[at]):
            numbers[key] = max(at, numbers.get(key, at))

    @property
    def answers(self) -> dict[int, tuple[PlaceT, Message]]:
        """By the number of the call: the place of its result, and all that its results say."""
        return {at: (answer.place, answer.joined()) for at, answer in self._answered.items()}

    @property
    def open(self) -> list[int]:
        """Numbers of the calls that have no result."""
        return [at for at in range(len(self.calls)) if at not in self._answered]

    @property
    def is_closed(self) -> bool:
        """Whether every call has a result."""
        return len(self._answered) == len(self.calls)

    def answered_at(self, at: int) -> PlaceT | None:
        """Give the place of the result that a call has; None where it has none."""
        known = self._answered.get(at)
        return None if known is None else known.place

    def put(self, at: int, place: PlaceT, message: Message) -> bool | None:
        """Put a result to a call; give None for its first one, else whether that one says the same."""
        known = self._answered.get(at)
        if known is not None:
            return known.add(message)
        self._answered[at] = _Answer(place, message)
        if self._numbers is not None:
            self._note_last(at, self._numbers)
        return None

    def of_id(self, call_id: str) -> int:
        """Give the first open call of an id, else the last of those that have it."""
        if len(self.calls) == 1:
            return 0
        at = self._open.first((_ID, call_id), self._answered)
        return self._last[_ID, call_id] if at is None else at

    def named(self, result: Message) -> int | None:
        """Give the first open call of the tool that a result names."""
        return min(_found(self._open.first(key, self._answered) for key in _names(result)), default=None)

    def free(self, result: Message) -> int | None:
        """Give the first open call that nothing speaks against."""
        at = self.named(result)
        place = None if result.name else self._open.first(_nameless(result), self._answered)
        return min(_found((at, place)), default=None)

    def second(self, result: Message) -> int | None:
        """Give the last answered call of the tool that a result names, else the last that nothing speaks against."""
        named = max(_found(self._last.get(key) for key in _names(result)), default=None)
        return named if named is not None or result.name else self._last.get(_nameless(result))


@dataclass(slots=True)
class _Answer(Generic[PlaceT]):
    """What answers one call."""

    place: PlaceT
    first: Message
    others: dict[tuple[object, bool], Message] | None = None
    """Those that say something else, by what they say; None for most, which have none beside them."""

    def add(self, message: Message) -> bool:
        """Add a result, and say whether it adds nothing to those that are there."""
        if self.others is None:
            self.others = {}
        what = (message.parts, bool(message.failed))
        if not message.parts or what == (self.first.parts, bool(self.first.failed)) or what in self.others:
            return True
        self.others[what] = message
        return False

    def joined(self) -> Message:
        """Give a result that says what all of them said."""
        return _joined(self.first, list(self.others.values())) if self.others else self.first


def _joined(first: Message, others: Sequence[Message]) -> Message:
    """Give a result that says what several said: texts with a line break between them, blocks in order."""
    parts: list[Part] = []
    texts: list[TextPart] = []
    for message in (first, *others):
        for number, part in enumerate(message.parts):
            if texts and not (number == 0 and isinstance(part, TextPart)):
                parts.append(_one(texts))
                texts = []
            if isinstance(part, TextPart):
                texts.append(part)
            else:
                parts.append(part)
    if texts:
        parts.append(_one(texts))
    failed = any(message.failed for message in (first, *others)) or first.failed
    return replace(first, parts=tuple(parts), failed=failed, altered=True)


def _one(texts: list[TextPart]) -> TextPart:
    return texts[0] if len(texts) == 1 else TextPart("\n".join(part.text for part in texts))
