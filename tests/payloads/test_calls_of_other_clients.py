"""Calls that one LlamaIndex client has written go out with every other, once, and as they came where they are taken."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.llms.llm import ToolSelection

from ctx_core.providers.resolve import Target
from ctx_core.providers.table import PROVIDERS
from llamaindex_ctx import ContextMemoryBuffer
from tests.payloads.clients import clients
from tests.payloads.conversations import TOOLS
from tests.payloads.judge import refusals
from tests.payloads.test_through_faces import WORDS

if TYPE_CHECKING:
    from tests.payloads.client import Client

sdk = pytest.importorskip("openai.types.chat.chat_completion_message_function_tool_call")

ARGUMENTS: Final = {"day": "today"}
TEXT: Final = json.dumps(ARGUMENTS)
ENTRIES: Final[dict[str, Any]] = {
    "openai": {"id": "c1", "type": "function", "function": {"name": "look", "arguments": TEXT}},
    "an object of openai": sdk.ChatCompletionMessageFunctionToolCall(
        id="c1", type="function", function=sdk.Function(name="look", arguments=TEXT)
    ),
    "responses": {"type": "function_call", "call_id": "c1", "name": "look", "arguments": TEXT},
    "anthropic": {"id": "c1", "type": "tool_use", "name": "look", "input": ARGUMENTS},
    "gemini": {"id": "c1", "name": "look", "args": ARGUMENTS},
    "bedrock": {"toolUseId": "c1", "name": "look", "input": ARGUMENTS},
    "ollama": {"id": "c1", "function": {"name": "look", "arguments": ARGUMENTS}},
    "an object of LlamaIndex": ToolSelection(tool_id="c1", tool_name="look", tool_kwargs=ARGUMENTS),
}
BLOCK: Final = ToolCallBlock(tool_call_id="c1", tool_name="look", tool_kwargs=ARGUMENTS)
BROKEN: Final = '{"day: today'


def answer(*blocks: Any, entry: Any = None) -> ChatMessage:
    """Make an answer with a call."""
    extras = {} if entry is None else {"tool_calls": [entry]}
    return ChatMessage(role="assistant", blocks=[TextBlock(text="Well."), *blocks], additional_kwargs=extras)


CALLS: Final[dict[str, ChatMessage]] = {
    **{f"{name}, alone": answer(entry=entry) for name, entry in ENTRIES.items()},
    **{f"{name}, beside a block": answer(BLOCK, entry=entry) for name, entry in ENTRIES.items()},
    "a block": answer(BLOCK),
    "a block with a text": answer(ToolCallBlock(tool_call_id="c1", tool_name="look", tool_kwargs=TEXT)),
    "a malformed block": answer(ToolCallBlock(tool_call_id="c1", tool_name="look", tool_kwargs=BROKEN)),
    "malformed, of openai": answer(
        entry={"id": "c1", "type": "function", "function": {"name": "look", "arguments": BROKEN}}
    ),
}


def view_of(client: Client, call: ChatMessage) -> list[ChatMessage]:
    """Give what a memory gives whose requests the client sends."""
    result = ChatMessage("sunny", role="tool", additional_kwargs={"tool_call_id": "c1", "name": "look"})
    talk = [ChatMessage("Is it?"), call, result, ChatMessage("It is.", role="assistant"), ChatMessage("And?")]
    row = PROVIDERS.get(client.provider, PROVIDERS["chat_template"])
    target = Target(provider=row, model=client.model, client=client.package)
    return ContextMemoryBuffer.from_defaults(talk, provider=target, token_limit=500, counter=WORDS).get()


@pytest.mark.parametrize("client", clients("llamaindex"))
@pytest.mark.parametrize("name", CALLS)
def test_every_client_sends_the_call_once(client: Client, name: str) -> None:
    """With its arguments, in the client's own shape, and with its result."""
    before = copy.deepcopy(CALLS[name])
    payload = client.payload(view_of(client, CALLS[name]), TOOLS["llamaindex"])
    assert CALLS[name] == before
    assert refusals(payload, client.provider, model=client.model, subjects=["pairing"]) == []
    sent = json.dumps(payload)
    assert sent.count("today") == 1
    assert "sunny" in sent
    wants_objects = client.provider not in ("openai", "responses")
    assert ("malformed_arguments" in sent) == ("malformed" in name and wants_objects)


@pytest.mark.parametrize("client", clients("llamaindex"))
def test_what_a_client_has_written_itself_stays_the_callers_own(client: Client) -> None:
    """Also where OpenAI's has spelled the call twice, as it does."""
    own = [CALLS["a block"]]
    own += [CALLS[f"{client.provider}, alone"]] if client.provider != "gemini" else []  # whose entries lose their ids
    own += [CALLS["an object of openai, beside a block"]] if client.provider == "openai" else []
    for call in own:
        assert view_of(client, call)[1] == call
