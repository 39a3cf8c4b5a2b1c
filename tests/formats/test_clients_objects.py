"""The objects that the providers' clients give, in the places where dicts may stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import Framing, TokenCounter, fit

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())


def anthropic() -> list[Any]:
    """Give an answer's blocks as they came, in a dict."""
    types = pytest.importorskip("anthropic.types")
    called = types.ToolUseBlock(type="tool_use", id="a", name="f", input={"a": "1"})
    return [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [types.TextBlock(type="text", text="let me look"), called]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "sunny " * 20}]},
    ]


def gemini() -> list[Any]:
    """Give contents of the client."""
    types = pytest.importorskip("google.genai.types")
    response = {"output": "sunny " * 20}
    called = types.FunctionCall(name="f", args={"a": "1"})
    return [
        types.Content(role="user", parts=[types.Part(text="hi")]),
        types.Content(role="model", parts=[types.Part(function_call=called, thought_signature=b"s")]),
        types.Content(role="user", parts=[types.Part.from_function_response(name="f", response=response)]),
    ]


def responses() -> list[Any]:
    """Give items of an answer as they came."""
    types = pytest.importorskip("openai.types.responses")
    called = types.ResponseFunctionToolCall(type="function_call", call_id="a", name="f", arguments='{"a":"1"}')
    return [
        {"role": "user", "content": "hi"},
        called,
        {"type": "function_call_output", "call_id": "a", "output": "sunny " * 20},
    ]


def openai() -> list[Any]:
    """Give an answer of chat completions as it came."""
    types = pytest.importorskip("openai.types.chat")
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"a":"1"}'}}
    return [
        {"role": "user", "content": "hi"},
        types.ChatCompletionMessage.model_validate({"role": "assistant", "content": None, "tool_calls": [call]}),
        {"role": "tool", "tool_call_id": "a", "content": "sunny " * 20},
    ]


@pytest.mark.parametrize("natives", [anthropic, gemini, responses, openai])
def test_objects_are_read_like_dicts_and_go_out_as_they_came(natives: Callable[[], list[Any]]) -> None:
    """A conversation of them is told and counted; a result that is shortened is a copy, the rest the same objects."""
    messages = natives()
    whole = fit(messages, 100, counter=WORDS)
    assert [id(one) for one in whole.messages] == [id(one) for one in messages]
    assert 20 < whole.tokens < 30
    short = fit(messages, 20, counter=WORDS)
    assert [id(one) for one in short.messages[:2]] == [id(one) for one in messages[:2]]
    assert type(short.messages[2]) is type(messages[2])
    assert WORDS.count_messages(short.messages) <= short.tokens <= 20
