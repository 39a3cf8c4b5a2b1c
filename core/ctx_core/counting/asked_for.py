"""What a request's own parameters ask for, in any provider's spelling, as far as it is billed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def choice_of(choice: object) -> str:
    """Give which tool must be called, as `RequestOptions` has it; `auto` for an object that nobody knows."""
    if isinstance(choice, str):
        return {"required": "any", "": "auto"}.get(choice, choice)  # else the name of a tool
    if choice is True:
        return "any"
    if not isinstance(choice, Mapping):
        return "auto"
    given = cast("Mapping[str, Any]", choice)
    inner: object = given.get("function")
    name: object = cast("Mapping[str, Any]", inner).get("name") if isinstance(inner, Mapping) else given.get("name")
    if isinstance(name, str):
        return name
    return "any" if given.get("type") in ("any", "required") else "auto"


def schema_of(answer: Mapping[str, Any]) -> tuple[str, str, Mapping[str, Any]] | None:
    """Give name, description and schema of a response format; None where it says nothing of the answer's shape."""
    inner: object = answer.get("json_schema") or answer
    inner = cast("Mapping[str, Any]", inner) if isinstance(inner, Mapping) else answer
    schema: object = inner.get("schema") or (answer if "properties" in answer else None)
    if not isinstance(schema, Mapping):
        return None  # `json_object` and `text`
    name = str(inner.get("name") or inner.get("title") or "response")
    return name, str(inner.get("description") or ""), cast("Mapping[str, Any]", schema)
