"""Recorded requests that continue one another, and what anchored counting makes of them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ctx_core.counting import Anchor, TokenCount, count_anchored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from benchmarks.recorded import Recorded
    from ctx_core.counting import RequestOptions, TokenCounter

_LEAST = 3
"""Requests that make a conversation."""


def anchored_rows(
    rows: Iterable[Recorded], counter: Callable[[Recorded], TokenCounter], options: Callable[[Recorded], RequestOptions]
) -> Iterator[tuple[Recorded, TokenCount]]:
    """Give every request of a conversation but its first, counted from the bill of the one before it."""
    for row, before in continued(rows):
        anchor = Anchor(billed=before.billed, sent=before.messages, tools=before.tools, options=options(before))
        yield row, count_anchored(counter(row), row.messages, anchor, tools=row.tools, options=options(row))


def continued(rows: Iterable[Recorded]) -> Iterator[tuple[Recorded, Recorded]]:
    """Give every request of a conversation but its first, with the one before it."""
    groups: dict[tuple[object, ...], list[Recorded]] = defaultdict(list)
    for row in rows:
        groups[row.provider, row.api, row.model, row.source, len(row.tools), row.messages[0]].append(row)
    for group in groups.values():
        group.sort(key=lambda row: len(row.messages))
        before: dict[int, Recorded] = {}
        for at, row in enumerate(group):
            fitting = [
                r
                for r in group[:at]
                if len(r.messages) < len(row.messages) and row.messages[: len(r.messages)] == r.messages
            ]
            if fitting:
                before[id(row)] = fitting[-1]
        in_conversation: set[int] = set()
        for row in group:
            chain = [row]
            while id(chain[-1]) in before:
                chain.append(before[id(chain[-1])])
            if len(chain) >= _LEAST:
                in_conversation.update(map(id, chain))
        yield from ((row, before[id(row)]) for row in group if id(row) in in_conversation and id(row) in before)
