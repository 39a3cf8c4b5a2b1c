"""Tool calls, in whichever spelling: OpenAI's, Anthropic's, Google's, Bedrock's, LangChain's or LlamaIndex'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ctx_core.conversation.fields import (
    arguments_text,
    encrypted,
    first_in,
    id_or_none,
    kind_of,
    mapped,
    mapping_in,
    string_or_none,
)
from ctx_core.conversation.messages import ToolCall

if TYPE_CHECKING:
    from collections.abc import Mapping

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
_ARGUMENTS: Final = ("arguments", "args", "input", "tool_kwargs", "action", "operation")


def is_call(block: Mapping[str, Any]) -> bool:
    """Whether a block or an item is a call."""
    if kind := kind_of(block):
        return kind in _TYPES
    return any(mapped(block.get(key)) is not None for key in _BY_KEY)


def read_call(spelling: object) -> ToolCall:
    """Give the call that a dict or an object spells; `raw` is the spelling itself.

    One without a name of its own, such as `computer_call`, has that of its type.
    """
    outer = mapped(spelling) or {}
    inner = mapping_in(outer, *_INNER) or outer
    call_id = next((told for holder in (outer, inner) if (told := id_or_none(first_in(holder, *_ID)))), None)
    return ToolCall(
        id=call_id,
        name=string_or_none(first_in(inner, *_NAME)) or kind_of(outer).removesuffix("_call") * _is_nameless(outer),
        arguments=arguments_text(first_in(inner, *_ARGUMENTS)),
        encrypted=encrypted(outer) if inner is not outer else 0,
        raw=spelling,
    )


def _is_nameless(outer: Mapping[str, Any]) -> bool:
    return kind_of(outer).endswith("_call") and "name" not in outer and "function" not in outer
