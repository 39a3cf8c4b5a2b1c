"""What was read of the conversations used last, so that a turn reads its new messages only."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.held import Held, Listed, Reading
from ctx_core.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Collection

_MOST: Final = 20_000
"""Messages of all conversations that are held, beside those of the one that was used last."""


class ReadMessages:
    """Holds what the last turn of each conversation has read; shareable between threads.

    May be dropped without harm: then it is read anew. A copy, deep or pickled, starts empty.
    """

    __slots__ = ("_held", "_lists", "_lock", "_of", "_size")

    def __init__(self) -> None:
        """Hold nothing."""
        self._lock = Lock()
        self._held: dict[int, Held] = {}
        self._lists: dict[int, Listed] = {}
        self._of: OrderedDict[str, tuple[Collection[int], Listed | None]] = OrderedDict()
        self._size = 0

    def reading(self) -> Reading:
        """Give what a turn reads with."""
        return Reading(self._held, self._lists)

    def hold(self, key: str, reading: Reading) -> None:
        """Hold what a turn of a conversation has read, in the place of what the turn before it had."""
        with self._lock:
            self._drop(key, reading.now)
            self._held |= reading.now
            if reading.listed is not None:
                self._lists[id(reading.listed.natives[1])] = reading.listed
            self._of[key] = (reading.now.keys(), reading.listed)
            self._size += _size(reading.now, reading.listed)
            while self._size > _MOST and len(self._of) > 1:
                self._drop(next(iter(self._of)))

    def forget(self, key: str) -> None:
        """Hold nothing of a conversation."""
        with self._lock:
            self._drop(key)

    def _drop(self, key: str, but: Collection[int] = ()) -> None:
        known, listed = self._of.pop(key, ((), None))
        self._size -= _size(known, listed)
        for one in known:
            if one not in but:
                self._held.pop(one, None)
        if listed is not None:
            self._lists.pop(id(listed.natives[1]), None)

    def __reduce__(self) -> tuple[type[ReadMessages], tuple[()]]:
        """Copy and pickle as an empty one."""
        return (ReadMessages, ())


def _size(known: Collection[int], listed: Listed | None) -> int:
    return len(known) + (0 if listed is None else len(listed.natives))
