"""System messages in the middle: where the provider takes them, else as a text of the user's."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.fences import fenced
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import TextPart
from ctx_core.providers.changes.texts import merged
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.providers.asked import Asked

_TAG: Final = "system-message"
_ONLY_LEADING: Final = (Kind.SYSTEM_LEADS, Kind.SYSTEM_APART)


def taken_instructions(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give system messages the place and the role in which they are taken; those at the head stay, if any may.

    What is said in the user's name keeps its place; between tags, it is told from what the user says. Moved to the
    head it would be read first, and change the beginning of the prompt with each one that comes.
    """
    listed, joined = _leading_joined(messages, asked)
    sent, count = _put(listed, asked)
    return sent, count + joined


def _leading_joined(messages: Sequence[Message], asked: Asked) -> tuple[Sequence[Message], int]:
    """Give those at the head as one, where no more are taken there."""
    rule, head = asked.asks(Kind.SYSTEM_LEADS), _head(messages)
    if rule is None or rule.most is None or head <= rule.most or asked.system_apart:
        return messages, 0
    if asked.is_guessed or asked.asks(Kind.TAKES_NO_SYSTEM) is not None:
        return messages, 0
    first = head - rule.most
    return [reduce(merged, messages[: first + 1]), *messages[first + 1 :]], first


def _put(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    head = 0 if asked.system_apart else _head(messages)
    if asked.is_guessed:
        sent = [*messages[:head], *(_said_by_user(one) if one.synthetic else one for one in messages[head:])]
        return sent, sum(one is not other for one, other in zip(sent, messages, strict=True))
    if asked.asks(Kind.TAKES_NO_SYSTEM) is not None:
        head = 0
    elif not any(message.role.instructs for message in messages[head:]):
        return list(messages), 0
    elif asked.asks(Kind.SYSTEM_PLACED) is not None:
        return _placed(messages, head, asked)
    elif any(asked.asks(kind) is not None for kind in _ONLY_LEADING):
        pass
    elif asked.asks(Kind.SYSTEM_NOT_AFTER_ANSWER) is not None:
        return _behind_the_user(messages)
    else:
        return list(messages), 0
    sent = [*messages[:head], *map(_said_by_user, messages[head:])]
    return sent, sum(one is not other for one, other in zip(sent, messages, strict=True))


def _head(messages: Sequence[Message]) -> int:
    return next((at for at, message in enumerate(messages) if not message.role.instructs), len(messages))


def _placed(messages: Sequence[Message], head: int, asked: Asked) -> tuple[list[Message], int]:
    """Give each its place: behind what the user says or a tool gave, and before the answer or at the end.

    Where the end is no such place, or not the request's, it is said in the user's name.
    """
    sent, waiting, moved = list(messages[:head]), list[Message](), 0
    for message in messages[head:]:
        if message.role.instructs:
            waiting.append(message)
            continue
        if waiting and message.role is Role.ASSISTANT and len(sent) > head and sent[-1].role is not Role.ASSISTANT:
            sent += waiting
            waiting = []
        moved += len(waiting)
        sent.append(message)
    ends = asked.whole and not asked.question_follows
    if ends and len(sent) > head and sent[-1].role is not Role.ASSISTANT:
        return [*sent, *waiting], moved
    place = len(sent) - asked.question_follows
    sent[place:place] = map(_said_by_user, waiting)
    return sent, moved if asked.question_follows else moved + len(waiting)


def _behind_the_user(messages: Sequence[Message]) -> tuple[list[Message], int]:
    """Give those that follow an answer or a result as the user's."""
    sent: list[Message] = []
    count = 0
    for message in messages:
        follows = bool(sent) and sent[-1].role in (Role.ASSISTANT, Role.TOOL)
        sent.append(_said_by_user(message) if follows else message)
        count += sent[-1] is not message
    return sent, count


def _said_by_user(message: Message) -> Message:
    if not message.role.instructs:
        return message
    text = message.text if message.synthetic else fenced(_TAG, message.text)
    return Message(role=Role.USER, parts=(TextPart(text),) if message.text.strip() else (), synthetic=True)
