"""OpenAI-style dicts, in and out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from ctx_core import Message, MessageError, Role, ToolCall
from ctx_core.messages import (
    AudioPart,
    CitationPart,
    FilePart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    VideoPart,
)
from ctx_core.openai_messages import OpenAICodec, arguments_text, read_block, read_content, visible_text
from tests.contract.conversations import conversations

CODEC = OpenAICodec()

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}


@pytest.mark.parametrize(
    ("spelling", "role"),
    [
        ("system", Role.SYSTEM),
        ("developer", Role.DEVELOPER),
        ("user", Role.USER),
        ("assistant", Role.ASSISTANT),
        ("tool", Role.TOOL),
        ("function", Role.TOOL),
    ],
)
def test_roles_are_known(spelling: str, role: Role) -> None:
    """The legacy `function` role is a tool's."""
    assert CODEC.role({"role": spelling}) is CODEC.read({"role": spelling}).role is role


@pytest.mark.parametrize(
    ("native", "found"),
    [
        ({"role": "wizard"}, "unknown role 'wizard'; known are system, developer, user"),
        ({"role": None}, "unknown role NoneType"),
        ({"content": "secret"}, "unknown role NoneType"),
        ({"role": ["user"]}, "unknown role list"),
        ("secret", "expected a message dict, found str"),
        (None, "expected a message dict, found NoneType"),
    ],
)
def test_what_is_no_message_is_refused(native: Any, found: str) -> None:
    """The error says what was found, never what it says."""
    with pytest.raises(MessageError, match=found) as caught:
        CODEC.read(native)
    assert "secret" not in str(caught.value)


