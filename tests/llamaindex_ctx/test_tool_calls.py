"""Tool calls of a `ChatMessage`: found wherever they live, counted once, dropped everywhere."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.llms.llm import ToolSelection
from pydantic import BaseModel

from ctx_core.counting.counter import TokenCounter
from ctx_core.errors import MessageError
from llamaindex_ctx.convert import ChatMessageCodec

CODEC = ChatMessageCodec()


class Function(BaseModel):
    """As OpenAI's client has it."""

    name: str
    arguments: str


class ClientCall(BaseModel):
    """As OpenAI's client has it."""

    id: str
    function: Function
    type: str = "function"


def block(call_id: str | None, name: str = "find", **kwargs: Any) -> ToolCallBlock:
    """Make a block."""
    return ToolCallBlock(tool_call_id=call_id, tool_name=name, tool_kwargs=kwargs)


def entry(call_id: str | None, name: str = "find", arguments: str = "{}") -> dict[str, Any]:
    """Make an OpenAI-style entry."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def assistant(*blocks: Any, **extras: Any) -> ChatMessage:
    """Make an assistant's message."""
    return ChatMessage(role="assistant", blocks=list(blocks), additional_kwargs=extras)


@pytest.mark.parametrize(
    "spelled",
    [
        entry("c1", arguments='{"q":"x"}'),
        ClientCall(id="c1", function=Function(name="find", arguments='{"q":"x"}')),
        ToolSelection(tool_id="c1", tool_name="find", tool_kwargs={"q": "x"}),
        ToolSelection(tool_id="c1", tool_name="find", tool_kwargs={"q": "x"}).model_dump(),
        {"id": "c1", "type": "tool_use", "name": "find", "input": {"q": "x"}},
        {"id": "c1", "type": "custom", "custom": {"name": "find", "input": '{"q":"x"}'}},
        {"id": "c1", "type": "tool_call", "name": "find", "args": {"q": "x"}},
    ],
    ids=["openai", "client object", "selection", "dumped selection", "anthropic", "custom", "langchain"],
)
def test_every_spelling_in_the_extras_is_read(spelled: object) -> None:
    """Whoever wrote the entry: the call has its id, its name and its arguments."""
    (call,) = CODEC.read(assistant(tool_calls=[spelled])).tool_calls
    assert (call.id, call.name, call.arguments) == ("c1", "find", '{"q":"x"}')


def test_blocks_are_read() -> None:
    """A block's arguments are JSON as the clients write it, or the text as the model wrote it."""
    raw = ToolCallBlock(tool_call_id="c2", tool_name="find", tool_kwargs='{"q": ')
    calls = CODEC.read(assistant(block("c1", q="ä"), raw)).tool_calls
    assert [(call.id, call.name, call.arguments) for call in calls] == [
        ("c1", "find", '{"q": "\\u00e4"}'),
        ("c2", "find", '{"q": '),
    ]


def test_a_call_in_both_places_counts_once() -> None:
    """OpenAI's integration fills blocks and extras with the same calls."""
    counter = TokenCounter(len)
    both = assistant(block("a"), block("b"), tool_calls=[entry("a"), entry("b")])
    blocks = assistant(block("a"), block("b"))
    assert [call.id for call in CODEC.read(both).tool_calls] == ["a", "b"]
    assert counter.count_message(CODEC.read(both)) == counter.count_message(CODEC.read(blocks))


def test_calls_of_both_places_are_paired_by_id_not_by_order() -> None:
    """Entries in another order than the blocks are still the same calls."""
    message = assistant(block("a"), block("b"), tool_calls=[entry("b"), entry("a")])
    read = CODEC.read(message)
    assert [call.id for call in read.tool_calls] == ["a", "b"]
    written = CODEC.write(read.without_calls(frozenset({0})))
    assert written.blocks == [block("b")]
    assert written.additional_kwargs == {"tool_calls": [entry("b")]}


def test_an_entry_without_its_block_is_a_call_of_its_own() -> None:
    """Nothing that is likely to be sent is left out of the count."""
    read = CODEC.read(assistant(block("a"), tool_calls=[entry("a"), entry("b")]))
    assert [call.id for call in read.tool_calls] == ["a", "b"]


