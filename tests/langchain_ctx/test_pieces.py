"""Providers' blocks inside LangChain's messages, and messages that remove others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, ToolMessage

from ctx_core import ContextBuilder, Framing, MessageError, Role, TokenCounter
from ctx_core.conversation.transcript import Transcript, read_natives
from langchain_ctx import LangChainCodec

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """Give what goes out of a conversation, for a client that takes whatever blocks."""
    return ContextBuilder(budget, WORDS).provider(provider=False).build(messages, codec=CODEC).messages


def test_results_in_a_humans_message_are_results() -> None:
    """They answer the calls that only blocks spell, and are never the question."""
    given = HumanMessage([result("a"), result("b")], id="h")
    transcript = Transcript([HumanMessage("hi"), ASKED, given], (), CODEC)
    assert [transcript.role(at) for at in range(4)] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.TOOL]
    assert transcript.question() == "hi"
    assert sent([HumanMessage("hi"), ASKED, given])[-1] is given


PAIRS: Final[dict[str, tuple[dict[str, Any], Callable[[str], dict[str, Any]]]]] = {
    "anthropic": (use("a"), lambda text: result("a", text)),
    "bedrock": (
        {"toolUse": {"toolUseId": "a", "name": "f", "input": {}}},
        lambda text: {"toolResult": {"toolUseId": "a", "content": [{"text": text}]}},
    ),
    "gemini": (
        {"functionCall": {"id": "a", "name": "f", "args": {}}},
        lambda text: {"functionResponse": {"id": "a", "name": "f", "response": {"output": text}}},
    ),
    "responses": (
        {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
        lambda text: {"type": "function_call_output", "call_id": "a", "output": text},
    ),
    "approval": (
        {"type": "mcp_approval_request", "id": "a", "name": "f", "arguments": "{}", "server_label": "s"},
        lambda text: {"type": "mcp_approval_response", "approval_request_id": "a", "approve": True, "reason": text},
    ),
    "patch": (
        {"type": "apply_patch_call", "call_id": "a", "operation": {"type": "delete_file", "path": "x"}},
        lambda text: {"type": "apply_patch_call_output", "call_id": "a", "output": text, "status": "completed"},
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_call_and_its_result_in_blocks_of_any_provider_are_a_pair(name: str) -> None:
    """With room they go out as they came, without it together, and a long result is cut in its own block."""
    call, answer = PAIRS[name]
    pair = (AIMessage([call]), HumanMessage([answer("sunny")]))
    messages: list[BaseMessage] = [HumanMessage("hi"), *pair, AIMessage("It is sunny."), HumanMessage("And tomorrow?")]
    assert all(one is other for one, other in zip(sent(messages), messages, strict=True))
    assert sent(messages, 4) == messages[-1:]
    if name == "approval":
        return  # what is approved is no text that may be cut
    long = [HumanMessage("hi"), AIMessage([call]), HumanMessage([answer("sunny " * 90)])]
    built = ContextBuilder(50, WORDS).provider(provider=False).build(long, codec=CODEC)
    block: Any = built.messages[-1].content[0]
    assert block.keys() == answer("").keys()
    assert "left out" in str(block)
    assert WORDS.count_messages(list(read_natives(built.messages, CODEC))) == built.tokens <= 50


@pytest.mark.parametrize("block", [pair[0] for name, pair in PAIRS.items() if name in {"bedrock", "gemini"}])
def test_a_message_of_which_only_calls_are_left_has_an_empty_text(block: dict[str, Any]) -> None:
    """A list without blocks is refused."""
    answer = sent([HumanMessage("hi"), AIMessage([block]), ToolMessage("sunny", tool_call_id="a")])[1]
    assert isinstance(answer, AIMessage)
    assert answer.content == ""
    assert [call["id"] for call in answer.tool_calls] == ["a"]


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
