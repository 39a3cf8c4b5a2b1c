"""Tool calls, in whichever spelling: OpenAI's, Anthropic's, Google's, Bedrock's, LangChain's or LlamaIndex'."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ctx_core.conversation.arguments import as_object, is_object
from ctx_core.conversation.block_table import CALL
from ctx_core.conversation.fields import (
    arguments_text,
    first_in,
    id_or_none,
    json_text,
    kind_of,
    mapped,
    mapping_in,
    signature,
    string_or_none,
)
from ctx_core.conversation.messages import ToolCall
from ctx_core.conversation.natives import copied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ctx_core.conversation.block_types import BlockType

_TYPES: Final = frozenset(
    {
        "tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call", "custom_tool_call",
        "computer_call", "local_shell_call", "shell_call", "apply_patch_call", "mcp_approval_request",
    }
)  # fmt: skip
"""Types of blocks and items that ask the caller for something; what a provider runs itself is none of them."""
_BY_KEY: Final = ("toolUse", "functionCall", "function_call")
"""Keys under which Bedrock and Google have a call, in a block without a type."""
_INNER: Final = ("function", "custom", *_BY_KEY)
_ID: Final = ("call_id", "toolUseId", "tool_call_id", "tool_id", "id")
_NAME: Final = ("name", "tool_name")
_SHORT: Final = 20
"""Characters below which arguments may be an empty object, with blanks in it."""
_ARGUMENTS: Final = ("arguments", "args", "input", "tool_kwargs", "action", "operation")
_KEY_OF: Final = {
    "tool_use": "input", "toolUse": "input", "functionCall": "args", "tool_call": "args", "invalid_tool_call": "args",
}  # fmt: skip
"""Spellings whose arguments are an object, and the key that they stand under."""


def is_call(block: Mapping[str, Any]) -> bool:
    """Whether a block or an item is a call."""
    if kind := kind_of(block):
        return kind in _TYPES
    return any(mapped(block.get(key)) is not None for key in _BY_KEY)


def row_of_call(block: Mapping[str, Any]) -> BlockType:
    """Give the row of a call, with the one key that its arguments are read from, wherever it stands."""
    inner = mapping_in(block, *_INNER) or block
    key = next((key for key in _ARGUMENTS if inner.get(key) is not None), None)
    if key is None:
        return CALL
    read = frozenset({key})
    if inner is block:
        return replace(CALL, read=CALL.read | read)
    within = {name: replace(row, read=row.read | read) if name in _INNER else row for name, row in CALL.within.items()}
    return replace(CALL, within=within)


def said_in_call(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give what a call says, without its ids and what else is free in one."""
    within = {key: replace(row, read=frozenset()) for key, row in CALL.within.items()}
    return replace(CALL, read=frozenset(), within=within).rest(block)


def read_call(spelling: object, write: Callable[[object], str] | None = None) -> ToolCall:
    """Give the call that a dict or an object spells; `raw` is the spelling itself.

    One without a name of its own, such as `computer_call`, has that of its type. Arguments that are no text yet are
    written by `write`, or as compact JSON.
    """
    outer = mapped(spelling) or {}
    inner = mapping_in(outer, *_INNER) or outer
    call_id = next((told for holder in (outer, inner) if (told := id_or_none(first_in(holder, *_ID)))), None)
    arguments: object = first_in(inner, *_ARGUMENTS)
    return ToolCall(
        id=call_id,
        name=string_or_none(first_in(inner, *_NAME)) or kind_of(outer).removesuffix("_call") * _is_nameless(outer),
        arguments=arguments_text(arguments, write),
        notation=None if isinstance(arguments, str) else write or json_text,
        encrypted=max(signature(outer), signature(inner)),
        raw=spelling,
    )


def spelled_again(call: ToolCall, calls: Sequence[ToolCall], among: Iterable[int]) -> int | None:
    """Give which of the calls at these places another spelling says again: by id, or by name and order without one."""
    for at in among:
        known = calls[at]
        if known.id == call.id if known.id and call.id else known.name == call.name:
            return at
    return None


