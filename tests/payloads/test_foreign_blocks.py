"""Blocks that a client of LangChain's knows nothing of, in questions and in answers: what is sent is taken."""

from __future__ import annotations

import logging
from typing import Any, Final

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from ctx_core import ContextBudget, ContextBuilder
from ctx_core.providers import PROVIDERS, Target
from langchain_ctx.convert import CODEC
from tests.payloads.clients import CLIENTS
from tests.payloads.conversations import TOOLS
from tests.payloads.judge import refusals

ROWS: Final = ("openai", "anthropic", "gemini", "bedrock", "mistral", "deepseek", "cohere")
TEXT: Final[dict[str, Any]] = {"type": "text", "text": "Well."}
BLOCKS: Final[dict[str, dict[str, Any]]] = {
    "an unknown type": {"type": "zzz", "data": "x"},
    "an unknown type with a text": {"type": "zzz", "text": "x"},
    "no type": {"foo": "bar"},
    "no type, with a text": {"text": "hello"},
    "Anthropic's search": {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {"query": "x"}},
    "what Anthropic's search gave": {"type": "web_search_tool_result", "tool_use_id": "srv1", "content": []},
    "a call of a provider's tool": {"type": "server_tool_call", "id": "srv1", "name": "web_search", "args": {}},
    "its result": {"type": "server_tool_result", "tool_call_id": "srv1", "output": "x", "status": "success"},
    "what fits no type": {"type": "non_standard", "value": {"a": 1}},
    "OpenAI's search": {"type": "web_search_call", "id": "ws_1", "status": "completed"},
    "a block of Bedrock's": {"serverToolUse": {"name": "x"}},
}


def sent(messages: list[BaseMessage], row: str) -> dict[str, Any]:
    """Give the request that the row's client makes of what a build for it gives."""
    client = next(one for one in CLIENTS if one.name == f"langchain-{row}")
    target = Target(provider=PROVIDERS[row], model=client.model, client=client.package)
    built = ContextBuilder(ContextBudget(100_000), len).provider(target).build(messages, codec=CODEC).messages
    payload = client.payload(built, TOOLS["langchain"])
    assert refusals(payload, row, model=client.model) == []
    return payload


@pytest.mark.filterwarnings("ignore:Server tool:UserWarning")
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("alone", [False, True], ids=["beside a text", "alone"])
@pytest.mark.parametrize("answer", [False, True], ids=["a question", "an answer"])
@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_a_block_of_another_provider_is_no_fault(
    block: dict[str, Any], row: str, caplog: pytest.LogCaptureFixture, *, answer: bool, alone: bool
) -> None:
    """Its text is sent where it has one, and a word where nothing is left; the text beside it always."""
    caplog.set_level(logging.CRITICAL)  # clients tell of what they leave out
    content: list[Any] = [block] if alone else [TEXT, block]
    messages: list[BaseMessage] = [HumanMessage(content)]
    if answer:
        messages = [HumanMessage("Hi."), AIMessage(content), HumanMessage("And?")]
    payload = sent(messages, row)
    assert alone or "Well." in str(payload)


def test_a_tool_of_bedrocks_own_stays_with_its_result() -> None:
    """Its client sends both as those of any tool; a call without its result would be refused."""
    call = {"type": "server_tool_use", "id": "srv1", "name": "nova_grounding", "input": {}}
    given = {"type": "server_tool_result", "toolUseId": "srv1", "content": [TEXT]}
    target = Target(provider=PROVIDERS["bedrock"], client="langchain-aws")
    build = ContextBuilder(ContextBudget(100_000), len).provider(target).build
    talk: list[BaseMessage] = [HumanMessage("Hi."), AIMessage([call, given, TEXT]), HumanMessage("And?")]
    assert build(talk, codec=CODEC).messages[1] is talk[1]
    assert build([talk[0], AIMessage([call, TEXT]), talk[2]], codec=CODEC).messages[1].content == [TEXT]
