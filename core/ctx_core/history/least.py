"""The least number of tokens within which something fits, found by trying."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def least_of(fits: Callable[[int], bool], *, over: int, fitting: int, guess: int | None = None) -> int:
    """Give the least tokens within which something fits, of those that are tried.

    Args:
        fits: tells whether it does within so many.
        over: with so many it does not.
        fitting: with so many it does.
        guess: with how many it should just fit, where that is known.
    """
    for tried in () if guess is None else (guess, guess - 1):
        if not over < tried < fitting:
            continue
        if not fits(tried):
            over = tried
            break
        fitting = tried
    step = 1
    while over + step < fitting:
        # Upward in growing steps at first: what is missing is mostly little, and to try little costs little.
        tried = over + step
        if fits(tried):
            fitting = tried
        else:
            over, step = tried, 2 * step
    while fitting - over > 1:
        middle = (over + fitting) // 2
        over, fitting = (over, middle) if fits(middle) else (middle, fitting)
    return fitting
