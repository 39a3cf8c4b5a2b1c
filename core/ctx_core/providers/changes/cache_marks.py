"""Marks of where a cache ends: so many as a provider takes, where it takes them, those of an hour first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from ctx_core.conversation.cache_marks import LONG, SHORT, is_point, life_of, lives_of, shortened, unmarked
from ctx_core.conversation.formats.pieces import blocks_of
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import ReasoningPart
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx_core.conversation.parts import Part
    from ctx_core.providers.asked import Asked

_Fate: TypeAlias = Literal["stays", "shortened", "goes"]


def few_marks(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Take the marks that are too many, and those on thoughts; one of an hour behind a shorter one is as short.

    The first stays, and the last ones: the first ends what is the same on every turn, instructions as a rule; from the
    last ones the next turn goes on. Those between would end what the later ones hold too.
    """
    rule = asked.asks(Kind.CACHE_MARKS)
    if rule is None or rule.most is None:
        return list(messages), 0
    lives = [(*_in_parts(message), *_of_result(message)) for message in messages]
    fates = _fates([life for found in lives for life in found], asked, rule.most)
    if all(fate == "stays" for fate in fates):
        return list(messages), 0
    sent: list[Message] = []
    at = 0
    for message, found in zip(messages, lives, strict=True):
        mine = fates[at : at + len(found)]
        sent.append(message if all(fate == "stays" for fate in mine) else _marked(message, mine))
        at += len(found)
    return sent, sum(fate != "stays" for fate in fates)


def _fates(lives: Sequence[str | None], asked: Asked, most: int) -> list[_Fate]:
    """Say what becomes of each mark, by how long it lives; None: it stands where none may."""
    places = [at for at, life in enumerate(lives) if life is not None]
    taken = max(0, most - len(asked.marks_beside))
    # With marks beside the messages, in the tools say, the beginning has one.
    first = int(taken > 1 and not asked.marks_beside)
    total = len(places)
    kept = {*places[:first], *places[max(first, total - (taken - first)) :]} if taken else set[int]()
    short = SHORT in asked.marks_beside
    fates: list[_Fate] = []
    for at, life in enumerate(lives):
        if at not in kept:
            fates.append("goes")
            continue
        fates.append("shortened" if short and life == LONG else "stays")
        short = short or life != LONG
    return fates


def _in_parts(message: Message) -> Iterator[str | None]:
    """Give how long the mark of each part that has one lives; None for thoughts, which may have none."""
    for part in message.parts:
        life = life_of(part.raw)
        if life is not None:
            yield None if isinstance(part, ReasoningPart) else life


def _of_result(message: Message) -> tuple[str, ...]:
    """Give the marks that a result has itself, or right behind it, in a message of the caller's that holds it."""
    if message.role is not Role.TOOL or message.unmarked:
        return ()
    return lives_of(blocks_of(message.origin))


def _marked(message: Message, fates: Sequence[_Fate]) -> Message:
    """Give a message with what becomes of its marks: a result's own go where one of them does not stay."""
    parts: list[Part] = []
    changed: dict[int, object] = {}
    left = iter(fates)
    for part in message.parts:
        fate = "stays" if life_of(part.raw) is None else next(left)
        if fate == "goes" and is_point(part.raw):
            continue
        if fate != "stays":
            raw = shortened(part.raw) if fate == "shortened" else unmarked(part.raw)
            changed[id(part.raw)] = raw
            part = replace(part, raw=raw)  # noqa: PLW2901 - the same, with another mark
        parts.append(part)
    calls = tuple(
        replace(call, raw=changed[id(call.raw)]) if id(call.raw) in changed else call for call in message.tool_calls
    )
    bare = message.unmarked or any(fate != "stays" for fate in left)
    return replace(message, parts=tuple(parts), tool_calls=calls, unmarked=bare, altered=message.origin is not None)
