"""Sizes of parts of a budget: shares of it, or fixed numbers of tokens."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from ctx_core.clean import told
from ctx_core.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOO_MANY: Final = 2**53
"""From here on a float, as which shares are reckoned, has not each whole number."""
_TOLERANCE: Final = 0.01
"""How far the shares may be from 1 together; SPEC of the token-aware assistant."""


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the total, from 0 to 1. What others leave unused may flow into it."""

    of_total: float

    def __post_init__(self) -> None:
        """Refuse what is not a share."""
        if not _is_number(self.of_total) or not 0 <= self.of_total <= 1:
            msg = f"a share must be a number from 0 to 1, found {told(self.of_total)}"
            raise BudgetError(msg)


@dataclass(frozen=True, slots=True)
class Tokens:
    """A fixed number of tokens, and no more."""

    count: int

    def __post_init__(self) -> None:
        """Refuse what is not a count."""
        if not is_count(self.count):
            msg = f"a fixed part must be a whole number of tokens, 0 or more, found {told(self.count)}"
            raise BudgetError(msg)


Size: TypeAlias = Share | Tokens


def tokens_of(size: Size, total: int) -> int:
    """Give a size in tokens, rounded down."""
    # 0.35 × 100,000 is 35,000 to us, whatever binary fractions make of it.
    return size.count if isinstance(size, Tokens) else math.floor(round(total * size.of_total, 6))


def checked(name: str, part: Size) -> Size:
    """Give a size itself.

    Raises:
        BudgetError: for what is none; `name` says of what part.
    """
    if isinstance(part, Share | Tokens):
        return part
    msg = f"part {name!r} must be Share(…) or Tokens(…), found {type(part).__name__}"
    raise BudgetError(msg)


def as_size(size: int | Size) -> Size:
    """Give a size: a number is so many tokens."""
    return Tokens(size) if isinstance(size, int) else size


def check_shares(parts: Mapping[str, Size]) -> None:
    """Refuse shares that do not sum to 1; a share for the reserve alone may.

    Raises:
        BudgetError: which lists them.
    """
    shares = {name: part.of_total for name, part in parts.items() if isinstance(part, Share)}
    named = {name for name in shares if name != "reserve"}
    if named and abs(sum(shares.values()) - 1) > _TOLERANCE + 1e-9:
        listed = ", ".join(f"{name} {share:g}" for name, share in shares.items())
        msg = f"the shares ({listed}) sum to {sum(shares.values()):g}; together with the reserve they must sum to 1"
        raise BudgetError(msg)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_count(value: object) -> bool:
    """Whether it is a whole number from 0 up, and one that is a number of anything."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _TOO_MANY
