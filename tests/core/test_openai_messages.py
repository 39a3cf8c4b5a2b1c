"""OpenAI-style dicts, in and out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from ctx_core import Message, MessageError, Role, ToolCall
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.conversation.parts import ImagePart, ReasoningPart, TextPart
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
