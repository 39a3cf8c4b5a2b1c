"""Keys of messages that are refused where they stand: an empty list of calls, a prefix that is not the last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.fields import mapped
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.natives import copied, without
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.providers.asked import Asked

_CALLS: Final = "tool_calls"
_PREFIX: Final = "prefix"
_EXTRAS: Final = "additional_kwargs"
"""Where the frameworks' messages have what their clients put beside the content."""


def without_empty_calls(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Take the lists of calls that have none."""
    if asked.asks(Kind.CALLS_NOT_EMPTY_LIST) is None or asked.is_guessed:
        return list(messages), 0
    # A changed copy has no list where there are no calls.
    sent = [replace(message, altered=True) if _has_no_calls(message) else message for message in messages]
    return sent, _count(messages, sent)


def without_early_prefixes(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Take the mark of an answer that is to be gone on with, where something stands behind it."""
    if asked.asks(Kind.PREFIX_IS_LAST) is None or asked.is_guessed:
        return list(messages), 0
    sent = [*map(_without_prefix, messages[:-1]), *messages[-1:]]
    return sent, _count(messages, sent)


def is_prefix(message: Message) -> bool:
    """Whether an answer says that it is to be gone on with."""
    return message.role is Role.ASSISTANT and (
        _own(message).get(_PREFIX) is True or _extras(message).get(_PREFIX) is True
    )


def _has_no_calls(message: Message) -> bool:
    return message.role is Role.ASSISTANT and not message.altered and _own(message).get(_CALLS) == []


def _without_prefix(message: Message) -> Message:
    if not is_prefix(message):
        return message
    extras = _extras(message)
    if _PREFIX not in extras:
        return replace(message, origin=without(message.origin, _PREFIX))
    told = {key: value for key, value in extras.items() if key != _PREFIX}
    return replace(message, origin=copied(message.origin, **{_EXTRAS: told}))


def _own(message: Message) -> Mapping[str, Any]:
    return mapped(message.origin) or {}


def _extras(message: Message) -> Mapping[str, Any]:
    held: object = getattr(message.origin, _EXTRAS, None)
    return cast("Mapping[str, Any]", held) if isinstance(held, Mapping) else {}


def _count(before: Sequence[Message], after: Sequence[Message]) -> int:
    return sum(one is not other for one, other in zip(before, after, strict=True))
