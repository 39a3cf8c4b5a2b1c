"""Roles as a provider of chat completions has them: OpenAI alone knows developers, and functions that are no tools."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.messages import Message, Role
from ctx_core.providers.rules import Kind
from ctx_core.providers.table import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx_core.providers.asked import Asked

_OPENAIS: Final = ("openai", "responses")
"""Formats that have OpenAI's roles by their names."""
_OF_ALL: Final = ("system", "user", "assistant", "tool")
"""Roles that every provider of chat completions has."""


def system_for_developer(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give the developer's messages as system messages, where there is no such role."""
    return _changed(messages, asked, "developer", _as_system)


def tools_for_functions(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give calls and results of OpenAI's first function API as those of tools; ids are given where all are."""
    return _changed(messages, asked, "function", _as_tool)


def _changed(
    messages: Sequence[Message], asked: Asked, role: str, given: Callable[[Message], Message]
) -> tuple[list[Message], int]:
    known = _known(asked)
    if known is None or role in known:
        return list(messages), 0
    sent = list(map(given, messages))
    return sent, sum(one is not other for one, other in zip(messages, sent, strict=True))


def _known(asked: Asked) -> tuple[str, ...] | None:
    """Give the roles that the provider has; None where its clients write them in its own format, or nothing tells."""
    provider = asked.target.provider
    if provider is UNKNOWN:
        return None if asked.is_guessed else _OF_ALL
    rule = asked.asks(Kind.ROLES_KNOWN)
    if rule is None or provider.format in _OPENAIS:
        return None if rule is None else rule.values
    by_client = rule.by(asked.target.client or asked.perhaps_by)
    return _OF_ALL if by_client is not None and by_client.does == "raises" else None


def _as_system(message: Message) -> Message:
    if message.role is not Role.DEVELOPER:
        return message
    return replace(message, role=Role.SYSTEM, altered=message.origin is not None)


def _as_tool(message: Message) -> Message:
    if not any(call.legacy for call in message.tool_calls):
        return message
    calls = tuple(replace(call, legacy=False, raw=None) if call.legacy else call for call in message.tool_calls)
    return replace(message, tool_calls=calls, altered=message.origin is not None)
