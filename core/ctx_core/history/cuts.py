"""Turns, steps, and the positions where a cut parts no call from its result.

Policies choose among these positions and need to know nothing about tools.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctx_core.conversation.messages import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.history.repair import Entry


@dataclass(frozen=True, slots=True)
class Turn:
    """A user message and all up to the next one; the first may begin with something else."""

    start: int
    """Index of its first entry."""
    end: int
    """Index behind its last entry."""
    has_question: bool
    """Whether it begins with a user message."""


def turns(entries: Sequence[Entry]) -> list[Turn]:
    """Give the turns of a repaired conversation, in order; system messages belong to the turn they stand in."""
    starts = [at for at, entry in enumerate(entries) if entry.message.role is Role.USER]
    if entries and (not starts or starts[0] > 0):
        starts.insert(0, 0)
    ends = [*starts[1:], len(entries)] if starts else []
    return [
        Turn(start, end, has_question=entries[start].message.role is Role.USER)
        for start, end in zip(starts, ends, strict=True)
    ]


def safe_cuts(entries: Sequence[Entry], start: int, end: int) -> list[int]:
    """Give the indices in `start … end − 1` where a stretch may begin: all but those of tool results."""
    return [at for at in range(start, end) if entries[at].message.role is not Role.TOOL]


def steps(entries: Sequence[Entry]) -> list[tuple[int, int]]:
    """Give each step as (index of the message with the calls, index behind its last result), in order."""
    found: list[tuple[int, int]] = []
    for at, entry in enumerate(entries):
        if not entry.message.tool_calls:
            continue
        end = at + 1
        while end < len(entries) and entries[end].message.role is Role.TOOL:
            end += 1
        found.append((at, end))
    return found
