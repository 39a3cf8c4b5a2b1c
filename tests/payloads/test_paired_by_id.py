"""Clients that pair calls and results by id themselves: each call is sent with its own result, whatever its id was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, FunctionMessage, HumanMessage, ToolMessage

from ctx_core import ContextBudget, ContextBuilder, validate
from ctx_core.providers import PROVIDERS, Kind, Target
from langchain_ctx.convert import CODEC
from tests.payloads.clients import CLIENTS
from tests.payloads.conversations import TOOLS
from tests.payloads.judge import refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

GOOGLE: Final = next(client for client in CLIENTS if client.name == "langchain-gemini")
SIGNATURES: Final = "__gemini_function_call_thought_signatures__"
TARGETS: Final = {
    "the model's": Target(provider=PROVIDERS["gemini"], model=GOOGLE.model, client=GOOGLE.package),
    "no client named": Target(provider=PROVIDERS["gemini"]),
}


def talk(ids: Sequence[Sequence[str | None]]) -> list[BaseMessage]:
    """Give a turn for each list of ids, with calls of them, results and signatures."""
    messages: list[BaseMessage] = []
    for number, told in enumerate(ids):
        calls: list[Any] = [
            {"name": "look", "args": {"place": f"{number}.{at}"}, "id": one} for at, one in enumerate(told)
        ]
        signed = {SIGNATURES: {told[0]: "U0lHX09L"}} if told[0] else {}
        messages += [
            HumanMessage(f"Question {number}."),
            AIMessage("", tool_calls=calls, additional_kwargs=signed),
            *(ToolMessage(f"{number}.{at}", tool_call_id=one or "") for at, one in enumerate(told)),
        ]
    return messages


def pairs_sent(messages: Sequence[BaseMessage], target: Target) -> list[tuple[list[str], list[str]]]:
    """Give the places that are asked for and those of the responses behind, for each step that is sent."""
    context = ContextBuilder(ContextBudget(100_000), len).provider(target).build(list(messages), codec=CODEC)
    payload = GOOGLE.payload(context.messages, TOOLS["langchain"])
    assert refusals(payload, "gemini", model=GOOGLE.model) == []
    parts = [content["parts"] for content in payload["contents"]]
    asked = [[part["functionCall"]["args"]["place"] for part in held if "functionCall" in part] for held in parts]
    given_ = [
        [str(part["functionResponse"]["response"]["output"]) for part in held if "functionResponse" in part]
        for held in parts
    ]
    return [(one, after) for one, after in zip(asked, [*given_[1:], []], strict=True) if one]


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(
    ids=st.lists(
        st.lists(st.sampled_from(["call_0", "call_1", "", None]), min_size=1, max_size=3), min_size=1, max_size=5
    )
)
def test_googles_client_sends_each_call_with_its_own_result(target: Target, ids: list[list[str | None]]) -> None:
    """Ids repeated in a message and across messages, empty and missing: as many responses as calls, and the right."""
    expected = [[f"{number}.{at}" for at in range(len(told))] for number, told in enumerate(ids)]
    assert pairs_sent(talk(ids), target) == [(places, places) for places in expected]


def test_the_signature_of_a_call_goes_with_it_to_its_other_id() -> None:
    """Google's client finds it by the id."""
    context = ContextBuilder(ContextBudget(100_000), len).provider(TARGETS["the model's"])
    sent = context.build(talk([["c"], ["c"]]), codec=CODEC).messages
    payload = GOOGLE.payload(sent, TOOLS["langchain"])
    calls = [part for content in payload["contents"] for part in content["parts"] if "functionCall" in part]
    assert [part["thoughtSignature"] for part in calls] == ["U0lHX09L", "U0lHX09L"]


def test_the_api_itself_asks_for_no_ids() -> None:
    """It is the client that does: Gemini's own contents stay as they are, and nothing is refused in them."""
    call = {"functionCall": {"name": "look", "args": {}}}
    response = {"functionResponse": {"name": "look", "response": {"output": "sunny"}}}
    contents = [
        {"role": "user", "parts": [{"text": "Is it?"}]},
        {"role": "model", "parts": [call, call]},
        {"role": "user", "parts": [response, response]},
    ]
    assert validate(contents, "gemini-2.5-flash").accepted
    assert PROVIDERS["gemini"].asks(Kind.IDS_PRESENT) is None
    assert PROVIDERS["gemini"].asks(Kind.IDS_UNIQUE, client=GOOGLE.package) is not None


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize("arguments", ['{"a": 1}', '{"a":', ""], ids=["JSON", "cut off", "none"])
@pytest.mark.parametrize("by_tool", [False, True], ids=["a function's result", "a tool's result"])
def test_calls_of_functions_are_sent_with_their_results(target: Target, arguments: str, *, by_tool: bool) -> None:
    """Google's client raises on arguments that are no JSON, and sends no tool's result for them."""
    call = {"function_call": {"name": "look", "arguments": arguments}}
    result = (
        ToolMessage("sunny", tool_call_id="", name="look") if by_tool else FunctionMessage(content="sunny", name="look")
    )
    messages = [HumanMessage("Question?"), AIMessage("", additional_kwargs=call), result, HumanMessage("And?")]
    context = ContextBuilder(ContextBudget(100_000), len).provider(target).build(messages, codec=CODEC)
    payload = GOOGLE.payload(context.messages, TOOLS["langchain"])
    assert refusals(payload, "gemini", model=GOOGLE.model) == []
    parts = [part for content in payload["contents"] for part in content["parts"]]
    assert [next(iter(part)) for part in parts] == ["text", "functionCall", "functionResponse", "text"]
