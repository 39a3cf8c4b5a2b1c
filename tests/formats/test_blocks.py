"""Each kind of block, in each provider's spelling: what it is, that it goes out as it came, and that it costs."""

from __future__ import annotations

from typing import Any, Final

import pytest

from ctx_core import Message, MessageError, Role, TokenCounter
from ctx_core.conversation.formats.names import FormatName, format_named
from ctx_core.conversation.parts import FilePart, ImagePart, OpaquePart, Part, ReasoningPart, TextPart, VideoPart
from ctx_core.conversation.transcript import Transcript

LETTERS: Final = TokenCounter(len)

PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
SEARCHED: Final = [{"type": "web_search_result", "title": "Tides", "encrypted_content": "e" * 160}]


def read(name: FormatName, *natives: Any) -> list[Message]:
    """Give the neutral messages of natives."""
    transcript = Transcript(natives, (), format_named(name))
    messages = [transcript[at] for at in range(len(transcript))]
    written = transcript.write(messages)
    assert len(written) == len(natives)
    assert all(one is native for one, native in zip(written, natives, strict=True))
    return messages


def user(*blocks: Any) -> dict[str, Any]:
    """Give a user's message of Anthropic's or Bedrock's."""
    return {"role": "user", "content": list(blocks)}


def answer(*blocks: Any) -> dict[str, Any]:
    """Give an assistant's message of Anthropic's or Bedrock's."""
    return {"role": "assistant", "content": list(blocks)}


def contents(role: str, *parts: Any) -> dict[str, Any]:
    """Give a content of Gemini's."""
    return {"role": role, "parts": list(parts)}