def test_an_endless_role_is_not_quoted_whole() -> None:
    """A text that got into the role by mistake stays out of the log."""
    with pytest.raises(MessageError) as caught:
        CODEC.role({"role": "x" * 10_000})
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (None, ()),
        ("", ()),
        ([], ()),
        ("hi", (TextPart("hi"),)),
        (["hi", "there"], (TextPart("hi"), TextPart("there"))),
        ([{"type": "text", "text": "hi"}, "there"], (TextPart("hi"), TextPart("there"))),
        (({"type": "text", "text": "hi"},), (TextPart("hi"),)),
    ],
)
def test_contents_of_every_shape_are_read(content: object, parts: tuple[Part, ...]) -> None:
    """Null, a string, and a list of strings and blocks."""
    assert read_content(content) == CODEC.read({"role": "user", "content": content}).parts == parts


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (3, "content must be null, a string or a list of parts, found int"),
        ({"type": "text", "text": "secret"}, "found dict"),
        ([3], "a content part must be a string or a dict, found int"),
        ([None], "found NoneType"),
    ],
)
def test_contents_of_no_known_shape_are_refused(content: object, found: str) -> None:
    """The error names the type that was found."""
    with pytest.raises(MessageError, match=found) as caught:
        CODEC.read({"role": "user", "content": content})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ({"type": "text", "text": "hi"}, TextPart("hi")),
        ({"type": "input_text", "text": "hi"}, TextPart("hi")),
        ({"type": "output_text", "text": "hi"}, TextPart("hi")),
        ({"type": "refusal", "refusal": "no"}, TextPart("no")),
        ({"type": "text", "text": None}, TextPart("")),
        ({"type": "image_url", "image_url": {"url": "u", "detail": "low"}}, ImagePart(url="u", detail="low")),
        ({"type": "image_url", "image_url": "u"}, ImagePart(url="u")),
        ({"type": "input_image", "image_url": "u", "detail": "high"}, ImagePart(url="u", detail="high")),
        ({"type": "image", "base64": "AA", "mime_type": "image/png"}, ImagePart(data="AA", media_type="image/png")),
        ({"type": "image", "url": "u"}, ImagePart(url="u")),
        (
            {"type": "image", "source": {"type": "base64", "data": "AA", "media_type": "image/png"}},
            ImagePart(data="AA", media_type="image/png"),
        ),
        ({"type": "image", "source": {"type": "url", "url": "u"}}, ImagePart(url="u")),
        ({"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}}, AudioPart(data="AA")),
        ({"type": "audio", "base64": "AA", "mime_type": "audio/wav"}, AudioPart(data="AA", media_type="audio/wav")),
        ({"type": "video", "url": "u", "mime_type": "video/mp4"}, VideoPart(media_type="video/mp4")),
        ({"type": "file", "file": {"file_id": "f"}}, FilePart()),
        ({"type": "text-plain", "text": "hi", "mime_type": "text/plain"}, FilePart(text="hi", media_type="text/plain")),
        (
            {"type": "document", "source": {"type": "text", "data": "hi", "media_type": "text/plain"}},
            FilePart(text="hi", media_type="text/plain"),
        ),
        (
            {"type": "document", "source": {"type": "base64", "data": "AA", "media_type": "application/pdf"}},
            FilePart(data="AA", media_type="application/pdf"),
        ),
        ({"type": "media", "mime_type": "image/png", "data": "AA"}, ImagePart(data="AA", media_type="image/png")),
        ({"inline_data": {"mime_type": "audio/wav", "data": "AA"}}, AudioPart(data="AA", media_type="audio/wav")),
        ({"fileData": {"mimeType": "video/mp4", "fileUri": "gs://v"}}, VideoPart(media_type="video/mp4")),
        (
            {"image": {"format": "png", "source": {"bytes": b"AA"}}},
            ImagePart(data=b"AA", media_type="image/png"),
        ),
        (
            {"document": {"format": "txt", "name": "a", "source": {"bytes": b"hi"}}},
            FilePart(data=b"hi", media_type="text/plain"),
        ),
        (
            {"document": {"format": "pdf", "name": "a", "source": {"bytes": b"%PDF"}}},
            FilePart(data=b"%PDF", media_type="application/pdf"),
        ),
        (
            {"type": "computer_call_output", "output": {"image_url": "data:image/png;base64,AAAA"}},
            OpaquePart(kind="computer_call_output"),
        ),
        ({"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, ReasoningPart("hm")),
        ({"type": "thinking", "thinking": "hm", "signature": "s" * 99}, ReasoningPart("hm", sealed=99)),
        ({"type": "reasoning", "reasoning": "hm"}, ReasoningPart("hm")),
        ({"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}, ReasoningPart("hm")),
        ({"type": "redacted_thinking", "data": "s" * 99}, ReasoningPart("", sealed=99)),
        ({"type": "citation", "cited_text": "so", "url": "u"}, CitationPart("so")),
        ({"type": "tool_use", "id": "c1", "name": "f", "input": {}}, OpaquePart(kind="tool_use", call_id="c1")),
        ({"type": "tool_call", "id": "c1", "name": "f", "args": {}}, OpaquePart(kind="tool_call", call_id="c1")),
        (
            {"type": "function_call", "id": "fc", "call_id": "c1", "name": "f"},
            OpaquePart(kind="function_call", call_id="c1"),
        ),
        (
            {"type": "search_result", "title": "t", "content": [{"type": "text", "text": "hi"}], "id": "x"},
            OpaquePart(kind="search_result", text="t hi"),
        ),
        ({"no": "type"}, OpaquePart(kind="unknown", text="type")),
    ],
)
def test_blocks_of_every_provider_are_read(block: dict[str, Any], part: Part) -> None:
    """Each spelling becomes the part that it is, and the block itself is kept beside it."""
    read = read_block(block)
    assert read == part
    assert read.raw is block


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("hi", "hi"),
        ({"a": "hi", "b": ["there", 3]}, "hi there 3"),
        ({"data": "AA", "url": "u", "signature": "s", "a": "hi"}, "hi"),
        ({"a": None, "b": object()}, ""),
        ({1: 2.5}, "2.5"),
    ],
)
def test_the_visible_text_is_what_a_model_reads(value: object, text: str) -> None:
    """Payloads, addresses and signatures are not."""
    assert visible_text(value) == text


def test_the_visible_text_of_a_circular_value_ends() -> None:
    """It goes so deep and no deeper."""
    circle: dict[str, Any] = {"a": "hi"}
    circle["b"] = circle
    assert set(visible_text(circle).split()) == {"hi"}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (None, ""),
        ("not json", "not json"),
        ({"q": "中", "n": [1, 2]}, '{"q":"中","n":[1,2]}'),
        ([1], "[1]"),
    ],
)
def test_arguments_become_text(arguments: object, text: str) -> None:
    """Text is taken as it is, whatever it is; the rest is compact JSON."""
    assert arguments_text(arguments) == text


