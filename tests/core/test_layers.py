"""Layers of text, and how they are cut."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx_core import BudgetError, Framing, Item, Layer, TokenCounter
from ctx_core.counting import FourCharacters
from ctx_core.engine.layers import as_items, fill

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())


def items(*pairs: tuple[str, float]) -> tuple[Item, ...]:
    """Give items."""
    return tuple(Item(text, importance) for text, importance in pairs)


THREE = items(("a a a", 1), ("b b b", 3), ("c c c", 2))


def test_a_layer_that_fits_is_whole() -> None:
    """It is neither cut nor marked."""
    filled = fill(Layer(name="x", text="one two three"), 3, WORDS)
    assert (filled.text, filled.asked, filled.used, filled.budget) == ("one two three", 3, 3, 3)
    assert not filled.truncated


def test_a_layer_without_a_budget_is_whole() -> None:
    """Nothing says what it may cost."""
    filled = fill(Layer(name="x", text="one two three"), None, WORDS)
    assert (filled.used, filled.budget) == (3, None)


def test_a_text_over_its_budget_is_cut_and_marked() -> None:
    """Its beginning stays."""
    filled = fill(Layer(name="x", text="one two three four"), 3, WORDS)
    assert filled.text == "one two\n[truncated]"
    assert (filled.asked, filled.used, filled.truncated) == (4, 3, True)


def test_a_layer_has_a_marker_of_its_own() -> None:
    """It stands at the end of what was cut."""
    assert fill(Layer(name="x", text="one two three", marker=" …"), 2, WORDS).text == "one …"


def test_a_protected_layer_stays_whole() -> None:
    """Its budget is what it may have, not what it must keep."""
    filled = fill(Layer(name="x", text="one two three four", protected=True), 3, WORDS)
    assert (filled.used, filled.budget, filled.truncated) == (4, 3, False)


def test_even_a_protected_layer_keeps_a_last_limit() -> None:
    """What is left when all else has gone is the most that anything can have."""
    filled = fill(Layer(name="x", text="one two three four", protected=True), 9, WORDS, at_most=2)
    assert filled.text == "one\n[truncated]"


def test_items_are_listed_in_their_order() -> None:
    """A line each, under the heading."""
    assert fill(Layer(name="x", items=THREE, heading="Facts:"), None, WORDS).text == "Facts:\na a a\nb b b\nc c c"


@pytest.mark.parametrize(
    ("budget", "text", "left_out"),
    [
        (9, "a a a\nb b b\nc c c", 0),
        (8, "b b b\nc c c", 1),
        (6, "b b b\nc c c", 1),
        (5, "b b b", 2),
        (3, "b b b", 2),
        (2, "", 3),
        (0, "", 3),
    ],
)
def test_the_least_important_items_go_first(budget: int, text: str, left_out: int) -> None:
    """What stays keeps its order."""
    filled = fill(Layer(name="x", items=THREE), budget, WORDS)
    assert (filled.text, filled.items_left_out) == (text, left_out)


def test_of_equals_the_later_goes_first() -> None:
    """Plain strings are all of one importance."""
    assert fill(Layer(name="x", items=as_items(["a", "b", "c"])), 2, WORDS).text == "a\nb"


def test_no_less_important_item_takes_the_place_of_a_larger_one() -> None:
    """Filling ends at the first that does not fit."""
    layer = Layer(name="x", items=items(("a", 1), ("b b b", 2), ("c c", 3)))
    assert fill(layer, 3, WORDS).text == "c c"


def test_a_heading_without_items_is_nothing() -> None:
    """An empty list needs no title."""
    assert Layer(name="x", heading="Facts:").body == ""
    assert fill(Layer(name="x", items=THREE, heading="Facts:"), 3, WORDS).text == ""


@given(
    st.lists(st.tuples(st.text(max_size=40), st.floats(0, 1)), max_size=12), st.text(max_size=20), st.integers(0, 100)
)
def test_a_filled_layer_is_within_its_budget(pairs: list[tuple[str, float]], heading: str, budget: int) -> None:
    """Whatever the items, in the tokens of the text that goes out."""
    counter = TokenCounter(FourCharacters())
    filled = fill(Layer(name="x", items=items(*pairs), heading=heading), budget, counter)
    assert filled.used == counter.count_text(filled.text) <= max(budget, filled.used if filled.asked <= budget else 0)


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"name": ""}, "a layer needs a name"),
        ({"name": "x", "text": "t", "items": THREE}, "'x' has both a text and items"),
    ],
)
def test_layers_that_cannot_work_are_refused(fields: dict[str, Any], found: str) -> None:
    """When they are made."""
    with pytest.raises(BudgetError, match=found):
        Layer(**fields)
