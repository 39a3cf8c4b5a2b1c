"""What a policy refuses when it is made: values that cannot work, with the field and what was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from ctx_core.clean import told
from ctx_core.errors import BudgetError


def need_positive(name: str, value: int | None) -> None:
    """Refuse what is no whole number from 1 up, and not None either."""
    if value is not None and (not _is_whole(value) or value < 1):
        msg = f"{name} must be 1 or more, or None, found {told(value)}"
        raise BudgetError(msg)


def need_from_zero(name: str, value: int | None, *, or_none: bool = False) -> None:
    """Refuse what is no whole number from 0 up; None only where that means something."""
    if (value is None and not or_none) or (value is not None and (not _is_whole(value) or value < 0)):
        msg = f"{name} must be 0 or more, found {told(value)}"
        raise BudgetError(msg)


def need_share(name: str, value: object) -> None:
    """Refuse what is no share above 0 and up to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        msg = f"{name} must be above 0 and at most 1, found {told(value)}"
        raise BudgetError(msg)


def need_one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    """Refuse a word that is not known."""
    if value not in known:
        msg = f"{name} must be one of {', '.join(known)}, found {told(value)}"
        raise BudgetError(msg)


def need_kind(name: str, value: object, kind: type[object]) -> None:
    """Refuse a value of another type."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "aeiou" else "a"
        msg = f"{name} must be {article} {kind.__name__}, found {_shown(value)}"
        raise BudgetError(msg)


def priorities_in(priorities: Mapping[str, int]) -> dict[str, int]:
    """Give a copy of numbers by the names of tools.

    Raises:
        BudgetError: for what is none.
    """
    wrong = [name for name, number in priorities.items() if not isinstance(name, str) or not _is_whole(number)]
    if wrong:
        msg = f"priorities must be whole numbers by the names of tools, found {_shown(priorities[wrong[0]])}"
        raise BudgetError(msg)
    return dict(priorities)


def need_words(name: str, value: object) -> None:
    """Refuse what is no text, and a text that says nothing: the model would see an empty message."""
    if not isinstance(value, str) or not value.strip():
        msg = f"{name} must be a text that says something, found {_shown(value)}"
        raise BudgetError(msg)


def names_in(name: str, value: object) -> tuple[str, ...]:
    """Give names of tools as a tuple.

    Raises:
        BudgetError: for a single text, whose letters would be taken for names, and for what is none.
    """
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        listed = list(cast("Iterable[object]", value))
        names = tuple(one for one in listed if isinstance(one, str))
        if len(names) == len(listed):
            return names
    msg = f"{name} must be names of tools in a tuple, found {_shown(value)}"
    raise BudgetError(msg)


def _shown(value: Any) -> str:  # noqa: ANN401 - whatever was given
    """Say what a value is; a text may be anybody's."""
    if isinstance(value, str):
        return "an empty text" if not value.strip() else f"a text of {len(value):,} characters"
    return "None" if value is None else type(value).__name__


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