def test_arguments_that_json_cannot_hold_become_text_too() -> None:
    """A set or an object is written by its `str`, a circle by what is visible in it."""
    circle: dict[str, Any] = {"a": "hi"}
    circle["b"] = circle
    assert "7" in arguments_text({"ids": {7}})
    assert "hi" in arguments_text(circle)


def test_calls_are_read() -> None:
    """Name, arguments and id, in order."""
    message = CODEC.read({"role": "assistant", "content": None, "tool_calls": [CALL]})
    assert message.tool_calls == (ToolCall(id="c1", name="f", arguments='{"a": 1}'),)


@pytest.mark.parametrize(
    ("call", "read"),
    [
        (
            {"id": "c", "type": "custom", "custom": {"name": "f", "input": "x y"}},
            ToolCall(id="c", name="f", arguments="x y"),
        ),
        ({"id": "c", "name": "f", "args": {"a": 1}}, ToolCall(id="c", name="f", arguments='{"a":1}')),
        (
            {"id": "c", "function": {"name": "f", "arguments": {"a": 1}}},
            ToolCall(id="c", name="f", arguments='{"a":1}'),
        ),
        ({"id": "c", "function": {"name": None, "arguments": None}}, ToolCall(id="c", name="", arguments="")),
        ({"function": {"name": "f", "arguments": "{}"}}, ToolCall(name="f", arguments="{}")),
    ],
)
def test_calls_of_other_kinds_are_read(call: dict[str, Any], read: ToolCall) -> None:
    """Custom tools, LangChain's form, parsed arguments, and calls without an id."""
    assert CODEC.read({"role": "assistant", "tool_calls": [call]}).tool_calls == (read,)


@pytest.mark.parametrize(
    ("calls", "found"),
    [("secret", "tool_calls must be a list, found str"), (["secret"], "tool call 1 must be a dict, found str")],
)
def test_calls_of_no_known_shape_are_refused(calls: object, found: str) -> None:
    """The error names what was found, and where."""
    with pytest.raises(MessageError, match=found) as caught:
        CODEC.read({"role": "assistant", "tool_calls": calls})
    assert "secret" not in str(caught.value)


def test_the_legacy_call_is_read() -> None:
    """It has a name and no id."""
    native = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    assert CODEC.read(native).tool_calls == (ToolCall(name="f", arguments="{}"),)


def test_the_legacy_result_is_read() -> None:
    """It is known by the function's name."""
    message = CODEC.read({"role": "function", "name": "f", "content": "r"})
    assert (message.role, message.name, message.tool_call_id) == (Role.TOOL, "f", None)


def test_only_assistants_call() -> None:
    """Calls in a user's message are none."""
    assert CODEC.read({"role": "user", "content": "x", "tool_calls": [CALL]}).tool_calls == ()


def test_reasoning_beside_the_content_is_read() -> None:
    """DeepSeek and its like have it in a field of its own."""
    message = CODEC.read({"role": "assistant", "content": "yes", "reasoning_content": "hm"})
    assert message.parts == (ReasoningPart("hm"), TextPart("yes"))


def test_names_and_ids_are_read() -> None:
    """Both belong to what a message is."""
    message = CODEC.read({"role": "user", "content": "x", "name": "ana", "id": "m1"})
    assert (message.name, message.id) == ("ana", "m1")


@given(conversations())
def test_what_is_not_altered_goes_out_as_it_came_in(messages: list[dict[str, Any]]) -> None:
    """I6: it is the very same dict."""
    assert all(CODEC.write(CODEC.read(message)) is message for message in messages)


def test_extras_of_any_kind_go_through() -> None:
    """What JSON cannot hold and what holds itself is none of our business."""
    native: dict[str, Any] = {"role": "user", "content": "x", "extra": {object()}}
    native["me"] = native
    assert CODEC.write(CODEC.read(native)) is native
    assert CODEC.write(CODEC.read(native).with_text("y"))["extra"] is native["extra"]


def test_an_altered_message_is_a_copy() -> None:
    """The caller's own dict stays as it was."""
    native = {"role": "tool", "tool_call_id": "c1", "content": "long", "cache_control": {"type": "ephemeral"}}
    written = CODEC.write(CODEC.read(native).with_only_text("short"))
    assert written == {**native, "content": "short"}
    assert native["content"] == "long"


