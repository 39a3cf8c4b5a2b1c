"""The last step of a request: what its provider would refuse is changed, as little as can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from ctx_core.conversation.messages import Message
from ctx_core.providers.asked import Asked
from ctx_core.providers.changes.cache_marks import few_marks
from ctx_core.providers.changes.calls import calls_alone, calls_last, objects_of_arguments, plain_names
from ctx_core.providers.changes.contents import filled, with_a_text, without_last_blanks
from ctx_core.providers.changes.ids import taken_ids
from ctx_core.providers.changes.instructions import taken_instructions
from ctx_core.providers.changes.items import taken_items
from ctx_core.providers.changes.kept_reasoning import reasoning_kept
from ctx_core.providers.changes.keys import without_early_prefixes, without_empty_calls
from ctx_core.providers.changes.order import (
    alternating,
    answered,
    calls_after_user,
    parted_from_results,
    user_begins,
    user_ends,
)
from ctx_core.providers.changes.provider_tools import provider_tools_paired
from ctx_core.providers.changes.reasoning import followed
from ctx_core.providers.changes.results import objects_of_results
from ctx_core.providers.changes.roles import system_for_developer, tools_for_functions
from ctx_core.providers.changes.signatures import signed
from ctx_core.providers.changes.signed_thoughts import thoughts_signed
from ctx_core.providers.changes.spellings import sent_calls, taken_blocks
from ctx_core.providers.changes.tools import told_in_text

Change: TypeAlias = Callable[[Sequence[Message], Asked], tuple[list[Message], int]]
"""Gives the messages as they are taken, and how many changes that took; messages that are taken are the very same."""

CHANGES: Final[Mapping[str, Change]] = {
    # What is said of tools in texts is no call any more: no rule about calls may see it as one.
    "tools in texts": told_in_text,
    "reasoning without its item": followed,
    "thoughts signed": thoughts_signed,
    "provider's tools": provider_tools_paired,
    # Each call and block in the form that goes out, before anything is moved: what moves must be what is sent.
    "blocks as taken": taken_blocks,
    "developer's role": system_for_developer,
    "functions as tools": tools_for_functions,
    "calls as sent": sent_calls,
    "empty lists of calls": without_empty_calls,
    "arguments": objects_of_arguments,
    "names of tools": plain_names,
    "results as objects": objects_of_results,
    "calls last": calls_last,
    "calls alone": calls_alone,
    # Who speaks after whom. Instructions first, as one that becomes the user's words is a turn; neighbors are merged
    # behind all that puts a message between two, and the end is looked at when nothing joins it any more.
    "system messages": taken_instructions,
    "user begins": user_begins,
    "user before calls": calls_after_user,
    "assistant after results": parted_from_results,
    "neighbors merged": alternating,
    "calls answered": answered,
    "user ends": user_ends,
    # What each message says: a merged message has what its halves lacked, and is not filled in vain.
    "contents completed": filled,
    "texts to documents": with_a_text,
    "last blanks": without_last_blanks,
    "prefixes": without_early_prefixes,
    # Ids when every call is in its place, and what is known by an id behind them; marks when nothing is added any more.
    "ids": taken_ids,
    "items": taken_items,
    "signatures": signed,
    "reasoning beside calls": reasoning_kept,
    "cache marks": few_marks,
}
"""By what the report says of them, in the order in which they are done."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Messages that a provider takes."""

    messages: list[Message]
    changes: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many changes of each kind it took."""


def accepted(messages: Sequence[Message], asked: Asked) -> Accepted:
    """Give repaired messages as the provider takes them; what it takes already goes out as it is."""
    changes: dict[str, int] = {}
    sent = list(messages)
    for name, change in CHANGES.items():
        sent, count = change(sent, asked)
        if count:
            changes[name] = count
    return Accepted(sent, changes)
