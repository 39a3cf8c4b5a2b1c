"""What can be read from a model that has been bound to tools, retries, fallbacks or a chain."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import ConfigurableField, RunnableLambda
from langchain_core.tools import tool
from pydantic import BaseModel

from ctx_core import BudgetError
from langchain_ctx.bound_model import bound_model
from langchain_ctx.tools import tool_definitions
from tests.langchain_ctx.echo import EchoModel

PROMPT = ChatPromptTemplate.from_messages([("human", "{q}")])


@tool
def add(x: int, y: int) -> int:
    """Add two numbers."""
    return x + y


class Search(BaseModel):
    """Search the web."""

    query: str


def plain(x: int) -> int:
    """Give a number back."""
    return x


MODEL = EchoModel()
BOUND = MODEL.bind_tools([add])

WRAPPED: dict[str, Any] = {
    "bind_tools": BOUND,
    "bind twice": BOUND.bind(stop=["x"]),
    "with_retry": BOUND.with_retry(),
    "with_config": BOUND.with_config(tags=["t"]),
    "with_fallbacks": BOUND.with_fallbacks([EchoModel()]),
    "with_listeners": BOUND.with_listeners(on_end=print),
    "chain": PROMPT | BOUND | StrOutputParser(),
    "configurable": MODEL.configurable_fields(model_name=ConfigurableField(id="m")).bind(tools=tool_definitions([add])),
    "legacy functions": MODEL.bind(functions=[tool_definitions([add])[0]["function"]]),
}


@pytest.mark.parametrize("wrapped", WRAPPED.values(), ids=WRAPPED)
def test_model_and_tools_are_found(wrapped: Any) -> None:
    """However a model is wrapped, it and the tools it was bound to are found."""
    found = bound_model(wrapped)
    assert isinstance(found.model, EchoModel)
    assert found.tools == tool_definitions([add])


def test_a_bare_model_has_no_tools() -> None:
    """A model that was bound to nothing is sent no tools."""
    assert bound_model(MODEL).tools == ()


def test_the_outermost_binding_wins() -> None:
    """What is bound last is what is sent."""
    assert bound_model(BOUND.bind(tools=tool_definitions([plain]))).tools == tool_definitions([plain])


def test_the_format_of_the_answer_is_counted_too() -> None:
    """A schema for structured output goes along with every request, like a tool."""
    schema = {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "object"}}}
    assert bound_model(BOUND.bind(response_format=schema)).tools == (*tool_definitions([add]), schema)


@pytest.mark.parametrize("other", [PROMPT, StrOutputParser(), PROMPT | RunnableLambda(str), "gpt-4o", None])
def test_what_holds_no_model_is_refused(other: Any) -> None:
    """The error says what was found instead."""
    with pytest.raises(BudgetError, match=f"found {type(other).__name__}"):
        bound_model(other)


def test_definitions_of_every_kind_of_tool() -> None:
    """Tools, functions, pydantic classes and Anthropic's dicts have OpenAI's form; a provider's own dict stays."""
    anthropic = {"name": "f", "description": "d", "input_schema": {"type": "object", "properties": {}}}
    own: dict[str, Any] = {"google_search": {}}
    definitions = tool_definitions([add, plain, Search, anthropic, own])
    assert [definition.get("function", {}).get("name") for definition in definitions] == [
        "add",
        "plain",
        "Search",
        "f",
        None,
    ]
    assert definitions[-1] == own


def test_what_has_no_definition_is_refused() -> None:
    """The error names the position and the type."""
    with pytest.raises(BudgetError, match=r"tool 2 \(int\)"):
        tool_definitions([add, 7])
