"""A model is found in everything that LangChain and LlamaIndex wrap around it, with what it will ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import ConfigurableField, RunnableParallel, RunnablePassthrough
from llama_index.core.base.llms.types import ChatMessage
from pydantic import BaseModel

from ctx_core import BudgetError, ContextBudget
from langchain_ctx import ContextRunnable
from langchain_ctx.bound_model import bound_model
from llamaindex_ctx import ContextMemoryBuffer

if TYPE_CHECKING:
    from collections.abc import Callable

init = pytest.importorskip("langchain.chat_models").init_chat_model
ChatAnthropic = pytest.importorskip("langchain_anthropic").ChatAnthropic
ChatOpenAI = pytest.importorskip("langchain_openai").ChatOpenAI
OpenAI = pytest.importorskip("llama_index.llms.openai").OpenAI
Anthropic = pytest.importorskip("llama_index.llms.anthropic").Anthropic


class Answer(BaseModel):
    """An answer."""

    text: str


def claude(**said: Any) -> Any:
    """Make a client of Anthropic's, which asks for the longest answer: 64,000 tokens."""
    return ChatAnthropic(model="claude-sonnet-4-5", api_key="no-key", **said)


def gpt(**said: Any) -> Any:
    """Make a client of OpenAI's, which asks for none."""
    return ChatOpenAI(model="gpt-4o", api_key="no-key", **said)


def configurable(**said: Any) -> Any:
    """Make one whose parameters may come with the config."""
    return init("anthropic:claude-sonnet-4-5", configurable_fields="any", api_key="no-key", **said)


ID = ConfigurableField(id="most")
WRAPPED: dict[str, tuple[Callable[[], Any], int, int]] = {
    "bare": (claude, 64_000, 136_000),
    "bind": (lambda: claude().bind(max_tokens=1_000), 1_000, 199_000),
    "bind twice": (lambda: claude().bind(max_tokens=1_000).bind(max_tokens=2_000), 2_000, 198_000),
    "bind_tools": (lambda: claude().bind_tools([Answer]), 64_000, 136_000),
    "with_retry": (lambda: claude().bind(max_tokens=1_000).with_retry(), 1_000, 199_000),
    "with_config": (lambda: claude().with_config(tags=["t"]), 64_000, 136_000),
    "structured": (lambda: claude().with_structured_output(Answer), 64_000, 136_000),
    "structured, json": (lambda: claude().with_structured_output(Answer, method="json_schema"), 64_000, 136_000),
    "structured, raw": (lambda: claude().with_structured_output(Answer, include_raw=True), 64_000, 136_000),
    "structured, json, raw": (
        lambda: claude().with_structured_output(Answer, method="json_schema", include_raw=True), 64_000, 136_000),
    "configurable": (configurable, 64_000, 136_000),
    "configurable, told": (lambda: configurable(max_tokens=5_000), 5_000, 195_000),
    "configurable, tools": (lambda: configurable().bind_tools([Answer]), 64_000, 136_000),
    "configurable, structured": (lambda: configurable().with_structured_output(Answer), 64_000, 136_000),
    "configured": (
        lambda: configurable().with_config(configurable={"max_tokens": 5_000}).with_retry(), 5_000, 195_000),
    "fields": (lambda: gpt().configurable_fields(max_tokens=ID), 4_096, 123_904),
    "fields, configured": (
        lambda: gpt().configurable_fields(max_tokens=ID).with_config(configurable={"most": 9_000}), 9_000, 119_000),
    "fields, configured outside": (
        lambda: gpt().configurable_fields(max_tokens=ID).bind(stop=["x"]).with_config(configurable={"most": 9_000}),
        9_000, 119_000),
    "fallbacks": (lambda: claude().with_fallbacks([gpt()]), 4_096, 123_904),
    "fallbacks, the first is smallest": (lambda: gpt().with_fallbacks([claude()]), 4_096, 123_904),
    "fallbacks, bound": (lambda: claude().with_fallbacks([gpt()]).bind(max_tokens=9_000), 9_000, 119_000),
}  # fmt: skip


@pytest.mark.parametrize(("make", "reserve", "limit"), WRAPPED.values(), ids=WRAPPED)
def test_the_answer_is_what_the_wrapped_model_asks_for(make: Callable[[], Any], reserve: int, limit: int) -> None:
    """In a budget that is made of it, and in a step that is only told the model."""
    wrapped = make()
    budget = ContextBudget.for_model(wrapped)
    assert (budget.reserve, budget.input_limit) == (reserve, limit)
    assert ContextRunnable(model=wrapped).budget == budget
    assert ContextRunnable(budget, model=wrapped).budget == budget


@pytest.mark.parametrize("name", [name for name in WRAPPED if "tools" in name or name == "structured, raw"])
def test_tools_are_found_in_the_same_places(name: str) -> None:
    """They are counted with every request."""
    make, _, _ = WRAPPED[name]
    assert [tool["function"]["name"] for tool in bound_model(make()).tools] == ["Answer"]


