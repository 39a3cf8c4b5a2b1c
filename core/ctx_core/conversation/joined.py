"""Two sequences one behind the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload


class Joined(Sequence[Any]):
    """Two sequences as one, of which nothing is copied or read before it is asked for."""

    __slots__ = ("_first", "_second")

    def __init__(self, first: Sequence[Any], second: Sequence[Any]) -> None:
        """Take both."""
        self._first = first
        self._second = second

    def __len__(self) -> int:
        """Count both."""
        return len(self._first) + len(self._second)

    @overload
    def __getitem__(self, at: int) -> Any: ...  # noqa: ANN401 - whatever they hold

    @overload
    def __getitem__(self, at: slice) -> Sequence[Any]: ...

    def __getitem__(self, at: int | slice) -> object:
        """Give what stands at a place."""
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        place = at + len(self) if at < 0 else at
        size = len(self._first)
        if place < 0:
            raise IndexError(at)
        return self._first[place] if place < size else self._second[place - size]


def joined(first: Sequence[Any], second: Sequence[Any]) -> Sequence[Any]:
    """Give both as one: a list of lists' items, as that is quickly gone through."""
    if not second:
        return first
    return [*first, *second] if isinstance(first, list | tuple) else Joined(first, second)
