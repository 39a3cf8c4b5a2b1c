"""Conversations as stores really hold them, in both frameworks' messages, through the faces and the real clients."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock

from ctx_core import ContextOverflowError
from langchain_ctx import ContextRunnable
from llamaindex_ctx import ContextMemoryBuffer
from tests.formats.test_generated import conversations
from tests.formats.told import Call, Result, Said, Told
from tests.payloads.clients import clients
from tests.payloads.conversations import TOOLS
from tests.payloads.judge import asks, refusals
from tests.payloads.test_through_faces import WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.payloads.client import Client

_TOLERANT: Final = frozenset({"openai", "deepseek", "ollama"})
"""Providers that take an id twice; the ids of the others' calls are told apart here, or missing."""


def _id(call: Call) -> str | None:
    return None if call.id is None else str(call.id)


def told_apart(told: Sequence[Told]) -> list[Told]:
    """Give the conversation with an id of its own for each call that has one."""
    own: dict[int, Call] = {}
    apart: list[Told] = []
    for at, one in enumerate(told):
        if isinstance(one, Result):
            apart.append(replace(one, call=own.get(id(one.call), one.call)))
            continue
        calls = [replace(call, id=f"call{at}{number}" if call.id else call.id) for number, call in enumerate(one.calls)]
        own |= {id(call): new for call, new in zip(one.calls, calls, strict=True)}
        apart.append(replace(one, calls=tuple(calls)))
    return apart


_SEARCHED: Final[dict[str, list[dict[str, Any]]]] = {
    "anthropic": [
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "tide"}},
        {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []},
        {"type": "server_tool_use", "id": "srv_2", "name": "code_execution", "input": {"code": "1"}},
        {
            "type": "code_execution_tool_result",
            "tool_use_id": "srv_2",
            "content": {"type": "code_execution_result", "stdout": "1", "stderr": "", "return_code": 0, "content": []},
        },
        {"type": "mcp_tool_use", "id": "srv_3", "name": "look", "server_name": "s", "input": {}},
        {"type": "mcp_tool_result", "tool_use_id": "srv_3", "is_error": False, "content": []},
    ],
    "responses": [
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "tide"}},
        {"type": "code_interpreter_call", "id": "ci_1", "status": "completed", "code": "1", "container_id": "c"},
        {"type": "mcp_call", "id": "mcp_1", "name": "look", "server_label": "s", "arguments": "{}", "output": "1"},
    ],
}
"""What a provider's own tools leave in an answer, by the provider whose client sends it."""
_NO_BLOCKS: Final = ("cohere", "ollama")
"""Providers whose clients take texts and pictures alone."""
Spelling = Literal["listed", "malformed", "blocks"]
"""Where LangChain's calls stand; of the malformed ones those of one tool."""


def langchain(told: Sequence[Told], provider: str, spelling: Spelling = "listed") -> list[BaseMessage]:
    """Write LangChain's messages; a result without an id has an empty one there."""
    natives: list[BaseMessage] = []
    for one in told:
        if isinstance(one, Result):
            natives.append(ToolMessage(one.text, tool_call_id=_id(one.call) or "", name=one.call.name))
        elif one.role == "user":
            natives.append(HumanMessage(one.text))
        else:
            natives.append(_answer(one, provider, spelling))
    return natives


def _answer(one: Said, provider: str, spelling: Spelling) -> AIMessage:
    blocks = list(_SEARCHED.get(provider, ())) if one.searches else []
    if spelling == "blocks" and provider not in _NO_BLOCKS:
        named = [{"id": call.id} if call.id is not None else {} for call in one.calls]
        used: list[Any] = [
            {"type": "tool_use", "name": call.name, "input": {}, **told}
            for call, told in zip(one.calls, named, strict=True)
        ]
        return AIMessage([*blocks, {"type": "text", "text": one.text}, *used])
    malformed = [call for call in one.calls if spelling == "malformed" and call.name == "find"]
    calls: list[Any] = [{"name": call.name, "args": {}, "id": _id(call)} for call in one.calls if call not in malformed]
    invalid: list[Any] = [
        {"name": call.name, "args": "{day", "id": _id(call), "error": None, "type": "invalid_tool_call"}
        for call in malformed
    ]
    content: Any = [*blocks, {"type": "text", "text": one.text}] if blocks else one.text
    return AIMessage(content, tool_calls=calls, invalid_tool_calls=invalid)


def llamaindex(told: Sequence[Told]) -> list[ChatMessage]:
    """Write LlamaIndex' messages; the result of a call without an id has the tool's name there, as with Ollama."""
    natives: list[ChatMessage] = []
    for one in told:
        if isinstance(one, Result):
            extra = {"tool_call_id": one.call.name if one.call.id is None else one.call.id}
            natives.append(ChatMessage(one.text, role="tool", additional_kwargs=extra))
            continue
        blocks: list[Any] = [TextBlock(text=one.text)] * bool(one.text)
        blocks += [ToolCallBlock(tool_call_id=_id(call), tool_name=call.name, tool_kwargs={}) for call in one.calls]
        natives.append(ChatMessage(role=one.role, blocks=blocks))
    return natives


@pytest.mark.parametrize("client", clients())
@settings(max_examples=settings().max_examples // 4, suppress_health_check=[HealthCheck.too_slow])
@given(told=conversations(), budget=st.integers(5, 400), spelling=st.sampled_from(["listed", "malformed", "blocks"]))
def test_what_the_real_client_sends_is_paired(
    client: Client, told: list[Told], budget: int, spelling: Spelling
) -> None:
    """Ids missing, empty, numbers, repeated; results late, double, missing, in another order, at any budget.

    In LangChain's messages also calls that are malformed or only in blocks, and what the provider's own tools left.
    """
    source = told if client.provider in _TOLERANT else told_apart(told)
    source = [replace(one, text=one.text or "Well.") if isinstance(one, Said) else one for one in source]
    try:
        view: list[Any]
        if client.framework == "langchain":
            view = ContextRunnable(budget, counter=WORDS).invoke(langchain(source, client.provider, spelling))
        else:
            view = ContextMemoryBuffer.from_defaults(llamaindex(source), token_limit=budget, counter=WORDS).get()
    except ContextOverflowError:
        return
    payload = client.payload(view, TOOLS[client.framework])
    assert refusals(payload, client.provider, model=client.model, subjects=["pairing"]) == []
    assert asks(payload, client.provider, "And tomorrow?")
