"""The last means: shrinking texts, the largest first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx_core.history.squeeze import squeeze


@pytest.mark.parametrize(
    ("sizes", "by", "most"),
    [
        ([10], 3, 7),
        ([10, 4], 3, 7),
        ([10, 4], 6, 4),
        ([10, 4], 8, 3),
        ([10, 10], 10, 5),
        ([10, 10], 11, 4),
        ([3, 100, 50], 60, 45),
        ([10, 4], 14, 0),
        ([10, 4], 15, None),
        ([], 1, None),
    ],
)
def test_the_largest_shrink_first_and_equally(sizes: list[int], by: int, most: int | None) -> None:
    """None may exceed what is given; None where even nothing would be too much."""
    assert squeeze(sizes, by=by) == most


@given(st.lists(st.integers(0, 1_000), max_size=20), st.integers(1, 5_000))
def test_it_is_enough_and_no_more_than_it_takes(sizes: list[int], by: int) -> None:
    """All together become smaller by that much; a token more for each would not do."""
    most = squeeze(sizes, by=by)
    if most is None:
        assert sum(sizes) < by
        return
    assert sum(min(size, most) for size in sizes) <= sum(sizes) - by
    assert sum(min(size, most + 1) for size in sizes) > sum(sizes) - by
