"""A provider's blocks inside LangChain's messages, through the real client: nothing is refused for its pairs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from ctx_core import ContextOverflowError
from langchain_ctx import ContextRunnable
from tests.formats.told import Call, Result, Said, anthropic
from tests.payloads.clients import clients
from tests.payloads.conversations import TOOLS
from tests.payloads.judge import asks, refusals
from tests.payloads.test_through_faces import WORDS

if TYPE_CHECKING:
    from tests.payloads.client import Client

A, B, C = Call(id="a"), Call(id="b"), Call(id="c")
TOLD: Final = (
    Said(role="user", text="How is the weather? " * 4),
    Said(role="assistant", text="Let me look.", calls=(A, B), searches=True),
    Result(call=B, text="stormy " * 6),
    Result(call=A, text="sunny " * 6),
    Said(role="user", text="And in Rome?"),
    Said(role="assistant", calls=(C, Call(id="d"))),
    Result(call=C, text="warm " * 6),
    Said(role="user", text="And tomorrow?"),
)


def langchain() -> list[BaseMessage]:
    """Give the conversation in LangChain's messages, with Anthropic's blocks as their contents."""
    makers: dict[str, Any] = {"user": HumanMessage, "assistant": AIMessage}
    return [makers[message["role"]](message["content"]) for message in anthropic(TOLD)]


@pytest.mark.parametrize("client", [one for one in clients("langchain") if "anthropic" in str(one.id)])
@pytest.mark.parametrize("budget", [8, 12, 20, 40, 60, 1_000])
def test_no_pair_of_blocks_is_refused(client: Client, budget: int) -> None:
    """Calls that only blocks spell, results in a human's message, and one that is missing."""
    try:
        view = ContextRunnable(budget, counter=WORDS).invoke(langchain())
    except ContextOverflowError:
        assert budget < 20
        return
    assert isinstance(view, list)
    payload = client.payload(view, TOOLS["langchain"])
    assert refusals(payload, client.provider, model=client.model, subjects=["pairing"]) == []
    assert asks(payload, client.provider, "And tomorrow?")


GOOGLES: Final[dict[str, Any]] = {"name": "get_weather", "args": {"city": "Oslo"}}
SHAPES: Final[dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]]] = {
    "Google's, without ids": (
        [{"functionCall": GOOGLES}, {"functionCall": {**GOOGLES, "args": {"city": "Rome"}}}],
        [
            {"functionResponse": {"name": "get_weather", "response": {"sky": "grey"}}},
            {"functionResponse": {"name": "get_weather", "response": {"output": "blue"}}},
        ],
    ),
    "Google's, with an id": (
        [{"function_call": {**GOOGLES, "id": "x1"}}],
        [{"function_response": {"id": "x1", "name": "get_weather", "response": {"sky": "grey and blue"}}}],
    ),
    "Anthropic's": (
        [{"type": "tool_use", "id": "x1", "name": "get_weather", "input": {"city": "Oslo"}}],
        [{"type": "tool_result", "tool_use_id": "x1", "content": [{"type": "text", "text": "grey and blue"}]}],
    ),
    "Bedrock's": (
        [{"toolUse": {"toolUseId": "x1", "name": "get_weather", "input": {"city": "Oslo"}}}],
        [{"toolResult": {"toolUseId": "x1", "content": [{"text": "grey"}, {"json": {"sky": "blue"}}]}}],
    ),
}


@pytest.mark.parametrize(
    "client", [one for one in clients("langchain") if not any(name in str(one.id) for name in ("cohere", "ollama"))]
)
@pytest.mark.parametrize("question_beside", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_blocks_of_another_provider_are_calls_and_results_for_every_client(
    shape: str,
    question_beside: bool,  # noqa: FBT001 - a parameter of the test
    client: Client,
) -> None:
    """Each client raises on them, or sends them as texts, but for its own provider's: they are sent as LangChain's."""
    calls, results = SHAPES[shape]
    question: list[Any] = [{"type": "text", "text": "And now?"}]
    behind = [] if question_beside else [AIMessage("I see."), HumanMessage("And now?")]
    said = [HumanMessage("go"), AIMessage([*calls]), HumanMessage([*results, *(question if question_beside else [])])]
    view = ContextRunnable(1_000, counter=WORDS, provider=client.provider).invoke([*said, *behind])
    payload = client.payload(view, TOOLS["langchain"])
    assert refusals(payload, client.provider, model=client.model) == []
    assert asks(payload, client.provider, "And now?")
    sent = json.dumps(payload)
    assert all(word in sent for word in ("grey", "blue", "Oslo"))
    assert not any(word in sent for word in ("function_response'", "functionResponse'", "no result"))