def test_calls_without_ids_are_paired_by_name_and_order() -> None:
    """Providers without ids fill both places too."""
    message = assistant(block(None, "f"), block(None, "g"), tool_calls=[entry(None, "f"), entry(None, "g")])
    read = CODEC.read(message)
    assert [(call.id, call.name) for call in read.tool_calls] == [(None, "f"), (None, "g")]
    written = CODEC.write(read.without_calls(frozenset({1})))
    assert written.blocks == [block(None, "f")]
    assert written.additional_kwargs == {"tool_calls": [entry(None, "f")]}


def test_an_id_that_only_one_place_has_is_kept() -> None:
    """The other spelling of the call gives the id that its result refers to."""
    (call,) = CODEC.read(assistant(block(None, "f"), tool_calls=[entry("c1", "f")])).tool_calls
    assert call.id == "c1"


def test_the_legacy_function_call_is_a_call_without_id() -> None:
    """OpenAI's first function API is read and dropped as any other."""
    message = assistant(TextBlock(text="so"), function_call={"name": "f", "arguments": "{}"}, other=1)
    read = CODEC.read(message)
    assert [(call.id, call.name) for call in read.tool_calls] == [(None, "f")]
    assert CODEC.write(read.without_calls(frozenset({0}))).additional_kwargs == {"other": 1}


def test_a_dropped_call_goes_from_both_places() -> None:
    """The kept calls stay as the very objects they were; the message that came in is unchanged."""
    kept = ClientCall(id="b", function=Function(name="g", arguments="{}"))
    message = assistant(TextBlock(text="so"), block("a"), block("b", "g"), tool_calls=[entry("a"), kept])
    before = copy.deepcopy(message)
    written = CODEC.write(CODEC.read(message).without_calls(frozenset({0})))
    assert written.blocks == [TextBlock(text="so"), block("b", "g")]
    assert written.additional_kwargs["tool_calls"][0] is kept
    assert len(written.additional_kwargs["tool_calls"]) == 1
    assert message == before


def test_the_last_dropped_call_takes_its_list_along() -> None:
    """An empty list of calls is refused by providers."""
    message = assistant(TextBlock(text="so"), block("a"), tool_calls=[entry("a")], other=1)
    written = CODEC.write(CODEC.read(message).without_calls(frozenset({0})))
    assert written.blocks == [TextBlock(text="so")]
    assert written.additional_kwargs == {"other": 1}


def test_of_two_calls_with_the_same_id_only_the_dropped_one_goes() -> None:
    """Ids repeat in real conversations: calls are told apart by position."""
    first, second = block("x", q=1), block("x", q=2)
    read = CODEC.read(assistant(first, second))
    written = CODEC.write(read.without_calls(frozenset({0})))
    assert written.blocks == [second]
    assert written.blocks[0] is second or written.blocks[0] == second


def test_calls_survive_a_change_of_the_text() -> None:
    """A shortened message still asks for all that it asked for, in the same place."""
    message = assistant(TextBlock(text="so"), block("a"), tool_calls=[entry("a")])
    read = CODEC.read(message)
    assert CODEC.write(read.with_text("!")).blocks == [TextBlock(text="!"), block("a")]
    assert CODEC.write(read.with_only_text("!")).blocks == [TextBlock(text="!"), block("a")]
    assert CODEC.write(read.with_only_text("!")).additional_kwargs == message.additional_kwargs


def test_extras_of_other_roles_are_no_calls() -> None:
    """Only an assistant asks for tools."""
    message = ChatMessage("hi", role="user", additional_kwargs={"tool_calls": [entry("a")]})
    assert CODEC.read(message).tool_calls == ()


@pytest.mark.parametrize("broken", ["c1", {"id": "c1"}, 7])
def test_a_list_of_calls_that_is_none_is_refused(broken: object) -> None:
    """The error names the place and the type, and no content."""
    with pytest.raises(MessageError, match=r"additional_kwargs\['tool_calls'\] must be a list, found"):
        CODEC.read(assistant(tool_calls=broken))


@pytest.mark.parametrize("strange", [{}, {"function": None}, "text", 7, None, {"id": [], "function": {"name": 5}}])
def test_a_strange_entry_is_a_call_that_says_little(strange: object) -> None:
    """What no provider writes doesn't stop a conversation: it is kept, and counts as a call."""
    message = assistant(TextBlock(text="so"), tool_calls=[strange])
    (call,) = CODEC.read(message).tool_calls
    assert (call.id, call.name) == (None, "")
    assert CODEC.write(CODEC.read(message).with_text("!")).additional_kwargs == {"tool_calls": [strange]}
