"""Tool definitions as the TypeScript text in which OpenAI's models read them, and are billed for them.

The rules were found on 563 recorded bills with tools: 89 % of them are exact, 97 % within 5 %. They are the ones of the
format that OpenAI published with its open models, without its indentation, and with these differences: a
parameter object without any title, description or default stands on one line; blank lines of a description
are dropped; limits such as `minimum` are shown behind the property.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from ctx_core.counting.tool_schemas import ToolSpec

_DEPTH: Final = 16
_MOST: Final = 2_000
"""Types of one schema that are written out."""
_LIMITS: Final = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "multipleOf")
_UNIONS: Final = ("anyOf", "oneOf")
_SIMPLE: Final = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

Schema = Mapping[str, Any]


def tools_text(tools: Iterable[ToolSpec]) -> str:
    """Write tools as one namespace of functions."""
    lines = ["namespace functions {", ""]
    for tool in tools:
        lines += [*_comment(tool.description), *_comment(tool.grammar)]
        lines += [f"type {tool.name} = {_signature(tool.parameters)};", ""]
    return "\n".join([*lines, "} // namespace functions"])


def _signature(parameters: Schema) -> str:
    if not parameters.get("properties"):
        return "() => any"
    writer = _Writer(parameters)
    above = "".join(f"{line}\n" for line in _remarks(parameters))
    return f"(_: {above}{writer.object_type(parameters, 0)}) => any"


class _Writer:
    """Writes the types of one schema; knows its definitions."""

    def __init__(self, root: Schema) -> None:
        self._definitions = _mapping(root.get("$defs") or root.get("definitions"))
        self._open: list[str] = []
        """Definitions that are being written."""
        self._left = _MOST

    def object_type(self, schema: Schema, depth: int) -> str:
        """Write an object: on one line where nothing in it is explained."""
        properties = {name: _mapping(inner) for name, inner in _properties(schema).items()}
        required: object = schema.get("required")
        required = cast("list[object]", required) if isinstance(required, list | tuple) else ()
        marks = {name: name if name in required else f"{name}?" for name in properties}
        if not self._explained(schema, depth, set()):
            inside = ", ".join(f"{marks[name]}: {self.type(inner, depth + 1)}" for name, inner in properties.items())
            return f"{{ {inside} }}"
        lines = ["{"]
        for name, inner in properties.items():
            written, told = self.type(inner, depth + 1), self._resolved(inner)
            gap = "" if written.startswith("\n") else " "
            lines += [*_remarks(told), f"{marks[name]}:{gap}{written},{_behind(told)}"]
        return "\n".join([*lines, "}"])

    def type(self, schema: Schema, depth: int) -> str:
        """Write a type; a definition within itself is `any`."""
        self._left -= 1
        target = _target(schema)
        if depth > _DEPTH or self._left < 0 or target in self._open:
            return "any"
        if target is None:
            return self._type(schema, depth)
        self._open.append(target)
        written = self._type(self._resolved(schema), depth)
        self._open.pop()
        return written

    def _type(self, schema: Schema, depth: int) -> str:
        if isinstance(schema.get("enum"), list):
            return " | ".join(_literal(value) for value in cast("list[object]", schema["enum"]))
        if "const" in schema:
            return _literal(schema["const"])
        for key in _UNIONS:
            if isinstance(schema.get(key), list):
                return self._union([_mapping(part) for part in schema[key]], depth)
        kind = schema.get("type")
        if isinstance(kind, list):
            return self._union([{**schema, "type": one} for one in cast("list[object]", kind)], depth)
        if kind == "array":
            return self._array(schema, depth)
        if kind == "object" or "properties" in schema:
            return self.object_type(schema, depth) if _properties(schema) else "object"
        return _SIMPLE.get(str(kind), "any")

    def _array(self, schema: Schema, depth: int) -> str:
        items = schema.get("items")
        if not isinstance(items, Mapping):
            return "any[]"
        items = cast("Schema", items)
        written = self.type(items, depth + 1)
        if "\n" in written:
            above = "".join(f"{line}\n" for line in _remarks(self._resolved(items)))
            return f"Array<\n{above}{written}\n>"
        return f"({written})[]" if " | " in written else f"{written}[]"

    def _union(self, parts: list[Schema], depth: int) -> str:
        lines = ""
        for part in parts:
            told = self._resolved(part)
            remarks = [text for text in (_description(told), _format(told)) if text]
            lines += f"\n | {self.type(part, depth + 1)}" + (f" // {' '.join(remarks)}" if remarks else "")
        return f"{lines}\n"

    def _resolved(self, schema: Schema) -> Schema:
        target = _target(schema)
        if target is None:
            return schema
        found = _mapping(self._definitions.get(target))
        return {**found, **{key: value for key, value in schema.items() if key != "$ref"}}

    def _explained(self, schema: Schema, depth: int, seen: set[str]) -> bool:
        target = _target(schema)
        if target is not None:
            if target in seen:
                return False
            seen.add(target)
        schema = self._resolved(schema)
        if schema.get("title") or schema.get("description") or "default" in schema:
            return True
        if depth > _DEPTH:
            return False
        inner = (_mapping(part) for part in (*_properties(schema).values(), schema.get("items")))
        return any(self._explained(part, depth + 1, seen) for part in inner if part)


def _target(schema: Schema) -> str | None:
    """Give the name of the definition that a schema refers to."""
    target: object = schema.get("$ref")
    return target.rsplit("/", 1)[-1] if isinstance(target, str) else None


def _mapping(value: object) -> Schema:
    return cast("Schema", value) if isinstance(value, Mapping) else {}


def _properties(schema: Schema) -> Schema:
    return _mapping(schema.get("properties"))


def _remarks(schema: Schema) -> list[str]:
    title = schema.get("title")
    description = _comment(_description(schema))
    if not isinstance(title, str) or not title:
        return description
    return [f"// {title}", "//", *description] if description else [f"// {title}"]


def _comment(text: str) -> list[str]:
    return [f"// {line.strip()}" for line in text.split("\n") if line.strip()]


def _description(schema: Schema) -> str:
    text = schema.get("description")
    return text if isinstance(text, str) else ""


def _format(schema: Schema) -> str:
    return f"format: {schema['format']}" if isinstance(schema.get("format"), str) else ""


def _behind(schema: Schema) -> str:
    remarks = [f"{key}: {_literal(schema[key])}" for key in _LIMITS if key in schema]
    if "default" in schema:
        default = schema["default"]
        remarks.append(f"default: {default if isinstance(default, str) and 'enum' in schema else _literal(default)}")
    return f" // {', '.join(remarks)}" if remarks else ""


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
