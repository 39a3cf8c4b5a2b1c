"""How far the largest of some sizes must shrink, so that all together do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def squeeze(sizes: Iterable[int], *, by: int) -> int | None:
    """Give the size that none may exceed, so that all together become smaller by `by`.

    The largest shrink first, and equally. None where even nothing would be too much.
    """
    ordered = sorted(sizes, reverse=True)
    if sum(ordered) < by:
        return None
    above = 0
    for count, size in enumerate(ordered, start=1):
        above += size
        following = ordered[count] if count < len(ordered) else 0
        most = (above - by) // count
        if most >= following:
            return most
    return None
