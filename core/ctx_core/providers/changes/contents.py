"""Contents that are empty or blank: a word stands for nothing, and a blank block beside others goes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.content_blocks import is_mark
from ctx_core.conversation.fields import mapped
from ctx_core.conversation.messages import FilePart, Message, OpaquePart, Part, Role, TextPart
from ctx_core.providers.changes.texts import EMPTY
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.providers.asked import Asked

_DOCUMENT: Final = "[a document]"


def filled(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give each message a content that says something. Results may be empty."""
    not_empty = asked.asks(Kind.NOT_EMPTY)
    if not_empty is None and asked.asks(Kind.NOT_BLANK) is None:
        return list(messages), 0
    blank = asked.asks(Kind.NOT_BLANK) is not None
    sent: list[Message] = []
    for at, message in enumerate(messages):
        is_last_answer = at == len(messages) - 1 and message.role is Role.ASSISTANT
        is_question = asked.question_follows and at == len(messages) - 1
        spared = (
            is_question
            or message.role is Role.TOOL
            or (is_last_answer and not_empty is not None and not_empty.last_may)
        )
        sent.append(message if spared else _filled(message, blank=blank, completed=not message.role.instructs))
    return sent, _changed(messages, sent)


def with_a_text(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give messages with a document and no text a few words."""
    if asked.asks(Kind.DOCUMENT_WITH_TEXT) is None:
        return list(messages), 0
    sent = [
        _with(message, (*message.parts, TextPart(_DOCUMENT)))
        if message.role is Role.USER and any(isinstance(part, FilePart) for part in message.parts) and not message.text
        else message
        for message in messages
    ]
    return sent, _changed(messages, sent)


def without_last_blanks(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Take the blanks from the end of an answer that is to be gone on with."""
    sent = list(messages)
    if not sent or sent[-1].role is not Role.ASSISTANT or asked.asks(Kind.NO_TRAILING_BLANKS) is None:
        return sent, 0
    parts = list(sent[-1].parts)
    last = parts[-1] if parts else None
    if not isinstance(last, TextPart) or last.text == last.text.rstrip() or not last.text.strip():
        return sent, 0
    parts[-1] = TextPart(last.text.rstrip())
    sent[-1] = _with(sent[-1], tuple(parts))
    return sent, 1


def _filled(message: Message, *, blank: bool, completed: bool) -> Message:
    parts = tuple(part for part in message.parts if not (blank and _is_blank(part)))
    says = message.tool_calls or any(not _says_nothing(part) for part in parts)
    if says or not completed:
        return message if len(parts) == len(message.parts) else _with(message, parts)
    return _with(message, (TextPart(EMPTY), *(part for part in parts if not isinstance(part, TextPart))))


def _is_blank(part: Part) -> bool:
    return isinstance(part, TextPart) and not part.text.strip()


def _says_nothing(part: Part) -> bool:
    if isinstance(part, OpaquePart):
        return is_mark(mapped(part.raw) or {})
    return isinstance(part, TextPart) and not part.text


def _with(message: Message, parts: tuple[Part, ...]) -> Message:
    return replace(message, parts=parts, altered=message.origin is not None)


def _changed(before: Sequence[Message], after: Sequence[Message]) -> int:
    return sum(one is not other for one, other in zip(before, after, strict=True))
