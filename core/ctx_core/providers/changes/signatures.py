"""Signatures of calls in the current turn: where there is none, the value that says so stands for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.messages import Message, Role
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.providers.asked import Asked

_UNSIGNED: Final = "skip_thought_signature_validator"
"""What Google documents for calls that another model, or nobody, has signed:
https://ai.google.dev/gemini-api/docs/thought-signatures"""


def signed(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Sign the first call of each step behind the user's last words, where it has no signature."""
    if asked.asks(Kind.CALLS_SIGNED) is None:
        return list(messages), 0
    said = [at for at, message in enumerate(messages) if message.role is Role.USER and message.text]
    begin = said[-1] if said else 0
    sent = [
        _signed(message) if at > begin and message.tool_calls and not message.tool_calls[0].encrypted else message
        for at, message in enumerate(messages)
    ]
    return sent, sum(one is not other for one, other in zip(messages, sent, strict=True))


def _signed(message: Message) -> Message:
    first, *others = message.tool_calls
    calls = (replace(first, signature=_UNSIGNED, encrypted=len(_UNSIGNED)), *others)
    return replace(message, tool_calls=calls, altered=message.origin is not None)
