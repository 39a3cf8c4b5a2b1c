"""What a request needs where it costs another amount under another limit.

First messages that have a share of the limit grow with it, and texts that may be cut do.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ctx_core.history.protected import heads
from ctx_core.sizes import Share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx_core.history.cut import Cut


def sizes_with_heads(cut: Cut, counted: int, beside: int) -> Iterator[int]:
    """Give the tokens with which a request may fit, the least first: for each number of first messages at most one.

    First messages of `h` tokens are taken from the limit on at which `h` is their share; below the next such limit it
    fits if all that is protected does. As they grow, messages that were cut come back whole.

    Args:
        cut: what was kept, too much for the limit.
        counted: tokens of the whole request with it.
        beside: tokens of the request of which the first messages have no share.
    """
    stretch, wanted = cut.stretch, cut.stretch.policy.keep_first
    share = min(wanted.of_total, 1.0) if isinstance(wanted, Share) else 0.0
    if share <= 0:
        yield counted
        return
    instructions = stretch.total(stretch.instructions)
    others = counted - stretch.total(cut.head)
    found = [(others, 0)]
    size, taken = 0, set(cut.head)
    before: set[int] = set()
    for head in heads(stretch):
        for at in head - before:
            size += stretch.asked(at)
            if at in cut.kept and at not in taken:
                others -= stretch.cost(at)
        before = set(head)
        found.append((others + size, math.ceil(size / share) + instructions + beside))
    ends = [begin for _, begin in found[1:]]
    fitting = {
        max(needed, begin)
        for (needed, begin), end in zip(found, [*ends, math.inf], strict=True)
        if max(needed, begin) < max(end, begin + 1)
    }
    yield from sorted(fitting)
