"""Providers' blocks inside LangChain's messages, and messages that remove others."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, ToolMessage

from ctx_core import ContextBuilder, Framing, MessageError, Role, TokenCounter
from ctx_core.conversation.transcript import Transcript
from langchain_ctx import LangChainCodec

CODEC = LangChainCodec()
WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())


def use(call_id: str) -> dict[str, Any]:
    """Give a block of a call."""
    return {"type": "tool_use", "id": call_id, "name": "f", "input": {}}


def result(call_id: str, text: str = "sunny") -> dict[str, Any]:
    """Give a block of a result."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": text}


ASKED = AIMessage([{"type": "text", "text": "Let me look."}, use("a"), use("b")])


def sent(messages: list[BaseMessage], budget: int = 1_000) -> list[BaseMessage]:
    """Give what goes out of a conversation."""
    return ContextBuilder(budget, WORDS).provider("openai").build(messages, codec=CODEC).messages


def test_results_in_a_humans_message_are_results() -> None:
    """They answer the calls that only blocks spell, and are never the question."""
    given = HumanMessage([result("a"), result("b")], id="h")
    transcript = Transcript([HumanMessage("hi"), ASKED, given], (), CODEC)
    assert [transcript.role(at) for at in range(4)] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.TOOL]
    assert transcript.question() == "hi"
    assert sent([HumanMessage("hi"), ASKED, given])[-1] is given


def test_a_call_and_its_results_are_left_out_together() -> None:
    """The words beside the results stay, in a copy of the message."""
    given = HumanMessage([result("a", "sunny " * 9), result("b"), {"type": "text", "text": "And tomorrow?"}], id="h")
    (left,) = sent([HumanMessage("hi"), ASKED, given], 4)
    assert left.content == [{"type": "text", "text": "And tomorrow?"}]
    assert left.id == "h"


def test_a_missing_result_gets_a_stub_and_the_words_come_behind_it() -> None:
    """The message is parted where the stub belongs."""
    given = HumanMessage([result("a"), {"type": "text", "text": "And tomorrow?"}])
    messages = sent([HumanMessage("hi"), ASKED, given])
    assert messages[2].content == [result("a")]
    assert isinstance(messages[3], ToolMessage)
    assert messages[3].tool_call_id == "b"
    assert messages[4].content == [{"type": "text", "text": "And tomorrow?"}]


def test_an_artifact_is_neither_sent_nor_counted() -> None:
    """It is the application's own."""
    bare = ToolMessage("sunny", tool_call_id="a")
    full = ToolMessage("sunny", tool_call_id="a", artifact={"rows": ["long"] * 999})
    assert WORDS.count_message(CODEC.read(full)) == WORDS.count_message(CODEC.read(bare))


def test_a_custom_call_keeps_its_payload() -> None:
    """LangChain keeps what a custom tool is called with where the provider had it."""
    custom = {"id": "c", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    parsed = {"type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "select 1"}
    spelled = AIMessage("", additional_kwargs={"tool_calls": [custom]})
    listed = AIMessage([parsed], tool_calls=[{"id": "c", "name": "sql", "args": {}}])
    for native in (spelled, listed):
        assert [(call.name, call.arguments) for call in CODEC.read(native).tool_calls] == [("sql", "select 1")]


def test_a_remove_message_does_what_it_says() -> None:
    """It takes out the message with its id that stands before it, and is not sent."""
    one, two = HumanMessage("one", id="1"), HumanMessage("two", id="2")
    assert sent([one, AIMessage("?", id="x"), RemoveMessage(id="x"), two]) == [one, two]
    assert sent([one, RemoveMessage(id="__remove_all__"), two]) == [two]


def test_what_cannot_be_removed_is_said() -> None:
    """The error says where it stands."""
    with pytest.raises(MessageError, match="message 2: a RemoveMessage of an id that no message before it has"):
        sent([HumanMessage("one", id="1"), RemoveMessage(id="9")])