def test_an_altered_list_stays_a_list() -> None:
    """What was a list of blocks is one afterwards; blocks that stay are the caller's own."""
    image = {"type": "image_url", "image_url": {"url": "u"}}
    native = {"role": "user", "content": [{"type": "text", "text": "long", "cache_control": 1}, image]}
    written = CODEC.write(CODEC.read(native).with_text("short"))
    assert written["content"] == [{"type": "text", "text": "short"}, image]
    assert written["content"][1] is image


def test_a_content_that_was_not_altered_is_the_callers_own() -> None:
    """A message that loses a call keeps its content, object by object."""
    content = [{"type": "text", "text": "hm"}]
    native = {"role": "assistant", "content": content, "tool_calls": [CALL, {**CALL, "id": "c2"}]}
    written = CODEC.write(CODEC.read(native).without_calls(frozenset({0})))
    assert written["content"] is content
    assert written["tool_calls"] == [{**CALL, "id": "c2"}]


def test_a_null_content_stays_null() -> None:
    """Taking out a call makes no content."""
    native = {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "c2"}]}
    assert CODEC.write(CODEC.read(native).without_calls(frozenset({1}))) == {**native, "tool_calls": [CALL]}


def test_the_last_call_takes_the_field_along() -> None:
    """An empty list of calls is refused by providers."""
    native = {"role": "assistant", "content": "hm", "tool_calls": [CALL]}
    assert CODEC.write(CODEC.read(native).without_calls(frozenset({0}))) == {"role": "assistant", "content": "hm"}


def test_a_call_goes_with_its_block() -> None:
    """A call that is written twice is taken out twice."""
    blocks = [{"type": "text", "text": "hm"}, {"type": "tool_use", "id": "c1", "name": "f", "input": {}}]
    native = {"role": "assistant", "content": blocks, "tool_calls": [CALL]}
    written = CODEC.write(CODEC.read(native).without_calls(frozenset({0})))
    assert written == {"role": "assistant", "content": blocks[:1]}


def test_the_legacy_call_goes() -> None:
    """Its field goes with it."""
    native = {"role": "assistant", "content": "hm", "function_call": {"name": "f", "arguments": "{}"}}
    assert CODEC.write(CODEC.read(native).without_calls(frozenset({0}))) == {"role": "assistant", "content": "hm"}


def test_reasoning_goes_from_its_field_and_from_the_content() -> None:
    """A message without its reasoning has none anywhere."""
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    native = {"role": "assistant", "content": [thinking, {"type": "text", "text": "yes"}], "reasoning_content": "hm"}
    written = CODEC.write(CODEC.read(native).without_reasoning())
    assert written == {"role": "assistant", "content": [{"type": "text", "text": "yes"}]}


def test_reasoning_in_a_field_is_not_written_into_the_content() -> None:
    """It stays where it was when something else is changed."""
    native = {"role": "assistant", "content": "hm", "reasoning_content": "so", "tool_calls": [CALL]}
    written = CODEC.write(CODEC.read(native).without_calls(frozenset({0})))
    assert written == {"role": "assistant", "content": "hm", "reasoning_content": "so"}


@pytest.mark.parametrize(
    ("message", "native"),
    [
        (Message.user("hi"), {"role": "user", "content": "hi"}),
        (Message.user(""), {"role": "user", "content": ""}),
        (Message.user("hi", name="ana"), {"role": "user", "content": "hi", "name": "ana"}),
        (Message.system("hi"), {"role": "system", "content": "hi"}),
        (Message.tool("r", tool_call_id="c1"), {"role": "tool", "content": "r", "tool_call_id": "c1"}),
        (Message.tool("r", tool_call_id=None, name="f"), {"role": "function", "content": "r", "name": "f"}),
        (
            Message.assistant(tool_calls=(ToolCall(name="f", arguments="{}", id="c1"),)),
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            },
        ),
        (
            Message(role=Role.USER, parts=(TextPart("see"), ImagePart(url="u"))),
            {
                "role": "user",
                "content": [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "u"}}],
            },
        ),
    ],
)
def test_new_messages_are_written(message: Message, native: dict[str, Any]) -> None:
    """A stub, a marker and the builder's own messages become dicts."""
    assert CODEC.write(message) == native
