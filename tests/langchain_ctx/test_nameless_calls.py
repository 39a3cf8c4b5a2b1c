"""Calls and results of LangChain's that no id tells: missing, empty, malformed, or spelled in blocks alone."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    ToolMessage,
)

from ctx_core import Framing, HistoryPolicy, TokenCounter
from ctx_core.memory import ConversationMemory
from langchain_ctx import BudgetedChatMessageHistory, ContextRunnable, InMemoryHistory, LangChainCodec

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
ASKED, NEXT = HumanMessage("When does it leave?"), HumanMessage("And tomorrow?")


def call(call_id: str | None, name: str = "look") -> Any:
    """Make a call."""
    return {"name": name, "args": {"day": "today"}, "id": call_id, "type": "tool_call"}


def malformed(call_id: str | None, name: str = "look") -> Any:
    """Make a call whose arguments are no JSON."""
    return {"name": name, "args": "{day: today", "id": call_id, "error": "no JSON", "type": "invalid_tool_call"}


def result(text: str, call_id: str = "", name: str | None = None) -> ToolMessage:
    """Make a result."""
    return ToolMessage(text, tool_call_id=call_id, name=name)


STEPS: dict[str, list[BaseMessage]] = {
    "no id, and an empty one": [AIMessage("", tool_calls=[call(None)]), result("14:05")],
    "empty ids": [AIMessage("", tool_calls=[call("")]), result("14:05")],
    "an id on the call alone": [AIMessage("", tool_calls=[call("c1")]), result("14:05")],
    "an id on the result alone": [AIMessage("", tool_calls=[call(None)]), result("14:05", "c1")],
    "the tool's name as the result's id": [AIMessage("", tool_calls=[call(None)]), result("14:05", "look")],
    "malformed, with an id": [AIMessage("", invalid_tool_calls=[malformed("c1")]), result("14:05", "c1")],
    "malformed, with none": [AIMessage("", invalid_tool_calls=[malformed(None)]), result("14:05")],
    "malformed, with empty ids": [AIMessage("", invalid_tool_calls=[malformed("")]), result("14:05")],
    "a block alone": [AIMessage([{"type": "tool_use", "name": "look", "input": {}}]), result("14:05")],
    "a block beside": [
        AIMessage([{"type": "tool_use", "name": "look", "input": {}}], tool_calls=[call(None)]), result("14:05")
    ],
    "a chunk": [
        AIMessageChunk(content="", tool_call_chunks=[{"name": "look", "args": "{}", "id": None, "index": 0}]),
        result("14:05"),
    ],
}  # fmt: skip


def ids_of(asking: BaseMessage) -> list[str | None]:
    """Give the ids of all calls of a message."""
    return [one.id for one in LangChainCodec().read(asking).tool_calls]


@pytest.mark.parametrize("step", STEPS.values(), ids=list(STEPS))
@pytest.mark.parametrize("face", ["runnable", "history"])
def test_the_result_survives_with_the_id_of_its_call(step: list[BaseMessage], face: str) -> None:
    """With room to spare nothing is lost and no stub is put in; both have the same id, and nothing is mutated."""
    messages = [ASKED, *step, AIMessage("At 14:05."), NEXT]
    before = copy.deepcopy(messages)
    if face == "runnable":
        sent = ContextRunnable(100, provider="openai", counter=WORDS).invoke(messages)
    else:
        sent = BudgetedChatMessageHistory(InMemoryHistory(messages), 100, counter=WORDS).messages
    assert messages == before
    assert [message.type for message in sent] == [message.type for message in messages]
    assert (sent[0], *sent[3:]) == (messages[0], *messages[3:])
    assert sent[2].text == "14:05"
    result = sent[2]
    assert isinstance(result, ToolMessage)
    assert [result.tool_call_id] == ids_of(sent[1])
    assert result.tool_call_id
    assert ContextRunnable(100, provider="openai", counter=WORDS).invoke(sent) == sent


def test_every_spelling_has_the_new_id() -> None:
    """A call that is listed and stands in the content, and of two of one name each has its own."""
    block = {"type": "tool_use", "name": "look", "input": {}}
    step = [AIMessage([block, {"type": "text", "text": "and"}, dict(block)], tool_calls=[call(None), call(None)])]
    sent = ContextRunnable(100, provider="openai", counter=WORDS).invoke(
        [ASKED, *step, result("one"), result("two"), NEXT]
    )
    ids = [one["id"] for one in sent[1].tool_calls]
    assert [part.get("id") for part in sent[1].content] == [ids[0], None, ids[1]]
    assert [message.tool_call_id for message in sent[2:4]] == ids
    assert len(set(ids)) == 2


def test_parallel_calls_are_known_by_name() -> None:
    """Results in another order, malformed calls among them."""
    asking = AIMessage(
        "", tool_calls=[call(None, "look"), call(None, "find")], invalid_tool_calls=[malformed(None, "go")]
    )
    results = [result("went", name="go"), result("found", "find"), result("looked", name="look")]
    sent = ContextRunnable(100, provider="openai", counter=WORDS).invoke([ASKED, asking, *results, NEXT])
    assert [message.text for message in sent[2:-1]] == ["went", "found", "looked"]
    look, find, went = ids_of(sent[1])
    assert [message.tool_call_id for message in sent[2:-1]] == [went, find, look]


def test_a_malformed_call_without_a_result_is_answered_or_goes() -> None:
    """As any other: a stub, or out of every place where it is spelled."""
    asking = AIMessage("hm", invalid_tool_calls=[malformed(None), malformed("c2")])
    sent = ContextRunnable(100, provider="openai", counter=WORDS).invoke([ASKED, asking, AIMessage("So."), NEXT])
    assert [message.tool_call_id for message in sent[2:4]] == ids_of(sent[1])
    policy = HistoryPolicy(unanswered="drop")
    sent = ContextRunnable(100, provider="openai", counter=WORDS, policy=policy).invoke(
        [ASKED, asking, AIMessage("So."), NEXT]
    )
    assert sent == [ASKED, AIMessage("hm"), AIMessage("So."), NEXT]


def test_a_dropped_call_goes_out_of_the_content_too() -> None:
    """Also where neither spelling has an id."""
    asking = AIMessage([{"type": "text", "text": "hm"}, {"type": "tool_use", "name": "look", "input": {}}])
    asking = asking.model_copy(update={"tool_calls": [call(None)]})
    policy = HistoryPolicy(unanswered="drop")
    sent = ContextRunnable(100, provider="openai", counter=WORDS, policy=policy).invoke(
        [ASKED, asking, AIMessage("So."), NEXT]
    )
    assert sent[1] == AIMessage([{"type": "text", "text": "hm"}])


@pytest.mark.parametrize("call_id", [None, "c1"])
def test_a_malformed_call_is_priced_as_what_the_client_sends(call_id: str | None) -> None:
    """Name and arguments, once, as for a call that could be parsed."""
    asking = LangChainCodec().read(AIMessage("", invalid_tool_calls=[malformed(call_id)]))
    assert WORDS.count_message(asking) == len(["look", "{day:", "today"])


def test_a_legacy_call_is_a_call() -> None:
    """It is answered by the message behind it, kept with it, and keeps its form: there are no ids in it."""
    asking = AIMessage("", additional_kwargs={"function_call": {"name": "look", "arguments": "{}"}})
    messages = [ASKED, asking, FunctionMessage(content="14:05", name="look"), NEXT]
    sent = ContextRunnable(100, provider="openai", counter=WORDS).invoke(messages)
    assert sent == messages
    assert all(one is other for one, other in zip(sent, messages, strict=True))
    stubbed = ContextRunnable(100, provider="openai", counter=WORDS).invoke([ASKED, asking, NEXT])
    assert [message.type for message in stubbed] == ["human", "ai", "function", "human"]


def test_a_memory_of_what_was_cut_knows_removed_messages() -> None:
    """A message that removes another is none itself, and what it removes is not remembered."""
    talk = [HumanMessage("The ferry?", id="1"), AIMessage("The ferry sinks.", id="2"), RemoveMessage(id="2")]
    items = ConversationMemory[BaseMessage](codec=LangChainCodec()).items([*talk, HumanMessage("So?", id="3")])
    assert [item.text for item in items] == ["user: The ferry?", "user: So?"]
