"""What the package raises."""

from __future__ import annotations

import copy
import pickle

import pytest

from ctx_core import (
    BudgetError,
    ContextBudget,
    ContextOverflowError,
    CtxLayersError,
    MessageError,
    MissingExtraError,
    TokenizerError,
    UnknownModelError,
)
from ctx_core.clean import told

OVERFLOW = ContextOverflowError(needed=12_345, limit=1_000, layers={"system": 12_000, "framing": 345})


@pytest.mark.parametrize(
    ("error", "base"),
    [
        (BudgetError, ValueError),
        (MessageError, ValueError),
        (TokenizerError, ValueError),
        (ContextOverflowError, ValueError),
        (UnknownModelError, LookupError),
        (MissingExtraError, ImportError),
    ],
)
def test_each_error_has_the_base_that_is_expected(error: type[Exception], base: type[Exception]) -> None:
    """One `except` catches all of ours, and Python's own catch each kind."""
    assert issubclass(error, CtxLayersError)
    assert issubclass(error, base)


def test_an_overflow_says_both_numbers() -> None:
    """The text begins as SPEC's rolling context words it."""
    text = "Cannot fit request within context limit. After trimming: 12,345 tokens, Max: 1,000 tokens."
    assert str(OVERFLOW).startswith(text)


def test_an_overflow_says_who_needs_how_much_and_what_to_do() -> None:
    """Each layer is named with its tokens, and the ways out are."""
    assert "system 12,000, framing 345" in str(OVERFLOW)
    assert "on_overflow='truncate'" in str(OVERFLOW)


def test_an_overflow_carries_the_numbers() -> None:
    """Programs need not read the text."""
    assert (OVERFLOW.needed, OVERFLOW.limit) == (12_345, 1_000)
    assert OVERFLOW.layers == {"system": 12_000, "framing": 345}


@pytest.mark.parametrize(
    "error", [OVERFLOW, BudgetError("b"), MessageError("m"), TokenizerError("t"), UnknownModelError("u")]
)
def test_errors_survive_pickling_and_copying(error: CtxLayersError) -> None:
    """They cross process boundaries whole."""
    for other in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):  # noqa: S301 - our own bytes
        assert type(other) is type(error)
        assert str(other) == str(error)
        assert vars(other) == vars(error)


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (5, "5"),
        (None, "None"),
        ("gpt-4o", "'gpt-4o'"),
        ("what somebody said", "a text of 18 characters"),
        ([{"role": "user", "content": "what somebody said"}], "list"),
        pytest.param(10**6_000, "a number of 19,932 bits", id="huge"),
    ],
)
def test_what_was_found_is_not_quoted_unless_it_is_an_option(found: object, shown: str) -> None:
    """Whoever swaps arguments puts messages in the place of numbers."""
    assert told(found) == shown
    if not isinstance(found, int):
        with pytest.raises(BudgetError, match=f"found {shown}"):
            ContextBudget(found)  # type: ignore[arg-type]  # what is tried
