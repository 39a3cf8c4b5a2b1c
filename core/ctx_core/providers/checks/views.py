"""Turns as a provider has them: results as messages of their own, or in the user's turns."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from ctx_core.providers.checks.reading import Turn
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx_core.conversation.formats.names import FormatName
    from ctx_core.providers.resolve import Target

_IN_USER_TURNS: frozenset[FormatName] = frozenset({"anthropic", "bedrock", "gemini"})


def results_in_user_turns(target: Target) -> bool:
    """Whether results are blocks of a user's turn there; else each is a message."""
    return target.provider.format in _IN_USER_TURNS


def as_sent(turns: tuple[Turn, ...], target: Target, *, own: bool) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """Give the turns as the provider takes them, and the system turns that went out of the list.

    Args:
        turns: as they stand in the list.
        target: where they go.
        own: whether they are in the provider's own format; else a client takes the leading system messages out, and
            puts results where the provider has them.
    """
    hoisted: tuple[Turn, ...] = ()
    if not own and (target.asks(Kind.SYSTEM_APART) or target.asks(Kind.SYSTEM_PLACED)):
        count = next((at for at, turn in enumerate(turns) if turn.role != "system"), len(turns))
        hoisted, turns = turns[:count], turns[count:]
    if results_in_user_turns(target):
        if not own:
            # Messages of tools in a row are one turn in every client.
            turns = tuple(_joined_results(turns))
            merged = target.provider.merges or target.asks(Kind.ALTERNATES) is not None
        else:
            merged = target.provider.merges
        return (tuple(_merged(turns)) if merged else turns), hoisted
    return tuple(one for turn in turns for one in _apart(turn)), hoisted


def _joined_results(turns: tuple[Turn, ...]) -> Iterable[Turn]:
    for is_tool, group in groupby(turns, key=lambda turn: turn.role == "tool"):
        listed = list(group)
        if is_tool:
            yield replace(_as_one(listed), role="user")
        else:
            yield from listed


def _merged(turns: tuple[Turn, ...]) -> Iterable[Turn]:
    """Make neighbors of one role one turn; system messages stay what they are."""
    for role, group in groupby(turns, key=lambda turn: turn.role):
        listed = list(group)
        if role == "system":
            yield from listed
        else:
            yield _as_one(listed)


def _as_one(turns: list[Turn]) -> Turn:
    return replace(turns[0], blocks=tuple(block for turn in turns for block in turn.blocks)) if turns[1:] else turns[0]


def _apart(turn: Turn) -> Iterable[Turn]:
    """Make each run of results in a user's turn messages of their own."""
    if turn.role == "tool" or not turn.results:
        yield turn
        return
    for is_result, group in groupby(turn.blocks, key=lambda block: block.kind == "result"):
        blocks = tuple(group)
        if not is_result:
            yield replace(turn, blocks=blocks)
            continue
        for block in blocks:
            yield Turn(role="tool", path=block.path, blocks=(block,))
