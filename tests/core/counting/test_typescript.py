"""Tool definitions as OpenAI's models read them."""

from __future__ import annotations

import pytest

from ctx_core.counting.tool_schemas import ToolSpec, read_tool
from ctx_core.counting.typescript import tools_text


def written(parameters: dict[str, object], description: str = "") -> str:
    """Give what is written for one tool."""
    text = tools_text([ToolSpec(name="f", description=description, parameters={"type": "object", **parameters})])
    return text.removeprefix("namespace functions {\n\n").removesuffix("\n\n} // namespace functions")


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, "type f = () => any;"),
        ({"properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]},
         "type f = (_: { a: number, b?: string }) => any;"),
        ({"properties": {"a": {"type": "number", "description": "How far."}}, "required": ["a"]},
         "type f = (_: {\n// How far.\na: number,\n}) => any;"),
        ({"title": "f_args", "properties": {"a": {"title": "A", "description": "Far.", "type": "boolean"}}},
         "type f = (_: // f_args\n{\n// A\n//\n// Far.\na?: boolean,\n}) => any;"),
        ({"properties": {"u": {"enum": ["m", "km"], "type": "string", "default": "km", "title": "U"}}},
         'type f = (_: {\n// U\nu?: "m" | "km", // default: km\n}) => any;'),
        ({"properties": {"u": {"type": "string", "default": "km"}}, "required": ["u"]},
         'type f = (_: {\nu: string, // default: "km"\n}) => any;'),
        ({"properties": {"a": {"type": "integer", "minimum": 1, "title": "A"}}, "required": ["a"]},
         "type f = (_: {\n// A\na: number, // minimum: 1\n}) => any;"),
        ({"properties": {"a": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "title": "A"}}},
         "type f = (_: {\n// A\na?:\n | string // format: date\n | null\n,\n}) => any;"),
        ({"properties": {"t": {"type": "array", "items": {"$ref": "#/$defs/T"}}}, "required": ["t"],
          "$defs": {"T": {"type": "object", "description": "One.", "properties": {"n": {"type": "string"}}}}},
         "type f = (_: {\nt: Array<\n// One.\n{\n}\n>,\n}) => any;".replace("{\n}", "{\nn?: string,\n}")),
    ],
    ids=["none", "one line", "described", "titles", "enum", "default", "minimum", "union", "array of objects"],
)  # fmt: skip
def test_schema_is_written_as_typescript(parameters: dict[str, object], expected: str) -> None:
    """Every construct of a schema has its form in the text that is billed."""
    assert written(parameters) == expected


def test_lines_of_a_description_are_trimmed_and_blank_ones_dropped() -> None:
    """A docstring is billed without its indentation and its blank lines."""
    text = written({}, "\n    Adds.\n\n    Args:\n        a: one\n    ")
    assert text == "// Adds.\n// Args:\n// a: one\ntype f = () => any;"


def test_schema_that_refers_to_itself_ends() -> None:
    """A recursive schema is followed only so far."""
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}
    assert "next" in written({"properties": {"n": {"$ref": "#/$defs/N"}}, "$defs": {"N": node}})


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"x": 1}}},
        {"type": "function", "name": "f", "description": "d", "parameters": {"x": 1}},
        {"name": "f", "description": "d", "input_schema": {"x": 1}},
        {"toolSpec": {"name": "f", "description": "d", "inputSchema": {"json": {"x": 1}}}},
        {"name": "f", "description": "d", "parametersJsonSchema": {"x": 1}},
    ],
    ids=["chat", "responses", "anthropic", "bedrock", "gemini"],
)
def test_every_providers_definition_reads_the_same(tool: dict[str, object]) -> None:
    """A tool is the same tool in every API's spelling."""
    assert read_tool(tool) == ToolSpec(name="f", description="d", parameters={"x": 1})


def test_provider_tool_has_no_schema_of_the_callers() -> None:
    """A hosted tool is told apart from a function."""
    assert read_tool({"type": "web_search"}) is None


TREE = {
    "type": "object",
    "properties": {
        "op": {"type": "string"},
        "args": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
        "left": {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]},
        "right": {"$ref": "#/$defs/Tree"},
    },
}


@pytest.mark.parametrize(
    ("properties", "definitions"),
    [
        ({"tree": {"$ref": "#/$defs/Tree"}}, {"Tree": TREE}),
        ({"list": {"$ref": "#/$defs/L"}}, {"L": {"type": "array", "items": {"$ref": "#/$defs/L"}}}),
        (
            {"one": {"$ref": "#/$defs/D0"}},
            {
                f"D{at}": {"type": "object", "properties": {f"p{to}": {"$ref": f"#/$defs/D{to}"} for to in range(12)}}
                for at in range(12)
            },
        ),
    ],
    ids=["tree", "list of itself", "everything refers to everything"],
)
def test_definitions_within_themselves_end(properties: dict[str, object], definitions: dict[str, object]) -> None:
    """A definition is written out once on the way down; further down it is anything."""
    text = written({"properties": properties, "$defs": definitions})
    assert "any" in text
    assert len(text) < 60_000


@pytest.mark.parametrize(
    "parameters",
    [{"required": True, "properties": {"a": {"type": "string"}}}, {"properties": ["a"]}, {"$defs": ["a"]},
     {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": "x"}}, {"properties": {"a": 1}}],
)  # fmt: skip
def test_broken_schemas_are_written_as_far_as_they_go(parameters: dict[str, object]) -> None:
    """What a provider would refuse is no error here: it is counted."""
    assert written(parameters).startswith("type f = (")
