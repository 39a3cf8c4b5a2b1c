"""What callers hand over as JSON, made sure to be some: a copy that ends, with names that are strings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn, cast

from ctx_core.errors import BudgetError

_DEPTH: Final = 200
"""Levels of a schema; providers take ten at most."""
_PARTS: Final = 100_000
"""Parts of a schema, those counted again that stand in it several times."""
_BITS: Final = 14_283
"""Bits of the largest number that Python writes: 4,300 digits."""


def plain_json(value: object, what: str) -> Any:  # noqa: ANN401 - any JSON
    """Give a copy of JSON, in dicts and lists.

    Names of properties that are numbers, flags or None are written as JSON writes them. Not-a-number is left as it is:
    most clients write it.

    Raises:
        BudgetError: for what JSON cannot hold: what contains itself, what is too large, other objects, and mappings
            that cannot be read. `what` is what it is, for the message.
    """
    try:
        return _Copy(what).of(value, ())
    except BudgetError:
        raise
    except Exception as error:  # noqa: BLE001 - somebody else's mapping may raise anything
        raised = type(error).__name__
    # Outside of the handler, as what it raises may quote what is in it.
    msg = f"{what} cannot be written as JSON (reading it raised {raised})"
    raise BudgetError(msg)


class _Copy:
    """Copies one value."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._left = _PARTS

    def of(self, value: object, around: tuple[int, ...]) -> object:
        self._left -= 1
        if self._left < 0:
            self._refuse(f"it has more than {_PARTS:,} parts")
        if value is None or isinstance(value, str | bool | float):
            return value
        if isinstance(value, int):
            if value.bit_length() > _BITS:
                self._refuse("it has a number of more than 4,300 digits")
            return value
        if not isinstance(value, Mapping | list | tuple):
            self._refuse(type(value).__name__)
        known = id(cast("object", value))
        if known in around:
            self._refuse("it contains itself")
        if len(around) >= _DEPTH:
            self._refuse(f"it has more than {_DEPTH} levels")
        inside = (*around, known)
        if isinstance(value, Mapping):
            items = cast("Mapping[object, object]", value).items()
            return {self._name(name): self.of(part, inside) for name, part in items}
        return [self.of(part, inside) for part in cast("list[object]", value)]

    def _name(self, name: object) -> str:
        if isinstance(name, str):
            return name
        if name is None or isinstance(name, bool):
            return "null" if name is None else str(name).lower()
        if not isinstance(name, int | float):
            self._refuse(f"it has a property that is called by a {type(name).__name__}")
        return str(self.of(name, ()))

    def _refuse(self, why: str) -> NoReturn:
        msg = f"{self._what} cannot be written as JSON ({why})"
        raise BudgetError(msg)
