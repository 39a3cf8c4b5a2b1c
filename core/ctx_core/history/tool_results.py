"""Cutting and clearing the results of tools: what they said is rarely needed for long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.history.cuts import steps
from ctx_core.history.policy import ERROR_WORDS
from ctx_core.messages import OpaquePart
from ctx_core.truncation import cut_middle

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx_core.counting.counter import TokenCounter
    from ctx_core.history.policy import ToolResultPolicy
    from ctx_core.history.repair import Entry
    from ctx_core.messages import Message


def shortened(
    message: Message, limit: int, counter: TokenCounter, policy: ToolResultPolicy, *, parallel: bool = False
) -> Message:
    """Give a tool result with the middle of its text left out, so that the whole message is within a limit.

    A result whose frame and media alone exceed the limit keeps only its frame and the marker, or no text.
    `parallel` says whether it answers one of several calls that were made at once.
    """
    tokens = counter.count_message(message, parallel=parallel)
    if tokens <= limit:
        return message
    text = message.text or " ".join(part.text for part in message.parts if isinstance(part, OpaquePart) and part.text)
    empty = message.with_only_text("")
    if empty.parts == message.parts:
        return message
    frame = counter.count_message(empty, parallel=parallel)
    room = limit - frame
    while True:
        cut = cut_middle(text, max(0, room), counter, marker=policy.cut_marker) if text else ""
        form = message.with_only_text(cut)
        price = counter.count_message(form, parallel=parallel)
        if price <= limit or room <= 0:
            return form
        # A result that is written as a JSON string costs more than its text: the text must be so much shorter.
        room = min(room - 1, counter.count_text(cut) * (limit - frame) // (price - frame))


def clearable(
    entries: Sequence[Entry], counter: TokenCounter, policy: ToolResultPolicy, *, done: frozenset[int]
) -> Iterator[tuple[int, int]]:
    """Give the results that may be cleared on overflow, in the order in which they go, with their ages.

    First those older than `clear_after_steps`, then, if `clear_rest`, all others but the newest step's.

    Args:
        entries: a repaired conversation.
        counter: counts them.
        policy: says which may go.
        done: positions that are cleared already.

    Yields:
        Index of the entry, and its age in steps.
    """
    aged = list(enumerate(reversed(steps(entries))))[::-1]
    for by_age in (True, False):
        for age, (start, end) in aged:
            for at in range(start + 1, end):
                message = entries[at].message
                if entries[at].position in done or entries[at].made:
                    continue
                if _gives_way(message, counter, policy, age, by_age=by_age):
                    yield at, age


def cleared(message: Message, counter: TokenCounter, policy: ToolResultPolicy, age: int) -> Message:
    """Give a result of a step of this age with its placeholder, or as it is where it is not cleared on overflow."""
    if any(_gives_way(message, counter, policy, age, by_age=by_age) for by_age in (True, False)):
        return message.with_only_text(placeholder(message, counter, policy, age))
    return message


def _gives_way(message: Message, counter: TokenCounter, policy: ToolResultPolicy, age: int, *, by_age: bool) -> bool:
    """Whether a result is cleared because of its age, or else with the rest."""
    if by_age:
        old = policy.clear_after_steps is not None and age > policy.clear_after_steps
        if not old or (policy.keep_errors and is_error(message)):
            return False
    elif not policy.clear_rest or age == 0:
        return False
    return counter.count_text(message.text) >= policy.min_tokens


def placeholder(message: Message, counter: TokenCounter, policy: ToolResultPolicy, age: int) -> str:
    """Give what stands in the place of a result that was cleared at this age, in steps."""
    tokens = counter.count_text(message.text)
    return policy.placeholder.replace("{age}", str(age)).replace("{tokens}", f"{tokens}")


def is_error(message: Message) -> bool:
    """Whether a tool result reports an error: by the framework's mark, or by the words in it."""
    if message.failed:
        return True
    text = message.text.lower()
    return any(word in text for word in ERROR_WORDS)
