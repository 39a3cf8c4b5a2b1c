"""Calls as providers take them: with an object of arguments, with a name that may be one, behind what is said."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.arguments import as_object
from ctx_core.conversation.fields import json_text
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.parts import OpaquePart, TextPart
from ctx_core.providers.changes.texts import GO_ON, made, thinks
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx_core.providers.asked import Asked

_LONGEST_NAME: Final = 64
"""Characters of a tool's name, as providers take it."""


def objects_of_arguments(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give calls whose arguments are no JSON object one that has them, and says what they are."""
    if asked.asks(Kind.ARGUMENTS_ARE_OBJECTS) is None:
        return list(messages), 0
    sent = [
        message if _has_objects(message) else _with(message, tuple(map(_as_object, message.tool_calls)))
        for message in messages
    ]
    return sent, _changed(messages, sent)


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
        if message.tool_calls and message.text and not thinks(message):
            told = tuple(part for part in message.parts if not _spells(part, message.tool_calls))
            calls = tuple(part for part in message.parts if _spells(part, message.tool_calls))
            sent += [Message(role=Role.ASSISTANT, parts=told), made(Role.USER, GO_ON)]
            sent.append(replace(message, parts=calls, altered=message.origin is not None))
            count += 1
        else:
            sent.append(message)
    return sent, count


def _with_calls(messages: Sequence[Message], given: Callable[[ToolCall], ToolCall]) -> tuple[list[Message], int]:
    sent: list[Message] = []
    for message in messages:
        if not message.tool_calls:
            sent.append(message)
            continue
        changed = tuple(map(given, message.tool_calls))
        same = all(one is other for one, other in zip(changed, message.tool_calls, strict=True))
        sent.append(message if same else _with(message, changed))
    return sent, _changed(messages, sent)


def _with(message: Message, changed: Sequence[ToolCall]) -> Message:
    """Give a message with calls of which some are made anew: no block and no entry spells these any more."""
    gone = [one for one, other in zip(message.tool_calls, changed, strict=True) if one is not other]
    calls = tuple(
        call if call is known else replace(call, raw=None)
        for call, known in zip(changed, message.tool_calls, strict=True)
    )
    parts = tuple(part for part in message.parts if not _spells(part, gone))
    return replace(message, parts=parts, tool_calls=calls, altered=message.origin is not None)


def _spells(part: object, calls: Sequence[ToolCall]) -> bool:
    if not isinstance(part, OpaquePart) or part.call_id is None:
        return False
    return any(part.raw is call.raw or part.call_id == (call.id or "") for call in calls)


def _with_calls_last(message: Message) -> Message:
    spelled = [_spells(part, message.tool_calls) for part in message.parts]
    first = spelled.index(True) if True in spelled else len(spelled)
    if not any(isinstance(part, TextPart) for part in message.parts[first:]):
        return message
    calls = tuple(part for part, is_call in zip(message.parts, spelled, strict=True) if is_call)
    told = tuple(part for part, is_call in zip(message.parts, spelled, strict=True) if not is_call)
    return replace(message, parts=(*told, *calls), altered=message.origin is not None)


def _has_objects(message: Message) -> bool:
    """Whether the arguments of all its calls are objects, which is worked out once."""
    if not message.tool_calls:
        return True
    known = message.figures.get(objects_of_arguments)
    if known is None:
        found = all(call.legacy or _is_object(call.arguments) for call in message.tool_calls)
        known = message.figures[objects_of_arguments] = found
    return bool(known)


def _as_object(call: ToolCall) -> ToolCall:
    return call if call.legacy or _is_object(call.arguments) else _completed(call)


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def _completed(call: ToolCall) -> ToolCall:
    # As the frameworks' clients write it at the longest.
    return replace(call, arguments=json_text(as_object(call.arguments), blanks=True, ascii_only=True))


def _changed(before: Sequence[Message], after: Sequence[Message]) -> int:
    return sum(one is not other for one, other in zip(before, after, strict=True))
