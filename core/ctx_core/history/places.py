"""Two numbers that say which message is meant, and are no substitute for one another.

A *position* counts the messages of the history; what is remembered is told by positions. An *index* counts the entries
that were read and repaired on this turn: of those before the window only some are there, and stubs are among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NewType, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Position = NewType("Position", int)
"""Where a message stands in the history."""
Index = NewType("Index", int)
"""Where an entry stands among those that were read."""
PlaceT = TypeVar("PlaceT", Position, Index)
"""Either of them, where it does not matter which."""
T = TypeVar("T")


def indices(start: int, end: int) -> Sequence[Index]:
    """Give the indices from one up to another."""
    return cast("Sequence[Index]", range(start, end))


def positions(start: int, end: int) -> Sequence[Position]:
    """Give the positions from one up to another."""
    return cast("Sequence[Position]", range(start, end))


def indexed(entries: Iterable[T]) -> Iterator[tuple[Index, T]]:
    """Give each entry behind its index."""
    return cast("Iterator[tuple[Index, T]]", enumerate(entries))
