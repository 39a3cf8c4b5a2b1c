"""Some hundred spellings of models' names, and names of none: price and window by one resolver."""

from __future__ import annotations

import pytest

from ctx_core import UnknownModelError
from ctx_core.counting import family_of, window_of
from ctx_core.counting.families import FALLBACK
from tests.core.counting.rows import row_of
from tests.core.counting.spellings import KNOWN, NONE

SPELLINGS = [(name, *found) for found, names in KNOWN.items() for name in names.split()]


@pytest.mark.parametrize(("spelling", "family", "window"), SPELLINGS)
def test_a_spelling_has_its_family_and_its_window(spelling: str, family: str, window: int) -> None:
    """Both from one row, wherever the name was written."""
    assert family_of(spelling) is row_of(family)
    assert window_of(spelling).tokens == window


@pytest.mark.parametrize("name", NONE.split())
def test_what_is_no_model_has_neither_price_nor_window(name: str) -> None:
    """It is counted as unknown, and its window has to be given."""
    assert family_of(name) is FALLBACK
    with pytest.raises(UnknownModelError, match="is not known"):
        window_of(name)


def test_the_table_of_spellings_is_large_and_has_none_twice() -> None:
    """A name in two places would hold nothing."""
    names = [name for name, *_ in SPELLINGS]
    assert len(names) > 350
    assert len({*names, *NONE.split()}) == len(names) + len(NONE.split())


@pytest.mark.parametrize("name", ["minimax", "kimi", "glm", "hermes", "command", "claude", "grok", "deepseek"])
def test_a_word_alone_is_a_model_where_its_host_is_known(name: str) -> None:
    """A bare word may be anybody's; behind a provider, or at a host, it is a model."""
    assert family_of(name) is FALLBACK
    assert family_of(f"openrouter/{name}") is row_of(name)
    assert family_of(name, host="somewhere") is row_of(name)
