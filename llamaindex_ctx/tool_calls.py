"""Finds the tool calls of a `ChatMessage`, wherever they live, and counts each of them once.

A call may be a `ToolCallBlock`, an entry of `additional_kwargs["tool_calls"]` (an object of OpenAI's client,
a dict of any provider's spelling, or a `ToolSelection`), the legacy `additional_kwargs["function_call"]`, or
several of these at once: then they are spellings of one call, and go together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from llama_index.core.base.llms.types import ToolCallBlock

from ctx_core.conversation.fields import arguments_text
from ctx_core.conversation.messages import ToolCall
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatMessage

LISTED: Final = "tool_calls"
"""The key of `additional_kwargs` with a list of calls."""
LEGACY: Final = "function_call"
"""The key of `additional_kwargs` with the one call of OpenAI's first function API."""

_ID: Final = ("id", "tool_id", "tool_call_id", "call_id")
_NAME: Final = ("name", "tool_name")
_ARGUMENTS: Final = ("arguments", "tool_kwargs", "args", "input")


@dataclass(frozen=True, slots=True)
class Spellings:
    """All that spells one call within its message."""

    found: tuple[object, ...] = field(repr=False)
    """The block, the entry of `additional_kwargs`, or both."""


def read_calls(message: ChatMessage) -> tuple[ToolCall, ...]:
    """Give the calls of a message in order: those of its blocks, then those that only `additional_kwargs` has.

    The `raw` of each is its `Spellings`: the block and the entry, or the one that there is.

    Raises:
        MessageError: if `additional_kwargs["tool_calls"]` is no list.
    """
    calls = [_from_block(block) for block in message.blocks if isinstance(block, ToolCallBlock)]
    unmatched = list(range(len(calls)))
    for entry in _entries(message):
        call = _from_entry(entry)
        at = _same_call(call, calls, unmatched)
        if at is None:
            calls.append(call)
        else:
            unmatched.remove(at)
            calls[at] = _joined(calls[at], call)
    return tuple(calls)


def spellings(calls: Iterable[ToolCall]) -> frozenset[int]:
    """Give the identities of all blocks and entries that spell these calls."""
    return frozenset(id(spelling) for call in calls for spelling in spelled(call))


def spelled(call: ToolCall) -> tuple[object, ...]:
    """Give the block and the entry that spell a call; nothing for one that was not read from a `ChatMessage`."""
    return call.raw.found if isinstance(call.raw, Spellings) else ()


def _entries(message: ChatMessage) -> list[object]:
    listed = message.additional_kwargs.get(LISTED)
    if listed is not None and not isinstance(listed, list | tuple):
        msg = f"additional_kwargs[{LISTED!r}] must be a list, found {type(listed).__name__}"
        raise MessageError(msg)
    entries = list(cast("Iterable[object]", listed or ()))
    legacy = message.additional_kwargs.get(LEGACY)
    return entries if legacy is None else [*entries, legacy]


def _from_block(block: ToolCallBlock) -> ToolCall:
    return ToolCall(
        id=block.tool_call_id or None,
        name=block.tool_name,
        arguments=arguments_text(block.tool_kwargs),
        raw=Spellings((block,)),
    )


def _from_entry(entry: object) -> ToolCall:
    inner = _first(entry, ("function", "custom"))
    inner = entry if inner is None else inner
    call_id, name = _first(entry, _ID), _first(inner, _NAME)
    return ToolCall(
        id=call_id if isinstance(call_id, str) and call_id else None,
        name=name if isinstance(name, str) else "",
        arguments=arguments_text(_first(inner, _ARGUMENTS)),
        raw=Spellings((entry,)),
    )


def _first(owner: object, names: tuple[str, ...]) -> Any:  # noqa: ANN401 - whatever a provider's object holds
    """Give the first of these fields that is there, in a dict or on an object."""
    for name in names:
        value = cast("Mapping[str, Any]", owner).get(name) if isinstance(owner, Mapping) else getattr(owner, name, None)
        if value is not None:
            return value
    return None


def _same_call(call: ToolCall, calls: list[ToolCall], unmatched: list[int]) -> int | None:
    """Give the block's call that an entry spells again: by id, or by name and order where either has no id."""
    for at in unmatched:
        known = calls[at]
        if known.id == call.id if known.id and call.id else known.name == call.name:
            return at
    return None


def _joined(block: ToolCall, entry: ToolCall) -> ToolCall:
    raw = Spellings((*spelled(block), *spelled(entry)))
    return ToolCall(id=block.id or entry.id, name=block.name, arguments=block.arguments, raw=raw)
