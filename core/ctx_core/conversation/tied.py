"""What OpenAI's own tools did behind a thought: by its id the API looks for the thought, and it has to have one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.fields import kind_of, mapped
from ctx_core.conversation.parts import ImagePart, OpaquePart

if TYPE_CHECKING:
    from ctx_core.conversation.parts import Part

TIED_TO_THOUGHTS: Final = frozenset(
    {
        "web_search_call", "file_search_call", "code_interpreter_call", "mcp_call", "tool_search_call",
        "image_generation_call",
    }
)  # fmt: skip
"""Types of items that cannot be sent without their id."""
_CALL: Final = "server_tool_call"
"""LangChain's own block of such a call, whichever provider ran it."""
_ID: Final = re.compile(r"(?:ws|fs|ci|mcp|tsc|ts|ig)_")
"""What the ids of OpenAI's begin with; those of Anthropic's tools need no thought."""


def tied_by(part: Part) -> str | None:
    """Give the id by which what a tool of OpenAI's did is tied to the thought before it; None for anything else."""
    if not isinstance(part, OpaquePart | ImagePart):
        return None
    block = mapped(part.raw) or {}
    told: object = block.get("id")
    item = told if isinstance(told, str) else ""
    if kind_of(block) in TIED_TO_THOUGHTS:
        return item
    own = isinstance(part, ImagePart) or part.kind == _CALL
    return item if own and _ID.match(item) else None


def result_of(part: Part) -> str | None:
    """Give the id of the call that LangChain's block of what a provider's tool gave belongs to; None for any other."""
    if not isinstance(part, OpaquePart) or part.kind != "server_tool_result":
        return None
    told: object = (mapped(part.raw) or {}).get("tool_call_id")
    return told if isinstance(told, str) and told else None
