"""What can be read from a model that has been bound to tools, retries, fallbacks or a chain."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import ConfigurableField, RunnableLambda
from langchain_core.tools import tool
from pydantic import BaseModel

from ctx_core import BudgetError, TokenCounter
from langchain_ctx import ContextRunnable
from langchain_ctx.bound_model import bound_model, served_by
from langchain_ctx.request_options import request_options
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
    found = bound_model(BOUND.bind(response_format=schema))
    assert found.tools == tool_definitions([add])
    assert found.options == request_options(response_format=schema)


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


def model_of(module: str, **attributes: Any) -> EchoModel:
    """Make a model of a class that an integration would have."""
    kind = type("ChatModel", (EchoModel,), {"__module__": module, "__annotations__": dict.fromkeys(attributes, Any)})
    made: EchoModel = kind(**attributes)
    return made


@pytest.mark.parametrize(
    ("model", "api", "host"),
    [
        (model_of("langchain_openai.chat_models"), None, None),
        (model_of("langchain_openai.chat_models", use_responses_api=True), "responses", None),
        (model_of("langchain_openai.chat_models", openai_api_base="https://openrouter.ai/api/v1"), None, "openrouter"),
        (model_of("langchain_openai.chat_models.azure"), None, "azure"),
        (model_of("langchain_google_vertexai.chat_models"), None, "vertex"),
        (model_of("langchain_google_genai.chat_models", vertexai=True), None, "vertex"),
        (model_of("langchain_google_genai.chat_models", vertexai=None), None, None),
        (model_of("langchain_groq.chat_models"), None, "groq"),
        (model_of("langchain_ollama.chat_models"), None, "ollama"),
    ],
)
def test_api_and_host_are_read_from_the_model(model: EchoModel, api: str | None, host: str | None) -> None:
    """They change what tools and frames are billed."""
    assert served_by(model) == (api, host)


def test_a_step_counts_as_its_models_api_bills() -> None:
    """The counter of a model that goes through the responses API is that API's."""
    model = model_of("langchain_openai.chat_models", use_responses_api=True, model_name="gpt-5")
    step = ContextRunnable(8_000, model=model)
    assert step.counter == TokenCounter.for_model("gpt-5", api="responses")
    assert ContextRunnable(8_000, counter="gpt-5", model=model).counter == TokenCounter.for_model("gpt-5")
