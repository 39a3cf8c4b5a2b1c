"""Fields of a stored state: each is read as what it must be, or refused, since what is stored may be damaged.

All raise `TypeError` or `ValueError`, which name the type that was found and nothing of what it says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctx_core.history.places import Position


def mapping_of(data: object) -> Mapping[str, Any]:
    """Give a stored mapping."""
    if not isinstance(data, Mapping):
        msg = f"expected a mapping, found {type(data).__name__}"
        raise TypeError(msg)
    return cast("Mapping[str, Any]", data)


def optional(data: Mapping[str, Any], name: str, read: Any) -> Any:  # noqa: ANN401 - what `read` gives
    """Give what stands under a name, read; None where nothing does."""
    value = data.get(name)
    return None if value is None else read(value)


def count_of(value: object) -> int:
    """Give a stored number from 0 up."""
    if type(value) is not int or value < 0:
        msg = f"expected a number from 0 up, found {type(value).__name__}"
        raise TypeError(msg)
    return value


def number_of(value: object) -> int:
    """Give a stored whole number."""
    if type(value) is not int:
        msg = f"expected a number, found {type(value).__name__}"
        raise TypeError(msg)
    return value


def position_of(value: object) -> Position:
    """Give a stored position."""
    return Position(count_of(value))


def text_of(value: object) -> str:
    """Give a stored text."""
    if not isinstance(value, str):
        msg = f"expected a text, found {type(value).__name__}"
        raise TypeError(msg)
    return value


def digest_in(value: object) -> str:
    """Give a stored digest, of hexadecimal digits."""
    bytes.fromhex(digest := text_of(value))
    return digest


def digests_in(value: object) -> tuple[str, ...]:
    """Give stored digests, of hexadecimal digits with blanks between them."""
    return tuple(map(digest_in, text_of(value).split()))


def two_texts(value: object) -> tuple[str, str]:
    """Give a stored pair of texts."""
    first, last = _two(value)
    return text_of(first), text_of(last)


def two_positions(value: object) -> tuple[Position, Position]:
    """Give a stored pair of positions."""
    first, last = _two(value)
    return position_of(first), position_of(last)


def _two(value: object) -> list[object]:
    if not isinstance(value, list):
        msg = f"expected a list of two, found {type(value).__name__}"
        raise TypeError(msg)
    return cast("list[object]", value)
