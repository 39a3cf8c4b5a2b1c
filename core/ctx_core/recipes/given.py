"""Fields of recipes that take more than they hold: of a number a budget is made, and of a model's name a counter.

Type checkers see what may be given and what is there then; at run time they are fields like any other.
"""

from __future__ import annotations

from dataclasses import MISSING, field
from typing import TYPE_CHECKING, Any, Self, overload

from ctx_core.budget import ContextBudget
from ctx_core.counting.counter import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx_core.counting.counter import CounterLike

    class BudgetField:
        """A budget; given as one, or as tokens of input."""

        @overload
        def __get__(self, instance: None, owner: type) -> Self: ...
        @overload
        def __get__(self, instance: object, owner: type) -> ContextBudget: ...
        def __get__(self, instance: object, owner: type) -> Self | ContextBudget: ...  # noqa: D105
        def __set__(self, instance: object, value: ContextBudget | int) -> None: ...  # noqa: D105

    class CounterField:
        """A counter; given as one, or as whatever stands for one, such as a model's name."""

        @overload
        def __get__(self, instance: None, owner: type) -> Self: ...
        @overload
        def __get__(self, instance: object, owner: type) -> TokenCounter: ...
        def __get__(self, instance: object, owner: type) -> Self | TokenCounter: ...  # noqa: D105
        def __set__(self, instance: object, value: CounterLike) -> None: ...  # noqa: D105

else:
    BudgetField, CounterField = ContextBudget, TokenCounter


def given(make: Callable[[], object] | None = None) -> Any:  # noqa: ANN401 - the field is of the annotation's type
    """Give the field: with what makes its default, or without one."""
    return field(default_factory=MISSING if make is None else make)
