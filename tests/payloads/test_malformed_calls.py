"""Arguments that are no JSON object: an object that says so where one is asked for, and as they came at OpenAI."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from ctx_core.providers.resolve import Target
from ctx_core.providers.table import PROVIDERS
from langchain_ctx import ContextRunnable
from tests.payloads.clients import clients
from tests.payloads.conversations import TOOLS
from tests.payloads.judge import refusals
from tests.payloads.test_through_faces import WORDS

if TYPE_CHECKING:
    from tests.payloads.client import Client

ARGUMENTS: Final = '{"day: today'


def listed(arguments: str | None) -> AIMessage:
    """Make an answer with a call that LangChain could not parse."""
    call: Any = {"type": "invalid_tool_call", "id": "c1", "name": "look", "args": arguments, "error": None}
    return AIMessage("", invalid_tool_calls=[call])


CALLS: Final = {
    "listed": listed(ARGUMENTS),
    "a list": listed('["today"]'),
    "as OpenAI sent it": AIMessage(
        "",
        additional_kwargs={
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": ARGUMENTS}}]
        },
    ),
}


@pytest.mark.parametrize("client", clients("langchain"))
@pytest.mark.parametrize("name", CALLS)
def test_malformed_arguments_are_told_and_not_lost(client: Client, name: str) -> None:
    """The model sees what it has written: OpenAI's as it was, whose message stays the caller's own."""
    row = PROVIDERS.get(client.provider, PROVIDERS["chat_template"])
    target = Target(provider=row, model=client.model, client=client.package)
    answer = CALLS[name]
    talk = [
        HumanMessage("Is it?"),
        answer,
        ToolMessage("sunny", tool_call_id="c1"),
        AIMessage("So."),
        HumanMessage("?"),
    ]
    view = ContextRunnable(500, counter=WORDS, provider=target).invoke(talk)
    payload = client.payload(view, TOOLS["langchain"])
    assert refusals(payload, client.provider, model=client.model, subjects=["pairing"]) == []
    sent = json.dumps(payload)
    assert sent.count("today") == 1
    assert ("malformed_arguments" in sent) == (client.provider != "openai")
    assert (view[1] is answer) == (client.provider == "openai")


@pytest.mark.parametrize("arguments", [None, ""])
def test_a_call_without_arguments_has_an_empty_object(arguments: str | None) -> None:
    """Of which there is nothing to tell."""
    talk = [HumanMessage("Is it?"), listed(arguments), ToolMessage("sunny", tool_call_id="c1")]
    view = ContextRunnable(500, counter=WORDS, provider="openai").invoke(talk)
    assert view[1].tool_calls == [{"type": "tool_call", "id": "c1", "name": "look", "args": {}}]
