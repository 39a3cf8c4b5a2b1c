"""Results that may stand apart from their calls: where the provider takes them, they go out where they stood.

A window has each result behind its call, which all providers take. Some take more: OpenAI's Responses pair calls and
results by their ids alone, and Anthropic looks at turns, so that calls of two answers in a row are those of one. What
such a provider took once is not moved: what stands behind it would stand behind something else, and the cache be lost.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from ctx_core.conversation.messages import Role
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx_core.conversation.messages import Message
    from ctx_core.history.repair import Entry
    from ctx_core.providers.asked import Asked

_Key: TypeAlias = tuple[int, int]
_END: Final = 2**62
"""Behind every message."""


def as_they_stood(entries: Sequence[Entry], asked: Asked | None, format_name: str | None) -> tuple[list[Entry], int]:
    """Give what goes out in the order in which it came, as far as the provider takes that.

    Messages of a framework, and dicts of chat completions, go to any provider: there each result is behind its call.

    Args:
        entries: with each result behind its call.
        asked: what the provider asks; None where nobody's rules are looked at.
        format_name: the format of the messages.

    Returns:
        The entries in their order, and how many results stand apart from the message that called.
    """
    if asked is None or format_name is None or format_name != asked.target.provider.format:
        return list(entries), 0
    anywhere = asked.target.asks(Kind.ANSWERS_ADJACENT) is None
    if (not anywhere and not asked.target.provider.merges) or _stand_in_order(entries):
        return list(entries), 0
    sent: list[Entry] = []
    apart = 0
    for paired, stood in _groups(entries):
        if paired == stood or not (anywhere or _is_one_turn(stood)):
            sent += paired
            continue
        sent += stood
        apart += _apart(stood)
    return sent, apart


def _stand_in_order(entries: Sequence[Entry]) -> bool:
    places = [entry.position for entry in entries if not entry.synthetic]
    return all(before < after for before, after in pairwise(places))


def _groups(entries: Sequence[Entry]) -> Iterator[tuple[Sequence[Entry], Sequence[Entry]]]:
    """Give the entries and their other order in groups as small as can be, with whole turns of calls and results."""
    keys = _keys(entries)
    order = sorted(range(len(entries)), key=keys.__getitem__)
    stood = [entries[at] for at in order]
    begin = reach = 0
    for end, at in enumerate(order, start=1):
        reach = max(reach, at)
        if reach < end and not (end < len(stood) and _goes_on(stood[end - 1].message, stood[end].message)):
            yield entries[begin:end], stood[begin:end]
            begin = end


def _goes_on(message: Message, following: Message) -> bool:
    """Whether what follows belongs to the turn of a message: calls behind calls, or results."""
    return following.role is Role.TOOL or bool(message.tool_calls and following.tool_calls)


def _keys(entries: Sequence[Entry]) -> list[_Key]:
    """Give where each entry stood: what was made here stands before what it precedes, or behind the call it answers."""
    keys: list[_Key] = []
    following: int | None = None
    for entry in reversed(entries):
        if not entry.synthetic:
            following = entry.position
            keys.append((following, 1))
        elif entry.message.role is Role.TOOL:
            keys.append((entry.position, 2))
        else:
            keys.append((_END if following is None else following, 0))
    keys.reverse()
    return keys


def _is_one_turn(entries: Sequence[Entry]) -> bool:
    """Whether these are calls of answers in a row, and behind them all of their results.

    An answer behind the first has nothing but calls: as one turn, a text of it would stand behind a call.
    """
    messages = [entry.message for entry in entries]
    calling = next((at for at, message in enumerate(messages) if message.role is Role.TOOL), len(messages))
    callers, results = messages[:calling], messages[calling:]
    if any(entry.synthetic for entry in entries) or any(message.role is not Role.TOOL for message in results):
        return False
    if not all(message.tool_calls for message in callers):
        return False
    if any(message.thinks or message.text.strip() or message.has_media for message in callers[1:]):
        return False
    called = [call.id for message in callers for call in message.tool_calls]
    return sorted(map(str, called)) == sorted(str(message.tool_call_id) for message in results)


def _apart(entries: Sequence[Entry]) -> int:
    """Give how many results stand behind something else than the message that called."""
    called: set[str | None] = set()
    count = 0
    for entry in entries:
        if entry.message.role is not Role.TOOL:
            called = {call.id for call in entry.message.tool_calls}
        elif entry.message.tool_call_id not in called:
            count += 1
    return count
