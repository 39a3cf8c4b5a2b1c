"""Who speaks first, last and after whom: what is lacking is said in a few words, and neighbors become one message."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.provider_tools import is_paused
from ctx_core.providers.changes.keys import is_prefix
from ctx_core.providers.changes.texts import BEGIN, GO_ON, HEARD, made, merged
from ctx_core.providers.rules import Kind
from ctx_core.providers.table import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.providers.asked import Asked

_CALLS_ALONE: Final = (Kind.RESULTS_ALONE, Kind.CALLS_OR_TEXT)
"""Rules by which a text and calls are no one message."""


def user_begins(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Put a message of the user before an assistant who speaks first: moved behind the question it would answer it."""
    sent = list(messages)
    first = next((at for at, message in enumerate(sent) if not message.role.instructs), None)
    if first is None or sent[first].role is Role.USER or not _must_begin(sent, asked):
        return sent, 0
    sent.insert(first, made(Role.USER, BEGIN))
    return sent, 1


def _must_begin(messages: Sequence[Message], asked: Asked) -> bool:
    """Whether the user has to speak first: in any request, or before one message, behind which nobody speaks."""
    alone = len(messages) == 1 and is_prefix(messages[0]) and asked.asks(Kind.ALONE_IS_USER) is not None
    return alone or asked.asks(Kind.USER_BEGINS) is not None


def calls_after_user(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Put a message of the user before calls that stand first, or behind what the assistant says."""
    if asked.asks(Kind.CALL_AFTER_USER) is None:
        return list(messages), 0
    sent: list[Message] = []
    before: Role | None = None
    count = 0
    for message in messages:
        if message.tool_calls and before in (None, Role.ASSISTANT):
            sent.append(made(Role.USER, BEGIN if before is None else GO_ON))
            count += 1
        sent.append(message)
        before = before if message.role.instructs else message.role
    return sent, count


def parted_from_results(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Put a word of the assistant between results and what the user says next."""
    if asked.asks(Kind.NOT_USER_AFTER_TOOL) is None and asked.asks(Kind.RESULTS_ALONE) is None:
        return list(messages), 0
    sent: list[Message] = []
    count = 0
    for message in messages:
        if message.role is Role.USER and sent and sent[-1].role is Role.TOOL:
            sent.append(made(Role.ASSISTANT, HEARD))
            count += 1
        sent.append(message)
    return sent, count


def alternating(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give neighbors of one role as one message; those whose blocks must stay as they came are parted by a word."""
    if asked.asks(Kind.ALTERNATES) is None:
        return list(messages), 0
    alone = any((rule := asked.asks(kind)) is not None and not rule.disputed for kind in _CALLS_ALONE)
    sent: list[Message] = []
    spoken: Message | None = None
    count = 0
    for at, message in enumerate(messages):
        last, spoken = spoken, spoken if message.role.instructs else message
        if last is None or last.role is not message.role or message.role not in (Role.USER, Role.ASSISTANT):
            sent.append(message)
            continue
        if asked.is_guessed and not (last.synthetic or message.synthetic):
            # Most take them, and they are the caller's own: only what is put between them here must not be refused.
            sent.append(message)
            continue
        count += 1
        kept = (asked.question_follows and at == len(messages) - 1) or sent[-1] is not last
        if kept or last.tool_calls or (alone and message.tool_calls) or last.thinks or message.thinks:
            by_user = message.role is Role.ASSISTANT
            sent.append(made(Role.USER, GO_ON) if by_user else made(Role.ASSISTANT, HEARD))
            sent.append(message)
        else:
            sent[-1] = spoken = merged(last, message)
    return sent, count


def answered(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give calls at the end of a request a result that says that there is none: a model is asked behind results."""
    sent = list(messages)
    if not sent or not sent[-1].tool_calls or not asked.whole or asked.asks(Kind.CALLS_ANSWERED) is None:
        return sent, 0
    for call in messages[-1].tool_calls:
        name = None if call.id else call.name
        sent.append(replace(Message.tool(asked.stub, tool_call_id=call.id, name=name), synthetic=True))
    return sent, len(sent) - len(messages)


def user_ends(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Have the user say the last word of a request."""
    sent = list(messages)
    rule = asked.asks(Kind.USER_ENDS)
    last = sent[-1] if sent else None
    if last is None or not asked.whole or _goes_on(last, asked):
        return sent, 0
    if all(message.role.instructs for message in sent):
        wanted = _wants_more_than_instructions(sent, asked)
        return ([*sent, made(Role.USER, BEGIN)], 1) if wanted else (sent, 0)
    if rule is None and _is_not_gone_on_with(sent, asked):
        return [*sent, made(Role.USER, GO_ON)], 1
    if rule is None:
        return sent, 0
    for_all = asked.told and asked.target.provider is UNKNOWN
    if is_prefix(last) and asked.asks(Kind.PREFIX_IS_LAST) is not None and not for_all:
        return sent, 0  # it is to be gone on with, as those have it who know the mark
    empty = not (last.parts or last.tool_calls)
    who = "system" if last.role.instructs else str(last.role)
    if who in rule.last or (rule.last_may and last.role is Role.ASSISTANT and empty):
        return sent, 0
    return [*sent, made(Role.USER, GO_ON)], 1


def _wants_more_than_instructions(messages: Sequence[Message], asked: Asked) -> bool:
    """Whether system messages alone are no request: they leave the list, or may not be the last of several."""
    if asked.is_guessed or all(message.synthetic for message in messages):
        return False  # layers without a conversation: nothing is asked yet
    # Whoever moves them: nothing is left in the list.
    if any(asked.target.asks(kind) is not None for kind in (Kind.SYSTEM_APART, Kind.SYSTEM_PLACED)):
        return True
    rule = asked.asks(Kind.USER_ENDS)
    alone = len(messages) == 1 and asked.asks(Kind.ALONE_IS_USER) is not None
    return rule is not None and "system" not in rule.last and not alone


def _is_not_gone_on_with(messages: Sequence[Message], asked: Asked) -> bool:
    """Whether an answer stands at the end behind thoughts, whether they are on or off, or with thinking on."""
    last = list(takewhile(lambda message: message.role is Role.ASSISTANT, reversed(messages)))
    if not asked.target.provider.merges:
        del last[1:]
    if any(message.thinks for message in last) and asked.asks(Kind.NO_LAST_THINKING) is not None:
        return True
    enabled = asked.target.thinking == "enabled"
    return bool(last) and enabled and asked.asks(Kind.PREFILL_WITHOUT_THINKING) is not None


def _goes_on(last: Message, asked: Asked) -> bool:
    """Whether an answer at the end is one that the provider goes on with when its own tool has run."""
    return asked.asks(Kind.PROVIDER_TOOLS_PAIRED) is not None and is_paused(part.raw for part in last.parts)
