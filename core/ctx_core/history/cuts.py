"""Turns, steps, and the positions where a cut parts no call from its result.

Policies choose among these positions and need to know nothing about tools.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctx_core.conversation.messages import Role
from ctx_core.history.places import Index, indexed, indices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.history.repair import Entry


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and all up to the next one; the first may begin with something else."""

    start: Index
    """Index of its first entry."""
    end: Index
    """Index behind its last entry."""
    has_question: bool
    """Whether it begins with a question: a message that the user wrote, and not an agent in the user's name."""


def turns(entries: Sequence[Entry]) -> list[Turn]:
    """Give the turns of a repaired conversation, in order; system messages belong to the turn they stand in."""
    starts = [at for at, entry in indexed(entries) if entry.message.is_question]
    if entries and (not starts or starts[0] > 0):
        starts.insert(0, Index(0))
    ends = [*starts[1:], Index(len(entries))] if starts else []
    return [
        Turn(start, end, has_question=entries[start].message.is_question)
        for start, end in zip(starts, ends, strict=True)
    ]


def safe_cuts(entries: Sequence[Entry], start: Index, end: Index) -> list[Index]:
    """Give the indices in `start … end − 1` where a stretch may begin: all but those of results."""
    return [at for at in indices(start, end) if not entries[at].message.is_result]


def steps(entries: Sequence[Entry]) -> list[tuple[Index, Index]]:
    """Give each step as (index of the message with the calls, index behind its last result), in order.

    One that asks for a tool in its text is a step where its result stands behind it.
    """
    found: list[tuple[Index, Index]] = []
    for at, entry in indexed(entries):
        message = entry.message
        if message.role is not Role.ASSISTANT:
            continue  # a step may have hundreds of results, and none of them is asked how many follow it
        end = at + 1
        while end < len(entries) and entries[end].message.is_result:
            end += 1
        if message.tool_calls or end > at + 1:
            found.append((at, Index(end)))
    return found