CALLS: Final[list[tuple[FormatName, Any, str | None, str, str]]] = [
    ("anthropic", answer({"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}), "c", "f", '{"a":1}'),
    ("bedrock", answer({"toolUse": {"toolUseId": "c", "name": "f", "input": {"a": 1}}}), "c", "f", '{"a":1}'),
    ("gemini", contents("model", {"functionCall": {"id": "c", "name": "f", "args": {"a": 1}}}), "c", "f", '{"a":1}'),
    ("gemini", contents("model", {"function_call": {"name": "f", "args": {"a": 1}}}), None, "f", '{"a":1}'),
    (
        "responses",
        {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": "{}"},
        "c",
        "f",
        "{}",
    ),
    ("responses", {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "x y"}, "c", "f", "x y"),
    (
        "responses",
        {"type": "computer_call", "id": "cu", "call_id": "c", "action": {"type": "click"}},
        "c",
        "computer",
        '{"type":"click"}',
    ),
    (
        "responses",
        {"type": "local_shell_call", "id": "l", "call_id": "c", "action": {"command": ["ls"]}},
        "c",
        "local_shell",
        '{"command":["ls"]}',
    ),
    (
        "responses",
        {"type": "mcp_approval_request", "id": "m", "name": "f", "arguments": "{}", "server_label": "s"},
        "m",
        "f",
        "{}",
    ),
    (
        "openai",
        {"role": "assistant", "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "f", "input": "x"}}]},
        "c",
        "f",
        "x",
    ),
    ("openai", {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}, None, "f", "{}"),
    ("openai", answer({"type": "tool_use", "id": "c", "name": "f", "input": {}}), "c", "f", "{}"),
]


@pytest.mark.parametrize(("name", "native", "call_id", "called", "arguments"), CALLS)
def test_a_call_is_a_call(name: FormatName, native: Any, call_id: str | None, called: str, arguments: str) -> None:
    """With the id by which its result refers to it, its name and its arguments as text; it is counted once."""
    (message,) = read(name, native)
    assert message.role is Role.ASSISTANT
    assert [(call.id, call.name, call.arguments) for call in message.tool_calls] == [(call_id, called, arguments)]
    bare = Message.assistant(tool_calls=message.tool_calls)
    assert LETTERS.count_message(message) == LETTERS.count_message(bare)


RESULTS: Final[list[tuple[FormatName, Any, str | None, str]]] = [
    ("anthropic", user({"type": "tool_result", "tool_use_id": "c", "content": "sunny"}), "c", "sunny"),
    ("anthropic", user({"type": "tool_result", "tool_use_id": "c"}), "c", ""),
    (
        "anthropic",
        user({"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "sunny"}]}),
        "c",
        "sunny",
    ),
    ("bedrock", user({"toolResult": {"toolUseId": "c", "content": [{"text": "sunny"}]}}), "c", "sunny"),
    ("bedrock", user({"toolResult": {"toolUseId": "c", "content": [{"json": {"a": 1}}]}}), "c", '{"a":1}'),
    (
        "bedrock",
        user({"toolResult": {"toolUseId": "c", "content": [{"text": "ok"}]}}, {"cachePoint": {"type": "default"}}),
        "c",
        "ok",
    ),
    ("gemini", contents("user", {"functionResponse": {"name": "f", "response": {"output": "sunny"}}}), None, "sunny"),
    ("gemini", contents("function", {"functionResponse": {"name": "f", "response": {"a": 1}}}), None, '{"a":1}'),
    (
        "gemini",
        contents("user", {"function_response": {"id": "c", "name": "f", "response": {"result": "ok"}}}),
        "c",
        "ok",
    ),
    ("responses", {"type": "function_call_output", "call_id": "c", "output": "sunny"}, "c", "sunny"),
    ("responses", {"type": "custom_tool_call_output", "call_id": "c", "output": "sunny"}, "c", "sunny"),
    (
        "responses",
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "ok"}]},
        "c",
        "ok",
    ),
    ("responses", {"type": "computer_call_output", "call_id": "c", "output": {"type": "computer_screenshot"}}, "c", ""),
    ("responses", {"type": "local_shell_call_output", "id": "c", "output": "sunny"}, "c", "sunny"),
    (
        "responses",
        {"type": "mcp_approval_response", "approval_request_id": "c", "approve": True},
        "c",
        '{"approve":true}',
    ),
]


@pytest.mark.parametrize(("name", "native", "call_id", "text"), RESULTS)
def test_a_message_of_results_is_a_result(name: FormatName, native: Any, call_id: str | None, text: str) -> None:
    """It answers the call with this id, and nobody has asked anything in it."""
    (message,) = read(name, native)
    assert (message.role, message.tool_call_id, message.text) == (Role.TOOL, call_id, text)


@pytest.mark.parametrize(
    ("name", "native"),
    [
        (
            "anthropic",
            user(
                {"type": "tool_result", "tool_use_id": "a", "content": "x"},
                {"type": "tool_result", "tool_use_id": "b", "is_error": True},
                {"type": "text", "text": "and?"},
            ),
        ),
        (
            "bedrock",
            user(
                {"toolResult": {"toolUseId": "a", "content": []}},
                {"toolResult": {"toolUseId": "b", "content": [], "status": "error"}},
                {"text": "and?"},
            ),
        ),
    ],
)
def test_results_and_words_are_results_and_then_the_users_words(name: FormatName, native: Any) -> None:
    """One message is several, in order; an error is one."""
    first, second, words = read(name, native)
    assert (first.tool_call_id, second.tool_call_id) == ("a", "b")
    assert (first.failed, second.failed) == (None, True)
    assert (words.role, words.text) == (Role.USER, "and?")


PARTS: Final[list[tuple[FormatName, Any, Part]]] = [
    (
        "anthropic",
        answer({"type": "thinking", "thinking": "hm", "signature": "ss"}),
        ReasoningPart("hm", encrypted=2, signed=True),
    ),
    ("anthropic", answer({"type": "redacted_thinking", "data": "ss"}), ReasoningPart("", encrypted=2, signed=True)),
    (
        "anthropic",
        user({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}),
        ImagePart(data=PIXEL, media_type="image/png"),
    ),
    (
        "anthropic",
        user({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AA"}}),
        FilePart(data="AA", media_type="application/pdf"),
    ),
    (
        "anthropic",
        answer({"type": "web_search_tool_result", "tool_use_id": "s", "content": SEARCHED}),
        OpaquePart(
            kind="web_search_tool_result",
            text='{"type":"web_search_tool_result","content":'
            '[{"type":"web_search_result","title":"Tides","encrypted_content":"' + "e" * 160 + '"}]}',
        ),
    ),
    (
        "bedrock",
        user({"video": {"format": "mp4", "source": {"bytes": b"A"}}}),
        VideoPart(data=b"A", media_type="video/mp4"),
    ),
    (
        "bedrock",
        answer({"reasoningContent": {"reasoningText": {"text": "hm", "signature": "ss"}}}),
        ReasoningPart("hm", encrypted=2, signed=True),
    ),
    ("bedrock", answer({"reasoningContent": {"redactedContent": b"ss"}}), ReasoningPart("", encrypted=4, signed=True)),
    (
        "gemini",
        contents("model", {"text": "hm", "thought": True, "thoughtSignature": "s"}),
        ReasoningPart("hm", encrypted=1),
    ),
    (
        "gemini",
        contents("user", {"inlineData": {"mimeType": "image/png", "data": PIXEL}}),
        ImagePart(data=PIXEL, media_type="image/png"),
    ),
    (
        "gemini",
        contents("user", {"file_data": {"mime_type": "video/mp4", "file_uri": "u"}}),
        VideoPart(media_type="video/mp4"),
    ),
    (
        "gemini",
        contents("model", {"executableCode": {"code": "1"}}),
        OpaquePart(text='{"executableCode":{"code":"1"}}'),
    ),
    (
        "responses",
        {
            "type": "reasoning",
            "id": "rs",
            "summary": [{"type": "summary_text", "text": "hm"}],
            "encrypted_content": "ee",
        },
        ReasoningPart("hm", encrypted=2),
    ),
    ("responses", {"type": "image_generation_call", "id": "ig", "result": PIXEL}, ImagePart(data=PIXEL)),
    (
        "responses",
        {"type": "web_search_call", "id": "ws"},
        OpaquePart(kind="web_search_call", text='{"type":"web_search_call"}'),
    ),
    (
        "responses",
        {"type": "item_reference", "id": "x"},
        OpaquePart(kind="item_reference", text='{"type":"item_reference","id":"x"}'),
    ),
    ("responses", {"role": "user", "content": [{"type": "input_image", "image_url": "u"}]}, ImagePart(url="u")),
    (
        "responses",
        {"role": "user", "content": [{"type": "input_file", "file_data": "data:application/pdf;base64,AA"}]},
        FilePart(data="data:application/pdf;base64,AA", media_type="application/pdf"),
    ),
    (
        "responses",
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]},
        TextPart("hi"),
    ),
]


@pytest.mark.parametrize(("name", "native", "part"), PARTS)
def test_what_a_block_is(name: FormatName, native: Any, part: Part) -> None:
    """Thoughts, media, what a provider's own tools did, and what nobody knows; the very block goes out."""
    (message,) = read(name, native)
    assert message.parts == (part,)
    assert message.tool_calls == ()


@pytest.mark.parametrize(
    ("name", "native"),
    [
        ("anthropic", user({"type": "brand_new", "held": "words"})),
        ("anthropic", answer({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "tide"}})),
        ("anthropic", answer({"type": "web_search_tool_result", "tool_use_id": "s", "content": SEARCHED})),
        ("bedrock", user({"brandNew": {"held": "words"}})),
        ("gemini", contents("user", {"brandNew": {"held": "words"}})),
        ("responses", {"type": "brand_new", "held": "words"}),
    ],
)
def test_nothing_that_is_sent_is_free(name: FormatName, native: Any) -> None:
    """Of a kind that nobody knows, all of its JSON is counted."""
    (message,) = read(name, native)
    assert LETTERS.count_message(message) >= LETTERS.count_message(Message(role=message.role)) + 25


WRONG: Final[list[tuple[FormatName, Any, str]]] = [
    ("anthropic", {"role": "tool", "content": "secret"}, "unknown role 'tool' in the format 'anthropic'"),
    ("anthropic", {"role": "user", "content": 3}, "content must be a list of blocks, found int"),
    ("anthropic", {"role": "user", "content": [3]}, "a content part must be a string or a dict, found int"),
    ("anthropic", 3, "expected a message of the format 'anthropic', found int"),
    (
        "anthropic",
        user({"type": "tool_use", "id": "c", "name": "f", "input": {}}),
        "a tool call in a message of the user",
    ),
    (
        "bedrock",
        answer({"toolResult": {"toolUseId": "c", "content": []}}),
        "a tool result in a message of the assistant: only the user gives them",
    ),
    ("bedrock", {"role": "system", "content": []}, "unknown role 'system' in the format 'bedrock'"),
    ("gemini", {"role": "assistant", "parts": []}, "unknown role 'assistant' in the format 'gemini'"),
    ("gemini", {"role": "user", "parts": {"text": "secret"}}, "parts must be a list of blocks, found dict"),
    ("responses", {"role": "tool", "content": "secret"}, "unknown role 'tool' in the format 'responses'"),
    ("responses", "secret", "expected an item of the format 'responses', found str"),
]


@pytest.mark.parametrize(("name", "native", "found"), WRONG)
def test_what_cannot_be_read_is_refused_with_words(name: FormatName, native: Any, found: str) -> None:
    """The error says what was found and where, and quotes nothing."""
    good = {"role": "user", "parts": [{"text": "hi"}]} if name == "gemini" else {"role": "user", "content": "hi"}
    with pytest.raises(MessageError, match="message 2.*" + found.replace("(", r"\(")) as caught:
        read(name, good, native)
    assert "secret" not in str(caught.value)
