"""A model's name that is bound is the one that window, counter and provider go by, where the client sends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import HumanMessage

from ctx_core import ContextBudget
from langchain_ctx import ContextMiddleware, ContextRunnable
from langchain_ctx.bound_model import bound_model
from tests.payloads.client import model_at
from tests.payloads.clients import clients
from tests.payloads.recorder import recorded

if TYPE_CHECKING:
    from tests.payloads.client import Client

pytest.importorskip("splintr", reason="splintr-rs is not installed")
openai = pytest.importorskip("langchain_openai")
SENDING = {"openai", "responses", "anthropic", "mistral", "deepseek", "ollama"}
"""The rows whose clients send it in the body: the others raise, or send it in the path."""


def named(value: str, key: str = "model") -> Any:
    """Bind gpt-4o to another name."""
    return openai.ChatOpenAI(model="gpt-4o", api_key="no-key").bind(**{key: value})


@pytest.mark.parametrize("client", [one for one in clients("langchain") if one.values[0].provider in SENDING])
def test_the_name_that_counts_is_the_one_that_is_sent(client: Client) -> None:
    """Of each client's request, as it goes out."""
    sent = recorded(lambda url: model_at(client, url).bind(model="another").invoke([HumanMessage("Hello?")]))
    asked = bound_model(model_at(client, "http://127.0.0.1:1").bind(model="another")).asked
    assert sent["model"] == asked.name == "another"


@pytest.mark.parametrize(
    ("name", "window", "limit"),
    [("gpt-3.5-turbo-0613", 4_096, 3_072), ("gpt-5", 272_000, 272_000), ("gpt-4o", 128_000, 123_904)],
)
def test_the_window_is_that_of_the_bound_name(name: str, window: int, limit: int) -> None:
    """Not what the object's profile says of the model that it was made for."""
    budget = ContextBudget.for_model(named(name).with_retry())
    assert (budget.total - (budget.reserve if window == limit else 0), budget.input_limit) == (window, limit)
    assert budget.model == name
    step = ContextRunnable(model=named(name))
    assert (step.budget, step.counter.model) == (budget, name)


def test_a_fallback_goes_by_the_name_that_is_bound_around_both() -> None:
    """Each of them is asked for it."""
    both = openai.ChatOpenAI(model="gpt-4o", api_key="no-key").with_fallbacks([named("gpt-5")]).bind(model="gpt-4")
    assert [asked.name for asked in bound_model(both).asked.all] == ["gpt-4", "gpt-4"]


def test_converse_is_asked_for_another_model_by_its_own_name() -> None:
    """It stands in the path of its requests."""
    converse = pytest.importorskip("langchain_aws").ChatBedrockConverse
    model = converse(model="anthropic.claude-3-haiku-20240307-v1:0", region_name="us-east-1")
    assert bound_model(model.bind(model_id="amazon.nova-micro-v1:0")).asked.name == "amazon.nova-micro-v1:0"


def test_a_deployment_is_asked_whatever_is_bound() -> None:
    """Azure's address has the deployment, and Bedrock's other client its model."""
    azure = openai.AzureChatOpenAI(azure_deployment="gpt-4o", azure_endpoint="https://no.where", api_version="1",
                                   api_key="no-key")  # fmt: skip
    assert bound_model(azure.bind(model="gpt-5")).asked.name == "gpt-4o"


def test_the_object_of_the_caller_stays_as_it_is() -> None:
    """It is read under the other name, not renamed."""
    model = openai.ChatOpenAI(model="gpt-4o", api_key="no-key")
    bound_model(model.bind(model="gpt-5"))
    assert model.model_name == "gpt-4o"
    assert model.profile["max_input_tokens"] == 128_000


def test_an_agent_goes_by_the_name_in_its_settings() -> None:
    """A middleware may ask for another model by the settings of the request alone."""
    agents = pytest.importorskip("langchain.agents.middleware")
    totals: list[int] = []
    middleware = ContextMiddleware(on_report=lambda report: totals.append(report.total))
    request = agents.ModelRequest(
        model=openai.ChatOpenAI(model="gpt-4o", api_key="no-key"),
        messages=[HumanMessage("Hello?")],
        model_settings={"model": "gpt-3.5-turbo-0613"},
    )
    middleware.wrap_model_call(request, lambda _: agents.ModelResponse(result=[]))
    assert totals == [4_096]
