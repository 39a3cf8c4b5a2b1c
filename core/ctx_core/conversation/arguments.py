"""Arguments of calls for those providers that want an object."""

from __future__ import annotations

import json
from typing import Any, cast


def as_object(arguments: str) -> dict[str, Any]:
    """Give arguments as an object; what is none stands under `malformed_arguments` in one."""
    try:
        read: object = json.loads(arguments.strip() or "{}")
    except (ValueError, RecursionError):
        read = arguments
    return cast("dict[str, Any]", read) if isinstance(read, dict) else {"malformed_arguments": read}


def is_object(arguments: str) -> bool:
    """Whether arguments are the JSON text of an object."""
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False
