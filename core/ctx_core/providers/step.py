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
from ctx_core.providers.changes.roles import system_for_developer, tools_for_functions
from ctx_core.providers.changes.signatures import signed
from ctx_core.providers.changes.spellings import sent_calls, taken_blocks
from ctx_core.providers.changes.tools import told_in_text

Change: TypeAlias = Callable[[Sequence[Message], Asked], tuple[list[Message], int]]
"""Gives the messages as they are taken, and how many changes that took; messages that are taken are the very same."""

CHANGES: Final[Mapping[str, Change]] = {
    "tools in texts": told_in_text,
    "reasoning without its item": followed,
    "provider's tools": provider_tools_paired,
    "blocks as taken": taken_blocks,
    "developer's role": system_for_developer,
    "functions as tools": tools_for_functions,
    "calls as sent": sent_calls,
    "empty lists of calls": without_empty_calls,
    "arguments": objects_of_arguments,
    "names of tools": plain_names,
    "calls last": calls_last,
    "calls alone": calls_alone,
    "system messages": taken_instructions,
    "user begins": user_begins,
    "user before calls": calls_after_user,
    "assistant after results": parted_from_results,
    "neighbors merged": alternating,
    "calls answered": answered,
    "user ends": user_ends,
    "contents completed": filled,
    "texts to documents": with_a_text,
    "last blanks": without_last_blanks,
    "prefixes": without_early_prefixes,
    "ids": taken_ids,
    "items": taken_items,
    "signatures": signed,
    "reasoning beside calls": reasoning_kept,
    "cache marks": few_marks,
}
"""By what the report says of them, in order: who speaks is settled first, ids when every message is there."""


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
