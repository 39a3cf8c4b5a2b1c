"""Choices that are made at once: what takes time in a generated example is every single draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Made = TypeVar("Made")

_BYTES: Final = 2
"""For each choice: integers would not do, of which hypothesis draws small ones more often."""

_DRAWN: Final = st.binary(min_size=8 * _BYTES, max_size=8 * _BYTES)
"""Always as many, so that hypothesis may put what was drawn for one thing in the place of any other."""


def chosen(make: Callable[..., Made], *choices: Sequence[Any]) -> st.SearchStrategy[Made]:
    """Make something of one of each of up to eight, each as likely as any other; what is first is the simplest."""

    def combination(drawn: bytes) -> Made:
        places = (int.from_bytes(drawn[_BYTES * at :][:_BYTES], "big") for at in range(len(choices)))
        return make(*(choice[place * len(choice) >> 8 * _BYTES] for choice, place in zip(choices, places, strict=True)))

    return _DRAWN.map(combination)


def seldom(once_in: int = 10) -> list[bool]:
    """Give a choice that is true now and then."""
    return [False] * (once_in - 1) + [True]
