"""The room for an answer is what the client then asks for, whatever is bound around its object."""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any, Final

import pytest

pytest.importorskip("langchain_core", reason="langchain-core is not installed")

from langchain_core.messages import HumanMessage

from ctx_core import ContextBudget
from tests.payloads.clients import CLIENTS
from tests.payloads.recorder import recorded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.payloads.client import Client

ANSWERS: Final = (
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxOutputTokens",
    "maxTokens",
    "num_predict",
)
"""Names under which payloads have it."""
CASES: Final[dict[str, tuple[tuple[dict[str, Any], dict[str, Any]], ...]]] = {
    "openai": (
        ({"max_tokens": 3_000}, {"max_tokens": None}),
        ({"max_tokens": 3_000}, {"max_completion_tokens": None}),
        ({"max_tokens": 3_000}, {"max_tokens": 500}),
        ({"max_tokens": 3_000}, {"max_completion_tokens": 500}),
        ({"max_tokens": 3_000}, {"temperature": None}),
        ({}, {"max_tokens": None}),
    ),
    "responses": (
        ({"max_tokens": 3_000}, {"max_tokens": None}),
        ({"max_tokens": 3_000}, {"max_completion_tokens": None}),
        ({"max_tokens": 3_000}, {"max_tokens": 500}),
        ({"max_tokens": 3_000}, {"max_completion_tokens": 500}),
        ({}, {"max_tokens": 500}),
    ),
    "anthropic": (
        ({"max_tokens": 30_000}, {"max_tokens_to_sample": None}),
        ({}, {"max_tokens_to_sample": None}),
        ({"max_tokens": 30_000}, {"max_tokens": 500}),
    ),
    "gemini": (
        ({"max_output_tokens": 3_000}, {"max_output_tokens": None}),
        ({"max_output_tokens": 3_000}, {"max_output_tokens": 500}),
    ),
    "bedrock": (
        ({"max_tokens": 3_000}, {"max_tokens": None}),
        ({"max_tokens": 3_000}, {"max_tokens": 500}),
        ({"max_tokens": 3_000}, {"inference_config": {"maxTokens": None}}),
        ({}, {"max_tokens": None}),
    ),
    "mistral": (({"max_tokens": 3_000}, {"max_tokens": None}), ({"max_tokens": 3_000}, {"max_tokens": 500})),
    "deepseek": (({"max_tokens": 3_000}, {"max_tokens": None}), ({"max_tokens": 3_000}, {"max_tokens": 500})),
    "cohere": (({}, {"max_tokens": None}), ({}, {"max_tokens": 500})),
    "ollama": (
        ({"num_predict": 700}, {"options": None}),
        ({"num_predict": 700}, {"options": {}}),
        ({"num_predict": 700}, {"options": {"num_predict": 500}}),
    ),
}
"""By provider: what the object says, and what is bound around it."""


def asked(value: object) -> int | None:
    """Give the answer that a payload asks for; None where it asks for none."""
    if not isinstance(value, dict):
        return None
    said: Mapping[str, object] = value
    own = [tokens for name in ANSWERS if isinstance(tokens := said.get(name), int)]
    return max([*own, *(inner for one in said.values() if (inner := asked(one)) is not None)], default=None)


def made(client: Client, url: str, **said: Any) -> Any:
    """Make a client's object that says these things."""
    module, name = client.made_by.split(":")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the clients' own, about names that are going out of use
        return getattr(importlib.import_module(module), name)(model=client.model, **client.options(url), **said)


@pytest.mark.parametrize(
    ("client", "own", "bound"),
    [
        pytest.param(client, own, bound, id=f"{client.provider} {own} {bound}")
        for client in CLIENTS
        if client.framework == "langchain"
        for own, bound in CASES.get(client.provider, ())
    ],
)
def test_what_is_bound_decides_as_the_client_sends_it(
    client: Client, own: dict[str, Any], bound: dict[str, Any]
) -> None:
    """None too: the room is that of the number in the payload, or what is kept where nothing is asked for."""
    if not client.installed:
        pytest.skip(f"{client.package} is not installed")
    reserves: list[int] = []

    def send(url: str) -> object:
        model = made(client, url, **own).bind(**bound)
        reserves.append(ContextBudget.for_model(model).reserve)
        return model.invoke([HumanMessage("Hi")])

    sent = asked(recorded(send))
    nothing_asked = ContextBudget.for_model(made(client, "http://127.0.0.1:9")).reserve
    assert reserves == [nothing_asked if sent is None else sent]
