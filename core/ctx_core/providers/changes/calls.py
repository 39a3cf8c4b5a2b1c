"""Calls as providers take them: with an object of arguments, with a name that may be one, behind what is said."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.arguments import as_object, is_object
from ctx_core.conversation.fields import json_text, kind_of, mapped
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.parts import OpaquePart, TextPart, is_thought
from ctx_core.providers.changes.texts import GO_ON, made
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx_core.conversation.parts import Part
    from ctx_core.providers.asked import Asked

_IN_PLACE: Final = frozenset({"", "function", "tool_use", "tool_call", "invalid_tool_call"})
"""Types of blocks and entries that are written with another name or other arguments; many have none."""
_LONGEST_NAME: Final = 64
"""Characters of a tool's name, as providers take it."""


def objects_of_arguments(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give calls whose arguments are no JSON object one that has them, and says what they are."""
    if asked.asks(Kind.ARGUMENTS_ARE_OBJECTS) is None:
        return list(messages), 0
    return _with_calls(messages, _as_object, taken=_has_objects)


def plain_names(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give tools that were called by a name that cannot be one another name."""
    rule = asked.asks(Kind.NAMES_PLAIN)
    if rule is None or rule.pattern is None:
        return list(messages), 0
    pattern = re.compile(rule.pattern)

    def named(call: ToolCall) -> ToolCall:
        if pattern.fullmatch(call.name):
            return call
        return replace(call, name=re.sub(r"[^a-zA-Z0-9_-]", "_", call.name)[:_LONGEST_NAME] or "_")

    return _with_calls(messages, named)


def calls_last(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Put what an assistant says before the calls of the same message."""
    if asked.asks(Kind.CALLS_LAST) is None:
        return list(messages), 0
    sent = [_with_calls_last(message) if message.tool_calls else message for message in messages]
    return sent, _changed(messages, sent)


def calls_alone(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give calls a message of their own, where one with a text is not taken."""
    rules = (asked.asks(Kind.CALLS_OR_TEXT), asked.asks(Kind.RESULTS_ALONE))
    if all(rule is None or rule.disputed for rule in rules):
        return list(messages), 0
    sent: list[Message] = []
    count = 0
    for message in messages:
        if message.tool_calls and message.text and not message.thinks:
            told = tuple(part for part in message.parts if not _spells(part, message.tool_calls))
            calls = tuple(part for part in message.parts if _spells(part, message.tool_calls))
            sent += [Message(role=Role.ASSISTANT, parts=told), made(Role.USER, GO_ON)]
            sent.append(replace(message, parts=calls, altered=message.origin is not None))
            count += 1
        else:
            sent.append(message)
    return sent, count


def _with_calls(
    messages: Sequence[Message],
    given: Callable[[ToolCall], ToolCall],
    *,
    taken: Callable[[Message], bool] = lambda _: False,
) -> tuple[list[Message], int]:
    """Give messages with other calls; those that are known to be taken are not looked at."""
    sent: list[Message] = []
    for message in messages:
        if not message.tool_calls or taken(message):
            sent.append(message)
            continue
        changed = tuple(map(given, message.tool_calls))
        same = all(one is other for one, other in zip(changed, message.tool_calls, strict=True))
        sent.append(message if same else _with(message, changed))
    return sent, _changed(messages, sent)


def _with(message: Message, changed: Sequence[ToolCall]) -> Message:
    """Give a message with calls of which some are others: these are written where they stood.

    An item by itself, and what takes a text of any kind, is made anew: no block and no entry spells it any more.
    """
    pairs = list(zip(changed, message.tool_calls, strict=True))
    anew = [known for call, known in pairs if call is not known and not _stays(known, message)]
    gone = set(map(id, anew))
    calls = tuple(
        call if call is known else replace(call, raw=None) if id(known) in gone else replace(call, altered=True)
        for call, known in pairs
    )
    parts = tuple(part for part in message.parts if not _spells(part, anew))
    return replace(message, parts=parts, tool_calls=calls, altered=message.origin is not None)


def _stays(call: ToolCall, message: Message) -> bool:
    """Whether a call can be written anew in its place."""
    spelled = [call.raw, *(part.raw for part in message.parts if _spells(part, [call]))]
    return call.raw is not None and all(kind_of(mapped(raw) or {}) in _IN_PLACE for raw in spelled)


def _spells(part: object, calls: Sequence[ToolCall]) -> bool:
    if not isinstance(part, OpaquePart) or part.call_id is None:
        return False
    return any(part.raw is call.raw or part.call_id == (call.id or "") for call in calls)


def _with_calls_last(message: Message) -> Message:
    """Put calls last among what stands between two thoughts: nothing gets to the other side of one."""
    signed = [call for call in message.tool_calls if call.encrypted]
    sent: list[Part] = []
    for is_kept, group in groupby(message.parts, lambda part: is_thought(part) or _spells(part, signed)):
        parts = list(group)
        sent += parts if is_kept else _calls_behind(parts, message.tool_calls)
    same = all(one is other for one, other in zip(sent, message.parts, strict=True))
    return message if same else replace(message, parts=tuple(sent), altered=message.origin is not None)


def _calls_behind(parts: list[Part], calls: Sequence[ToolCall]) -> list[Part]:
    spelled = [_spells(part, calls) for part in parts]
    first = spelled.index(True) if True in spelled else len(spelled)
    if not any(isinstance(part, TextPart) for part in parts[first:]):
        return parts
    pairs = list(zip(parts, spelled, strict=True))
    return [part for part, is_call in pairs if not is_call] + [part for part, is_call in pairs if is_call]


def _has_objects(message: Message) -> bool:
    """Whether the arguments of all its calls are objects, which is worked out once."""
    known = message.figures.get(objects_of_arguments)
    if known is None:
        found = all(call.legacy or is_object(call.arguments) for call in message.tool_calls)
        known = message.figures[objects_of_arguments] = found
    return bool(known)


def _as_object(call: ToolCall) -> ToolCall:
    return call if call.legacy or is_object(call.arguments) else _completed(call)


def _completed(call: ToolCall) -> ToolCall:
    # As the frameworks' clients write it at the longest.
    return replace(call, arguments=json_text(as_object(call.arguments), blanks=True, ascii_only=True))


def _changed(before: Sequence[Message], after: Sequence[Message]) -> int:
    return sum(one is not other for one, other in zip(before, after, strict=True))
