"""What was read of messages before, by the objects that it was read from.

A message object may be changed where it stands, or another may take its place. So beside each object stands a copy of
all that it said when it was read, and it is read anew where it says something else. Comparing the two reads no text:
strings that were not changed are the same objects.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import compress, count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from ctx_core.conversation.messages import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

_FIXED: Final = frozenset({str, int, float, bool, bytes, type(None)})
"""Types whose objects never change."""
_SHORT: Final = 64
"""Messages of a list that is looked through each time."""
_AGAIN: Final = 8
"""Messages at the end of a list that are asked again: what is sent is not yet what is stored, and may be changed."""
ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A message that was read."""

    native: object = field(repr=False)
    """The caller's object; held, so that no other has its identity meanwhile."""
    told: object = field(repr=False)
    """Copy of all that it said."""
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A list of messages that was looked through."""

    natives: list[Any] = field(repr=False)
    """The caller's objects; never changed."""
    found: dict[str, object] = field(repr=False, default_factory=dict[str, object])
    """What was found in those behind the first, by what was looked for."""


class Reading:
    """What one request reads: messages that were read before are taken as they are."""

    __slots__ = ("_before", "_known", "_lists", "listed", "now")

    now: dict[int, Held]
    """What was read or taken, by the identity of the caller's object."""
    listed: Listed | None
    """The list that was looked through; None for none, or a short one."""

    def __init__(
        self,
        before: Mapping[int, Held] = MappingProxyType({}),
        lists: Mapping[int, Listed] = MappingProxyType({}),
    ) -> None:
        """Take what was read before.

        Args:
            before: messages, by the identity of the caller's object.
            lists: lists, by the identity of their second message: the first may be an instruction that is made anew.
        """
        self._before = before
        self._lists = lists
        self._known: Listed | None = None
        self.now = {}
        self.listed = None

    def found_in(self, what: str, natives: Sequence[Any], ask: Callable[[int, ValueT | None], ValueT]) -> ValueT:
        """Give what is found in a list behind its first message; of one that has grown, its end is asked only.

        Args:
            what: is looked for.
            natives: the list; its first message may be an instruction that is made anew.
            ask: gives what it finds from a place on, with what was found in a list up to there or farther; None for
                nothing.
        """
        if not isinstance(natives, list) or len(natives) < _SHORT:
            return ask(1, None)
        if self.listed is None or not _goes_on(natives, self.listed.natives):
            before = self._lists.get(id(natives[1]))
            self._known = before if before is not None and _goes_on(natives, before.natives) else None
            self.listed = Listed(natives=natives[:])
        known = self._known
        if known is not None and what in known.found:
            found = ask(len(known.natives) - _AGAIN, cast("ValueT", known.found[what]))
        else:
            found = ask(1, None)
        if len(natives) == len(self.listed.natives):
            self.listed.found[what] = found
        return found

    def read(self, native: object, told: object, read: Callable[[Any], Message]) -> Message:
        """Give the neutral message of an object, which is read unless it was read before and says the same.

        Args:
            native: the caller's object.
            told: all of it that is looked at, in dicts, lists and tuples; None where that is not known.
            read: reads it.

        Raises:
            MessageError: as `read` does.
        """
        if told is None:
            return read(native)
        known = self.now.get(id(native)) or self._before.get(id(native))
        if known is not None and known.native is native and _same(known.told, told):
            self.now[id(native)] = known
            return known.message
        message = read(native)
        copied = _copied(told)
        if copied is not None:
            self.now[id(native)] = Held(native=native, told=copied, message=message)
        return message


def others(natives: Sequence[Any], plain: AbstractSet[type]) -> Sequence[int]:
    """Give where messages stand that are not of some types."""
    kinds = set(map(type, natives)) - plain
    return [*compress(count(), map(kinds.__contains__, map(type, natives)))] if kinds else ()


def _goes_on(natives: list[Any], before: list[Any]) -> bool:
    """Whether a list goes on from another, behind its first message and up to those that are asked again.

    Comparing thousands of objects takes no time where they are the same: the ends tell whether it may be so.
    """
    size = len(before) - _AGAIN
    if len(natives) < size or natives[1] is not before[1] or natives[size - 1] is not before[size - 1]:
        return False
    return _same(natives[1:size], before[1:size])


def _same(one: object, other: object) -> bool:
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - an object of the caller's may raise anything
        return False


def _copied(told: ValueT) -> ValueT | None:
    """Give a copy that shares nothing that can be changed; None where it holds something of another kind."""
    try:
        return cast("ValueT", _copy(told))
    except (TypeError, RecursionError):
        return None


def _copy(value: Any) -> Any:  # noqa: ANN401 - JSON, more or less
    kind = cast("type[object]", type(value))
    if kind in _FIXED:
        return value
    if kind is dict:
        return {_copy(key): _copy(item) for key, item in value.items()}
    if kind is list:
        return [_copy(item) for item in value]
    if kind is tuple:
        return tuple(map(_copy, value))
    raise TypeError(kind.__name__)
