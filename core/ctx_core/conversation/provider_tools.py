"""Blocks of tools that a provider runs itself, in the middle of an answer: what was asked, and what it gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ctx_core.conversation.fields import first_in, id_or_none, kind_of, mapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_ASKED: Final = frozenset({"server_tool_use", "mcp_tool_use", "server_tool_call"})
"""Types of calls: Anthropic's, and LangChain's for those of several providers."""
_GIVEN: Final = "_tool_result"
"""What the types of results end with: `web_search_tool_result`, `mcp_tool_result`."""


def asked_id(block: Mapping[str, Any]) -> str | None:
    """Give the id of a call of a tool that the provider runs; None for any other block."""
    return id_or_none(block.get("id")) if kind_of(block) in _ASKED else None


def given_id(block: Mapping[str, Any]) -> str | None:
    """Give the id of the call that a result of such a tool is of; None for any other block."""
    return id_or_none(first_in(block, "tool_use_id", "tool_call_id")) if kind_of(block).endswith(_GIVEN) else None


def is_paused(blocks: Iterable[object]) -> bool:
    """Whether an answer of these blocks waits for such a tool: its provider goes on with it where it is sent again."""
    waiting: set[str | None] = set()
    for block in map(mapped, blocks):
        if block is not None:
            waiting |= {asked_id(block)}
            waiting -= {given_id(block), None}
    return bool(waiting)
