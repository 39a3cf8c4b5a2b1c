"""What bound models ask for beside messages and tools."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from pydantic import BaseModel
from typing_extensions import TypedDict

from ctx_core import BudgetError, TokenCounter
from ctx_core.counting import RequestOptions
from langchain_ctx import ContextRunnable, LangChainCodec, token_counter
from langchain_ctx.request_options import request_options
from tests.langchain_ctx.echo import EchoModel


class Trip(BaseModel):
    """Where to go."""

    city: str
    days: int


class Stop(TypedDict):
    """Where to stay."""

    city: str


SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "title": "Place"}


@pytest.mark.parametrize(
    ("answer", "name", "keys"),
    [
        ({"type": "json_schema", "json_schema": {"name": "P", "description": "d", "schema": SCHEMA}}, "P", {"city"}),
        ({"type": "json_schema", "schema": SCHEMA}, "response", {"city"}),
        (SCHEMA, "Place", {"city"}),
        (Trip, "Trip", {"city", "days"}),
        (Stop, "Stop", {"city"}),
    ],
    ids=["chat", "responses", "schema", "pydantic", "typed dict"],
)
def test_schemas_of_answers_are_read(answer: Any, name: str, keys: set[str]) -> None:
    """However a model is told what the answer must be like."""
    found = request_options(response_format=answer)
    assert found is not None
    assert found.schema is not None
    assert (found.schema_name, set(found.schema["properties"])) == (name, keys)


@pytest.mark.parametrize("answer", [None, {"type": "json_object"}, {"type": "text"}, {"type": "json_schema"}])
def test_formats_without_a_schema_ask_for_nothing(answer: Any) -> None:
    """That the answer is JSON costs nothing."""
    assert request_options(response_format=answer) is None


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (None, None), ("auto", None), ("required", "any"), ("any", "any"), (True, "any"), ("none", "none"),
        ({"type": "function", "function": {"name": "add"}}, "add"), ({"type": "tool", "name": "add"}, "add"),
        ({"type": "any"}, "any"), ({"type": "auto"}, None), (7, None),
    ],
)  # fmt: skip
def test_tool_choices_are_read(choice: object, expected: str | None) -> None:
    """In OpenAI's and Anthropic's spellings."""
    found = request_options(tool_choice=choice)
    assert (found.tool_choice if found else None) == expected


def test_a_format_of_no_kind_is_an_error() -> None:
    """It says what is taken."""
    with pytest.raises(BudgetError, match="response_format \\(int\\)"):
        request_options(response_format=7)


def test_what_a_model_is_bound_to_is_counted_once_per_request() -> None:
    """The schema of the answer is a part of the request, as `measure` has it."""
    answer = {"type": "json_schema", "json_schema": {"name": "P", "schema": SCHEMA}}
    step = ContextRunnable(8_000, counter="gpt-4o", model=EchoModel().bind(response_format=answer))
    asked = RequestOptions(schema=SCHEMA, schema_name="P")
    assert step.request_options == asked
    context = step.preview([HumanMessage("Where to?")])
    read = list(map(LangChainCodec().read, context.messages))
    assert context.tokens == TokenCounter.for_model("gpt-4o").measure(read, options=asked).bound
    assert context.tokens > ContextRunnable(8_000, counter="gpt-4o").preview([HumanMessage("Where to?")]).tokens
    assert token_counter("gpt-4o", response_format=answer)(context.messages) == context.tokens
