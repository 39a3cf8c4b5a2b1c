"""Thoughts between calls stay where they are, whatever else of their message is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ThinkingBlock, ToolCallBlock

from ctx_core import ContextBudget, ContextBuilder, validate
from ctx_core.providers import PROVIDERS
from langchain_ctx.convert import CODEC as LANGCHAIN
from llamaindex_ctx.convert import CODEC as LLAMAINDEX
from tests.payloads.clients import clients
from tests.payloads.conversations import TOOLS
from tests.payloads.judge import refusals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.payloads.client import Client

Call = tuple[str, str, Any]
"""Id, name and arguments."""

FIRST: Final = ("t1", "look", {"place": "Oslo"})
SECOND: Final = ("t2", "look", {"place": "Rome"})
CALLS: Final[dict[str, tuple[Call, Call]]] = {
    "as they should be": (FIRST, SECOND),
    "of one id": (FIRST, ("t1", "look", {"place": "Rome"})),
    "of an odd id": (("t:1 ä", "look", {"place": "Oslo"}), SECOND),
    "of a name that is none": (("t1", "look at", {"place": "Oslo"}), SECOND),
    "with malformed arguments": (("t1", "look", '{"place": Os'), SECOND),
    "with a list of arguments": (("t1", "look", '["Oslo"]'), SECOND),
}


def of_anthropic(calls: Sequence[Call]) -> list[Any]:
    """Write Anthropic's dicts."""
    asked = [{"type": "tool_use", "id": told, "name": name, "input": given} for told, name, given in calls]
    blocks = [
        {"type": "thinking", "thinking": "T1", "signature": "S1"},
        asked[0],
        {"type": "thinking", "thinking": "T2", "signature": "S2"},
        {"type": "text", "text": "Now."},
        asked[1],
    ]
    results = [{"type": "tool_result", "tool_use_id": told, "content": "sunny"} for told, _, _ in calls]
    return [
        {"role": "user", "content": "Where is it warm?"},
        {"role": "assistant", "content": blocks},
        {"role": "user", "content": results},
    ]


def of_bedrock(calls: Sequence[Call]) -> list[Any]:
    """Write Bedrock's dicts."""
    asked = [{"toolUse": {"toolUseId": told, "name": name, "input": given}} for told, name, given in calls]
    blocks = [
        {"reasoningContent": {"reasoningText": {"text": "T1", "signature": "S1"}}},
        asked[0],
        {"reasoningContent": {"reasoningText": {"text": "T2", "signature": "S2"}}},
        {"text": "Now."},
        asked[1],
    ]
    results = [{"toolResult": {"toolUseId": told, "content": [{"text": "sunny"}]}} for told, _, _ in calls]
    return [
        {"role": "user", "content": [{"text": "Where is it warm?"}]},
        {"role": "assistant", "content": blocks},
        {"role": "user", "content": results},
    ]


def of_langchain(calls: Sequence[Call]) -> list[Any]:
    """Write LangChain's messages, with Anthropic's blocks and the list of calls that its client makes of them."""
    listed: list[Any] = [
        {"type": "tool_call", "id": told, "name": name, "args": given}
        for told, name, given in calls
        if isinstance(given, dict)
    ]
    malformed: list[Any] = [
        {"type": "invalid_tool_call", "id": told, "name": name, "args": given, "error": None}
        for told, name, given in calls
        if not isinstance(given, dict)
    ]
    content = of_anthropic(calls)[1]["content"]
    return [
        HumanMessage("Where is it warm?"),
        AIMessage(content, tool_calls=listed, invalid_tool_calls=malformed),
        *(ToolMessage("sunny", tool_call_id=told) for told, _, _ in calls),
    ]


def of_llamaindex(calls: Sequence[Call]) -> list[Any]:
    """Write LlamaIndex' messages."""
    asked = [ToolCallBlock(tool_call_id=told, tool_name=name, tool_kwargs=given) for told, name, given in calls]
    blocks: list[Any] = [
        ThinkingBlock(content="T1", additional_information={"signature": "S1"}),
        asked[0],
        ThinkingBlock(content="T2", additional_information={"signature": "S2"}),
        TextBlock(text="Now."),
        asked[1],
    ]
    results = [
        ChatMessage(role="tool", content="sunny", additional_kwargs={"tool_call_id": told}) for told, _, _ in calls
    ]
    return [
        ChatMessage(role="user", content="Where is it warm?"),
        ChatMessage(role="assistant", blocks=blocks),
        *results,
    ]


