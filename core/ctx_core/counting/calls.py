"""Tool calls of the history, written the ways that providers bill them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx_core.conversation.messages import ToolCall


def minified(arguments: str) -> str:
    """Write arguments without blanks, as they are rendered; what is no JSON stays as it is."""
    try:
        return _compact(json.loads(arguments))
    except (ValueError, RecursionError):
        return arguments


def wrapped_calls(calls: Iterable[ToolCall]) -> str:
    """Write calls side by side as the arguments of the one call that holds them."""
    uses = (f'{{"recipient_name":{_compact(f"functions.{c.name}")},"parameters":{_written(c)}}}' for c in calls)
    return f'{{"tool_uses":[{",".join(uses)}]}}'


def _written(call: ToolCall) -> str:
    """Give the arguments of a call as JSON: what is none is a string in it."""
    try:
        return _compact(json.loads(call.arguments))
    except (ValueError, RecursionError):
        return _compact(call.arguments)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
