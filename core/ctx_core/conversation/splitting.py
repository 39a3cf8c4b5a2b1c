"""How a list is told apart into neutral messages; of one that has grown, only its end is looked at."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ctx_core.conversation.held import Reading, others
from ctx_core.conversation.message_types import ListCodec, Piece
from ctx_core.conversation.messages import Role

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

_SplitFrom: TypeAlias = Callable[[Sequence[Any], int], Sequence[Piece]]


@dataclass(frozen=True, slots=True)
class _Pieces:
    """The pieces of a list of messages."""

    first: object
    """The list's first message."""
    pieces: Sequence[Piece]


@dataclass(frozen=True, slots=True)
class _Others:
    """The messages of a list that are not of the plain types."""

    places: tuple[int, ...] = ()
    """Where they stand."""
    several: bool = False
    """Whether one of them is several, or none."""


def split(
    natives: Sequence[Any], lists: ListCodec[Any], reading: Reading | None
) -> tuple[Sequence[Piece] | None, Sequence[int] | None]:
    """Give what each neutral message of a list is read from; None where each message is one by itself.

    Args:
        natives: the list.
        lists: the door of the message type.
        reading: knows what was read before; None: nothing was.

    Returns:
        The pieces, and where messages stand that are not of the door's plain types, if it has such.

    Raises:
        MessageError: for a list that the door cannot split.
    """
    reading = Reading() if reading is None else reading
    plain: AbstractSet[type] | None = getattr(lists, "single_types", None)
    if plain is not None:
        found = _others(natives, plain, lists, reading)
        return lists.split(natives) if found.several else None, found.places
    split_from: _SplitFrom | None = getattr(lists, "split_from", None)
    if split_from is None or not natives:
        return lists.split(natives), None
    return _pieces(natives, split_from, reading), None


def _pieces(natives: Sequence[Any], split_from: _SplitFrom, reading: Reading) -> Sequence[Piece]:
    """Give the pieces of a list: those of before, as far as nothing behind them can change them, and the rest."""

    def ask(begin: int, before: _Pieces | None) -> _Pieces:
        if before is None or natives[0] is not before.first:
            return _Pieces(natives[0], split_from(natives, 0))
        end = bisect_left(before.pieces, begin, key=lambda piece: piece.places[-1])
        while end and before.pieces[end - 1].role is Role.ASSISTANT:
            end -= 1  # what comes behind it may be a part of it
        known = before.pieces[:end]
        return _Pieces(natives[0], [*known, *split_from(natives, known[-1].places[-1] + 1 if known else 0)])

    return reading.found_in("pieces", natives, ask).pieces


def _others(natives: Sequence[Any], plain: AbstractSet[type], lists: Any, reading: Reading) -> _Others:  # noqa: ANN401 - a codec with more
    """Give the messages that are not of the plain types; only these are asked whether they are several."""

    def asked(begin: int, end: int | None) -> _Others:
        places = tuple(begin + at for at in others(natives[begin:end], plain))
        return _Others(places, any(lists.is_several(natives[at]) for at in places))

    def ask(begin: int, before: _Others | None) -> _Others:
        new, known = asked(begin, None), before or _Others()
        return _Others((*known.places[: bisect_left(known.places, begin)], *new.places), known.several or new.several)

    first, rest = asked(0, 1), reading.found_in("others", natives, ask)
    return _Others((*first.places, *rest.places), first.several or rest.several)
