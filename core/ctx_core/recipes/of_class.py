"""What a recipe's classes have: a door by model name that works of class and recipe, and `super()` beside slots."""

from __future__ import annotations

from dataclasses import replace
from types import CellType, FunctionType
from typing import Any, Protocol, TypeVar, cast

RecipeT = TypeVar("RecipeT")
RecipeT_co = TypeVar("RecipeT_co", covariant=True)


class MadeForModel(Protocol[RecipeT_co]):
    """`for_model`, as it is called."""

    def __call__(self, model: object, *, reserve: int | None = None, **fields: Any) -> RecipeT_co:
        """Give the recipe with a model's window and counter."""
        ...


class ForModel:
    """`Chat.for_model("gpt-4o")` makes a recipe, `chat.for_model("gpt-4o")` gives one that says the same."""

    def __get__(self, recipe: RecipeT | None, owner: type[RecipeT]) -> MadeForModel[RecipeT]:
        """Give the function of a class, or of a recipe."""

        def for_model(model: object, *, reserve: int | None = None, **fields: Any) -> RecipeT:
            kind: Any = owner
            given = {**kind.fields_for(model, reserve), **fields}
            given_recipe = kind(**given) if recipe is None else replace(cast("Any", recipe), **given)
            return cast("RecipeT", given_recipe)

        return for_model


def bind_super(cls: type) -> None:
    """Have the methods of a class mean it by `super()`.

    A dataclass with slots is made anew out of one without, whose methods still mean that one: `super()` in them would
    raise a `TypeError` (in Python 3.14 no longer).
    """
    for value in vars(cls).values():
        function = getattr(value, "__func__", getattr(value, "fget", value))
        if isinstance(function, FunctionType):
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
                if name == "__class__" and _means_an_earlier(cell, cls):
                    cell.cell_contents = cls


def _means_an_earlier(cell: CellType, cls: type) -> bool:
    try:
        meant = cell.cell_contents
    except ValueError:  # empty: the class is being made
        return False
    # By name and module: what is made anew gets its qualified name a little later.
    return meant is not cls and (meant.__name__, meant.__module__) == (cls.__name__, cls.__module__)
