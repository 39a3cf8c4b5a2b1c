"""Fields of a framework's objects: their classes declare types, and check them in their constructors only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Mapping

FieldTypes: TypeAlias = "Mapping[str, tuple[type, ...]]"
"""What stands in each field, by its name; `object` for anything that is there at all."""

_ABSENT: Final = object()


def check_fields(native: object, declared: FieldTypes) -> None:
    """Refuse an object with a field of another type, which assignment, `model_construct` and `model_copy` let pass.

    Raises:
        MessageError: names the class and the field, and says what was found there.
    """
    said: Mapping[str, object] = vars(native)
    for name, types in declared.items():
        value = said.get(name, _ABSENT)
        if value is _ABSENT:
            msg = f"{type(native).__name__} without {name}: model_construct leaves out what it is not given"
            raise MessageError(msg)
        if not isinstance(value, types):
            names = " or ".join("None" if taken is type(None) else taken.__name__ for taken in types)
            msg = (
                f"{name} of {type(native).__name__} must be {names}, found {type(value).__name__}: assignment, "
                "model_construct and model_copy check no types"
            )
            raise MessageError(msg)
