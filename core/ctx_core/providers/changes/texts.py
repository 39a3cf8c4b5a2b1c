"""The few words of messages that are made so that a request is taken, and messages of two in one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeGuard

from ctx_core.conversation.fields import mapped
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import TextPart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.parts import Part

BEGIN: Final = "[The conversation begins.]"
"""Said by the user before an assistant who speaks first."""
GO_ON: Final = "[Go on.]"
"""Said by the user between two messages of the assistant, and behind the last one."""
HEARD: Final = "OK."
"""Said by the assistant between results and the user's next words."""
EMPTY: Final = "[empty message]"
"""The content of a message that has none."""


def made(role: Role, text: str) -> Message:
    """Give a message that nobody said."""
    return replace(Message(role=role, parts=(TextPart(text),)), synthetic=True)


def merged(first: Message, second: Message) -> Message:
    """Give one message that says what two said: a copy of the one that the caller has, of two such of the later.

    Where one says nothing, it is the other, as it came.
    """
    if not _says_anything(first) or not _says_anything(second):
        return second if _says_anything(second) else first
    base = second if second.origin is not None or first.origin is None else first
    return replace(
        base,
        parts=_joined(first.parts, second.parts),
        tool_calls=(*first.tool_calls, *second.tool_calls),
        synthetic=first.synthetic and second.synthetic,
        altered=base.origin is not None,
    )


def _says_anything(message: Message) -> bool:
    return bool(message.tool_calls) or any(
        not isinstance(part, TextPart) or part.inside or part.text.strip() for part in message.parts
    )


def _joined(first: Sequence[Part], second: Sequence[Part]) -> tuple[Part, ...]:
    """Give the parts of both; two texts that are no blocks of a provider's are one, with an empty line between.

    Clients join the texts of a framework's blocks, and nothing would stand between them.
    """
    last, following = first[-1] if first else None, second[0] if second else None
    if _is_plain(last) and _is_plain(following):
        return (*first[:-1], TextPart(f"{last.text}\n\n{following.text}"), *second[1:])
    return (*first, *second)


def _is_plain(part: Part | None) -> TypeGuard[TextPart]:
    return isinstance(part, TextPart) and mapped(part.raw) is None and not part.inside
