"""Thoughts of another model before Claude: only signed ones go out, whoever sends them."""

from __future__ import annotations

from typing import Any, Final

import pytest
from langchain_anthropic import ChatAnthropic
from langchain_aws import ChatBedrockConverse
from langchain_core.messages import AIMessage, HumanMessage
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ThinkingBlock
from llama_index.llms.anthropic import Anthropic
from pydantic import SecretStr

from ctx_core import ContextBudget, ContextBuilder, fit, validate
from ctx_core.providers import Kind, target_of
from langchain_ctx.convert import CODEC as LANGCHAIN
from llamaindex_ctx.convert import CODEC as LLAMAINDEX
from tests.payloads.judge import refusals

CLAUDE: Final = "claude-sonnet-4-5"
ON_BEDROCK: Final = "anthropic.claude-sonnet-4-5-20250929-v1:0"
QUESTION: Final = {"role": "user", "content": "And now?"}
SAID: Final = {"type": "text", "text": "It rains."}
UNSIGNED: Final[dict[str, dict[str, Any]]] = {
    "no signature": {"type": "thinking", "thinking": "Hm."},
    "an empty one": {"type": "thinking", "thinking": "Hm.", "signature": ""},
    "null": {"type": "thinking", "thinking": "Hm.", "signature": None},
    "nothing sealed": {"type": "redacted_thinking", "data": ""},
}
SIGNED: Final[dict[str, dict[str, Any]]] = {
    "a signature": {"type": "thinking", "thinking": "Hm.", "signature": "sig"},
    "a signature of nothing": {"type": "thinking", "thinking": "", "signature": "sig"},
    "sealed": {"type": "redacted_thinking", "data": "copy"},
}


@pytest.mark.parametrize("block", UNSIGNED.values(), ids=UNSIGNED)
def test_an_unsigned_thought_goes(block: dict[str, Any]) -> None:
    """Alone, beside a text and beside calls; `validate` says the same."""
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "42"}]}
    for said, behind in (([block], QUESTION), ([block, SAID], QUESTION), ([block, call], result)):
        messages: list[dict[str, Any]] = [QUESTION, {"role": "assistant", "content": said}, behind]
        found = validate(messages, CLAUDE, format="anthropic")
        assert Kind.THINKING_SIGNED in [refusal.kind for refusal in found.refusals]
        assert found.fixed.validation.accepted
        context = fit(messages, 10_000, counter=CLAUDE, format="anthropic")
        assert context.messages == found.fixed.request
        assert context.report.changes["thoughts signed"] == 1
        assert refusals({"model": CLAUDE, "messages": list(context.messages)}, "anthropic", model=CLAUDE) == []


@pytest.mark.parametrize("block", SIGNED.values(), ids=SIGNED)
def test_a_signed_thought_stays(block: dict[str, Any]) -> None:
    """As the very same message."""
    messages = [QUESTION, {"role": "assistant", "content": [block, SAID]}, QUESTION]
    context = fit(messages, 10_000, counter=CLAUDE, format="anthropic")
    assert context.messages[1] is messages[1]


def test_other_models_on_bedrock_keep_theirs() -> None:
    """They sign nothing, and take what is not signed."""
    block = {"reasoningContent": {"reasoningText": {"text": "Hm."}}}
    user = {"role": "user", "content": [{"text": "And now?"}]}
    messages: list[dict[str, Any]] = [user, {"role": "assistant", "content": [block, {"text": "It rains."}]}, user]
    kept = fit(messages, 10_000, counter="amazon.nova-2-lite-v1:0", format="bedrock")
    assert kept.messages[1] is messages[1]
    sent = fit(messages, 10_000, counter=ON_BEDROCK, format="bedrock").messages
    assert sent[1]["content"] == [{"text": "It rains."}]
    assert refusals({"messages": list(sent)}, "bedrock", model=ON_BEDROCK) == []


@pytest.mark.parametrize("block", [*UNSIGNED.values(), {"type": "reasoning", "reasoning": "Hm."}])
def test_through_langchain(block: dict[str, Any]) -> None:
    """What the client would send, for Anthropic and for Bedrock."""
    history = [HumanMessage("How is it?"), AIMessage([block, SAID]), HumanMessage("And now?")]
    for model in (
        ChatAnthropic(model_name=CLAUDE, api_key=SecretStr("-"), timeout=None, stop=None),
        ChatBedrockConverse(model=ON_BEDROCK, region_name="us-east-1"),
    ):
        builder = ContextBuilder(ContextBudget(10_000), CLAUDE).provider(target_of(model))
        assert [one.content for one in builder.build(history, codec=LANGCHAIN).messages][1] == [SAID]


@pytest.mark.parametrize("told", [{}, {"signature": ""}, {"id": "rs_1", "encrypted_content": "copy"}])
def test_through_llamaindex(told: dict[str, Any]) -> None:
    """Its client would send an empty signature, for thoughts of DeepSeek's, Google's and OpenAI's."""
    thought = ThinkingBlock(content="Hm.", additional_information=told)
    history = [
        ChatMessage("How is it?", role="user"),
        ChatMessage(role="assistant", blocks=[thought, TextBlock(text="It rains.")]),
        ChatMessage("And now?", role="user"),
    ]
    target = target_of(Anthropic(model=CLAUDE, api_key="-"))
    builder = ContextBuilder(ContextBudget(10_000), CLAUDE).provider(target)
    assert builder.build(history, codec=LLAMAINDEX).messages[1].blocks == [TextBlock(text="It rains.")]
    thought.additional_information = {"signature": "sig"}
    assert builder.build(history, codec=LLAMAINDEX).messages[1] is history[1]


def test_where_nothing_tells_the_provider_thoughts_stay() -> None:
    """Roles and contents of your own messages stay; for all providers they go."""
    messages: list[dict[str, Any]] = [QUESTION, {"role": "assistant", "content": [UNSIGNED["null"], SAID]}, QUESTION]
    assert fit(messages, 10_000, counter=len).messages == messages
    told = fit(messages, 10_000, counter=len, provider="unknown")
    assert told.messages[1]["content"] == [SAID]
