"""Tool calls of the history, written the ways that providers bill them."""

from __future__ import annotations

import json


def minified(arguments: str) -> str:
    """Write arguments without blanks, as they are rendered; what is no JSON stays as it is."""
    try:
        return _compact(json.loads(arguments))
    except (ValueError, RecursionError):
        return arguments


def wrapped_calls(calls: str) -> str:
    """Write calls side by side as the arguments of the one call that holds them.

    Args:
        calls: a name and the arguments of each, as JSON.
    """
    uses = (
        f'{{"recipient_name":{_compact(f"functions.{name}")},"parameters":{_written(arguments)}}}'
        for name, arguments in json.loads(calls)
    )
    return f'{{"tool_uses":[{",".join(uses)}]}}'


def _written(arguments: str) -> str:
    """Give the arguments of a call as JSON: what is none is a string in it."""
    try:
        return _compact(json.loads(arguments))
    except (ValueError, RecursionError):
        return _compact(arguments)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
