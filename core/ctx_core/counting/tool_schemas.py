"""Tool definitions: read from any provider's spelling, and written the ways that providers bill them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, cast

from ctx_core.counting.plain_json import plain_json
from ctx_core.errors import BudgetError

ToolDefinition: TypeAlias = Mapping[str, Any]
"""A tool as an API takes it: OpenAI's chat format, its flat format, Anthropic's, Bedrock's or Gemini's."""

_PARAMETERS: Final = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema")
_DEPTH: Final = 16
"""Levels after which a schema is not followed further, so that one that refers to itself ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """What a model is told about a tool."""

    name: str
    description: str = field(default="", repr=False)
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    """JSON schema of the arguments."""
    grammar: str = field(default="", repr=False)
    """Grammar of the input, where the tool takes text and not arguments."""


def plain_tool(tool: ToolDefinition, at: int = 0) -> dict[str, Any]:
    """Give a definition as plain JSON.

    Raises:
        BudgetError: for a definition that is not a dict, or that JSON cannot hold; `at` is its position, for the
            message.
    """
    if not isinstance(tool, Mapping):
        msg = f"tool {at + 1} must be a tool definition (a dict), found {type(tool).__name__}"
        raise BudgetError(msg)
    return cast("dict[str, Any]", plain_json(tool, f"tool {at + 1}"))


def read_tool(tool: ToolDefinition) -> ToolSpec | None:
    """Give what a plain definition says; None for a provider's own tool, which has no schema of the caller's."""
    for key in ("function", "toolSpec", "custom"):
        if isinstance(tool.get(key), Mapping):
            tool = cast("Mapping[str, Any]", tool[key])
            break
    else:
        if "type" in tool and tool["type"] not in ("function", "custom") and "input_schema" not in tool:
            return None
    name = tool.get("name")
    if not isinstance(name, str):
        return None
    parameters: Mapping[str, Any] = next(
        (tool[key] for key in _PARAMETERS if isinstance(tool.get(key), Mapping)), cast("Mapping[str, Any]", {})
    )
    if isinstance(parameters.get("json"), Mapping):
        parameters = cast("Mapping[str, Any]", parameters["json"])
    description: object = tool.get("description")
    return ToolSpec(
        name=name,
        description=description if isinstance(description, str) else "",
        parameters=parameters,
        grammar=_grammar(tool.get("format")),
    )


def _grammar(form: object) -> str:
    """Give the grammar that a tool without a schema takes its input in."""
    if not isinstance(form, Mapping):
        return ""
    inner = cast("Mapping[str, Any]", form)
    nested: object = inner.get("grammar")
    if isinstance(nested, Mapping):
        inner = cast("Mapping[str, Any]", nested)
    definition: object = inner.get("definition")
    return definition if isinstance(definition, str) else ""


def compact_json(value: object) -> str:
    """Write plain JSON without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def tool_json(spec: ToolSpec) -> str:
    """Write a tool as most chat templates do: OpenAI's definition as JSON with blanks."""
    description = "\n".join(filter(None, (spec.description, spec.grammar)))
    inner = {"name": spec.name, "description": description, "parameters": spec.parameters}
    return json.dumps({"type": "function", "function": inner}, ensure_ascii=False)


def schema_strings(schema: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, bool]]:
    """Give the strings of a schema that Gemini bills, and for each whether it is a property's name."""
    if depth > _DEPTH:
        return
    for key in ("type", "description", "format"):
        if isinstance(schema.get(key), str):
            yield schema[key], False
    for key in ("enum", "required"):
        listed: object = schema.get(key)
        for value in cast("list[object]", listed) if isinstance(listed, list | tuple) else ():
            yield str(value), False
    properties: object = schema.get("properties")
    for name, inner in cast("Mapping[str, Any]", properties if isinstance(properties, Mapping) else {}).items():
        yield name, True
        if isinstance(inner, Mapping):
            yield from schema_strings(cast("Mapping[str, Any]", inner), depth + 1)
    for key in ("items", "anyOf", "oneOf", "allOf"):
        below: object = schema.get(key)
        for part in cast("list[object]", below) if isinstance(below, list) else [below]:
            if isinstance(part, Mapping):
                yield from schema_strings(cast("Mapping[str, Any]", part), depth + 1)
