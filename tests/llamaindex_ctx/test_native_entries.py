"""Calls that `additional_kwargs` spell as other providers do: paired, counted, and given ids where these stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from llama_index.core.base.llms.types import ChatMessage

from ctx_core import HistoryPolicy, TokenCounter
from ctx_core.conversation.calls import read_call
from llamaindex_ctx import ChatMessageCodec, ContextMemoryBuffer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WORDS: Final = TokenCounter(lambda text: len(text.split()))
ENTRIES: Final[dict[str, tuple[Callable[[Any, Any], dict[str, Any]], str | None]]] = {
    "Anthropic's": (lambda told, said: {"type": "tool_use", "id": told, "name": "look", "input": said}, "anthropic"),
    "Bedrock's": (lambda told, said: {"toolUse": {"toolUseId": told, "name": "look", "input": said}}, None),
    "LlamaIndex' for Bedrock": (lambda told, said: {"toolUseId": told, "name": "look", "input": said}, "bedrock"),
    "Gemini's": (lambda told, said: {"functionCall": {"id": told, "name": "look", "args": said}}, None),
    "an item's": (
        lambda told, said: {"type": "function_call", "call_id": told, "name": "look", "arguments": said},
        None,
    ),
}


def tool(text: str, told: Any) -> ChatMessage:
    """Give a result."""
    return ChatMessage(text, role="tool", additional_kwargs={"tool_call_id": told})


def asking(*entries: dict[str, Any]) -> ChatMessage:
    """Give an answer with such entries."""
    return ChatMessage("", role="assistant", additional_kwargs={"tool_calls": list(entries)})


def calls_and_results(sent: Sequence[ChatMessage]) -> list[tuple[str | None, ...]]:
    """Give the ids of each message's calls, or of the call that it answers."""
    read = list(map(ChatMessageCodec().read, sent))
    return [
        tuple(call.id for call in message.tool_calls) if message.tool_calls else (message.tool_call_id,)
        for message in read
        if message.tool_calls or message.role == "tool"
    ]


def entries_of(message: ChatMessage) -> list[Any]:
    """Give the entries of a message."""
    listed: list[Any] = message.additional_kwargs["tool_calls"]
    return listed


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_that_is_answered_goes_out_as_it_is(name: str) -> None:
    """With room to spare nothing is changed, and what is missing gets a stub."""
    make, provider = ENTRIES[name]
    one, two = make("t1", {"day": 1}), make("t2", {"day": 2})
    memory = ContextMemoryBuffer.from_defaults(token_limit=1_000, counter=WORDS, provider=provider)
    memory.put_messages([ChatMessage("go"), asking(one, two), tool("second", "t2"), tool("first", "t1")])
    sent = memory.get()
    assert entries_of(sent[1]) == [one, two]
    assert calls_and_results(sent) == [("t1", "t2"), ("t2",), ("t1",)]
    memory.set([ChatMessage("go"), asking(one, two), tool("second", "t2"), ChatMessage("next")])
    sent = memory.get()
    assert calls_and_results(sent) == [("t1", "t2"), ("t2",), ("t1",)]
    dropping = ContextMemoryBuffer.from_defaults(
        memory.get_all(), token_limit=1_000, counter=WORDS, policy=HistoryPolicy(unanswered="drop")
    )
    assert calls_and_results(dropping.get()) == [("t2",), ("t2",)]


@pytest.mark.parametrize("provider", [None, "openai", "responses", "unknown"])
@pytest.mark.parametrize("item", [{"call_id": None}, {"call_id": ""}, {}], ids=["none", "empty", "missing"])
def test_an_item_known_by_its_own_id_alone_is_answered_by_name(item: dict[str, Any], provider: str | None) -> None:
    """Ollama's results have the tool's name as their id, whatever the call is known by."""
    entry = {"type": "function_call", "id": "fc_1", "name": "look", "arguments": "{}", **item}
    memory = ContextMemoryBuffer.from_defaults(token_limit=1_000, counter=WORDS, provider=provider)
    memory.put_messages([ChatMessage("go"), asking(entry), tool("14:05", "look")])
    sent = memory.get()
    assert [message.content for message in sent[-1:]] == ["14:05"]
    (asked,), (answered,) = calls_and_results(sent)
    assert asked == answered


@pytest.mark.parametrize("told", ["twice", "", None])
@pytest.mark.parametrize("name", ENTRIES)
def test_a_new_id_stands_where_the_old_one_stood(name: str, told: str | None) -> None:
    """An entry says one id, which is that of its result, whichever key it is read from."""
    make, provider = ENTRIES[name]
    turns = [
        message
        for at in range(2)
        for message in (ChatMessage(f"q{at}"), asking(make(told, {"day": at})), tool("sunny", told or "look"))
    ]
    memory = ContextMemoryBuffer.from_defaults(
        [*turns, ChatMessage("next")], token_limit=1_000, counter=WORDS, provider=provider
    )
    sent = memory.get()
    (one,), (answered,), (two,), (other,) = calls_and_results(sent)
    assert one == answered
    assert two == other
    assert one
    assert two
    assert one != two
    for entry in (entry for message in sent for entry in message.additional_kwargs.get("tool_calls", ())):
        assert set(entry) == set(make(told, {}))
        assert read_call(entry).id in (one, two)
        assert str(entry).count(str(read_call(entry).id)) == 1


@pytest.mark.parametrize("name", ENTRIES)
def test_arguments_of_an_entry_are_cut_where_they_stand(name: str) -> None:
    """With leave to truncate; the rest of the entry stays."""
    make, provider = ENTRIES[name]
    large = make("t1", {"path": "a.py", "text": "word " * 400})
    if name == "an item's":
        large["arguments"] = '{"path": "a.py", "text": "' + "word " * 400 + '"}'
    memory = ContextMemoryBuffer.from_defaults(
        [ChatMessage("go"), asking(large), tool("done", "t1")],
        token_limit=70, counter=WORDS, provider=provider, on_overflow="truncate",
    )  # fmt: skip
    sent = memory.get()
    (entry,) = entries_of(sent[1])
    assert set(entry) == set(large)
    assert "a.py" in read_call(entry).arguments
    assert "left out" in read_call(entry).arguments
    assert memory.last_report is not None
    assert memory.last_report.used <= 70
