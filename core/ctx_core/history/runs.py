"""Long rows of numbers as short lists: positions that follow one another are told once, with how many there are.

A list that is long all the same, since the numbers follow no pattern, is compressed to a text.

`(3, 4, 5, 9)` is packed as `[3, 3, 4, 1]`: three from 3 on, then one, four behind the last of them. Pairs are packed by
what both numbers grow by: results at 2, 4, 6 of the ages 9, 8, 7 are `[2, 9, 1, 2, -1, 2]`.
"""

from __future__ import annotations

import zlib
from base64 import b85decode, b85encode
from typing import TYPE_CHECKING, Final, cast

from ctx_core.history.places import Position, positions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LONG: Final = 60
"""Numbers up to which a list is stored as it is."""
_MOST_BYTES: Final = 200_000
"""Of a text that a list was compressed from; a longer one is damage."""
_MOST: Final = 100_000
"""Numbers that a list may stand for; more are damage."""


def compact(numbers: list[int]) -> list[int] | str:
    """Give a list as it is, or compressed where it is long."""
    if len(numbers) <= _LONG:
        return numbers
    return b85encode(zlib.compress(",".join(map(str, numbers)).encode(), 9)).decode()


def _expanded(data: object) -> object:
    """Give the list that was made compact; anything else as it is."""
    if not isinstance(data, str):
        return data
    reader = zlib.decompressobj()
    try:
        text = reader.decompress(b85decode(data), _MOST_BYTES)
    except zlib.error as error:
        msg = "not compressed"
        raise ValueError(msg) from error
    if not reader.eof:
        msg = "cut off, or too long"
        raise ValueError(msg)
    return [int(number) for number in text.split(b",")]


def packed(places: Iterable[Position]) -> list[int]:
    """Give rising positions as distances from the run before, each with the length of its run."""
    runs: list[int] = []
    last = 0
    expected: int | None = None
    for at in places:
        if at == expected:
            runs[-1] += 1
        else:
            runs += [at - last, 1]
        last, expected = at, at + 1
    return runs


def unpacked(runs: object) -> tuple[Position, ...]:
    """Give the positions of a packed list.

    Raises:
        TypeError: for anything else than a list of numbers.
        ValueError: for numbers that no positions were packed to.
    """
    numbers = _numbers(_expanded(runs), group=2)
    found: list[Position] = []
    at = 0
    for distance, count in zip(numbers[::2], numbers[1::2], strict=True):
        _check(len(found), count, rising=distance >= (0 if not found else 1))
        at += distance
        found.extend(positions(at, at + count))
        at += count - 1
    return tuple(found)


def packed_pairs(pairs: Mapping[Position, int]) -> list[int]:
    """Give a mapping as what position and value grow by, each growth with how often it follows itself."""
    runs: list[int] = []
    last = (0, 0)
    for at, value in sorted(pairs.items()):
        growth = [at - last[0], value - last[1]]
        if runs and runs[-3:-1] == growth:
            runs[-1] += 1
        else:
            runs += [*growth, 1]
        last = (at, value)
    return runs


def unpacked_pairs(runs: object) -> dict[Position, int]:
    """Give the mapping of a packed list; raises as `unpacked` does."""
    numbers = _numbers(_expanded(runs), group=3)
    pairs: dict[Position, int] = {}
    at, value = 0, 0
    for step, growth, count in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
        _check(len(pairs), count, rising=step >= (0 if not pairs and count == 1 else 1))
        for _ in range(count):
            at, value = at + step, value + growth
            pairs[Position(at)] = value
    return pairs


def _numbers(runs: object, *, group: int) -> list[int]:
    if not isinstance(runs, list):
        msg = f"expected a list, found {type(runs).__name__}"
        raise TypeError(msg)
    numbers = cast("list[int]", runs)
    if any(type(number) is not int for number in numbers) or len(numbers) % group:
        msg = f"expected whole numbers, {group} for each run"
        raise TypeError(msg)
    return numbers


def _check(known: int, count: int, *, rising: bool) -> None:
    if not rising or count < 1 or known + count > _MOST:
        msg = "positions must rise"
        raise ValueError(msg)
