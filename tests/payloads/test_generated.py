"""Conversations as stores really hold them, in both frameworks' messages, through the faces and the real clients."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

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


def langchain(told: Sequence[Told]) -> list[BaseMessage]:
    """Write LangChain's messages; a result without an id has an empty one there."""
    natives: list[BaseMessage] = []
    for one in told:
        if isinstance(one, Result):
            natives.append(ToolMessage(one.text, tool_call_id=_id(one.call) or "", name=one.call.name))
        elif one.role == "user":
            natives.append(HumanMessage(one.text))
        else:
            calls: list[Any] = [{"name": call.name, "args": {}, "id": _id(call)} for call in one.calls]
            natives.append(AIMessage(one.text, tool_calls=calls))
    return natives


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
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(told=conversations(), budget=st.integers(5, 400))
def test_what_the_real_client_sends_is_paired(client: Client, told: list[Told], budget: int) -> None:
    """Ids missing, empty, numbers, repeated; results late, double, missing, in another order, at any budget."""
    source = told if client.provider in _TOLERANT else told_apart(told)
    source = [replace(one, text=one.text or "Well.") if isinstance(one, Said) else one for one in source]
    try:
        view: list[Any]
        if client.framework == "langchain":
            view = ContextRunnable(budget, counter=WORDS).invoke(langchain(source))
        else:
            view = ContextMemoryBuffer.from_defaults(llamaindex(source), token_limit=budget, counter=WORDS).get()
    except ContextOverflowError:
        return
    payload = client.payload(view, TOOLS[client.framework])
    assert refusals(payload, client.provider, model=client.model, subjects=["pairing"]) == []
    assert asks(payload, client.provider, "And tomorrow?")