def completed(call: ToolCall, other: ToolCall) -> ToolCall:
    """Give a call with what another spelling of it says more: arguments where it has none, encrypted thoughts.

    Frameworks make an empty object of what a custom tool is called with, which is no JSON.
    """
    told = other if _is_empty(call.arguments) and not _is_empty(other.arguments) else call
    return replace(
        call, arguments=told.arguments, notation=told.notation, encrypted=max(call.encrypted, other.encrypted)
    )


def as_called(spelling: Any, call: ToolCall) -> Any:  # noqa: ANN401 - of the caller's own type
    """Give a copy of what spells a call with its name and its arguments as they are now; itself where it has them."""
    outer = mapped(spelling)
    if not call.altered or outer is None:
        return spelling
    holder = next((key for key in _INNER if mapped(outer.get(key)) is not None), None)
    inner = outer if holder is None else mapping_in(outer, holder)
    kind = kind_of(outer) if holder is None else holder
    changed = {**_name_now(spelling, inner, call), **_arguments_now(inner, kind, call)}
    if holder is not None:
        return copied(spelling, **{holder: copied(outer[holder], **changed)}) if changed else spelling
    # Arguments that could not be read are an object now.
    parsed = {"type": "tool_call"} if kind == "invalid_tool_call" and "args" in changed else {}
    return copied(spelling, **changed, **parsed) if changed else spelling


def _name_now(spelling: object, inner: Mapping[str, Any], call: ToolCall) -> dict[str, Any]:
    """Give the name under its key, where that is another; nothing where a call has none of its own."""
    if not call.name or read_call(spelling).name == call.name:
        return {}
    return {next((key for key in _NAME if key in inner), _NAME[0]): call.name}


def _arguments_now(inner: Mapping[str, Any], kind: str, call: ToolCall) -> dict[str, Any]:
    """Give the arguments under their key; nothing where what it was called with stands in another spelling."""
    key = next((key for key in _ARGUMENTS if inner.get(key) is not None), _KEY_OF.get(kind))
    if key is None:
        return {}
    held: object = inner.get(key)
    if _is_empty(arguments_text(held)) and not _is_empty(call.arguments):
        return {}
    if kind in _KEY_OF and not is_object(arguments_text(held)) and is_object(call.arguments):
        return {key: as_object(call.arguments)}
    return {key: call.arguments if isinstance(held, str) else as_object(call.arguments)}


def merged(
    listed: Iterable[ToolCall],
    others: Iterable[Iterable[ToolCall]],
    legacy: ToolCall | None = None,
    join: Callable[[ToolCall, ToolCall], ToolCall] = completed,
) -> tuple[ToolCall, ...]:
    """Give each call of a message once, from all the places where it may be spelled.

    Two calls of one place are two calls, even if a careless model gave both the same id, or none. One of another place
    is a call by itself if its id is new; without an id it is one where nothing was found before, else another spelling.
    The legacy `function_call` is a call where it is alone: OpenAI refuses it beside others, and clients leave it out.

    Args:
        listed: the calls of the place that counts before all others.
        others: those of each other place, in order.
        legacy: the one of OpenAI's first function API.
        join: gives a call together with another spelling of it.
    """
    calls = list(listed)
    for place in others:
        left, known, nothing_yet = list(range(len(calls))), {call.id for call in calls}, not calls
        for call in place:
            at = spelled_again(call, calls, left)
            if at is not None:
                left.remove(at)
                calls[at] = join(calls[at], call)
            elif call.id not in known if call.id else nothing_yet:
                calls.append(call)
    if legacy is None:
        return tuple(calls)
    if not calls:
        return (replace(legacy, legacy=legacy.id is None),)
    at = spelled_again(legacy, calls, range(len(calls)))
    return tuple(join(call, legacy) if place == at else call for place, call in enumerate(calls))


def _is_empty(arguments: str) -> bool:
    return len(arguments) < _SHORT and "".join(arguments.split()) in {"", "{}"}


def _is_nameless(outer: Mapping[str, Any]) -> bool:
    return kind_of(outer).endswith("_call") and "name" not in outer and "function" not in outer
