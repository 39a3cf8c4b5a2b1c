"""Tool calls, in whichever spelling: OpenAI's, Anthropic's, Google's, Bedrock's, LangChain's or LlamaIndex'."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ctx_core.conversation.arguments import as_object
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


def with_arguments(spelling: Any, call: ToolCall) -> Any:  # noqa: ANN401 - of the caller's own type
    """Give a copy of what spells a call with its arguments as they are now; itself where they are the same."""
    outer = mapped(spelling)
    if not call.altered or outer is None:
        return spelling
    holder = next((key for key in _INNER if mapped(outer.get(key)) is not None), None)
    inner = outer if holder is None else mapping_in(outer, holder)
    key = next((key for key in _ARGUMENTS if inner.get(key) is not None), None)
    if key is None or _is_empty(arguments_text(inner[key])):
        return spelling  # what it was called with stands in another spelling
    told = call.arguments if isinstance(inner[key], str) else as_object(call.arguments)
    return copied(spelling, **({key: told} if holder is None else {holder: copied(outer[holder], **{key: told})}))


def _is_empty(arguments: str) -> bool:
    return len(arguments) < _SHORT and "".join(arguments.split()) in {"", "{}"}


def _is_nameless(outer: Mapping[str, Any]) -> bool:
    return kind_of(outer).endswith("_call") and "name" not in outer and "function" not in outer
