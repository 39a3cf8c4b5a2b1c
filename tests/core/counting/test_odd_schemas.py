"""Schemas that no provider would take have a price or an error at once, in every form in which tools are billed."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import BudgetError, RequestOptions, TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MODELS = ("gpt-4o", "gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro", "gemini-2.0-flash", "llama-3.3-70b", "grok-4", "")


def of(**said: Any) -> dict[str, Any]:
    """Give a schema with one property that says these things."""
    return {"type": "object", "properties": {"x": {"type": "integer", **said}}}


class Unreadable(dict[str, Any]):
    """A mapping that raises."""

    def items(self) -> Any:
        """Raise."""
        return 1 // 0


def in_itself(names: str) -> dict[str, Any]:
    """Give a schema whose properties are all the schema itself."""
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    for name in names:
        schema["properties"][name] = schema
    return schema


def in_a_list() -> dict[str, Any]:
    """Give a schema that is four times among its own alternatives."""
    schema: dict[str, Any] = of(anyOf=[])
    schema["properties"]["x"]["anyOf"] += [schema] * 4
    return schema


def doubled(levels: int) -> dict[str, Any]:
    """Give a schema that holds the next one twice, on so many levels."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema, "b": schema}}
    return schema


def deep(levels: int) -> dict[str, Any]:
    """Give a schema in a schema."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def by_reference(definitions: int) -> dict[str, Any]:
    """Give definitions that refer to the next one four times, and the last to the first."""
    defs = {
        f"N{at}": {"properties": {name: {"$ref": f"#/$defs/N{(at + 1) % definitions}"} for name in "abcd"}}
        for at in range(definitions)
    }
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/N0"}}, "$defs": defs}


REFUSED: dict[str, tuple[Callable[[], Mapping[str, Any]], str]] = {
    "in itself": (lambda: in_itself("a"), "it contains itself"),
    "six times in itself": (lambda: in_itself("abcdef"), "it contains itself"),
    "in a list in itself": (in_a_list, "it contains itself"),
    "doubled": (lambda: doubled(40), "it has more than 100,000 parts"),
    "deep": (lambda: deep(5_000), "it has more than 200 levels"),
    "a huge default": (lambda: of(default=10**5_000), "it has a number of more than 4,300 digits"),
    "a huge value": (lambda: of(enum=[10**5_000]), "it has a number of more than 4,300 digits"),
    "called by a tuple": (lambda: {"properties": {(1, 2): {}}}, "it has a property that is called by a tuple"),
    "called by bytes": (lambda: {"properties": {b"x": {}}}, "it has a property that is called by a bytes"),
    "an object": (lambda: of(default=object()), "object"),
    "unreadable": (lambda: of(items=Unreadable(type="string")), "reading it raised ZeroDivisionError"),
    "a set": (lambda: of(enum={1}), "set"),
}  # fmt: skip
PRICED: dict[str, Callable[[], Mapping[str, Any]]] = {
    "not a number": lambda: of(default=math.nan),
    "infinite": lambda: of(minimum=-math.inf),
    "called by a number": lambda: {"type": "object", "properties": {5: {"type": "string"}}},
    "called by nothing": lambda: {"type": "object", "properties": {None: {"type": "string"}, True: {}}},
    "read-only": lambda: MappingProxyType({"type": "object", "properties": MappingProxyType({"a": {}})}),
    "a reference to itself": lambda: {"type": "object", "properties": {name: {"$ref": "#"} for name in "abc"}},
    "definitions in a circle": lambda: by_reference(1),
    "many definitions in a circle": lambda: by_reference(25),
    "properties that are none": lambda: {"type": "object", "properties": 5},
    "a property that is a text": lambda: {"type": "object", "properties": {"a": "string", "b": True}},
    "a type that is none": lambda: {"type": ["object", 5, None], "properties": {"a": {"type": {}}}},
    "half a character": lambda: of(description="\ud800"),
    "numbers for texts": lambda: of(title=5, description=6, format=7, required=8, anyOf=9),
}


def tools(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give tools with a schema: OpenAI's and Anthropic's, and a provider's own."""
    named = {"name": "f", "description": "d"}
    return [
        {"type": "function", "function": {**named, "parameters": schema}},
        {**named, "input_schema": schema},
        {"type": "own_20260101", "settings": schema},
    ]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("make", "why"), REFUSED.values(), ids=REFUSED)
def test_what_json_cannot_hold_is_refused(model: str, make: Callable[[], Mapping[str, Any]], why: str) -> None:
    """The error says what it is, and quotes nothing."""
    counter = TokenCounter.for_model(model)
    for tool in tools(make()):
        with pytest.raises(BudgetError, match=rf"tool 1 cannot be written as JSON \({why}\)"):
            counter.count_tools([tool])
    with pytest.raises(BudgetError, match=rf"the schema of the answer cannot be written as JSON \({why}\)"):
        counter.count_options(RequestOptions(schema=make()))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("make", PRICED.values(), ids=PRICED)
def test_what_json_can_hold_has_a_price(model: str, make: Callable[[], Mapping[str, Any]]) -> None:
    """However odd it is: the provider may refuse it, and says why."""
    counter = TokenCounter.for_model(model)
    for tool in tools(make()):
        assert counter.count_tools([tool]) > 0
    assert counter.count_options(RequestOptions(schema=make())) >= 0


def test_the_schema_of_the_caller_is_not_changed() -> None:
    """A copy is made plain."""
    schema: dict[Any, Any] = {"type": "object", "properties": {5: {"type": "string"}}}
    TokenCounter.for_model("gpt-4o").count_tools(tools(schema))
    assert schema == {"type": "object", "properties": {5: {"type": "string"}}}