def shape(message: Any) -> str:
    """Give the order of an answer's blocks: thoughts, calls, texts."""
    if isinstance(message, ChatMessage):
        return "".join({"thinking": "t", "tool_call": "c", "text": "w"}[block.block_type] for block in message.blocks)
    content: Any = message.content if isinstance(message, AIMessage) else message["content"]
    kinds = {"thinking": "t", "reasoningContent": "t", "tool_use": "c", "toolUse": "c", "text": "w"}
    return "".join(kinds[block.get("type") or next(iter(block))] for block in content)


def thoughts(message: Any) -> list[Any]:
    """Give the blocks of a message that are thoughts."""
    if isinstance(message, ChatMessage):
        return [block for block in message.blocks if isinstance(block, ThinkingBlock)]
    content = message["content"] if isinstance(message, dict) else message.content
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if block.get("type") == "thinking" or "reasoningContent" in block]


DOORS: Final[dict[str, tuple[Callable[[Sequence[Call]], list[Any]], Any]]] = {
    "anthropic": (of_anthropic, "anthropic"),
    "bedrock": (of_bedrock, "bedrock"),
    "langchain": (of_langchain, LANGCHAIN),
    "llamaindex": (of_llamaindex, LLAMAINDEX),
}


@pytest.mark.parametrize(
    ("door", "row"),
    # Anthropic's own thoughts are no item of Responses, and go there.
    [(door, row) for door in DOORS for row in PROVIDERS if (door, row) != ("anthropic", "responses")],
)
@pytest.mark.parametrize("calls", CALLS.values(), ids=CALLS)
def test_blocks_of_an_answer_with_thoughts_keep_their_order(door: str, calls: tuple[Call, Call], row: str) -> None:
    """Ids, names and arguments are made anew in their place; each thought is the very block that came in."""
    make, codec = DOORS[door]
    messages = make(calls)
    context = ContextBuilder(ContextBudget(10_000), len).provider(row).build(messages, codec=codec)
    sent = [message for message in context.messages if thoughts(message)]
    told = [thought for message in sent for thought in thoughts(message)]
    assert "".join(map(shape, sent)) == "tctwc"
    assert all(one is other for one, other in zip(told, thoughts(messages[1]), strict=True))


@pytest.mark.parametrize("calls", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("client", [one for one in clients() if "anthropic" in str(one.id)])
def test_the_client_sends_them_in_their_order(client: Client, calls: tuple[Call, Call]) -> None:
    """Through the client that makes the request."""
    make, codec = DOORS[client.framework]
    context = ContextBuilder(ContextBudget(10_000), len).provider("anthropic").build(make(calls), codec=codec)
    payload = client.payload(context.messages, TOOLS[client.framework])
    blocks = [block["type"] for block in payload["messages"][1]["content"]]
    assert blocks == ["thinking", "tool_use", "thinking", "text", "tool_use"]
    assert refusals(payload, "anthropic", model=client.model) == []


def test_texts_behind_a_call_go_before_it_up_to_the_next_thought() -> None:
    """Nothing gets to the other side of a thought."""
    messages = of_anthropic((FIRST, SECOND))
    messages[1]["content"] += [{"type": "text", "text": "Then."}]
    found = validate(messages, "claude-sonnet-4-5")
    assert [refusal.path for refusal in found.refusals] == ["messages[1].content[5]"]
    fixed = found.fixed
    assert fixed.validation.accepted, str(fixed.validation)
    assert isinstance(fixed.request, list)
    assert shape(fixed.request[1]) == "tctwwc"


def test_what_was_said_between_thoughts_is_taken() -> None:
    """A message as the model has given it is refused by nobody."""
    messages = of_anthropic((FIRST, SECOND))
    assert validate(messages, "claude-sonnet-4-5").accepted


SIGNED: Final = {"text": "", "thoughtSignature": "U0lHX09L"}


def test_an_empty_text_with_a_signature_stays() -> None:
    """Google sends one at the end of an answer: it is a thought, whole or not there."""
    messages = [
        {"role": "user", "parts": [{"text": "Hi."}]},
        {"role": "model", "parts": [{"text": ""}, {"text": "Hello."}, SIGNED]},
        {"role": "user", "parts": [{"text": "And?"}]},
    ]
    context = ContextBuilder(ContextBudget(10_000), len).provider("gemini").build(messages, codec="gemini")
    assert context.messages[1]["parts"] == [{"text": "Hello."}, SIGNED]
    assert context.messages[1]["parts"][1] is SIGNED
    assert validate(context.messages, "gemini-3-pro").doubts == ()
