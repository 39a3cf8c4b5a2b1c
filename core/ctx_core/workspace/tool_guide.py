"""What the tools are for, from their own schemas, where the workspace has no TOOLS.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from ctx_core.clean import one_line

_LONGEST = 1024


def tool_guide(definitions: Iterable[Mapping[str, Any]]) -> str:
    """Give a line for each tool and one for each of its parameters; empty without tools.

    Args:
        definitions: OpenAI-style, with or without the wrapping `function`; Anthropic's `input_schema` is read too.
    """
    return "\n".join(line for definition in definitions for line in _lines(definition))


def _lines(definition: Mapping[str, Any]) -> list[str]:
    inner = _mapping(definition.get("function")) or definition
    schema = _mapping(inner.get("parameters")) or _mapping(inner.get("input_schema"))
    required = schema.get("required")
    needed = {str(name) for name in cast("list[object]", required)} if isinstance(required, list) else set[str]()
    lines = [_described(f"- {_text(inner.get('name')) or 'unnamed'}", inner.get("description"))]
    for name, parameter in _mapping(schema.get("properties")).items():
        facts = (_kind(_mapping(parameter)), "" if name in needed else "optional")
        label = ", ".join(fact for fact in facts if fact)
        shown = f"  - {_text(name)} ({label})" if label else f"  - {_text(name)}"
        lines.append(_described(shown, _mapping(parameter).get("description")))
    return lines


def _kind(parameter: Mapping[str, Any]) -> str:
    values = parameter.get("enum")
    if isinstance(values, list):
        return one_line(" | ".join(str(value) for value in cast("list[object]", values)), 200)
    kind = parameter.get("type")
    return " | ".join(map(str, cast("list[object]", kind))) if isinstance(kind, list) else _text(kind)


def _described(label: str, description: object) -> str:
    text = _text(description)
    return f"{label}: {text}" if text else label


def _text(value: object) -> str:
    return one_line(value, _LONGEST) if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
