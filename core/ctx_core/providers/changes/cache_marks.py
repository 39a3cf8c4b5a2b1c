"""Marks of where a cache ends: so many as a provider takes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from ctx_core.conversation.content_blocks import is_mark
from ctx_core.conversation.fields import mapped
from ctx_core.conversation.formats.pieces import blocks_of
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.natives import without
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctx_core.conversation.parts import Part
    from ctx_core.providers.asked import Asked

_KEY: Final = "cache_control"


def few_marks(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Take the marks that are too many: the first one stays, and the last ones.

    The first ends what is the same on every turn, instructions as a rule; from the last ones the next turn goes on.
    Those between would end what the later ones hold too.
    """
    rule = asked.asks(Kind.CACHE_MARKS)
    if rule is None or rule.most is None:
        return list(messages), 0
    most = max(0, rule.most - asked.marks_beside)
    found = list(map(_marks, messages))
    total = sum(found)
    if total <= most:
        return list(messages), 0
    # With marks beside the messages, in the tools say, the beginning has one.
    first = int(most > 1 and not asked.marks_beside)
    stays = {*range(first), *range(total - (most - first), total)}
    sent: list[Message] = []
    at = 0
    for message, count in zip(messages, found, strict=True):
        kept = [at + number in stays for number in range(count)]
        sent.append(message if all(kept) else _without(message, kept))
        at += count
    return sent, total - len(stays)


def marks_in(values: Iterable[object]) -> int:
    """Count the marks of blocks, and of definitions of tools."""
    return sum(map(_is_marked, values))


def _marks(message: Message) -> int:
    """Count the marks of a message, once."""
    known = message.figures.get(few_marks)
    if known is None:
        known = message.figures[few_marks] = _in_parts(message) + _of_result(message)
    return cast("int", known)


def _in_parts(message: Message) -> int:
    return marks_in(part.raw for part in message.parts)


def _of_result(message: Message) -> int:
    """Count the marks that a result has itself, or right behind it, in a message of the caller's that holds it."""
    if message.role is not Role.TOOL or message.unmarked:
        return 0
    return marks_in(blocks_of(message.origin))


def _without(message: Message, kept: Sequence[bool]) -> Message:
    """Give a message with the marks that are kept: of a result's own all, or none."""
    parts: list[Part] = []
    changed: dict[int, object] = {}
    at = 0
    for part in message.parts:
        if not _is_marked(part.raw):
            parts.append(part)
            continue
        if kept[at]:
            parts.append(part)
        elif not _is_point(part.raw):
            changed[id(part.raw)] = raw = without(part.raw, _KEY)
            parts.append(replace(part, raw=raw))
        at += 1
    calls = tuple(
        replace(call, raw=changed[id(call.raw)]) if id(call.raw) in changed else call for call in message.tool_calls
    )
    unmarked = message.unmarked or not all(kept[at:])
    return replace(message, parts=tuple(parts), tool_calls=calls, unmarked=unmarked, altered=message.origin is not None)


def _is_marked(raw: object) -> bool:
    fields = mapped(raw)
    return _is_point(raw) or (fields is not None and fields.get(_KEY) is not None)


def _is_point(raw: object) -> bool:
    """Whether a block is nothing but a mark; LlamaIndex' is an object."""
    fields = mapped(raw)
    return is_mark(fields) if fields is not None else getattr(raw, "block_type", None) == "cache"