@pytest.mark.parametrize("raw", [False, True])
def test_the_schema_that_anthropic_is_told_is_counted(raw: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """It stands in `output_config`, and not in `response_format`."""
    options = bound_model(claude().with_structured_output(Answer, method="json_schema", include_raw=raw)).options
    assert options is not None
    assert options.schema is not None
    assert list(options.schema["properties"]) == ["text"]


@pytest.mark.parametrize(
    "package", ["google_genai:ChatGoogleGenerativeAI", "ollama:ChatOllama", "aws:ChatBedrockConverse"]
)
def test_a_schema_that_is_told_in_another_way_is_counted(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As LangChain notes it for its traces, whatever the client makes of it."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(name, "no-key")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    module, name = package.split(":")
    kind = getattr(pytest.importorskip(f"langchain_{module}"), name)
    options = bound_model(
        kind(model="anthropic.claude-sonnet-4-5").with_structured_output(Answer, method="json_schema")
    ).options
    assert options is not None
    assert options.schema is not None
    assert list(options.schema["properties"]) == ["text"]


def test_a_fallback_is_counted_as_what_it_is() -> None:
    """The model with the least room decides what counts, in its own API."""
    step = ContextRunnable(model=claude().with_fallbacks([gpt(use_responses_api=True)]))
    assert (step.counter.model, step.counter.framing.tools.per_request) == ("gpt-4o", 3)


def test_a_chain_that_prepares_its_input_is_not_taken_for_its_answer() -> None:
    """A model in a branch before the prompt is not the one that answers."""
    chain = (
        RunnableParallel(q=RunnablePassthrough(), short=gpt().bind(max_tokens=7))
        | (lambda given: [given["q"]])
        | claude()
    )
    assert ContextBudget.for_model(chain).reserve == 64_000


ALTERNATIVE = ConfigurableField(id="who")


@pytest.mark.parametrize(
    ("configured", "reserve", "limit"),
    [
        ({}, 64_000, 136_000),
        ({"who": "gpt"}, 4_096, 123_904),
        ({"who": "other"}, 9_000, 191_000),
        ({"who": "other", "max_tokens": 5_000}, 5_000, 195_000),
    ],
)
def test_the_alternative_that_a_config_chooses_is_asked(configured: dict[str, Any], reserve: int, limit: int) -> None:
    """Also one that is itself configurable, and whose fields the same config sets."""
    told = {"max_tokens": 9_000, "api_key": "no-key"}
    other = init("anthropic:claude-sonnet-4-5", configurable_fields=("max_tokens",), **told)
    others = {"gpt": gpt, "other": other}
    model = configurable().configurable_alternatives(ALTERNATIVE, default_key="claude", **others)
    budget = ContextBudget.for_model(model.with_config(configurable=configured))
    assert (budget.reserve, budget.input_limit) == (reserve, limit)


def test_a_configurable_model_without_a_default_is_refused_with_what_to_do() -> None:
    """Nothing can be known of it before a config comes."""
    with pytest.raises(BudgetError, match="give init_chat_model a default model"):
        ContextRunnable(model=init(api_key="no-key"))


def test_no_request_is_over_what_the_answer_leaves() -> None:
    """A conversation of half a million tokens, and a model that asks for 64,000 of its 200,000."""
    model = claude()
    words = "the ferry leaves at noon and the harbor is closed " * 400
    talk = [kind(words) for _ in range(60) for kind in (HumanMessage, AIMessage)]
    step = ContextRunnable(ContextBudget.for_model(model), model=model)
    context = step.preview([*talk, HumanMessage("And tomorrow?")])
    assert context.report.used + model.max_tokens <= 200_000
    assert context.report.trimmed


@pytest.mark.parametrize(
    ("make", "reserve", "limit"),
    [
        (lambda: Anthropic(model="claude-3-7-sonnet-latest", api_key="no-key", max_tokens=64_000), 64_000, 136_000),
        (lambda: OpenAI(model="gpt-5", api_key="no-key", max_tokens=100_000), 100_000, 272_000),
        (
            lambda: OpenAI(model="gpt-4o", api_key="no-key", additional_kwargs={"max_completion_tokens": 40_000}),
            40_000,
            88_000,
        ),
    ],
)  # fmt: skip
def test_a_memory_leaves_what_its_llm_asks_for(make: Callable[[], Any], reserve: int, limit: int) -> None:
    """Also where the LLM gives structured answers, whose schema is then counted as the tool that it is."""
    llm = make()
    for one in (llm, llm.as_structured_llm(Answer)):
        memory = ContextMemoryBuffer.from_defaults(llm=one)
        assert (memory.budget.reserve, memory.token_limit) == (reserve, limit)
        assert ContextBudget.for_model(one) == memory.budget
        assert memory.budget.model == llm.model
    assert [tool["function"]["name"] for tool in memory.tools] == ["Answer"]
    memory.put(ChatMessage("Hello?"))
    memory.get()
    assert memory.last_report is not None
    assert memory.last_report.layer("tools").used > 0


@pytest.mark.parametrize("said", [{}, {"max_tokens": 64_000}])
def test_what_anthropic_parses_is_asked_for_as_the_client_does(said: dict[str, int]) -> None:
    """8,192 tokens, whatever the object says: `structured_predict` sends that number."""
    llm = Anthropic(model="claude-sonnet-4-5", api_key="no-key", **said)
    assert ContextBudget.for_model(llm).reserve == said.get("max_tokens", 512)
    assert ContextBudget.for_model(llm.as_structured_llm(Answer)).reserve == 8_192
