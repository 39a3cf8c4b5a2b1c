"""Contents that are empty or blank: a word stands for nothing, and a blank block beside others goes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ctx_core.conversation.content_blocks import is_mark
from ctx_core.conversation.fields import kind_of, mapped
from ctx_core.conversation.message_types import Piece
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import FilePart, OpaquePart, Part, TextPart, is_thought, same_parts
from ctx_core.providers.changes.texts import EMPTY
from ctx_core.providers.checks.blocks import ABOUT_DATA
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctx_core.providers.asked import Asked

_DOCUMENT: Final = "[a document]"


_INSTEAD: Final = ("refusal", "audio")
"""What an answer of chat completions may have in place of a content, beside calls."""


def filled(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give each message a content that says something; an instruction that says nothing goes. Results may be empty."""
    not_empty, blank = asked.asks(Kind.NOT_EMPTY), asked.asks(Kind.NOT_BLANK) is not None
    answers = not_empty is not None or blank or asked.asks(Kind.CALLS_OR_TEXT) is not None
    present = asked.asks(Kind.CONTENT_PRESENT) is not None
    if asked.is_guessed or not (answers or present):
        return list(messages), 0
    sent: list[Message] = []
    count = 0
    for at, message in enumerate(messages):
        is_last = at == len(messages) - 1
        given: Message | None = message
        if is_last and asked.question_follows:
            pass
        elif message.role is Role.TOOL:
            given = _result_filled(message) if blank else message
        elif not_empty is not None or blank:
            may_be_empty = is_last and message.role is Role.ASSISTANT and not_empty is not None and not_empty.last_may
            given = _filled(message, blank=blank, may_be_empty=may_be_empty)
        elif answers and message.role is Role.ASSISTANT and not message.tool_calls and not message.parts:
            given = _with(message, (TextPart(EMPTY),))
        if given is not None and present and _has_null(given):
            given = _with(given, (TextPart(""),))
        count += given is not message
        sent += [] if given is None else [given]
    return sent, count


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
    """Take the blanks from the end of an answer that is to be gone on with: not where somebody adds what follows."""
    sent = list(messages)
    if not sent or not asked.whole or sent[-1].role is not Role.ASSISTANT:
        return sent, 0
    if asked.asks(Kind.NO_TRAILING_BLANKS) is None:
        return sent, 0
    parts = list(sent[-1].parts)
    while parts and isinstance(end := parts[-1], TextPart) and not end.text.strip() and not is_thought(end):
        parts.pop()  # a text of blanks alone is refused as such, and an answer that is empty is taken
    last = parts[-1] if parts else None
    if isinstance(last, TextPart) and last.text != last.text.rstrip() and not is_thought(last):
        parts[-1] = TextPart(last.text.rstrip())
    if same_parts(parts, sent[-1].parts):
        return sent, 0
    sent[-1] = _with(sent[-1], tuple(parts))
    return sent, 1


def _filled(message: Message, *, blank: bool, may_be_empty: bool) -> Message | None:
    """Give a message that says something; None for one that is better not there."""
    parts = tuple(part for part in message.parts if not _is_empty(part))
    parts = _without_blanks(parts) if blank else parts
    same = len(parts) == len(message.parts)
    if message.tool_calls or any(not _says_nothing(part) for part in parts) or (may_be_empty and same):
        return message if same else _with(message, parts)
    if may_be_empty and all(isinstance(part, TextPart) for part in message.parts):
        return message  # its blanks go as those behind a text do
    if may_be_empty or message.role.instructs or _is_piece(message):
        return None  # there is nothing to go on with, or to follow: a word in its place would be
    return _with(message, (TextPart(EMPTY), *(part for part in parts if not isinstance(part, TextPart))))


def _result_filled(message: Message) -> Message:
    """Give a result without blank texts; one that had nothing else says so."""
    parts = _without_blanks(message.parts)
    if len(parts) == len(message.parts):
        return message
    return _with(message, parts or (TextPart(EMPTY),))


def _has_null(message: Message) -> bool:
    """Whether a message of chat completions has null where its content belongs."""
    fields = mapped(message.origin)
    if fields is None or message.parts or message.tool_calls or fields.get("content") is not None:
        return False
    return message.role is not Role.ASSISTANT or not any(fields.get(key) for key in _INSTEAD)


def _without_blanks(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Give parts without blank texts, but for those that have the signature of a thought, which Google sends so."""
    return tuple(part for part in parts if not isinstance(part, TextPart) or part.text.strip() or is_thought(part))


def _is_empty(part: Part) -> bool:
    fields = mapped(part.raw)
    return fields is not None and is_without_data(fields)


def is_without_data(fields: Mapping[str, Any]) -> bool:
    """Whether a block has only its braces, or only what is said about data: a signature without what it is of."""
    if kind_of(fields):
        return False
    return all(value is None or key in ABOUT_DATA for key, value in fields.items())


def _is_piece(message: Message) -> bool:
    """Whether what the caller's message says beside it, results say, goes out anyway."""
    return isinstance(message.origin, Piece) and message.origin.of > 1


def _says_nothing(part: Part) -> bool:
    if isinstance(part, OpaquePart):
        return is_mark(mapped(part.raw) or {})
    return isinstance(part, TextPart) and not part.text and not is_thought(part)


def _with(message: Message, parts: tuple[Part, ...]) -> Message:
    return replace(message, parts=parts, altered=message.origin is not None)


def _changed(before: Sequence[Message], after: Sequence[Message]) -> int:
    return sum(one is not other for one, other in zip(before, after, strict=True))
