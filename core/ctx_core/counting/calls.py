"""Tool calls of the history, written the ways that providers bill them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx_core.messages import ToolCall


def minified(arguments: str) -> str:
    """Write arguments without blanks, as they are rendered; what is no JSON stays as it is."""
    try:
        return _compact(json.loads(arguments))
    except (ValueError, RecursionError):
        return arguments


def wrapped_calls(calls: Iterable[ToolCall]) -> str:
    """Write calls side by side as the arguments of the one call that holds them."""
    uses = [{"recipient_name": f"functions.{call.name}", "parameters": _parsed(call.arguments)} for call in calls]
    return _compact({"tool_uses": uses})


def _parsed(arguments: str) -> object:
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
