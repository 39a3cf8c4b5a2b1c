"""A call and its result are sent together by every client, wherever in a message the call is spelled."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.llms.llm import ToolSelection

from ctx_core import Framing, TokenCounter
from langchain_ctx import ContextRunnable
from llamaindex_ctx import ContextMemoryBuffer
from tests.payloads.clients import clients
from tests.payloads.conversations import TOOLS
from tests.payloads.judge import refusals
from tests.payloads.test_through_faces import WORDS

if TYPE_CHECKING:
    from tests.payloads.client import Client


def block(said: dict[str, Any]) -> AIMessage:
    """Make an answer with a call that only a block spells."""
    return AIMessage([{"type": "text", "text": "Let me look."}, said])


def listed(call_id: object) -> AIMessage:
    """Make an answer whose call was given an id that LangChain would not have taken."""
    answer = AIMessage("", tool_calls=[{"type": "tool_call", "id": "c1", "name": "look", "args": {}}])
    answer.tool_calls[0]["id"] = call_id  # type: ignore[typeddict-item]  # the point
    return answer


def malformed(**told: Any) -> AIMessage:
    """Make an answer with a call that could not be read."""
    call: Any = {"type": "invalid_tool_call", "id": "c1", "name": "look", "args": "{day: today", "error": None, **told}
    return AIMessage("", invalid_tool_calls=[call])


LETTERS: Final = TokenCounter(len, framing=Framing.free())
VALID: Final[Any] = {"type": "tool_call", "id": "c1", "name": "look", "args": {"day": "today"}}
BLOCKS: Final = {
    "Anthropic's block": block({"type": "tool_use", "id": "c1", "name": "look", "input": {"day": "today"}}),
    "a block of Anthropic's that is no JSON": block({"type": "tool_use", "id": "c1", "name": "look", "input": "{day"}),
    "OpenAI's item": block({"type": "function_call", "id": "fc", "call_id": "c1", "name": "look", "arguments": "{}"}),
    "OpenAI's custom item": block(
        {"type": "custom_tool_call", "id": "ct", "call_id": "c1", "name": "look", "input": "today"}
    ),
    "Bedrock's block": block({"toolUse": {"toolUseId": "c1", "name": "look", "input": {"day": "today"}}}),
    "Gemini's part": block({"functionCall": {"id": "c1", "name": "look", "args": {"day": "today"}}}),
}
ANSWERS: Final[dict[str, AIMessage]] = {
    "listed": AIMessage("", tool_calls=[VALID]),
    "malformed": malformed(),
    "malformed, without arguments": malformed(args=None),
    "malformed, without a name": malformed(name=None),
    "malformed, beside a text": malformed().model_copy(update={"content": "Let me look."}),
    "malformed, in a chunk": AIMessageChunk(
        content="", tool_call_chunks=[{"name": "look", "args": "{day", "id": "c1", "index": 0}]
    ),
    "malformed, beside another": AIMessage(
        "", tool_calls=[VALID | {"id": "c2"}], invalid_tool_calls=malformed().invalid_tool_calls
    ),
    "a number for an id": listed(7),
    "a fraction for an id": listed(7.5),
    "a UUID for an id": listed(UUID(int=7)),
    "bytes for an id": listed(b"c1"),
    **BLOCKS,
}
NO_BLOCKS: Final = ("cohere", "ollama")
"""Providers whose clients take no block but texts and pictures."""


def results(answer: AIMessage) -> list[BaseMessage]:
    """Make a result for each call: with its id, as it is told."""
    ids: list[Any] = [call["id"] for call in (*answer.tool_calls, *answer.invalid_tool_calls)] or ["c1"]
    given = [ToolMessage(f"sunny {at}", tool_call_id="c1") for at in range(len(ids))]
    for result, call_id in zip(given, ids, strict=True):
        result.tool_call_id = call_id
    return [*given]


@pytest.mark.parametrize("client", clients("langchain"))
@pytest.mark.parametrize("name", ANSWERS)
def test_every_client_sends_the_call_with_its_result(client: Client, name: str) -> None:
    """Of what some clients leave out they would send the results alone, which providers refuse."""
    if name in BLOCKS and client.provider in NO_BLOCKS:
        pytest.skip("the client takes no such block")
    answer = ANSWERS[name]
    talk = [HumanMessage("Is it sunny?"), answer, *results(answer), AIMessage("It is."), HumanMessage("And tomorrow?")]
    view = ContextRunnable(500, counter=WORDS).invoke(talk)
    payload = client.payload(view, TOOLS["langchain"])
    assert refusals(payload, client.provider, model=client.model, subjects=["pairing"]) == []
    assert all(f"sunny {at}" in json.dumps(payload) for at in range(len(results(answer))))
    assert ContextRunnable(500, counter=WORDS).invoke(view) == view


@pytest.mark.parametrize("name", ANSWERS)
def test_what_is_listed_anew_costs_no_more_than_was_counted(name: str) -> None:
    """A budget holds for what goes out."""
    answer = ANSWERS[name]
    step = ContextRunnable(500, counter=LETTERS)
    context = step.preview([HumanMessage("Is it sunny?"), answer, *results(answer)])
    assert step.preview(context.messages).tokens <= context.tokens


ENTRY: Final = {"id": "c2", "type": "function", "function": {"name": "look", "arguments": "{}"}}
BLOCK: Final = ToolCallBlock(tool_call_id="c1", tool_name="look", tool_kwargs={})


def odd(call_id: object) -> ToolCallBlock:
    """Make a block with an id that LlamaIndex would not have taken."""
    made = ToolCallBlock(tool_call_id="c1", tool_name="look", tool_kwargs={})
    made.tool_call_id = call_id  # type: ignore[assignment]  # the point
    return made


TOLD: Final[dict[str, tuple[ChatMessage, list[object]]]] = {
    "an entry beside a block": (
        ChatMessage(role="assistant", blocks=[BLOCK], additional_kwargs={"tool_calls": [ENTRY]}), ["c1", "c2"]),
    "an object of LlamaIndex": (
        ChatMessage(
            role="assistant",
            additional_kwargs={"tool_calls": [ToolSelection(tool_id="c1", tool_name="look", tool_kwargs={})]},
        ),
        ["c1"],
    ),
    "a number for an id": (ChatMessage(role="assistant", blocks=[odd(7)]), [7]),
    "a fraction for an id": (ChatMessage(role="assistant", blocks=[TextBlock(text="Hm."), odd(7.5)]), ["7.5"]),
    "a UUID for an id": (ChatMessage(role="assistant", blocks=[odd(UUID(int=7))]), [UUID(int=7)]),
    "bytes for an id": (ChatMessage(role="assistant", blocks=[odd(b"c1")]), [b"c1"]),
}  # fmt: skip


@pytest.mark.parametrize("client", clients("llamaindex"))
@pytest.mark.parametrize("name", TOLD)
def test_every_llm_sends_the_call_with_its_result(client: Client, name: str) -> None:
    """What stands beside blocks no LLM sends, nor what only LlamaIndex knows."""
    answer, ids = TOLD[name]
    results = [
        ChatMessage(f"sunny {at}", role="tool", additional_kwargs={"tool_call_id": one, "name": "look"})
        for at, one in enumerate(ids)
    ]
    talk = [ChatMessage("Is it sunny?"), answer, *results, ChatMessage("It is.", role="assistant"), ChatMessage("And?")]
    view = ContextMemoryBuffer.from_defaults(talk, token_limit=500, counter=WORDS).get()
    payload = client.payload(view, TOOLS["llamaindex"])
    assert refusals(payload, client.provider, model=client.model, subjects=["pairing"]) == []
    assert all(f"sunny {at}" in json.dumps(payload) for at in range(len(ids)))
