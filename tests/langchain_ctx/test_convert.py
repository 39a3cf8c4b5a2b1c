"""LangChain's message classes and content blocks, in and out of the neutral form."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    ChatMessageChunk,
    FunctionMessage,
    FunctionMessageChunk,
    HumanMessage,
    HumanMessageChunk,
    InvalidToolCall,
    RemoveMessage,
    SystemMessage,
    SystemMessageChunk,
    ToolMessage,
    ToolMessageChunk,
    convert_to_messages,
    get_notification_metadata,
)

from ctx_core.builder import ContextBuilder
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.parts import AudioPart, FilePart, ImagePart, OpaquePart, Part, ReasoningPart, TextPart
from ctx_core.counting import TokenCounter
from ctx_core.errors import MessageError
from langchain_ctx.convert import LangChainCodec

if TYPE_CHECKING:
    from collections.abc import Sequence

CODEC = LangChainCodec()

DEVELOPER = {"__openai_role__": "developer"}

ROLES: list[tuple[BaseMessage, Role]] = [
    (HumanMessage("q"), Role.USER),
    (HumanMessageChunk(content="q"), Role.USER),
    (AIMessage("a"), Role.ASSISTANT),
    (AIMessageChunk(content="a"), Role.ASSISTANT),
    (SystemMessage("s"), Role.SYSTEM),
    (SystemMessageChunk(content="s"), Role.SYSTEM),
    (SystemMessage("d", additional_kwargs=DEVELOPER), Role.DEVELOPER),
    (ToolMessage("r", tool_call_id="1"), Role.TOOL),
    (ToolMessageChunk(content="r", tool_call_id="1"), Role.TOOL),
    (FunctionMessage(name="f", content="r"), Role.TOOL),
    (FunctionMessageChunk(name="f", content="r"), Role.TOOL),
    (ChatMessage(role="user", content="q"), Role.USER),
    (ChatMessage(role="Assistant", content="a"), Role.ASSISTANT),
    (ChatMessage(role="system", content="s"), Role.SYSTEM),
    (ChatMessage(role="developer", content="s"), Role.DEVELOPER),
    (ChatMessage(role="control", content="thinking"), Role.SYSTEM),
    (ChatMessageChunk(role="tool", content="r"), Role.TOOL),
]


class Visitor(HumanMessage):
    """A user's own message class."""

    badge: int = 0


class Robot(AIMessage):
    """A user's own message class with a type of its own."""

    type: str = "robot"  # type: ignore[assignment]  # what users do; pyright: ignore[reportIncompatibleVariableOverride]


def full_answer() -> AIMessage:
    """Make an answer with every kind of block and a call that is spelled in three places."""
    return AIMessage(
        content=[
            {"type": "reasoning", "reasoning": "think", "extras": {"signature": "c2ln"}},
            {"type": "text", "text": "hi", "annotations": [{"type": "citation", "cited_text": "c"}]},
            {"type": "tool_call", "id": "t1", "name": "f", "args": {"a": 1}},
            {"type": "tool_call", "id": "t2", "name": "g", "args": {"b": 2}},
            {"type": "server_tool_call", "id": "s1", "name": "web_search", "args": {"q": "x"}},
            {"type": "server_tool_result", "tool_call_id": "s1", "status": "success", "output": "r"},
            {"type": "image", "base64": "AAAA", "mime_type": "image/png"},
            {"type": "non_standard", "value": {"odd": "block"}},
            "a plain string",
        ],
        tool_calls=[{"id": "t1", "name": "f", "args": {"a": 1}}, {"id": "t2", "name": "g", "args": {"b": 2}}],
        invalid_tool_calls=[InvalidToolCall(type="invalid_tool_call", id="i1", name="h", args="{bad", error="e")],
        additional_kwargs={
            "tool_calls": [
                {"id": "t1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}},
                {"id": "t2", "type": "function", "function": {"name": "g", "arguments": '{"b":2}'}},
                {"id": "i1", "type": "function", "function": {"name": "h", "arguments": "{bad"}},
            ],
            "k": 1,
        },
        usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
        response_metadata={"model_provider": "openai", "output_version": "v1"},
        id="x1",
        name="bot",
    )


ANSWERS: Sequence[BaseMessage] = [
    full_answer(),
    ToolMessage(
        [{"type": "text", "text": "r"}, {"type": "image", "url": "https://x/y.png"}],
        tool_call_id="t1",
        name="f",
        artifact={"big": [1, 2]},
        status="error",
        id="r1",
    ),
    AIMessageChunk(content="part", tool_call_chunks=[{"name": "f", "args": "{}", "id": "1", "index": 0}]),
    Visitor(content="hello", badge=7, name="ann"),
]


@pytest.mark.parametrize(("native", "role"), ROLES)
def test_role_of_every_class(native: BaseMessage, role: Role) -> None:
    """Every message class and chunk has the role that providers are told."""
    assert CODEC.role(native) is role
    assert CODEC.read(native).role is role


@pytest.mark.parametrize("native", [*(native for native, _ in ROLES), *ANSWERS])
def test_unaltered_message_is_the_same_object(native: BaseMessage) -> None:
    """What is not altered goes out as the object that came in, unchanged."""
    before = copy.deepcopy(native)
    assert CODEC.write(CODEC.read(native)) is native
    assert native == before
    assert type(native) is type(before)


def test_users_own_classes_have_the_role_of_their_base() -> None:
    """A subclass is read as what it derives from, even with a type of its own."""
    assert CODEC.role(Visitor(content="q")) is Role.USER
    assert CODEC.role(Robot(content="a")) is Role.ASSISTANT


@pytest.mark.parametrize(
    ("native", "named"),
    [
        (RemoveMessage(id="1"), "RemoveMessage"),
        (ChatMessage(role="critic", content="x"), "'critic'"),
        ("text", "found str"),
        ({"a": 1}, "found dict"),
        (None, "found NoneType"),
    ],
)
def test_what_cannot_be_sent_is_refused(native: BaseMessage, named: str) -> None:
    """State changes, unknown roles and what is no message give an error that says which."""
    with pytest.raises(MessageError, match=named):
        CODEC.role(native)


def test_refusal_never_quotes_content() -> None:
    """The error names a role or a type, never what a message says."""
    with pytest.raises(MessageError) as caught:
        CODEC.role(ChatMessage(role="critic", content="secret"))
    assert "secret" not in str(caught.value)


def test_developer_role_survives_conversion_from_dicts() -> None:
    """OpenAI's developer role, which LangChain keeps in additional_kwargs, is one here too."""
    native = convert_to_messages([{"role": "developer", "content": "rules"}])[0]
    assert CODEC.role(native) is Role.DEVELOPER


def test_every_call_is_read_once() -> None:
    """Calls spelled in three places are read once, the malformed one with them."""
    calls = CODEC.read(full_answer()).tool_calls
    assert [(call.id, call.name, call.arguments) for call in calls] == [
        ("t1", "f", '{"a": 1}'),
        ("t2", "g", '{"b": 2}'),
        ("i1", "h", "{bad"),
    ]


def test_calls_spelled_again_cost_nothing_more() -> None:
    """A message costs the same whether its calls are spelled in one place or in three."""
    calls: Any = [{"id": "t1", "name": "f", "args": {"a": "z" * 400}}]
    block = {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": "z" * 400}}
    sent = {"id": "t1", "type": "function", "function": {"name": "f", "arguments": '{"a":"' + "z" * 400 + '"}'}}
    counter = TokenCounter(len)
    once = counter.count_message(CODEC.read(AIMessage("", tool_calls=calls)))
    thrice = AIMessage([block], tool_calls=calls, additional_kwargs={"tool_calls": [sent]})
    assert counter.count_message(CODEC.read(thrice)) == once > 400


@pytest.mark.parametrize(
    "native",
    [
        AIMessage([{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}]),
        AIMessage([{"type": "function_call", "id": "fc_9", "call_id": "c1", "name": "f", "arguments": '{"a":1}'}]),
        ChatMessage(
            role="assistant",
            content="",
            additional_kwargs={"tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": '{"a":1}'}}]},
        ),
    ],
)
def test_calls_that_only_blocks_spell_are_calls(native: BaseMessage) -> None:
    """A call that stands in no `tool_calls` is sent all the same, and so it is read."""
    (call,) = CODEC.read(native).tool_calls
    assert (call.id, call.name, json.loads(call.arguments)) == ("c1", "f", {"a": 1})


def test_legacy_function_call_is_read_without_id() -> None:
    """OpenAI's first calls have no id: they are paired by name."""
    native = AIMessage("", additional_kwargs={"function_call": {"name": "f", "arguments": "{}"}})
    assert CODEC.read(native).tool_calls == (ToolCall(name="f"),)


def test_function_call_beside_tool_calls_is_no_second_call() -> None:
    """Some integrations repeat the last call as a legacy `function_call`: that is not one call more."""
    native = AIMessage(
        "",
        tool_calls=[{"id": "1", "name": "f", "args": {}}],
        additional_kwargs={"function_call": {"name": "f", "arguments": "{}"}},
    )
    assert [call.id for call in CODEC.read(native).tool_calls] == ["1"]


def test_two_calls_with_one_id_are_two_calls() -> None:
    """Careless models repeat an id within one message; both calls stay, to be paired in order."""
    native = AIMessage("", tool_calls=[{"id": "0", "name": "f", "args": {}}, {"id": "0", "name": "g", "args": {}}])
    assert [call.name for call in CODEC.read(native).tool_calls] == ["f", "g"]
    written = CODEC.write(CODEC.read(native).without_calls(frozenset({0})))
    assert isinstance(written, AIMessage)
    assert [call["name"] for call in written.tool_calls] == ["g"]


def test_malformed_call_without_id_is_a_call() -> None:
    """Its text is sent, and what answers it is paired with it by name or place."""
    native = AIMessage(
        "", invalid_tool_calls=[{"id": None, "name": "f", "args": "z" * 50, "error": None, "type": "invalid_tool_call"}]
    )
    message = CODEC.read(native)
    assert [(call.name, call.id) for call in message.tool_calls] == [("f", None)]
    assert TokenCounter(len).count_message(message) > 50
    assert CODEC.write(message.with_text("x")).content == "x"


def test_dropped_call_goes_from_everywhere() -> None:
    """A call that is dropped is gone from tool_calls, the content and additional_kwargs; the others stay."""
    native = full_answer()
    before = copy.deepcopy(native)
    message = CODEC.read(native)
    written = CODEC.write(message.without_calls(frozenset({1, 2})))
    assert isinstance(written, AIMessage)
    assert [call["id"] for call in written.tool_calls] == ["t1"]
    assert written.invalid_tool_calls == []
    assert [call["id"] for call in written.additional_kwargs["tool_calls"]] == ["t1"]
    assert [block for block in native.content if isinstance(block, str) or block.get("id") != "t2"] == written.content
    assert (written.id, written.name, written.usage_metadata) == (native.id, native.name, native.usage_metadata)
    assert written.response_metadata == native.response_metadata
    assert written.additional_kwargs["k"] == 1
    assert native == before


def test_dropping_the_last_call_leaves_no_empty_list_behind() -> None:
    """Providers refuse an empty `tool_calls`: the key goes with its last call."""
    native = AIMessage(
        "text",
        tool_calls=[{"id": "1", "name": "f", "args": {}}],
        additional_kwargs={"tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]},
    )
    written = CODEC.write(CODEC.read(native).without_calls(frozenset({0})))
    assert isinstance(written, AIMessage)
    assert written.tool_calls == []
    assert written.additional_kwargs == {}
    assert written.content == "text"


def test_dropped_legacy_call_goes() -> None:
    """A legacy `function_call` is taken out like any other."""
    native = AIMessage("text", additional_kwargs={"function_call": {"name": "f", "arguments": "{}"}, "k": 1})
    written = CODEC.write(CODEC.read(native).without_calls(frozenset({0})))
    assert written.additional_kwargs == {"k": 1}


def test_dropped_call_of_a_chunk_goes_from_its_chunks() -> None:
    """A streamed message keeps its class, and the call goes from its chunks too."""
    native = AIMessageChunk(
        content="",
        tool_call_chunks=[
            {"name": "f", "args": "{}", "id": "1", "index": 0},
            {"name": "g", "args": "{}", "id": "2", "index": 1},
        ],
    )
    written = CODEC.write(CODEC.read(native).without_calls(frozenset({0})))
    assert isinstance(written, AIMessageChunk)
    assert [chunk["id"] for chunk in written.tool_call_chunks] == ["2"]
    assert [call["id"] for call in written.tool_calls] == ["2"]


def test_tool_result_keeps_all_but_its_text() -> None:
    """A shortened result keeps its id, its name, its status, its artifact and its class."""
    native = ANSWERS[1]
    before = copy.deepcopy(native)
    message = CODEC.read(native)
    assert message.failed
    assert message.tool_call_id == "t1"
    written = CODEC.write(message.with_only_text("[cleared]"))
    assert written == native.model_copy(update={"content": [{"type": "text", "text": "[cleared]"}]}), "a list stays one"
    assert native == before


def test_new_text_stands_beside_the_media_that_stay() -> None:
    """Cutting the text of a message with a picture leaves the picture as it was."""
    written = CODEC.write(CODEC.read(ANSWERS[1]).with_text("short"))
    assert written.content == [{"type": "text", "text": "short"}, {"type": "image", "url": "https://x/y.png"}]


def test_result_without_id_becomes_a_tool_message_when_paired() -> None:
    """A legacy result that is given the id of its call needs a class that has one."""
    native = FunctionMessage(name="f", content="r", id="m")
    written = CODEC.write(replace(CODEC.read(native), tool_call_id="c1", altered=True))
    assert written == ToolMessage("r", tool_call_id="c1", name="f", id="m")


def test_answered_call_of_a_chat_message_is_found() -> None:
    """A `ChatMessage` of role tool names its call in additional_kwargs."""
    native = ChatMessage(role="tool", content="r", additional_kwargs={"tool_call_id": "c1"})
    assert CODEC.read(native).tool_call_id == "c1"


def test_reasoning_in_the_content_goes_without_its_neighbors() -> None:
    """Without reasoning, the signed block goes whole and every other block is the caller's own."""
    native = full_answer()
    written = CODEC.write(CODEC.read(native).without_reasoning())
    assert written.content == native.content[1:]
    assert all(kept is own for kept, own in zip(written.content, native.content[1:], strict=True))


@pytest.mark.parametrize(
    "extra",
    [
        {"reasoning_content": "deep thought"},
        {"reasoning": {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "deep thought"}]}},
    ],
)
def test_reasoning_outside_the_content_is_read_and_dropped(extra: dict[str, Any]) -> None:
    """Some integrations keep reasoning in additional_kwargs: it counts, never enters the content, and can go."""
    message = CODEC.read(AIMessage("a", additional_kwargs={**extra, "k": 1}))
    assert message.parts == (ReasoningPart("deep thought"), TextPart("a"))
    assert CODEC.write(message.with_text("b")).content == "b"
    assert CODEC.write(message.with_text("b")).additional_kwargs == {**extra, "k": 1}
    assert CODEC.write(message.without_reasoning()).additional_kwargs == {"k": 1}


def test_parts_of_every_block() -> None:
    """Each kind of block is the part that is counted as such."""
    native = HumanMessage(
        [
            {"type": "text", "text": "t"},
            {"type": "image", "url": "https://x/y.png"},
            {"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "low"}},
            {"type": "audio", "base64": "AAAA", "mime_type": "audio/wav"},
            {"type": "file", "base64": "AAAA", "mime_type": "application/pdf"},
            {"type": "text-plain", "text": "doc", "mime_type": "text/plain"},
            {"type": "server_tool_call", "id": "s", "name": "search", "args": {}},
        ]
    )
    kinds: list[type[Part]] = [TextPart, ImagePart, ImagePart, AudioPart, FilePart, FilePart, OpaquePart]
    assert [type(part) for part in CODEC.read(native).parts] == kinds


@pytest.mark.parametrize(
    ("message", "native"),
    [
        (Message.system("s"), SystemMessage("s")),
        (replace(Message.system("s"), role=Role.DEVELOPER), SystemMessage("s", additional_kwargs=DEVELOPER)),
        (Message.assistant("a"), AIMessage("a")),
        (Message.tool("r", tool_call_id="1"), ToolMessage("r", tool_call_id="1")),
        (Message.tool("r", tool_call_id=None, name="f"), FunctionMessage(name="f", content="r")),
        (
            Message.assistant(tool_calls=(ToolCall(id="1", name="f", arguments='{"a":1}'),)),
            AIMessage("", tool_calls=[{"id": "1", "name": "f", "args": {"a": 1}}]),
        ),
        (
            Message.assistant(tool_calls=(ToolCall(id="1", name="f", arguments="{bad"),)),
            AIMessage(
                "",
                invalid_tool_calls=[
                    {"id": "1", "name": "f", "args": "{bad", "error": None, "type": "invalid_tool_call"}
                ],
            ),
        ),
        (
            Message(role=Role.ASSISTANT, parts=(TextPart("a"), ImagePart(data=b"abc", media_type="image/png"))),
            AIMessage([{"type": "text", "text": "a"}, {"type": "image", "base64": "YWJj", "mime_type": "image/png"}]),
        ),
        (
            Message(
                role=Role.ASSISTANT, parts=(FilePart(text="f"), AudioPart(data="AAAA"), ImagePart(url="https://x"))
            ),
            AIMessage(
                [
                    {"type": "text-plain", "text": "f", "mime_type": "text/plain"},
                    {"type": "audio", "base64": "AAAA", "mime_type": "audio/wav"},
                    {"type": "image", "url": "https://x"},
                ]
            ),
        ),
    ],
)
def test_new_messages_are_of_the_proper_class(message: Message, native: BaseMessage) -> None:
    """Stubs, markers and summaries made here are LangChain's own classes."""
    written = CODEC.write(message)
    assert written == native
    assert type(written) is type(native)


def test_human_message_that_no_human_wrote_says_so() -> None:
    """A synthetic user message is marked the way LangChain marks notifications."""
    written = CODEC.write(replace(Message.user("[45 earlier messages omitted]"), synthetic=True))
    assert isinstance(written, HumanMessage)
    assert written.content == "[45 earlier messages omitted]"
    assert get_notification_metadata(written) == {"source": "ctx_layers"}


def test_text_that_the_user_wrote_is_not_marked() -> None:
    """A string given as the current message becomes the user's own message."""
    context = ContextBuilder(1_000).build([HumanMessage("a")], "And tomorrow?", codec=CODEC)
    assert get_notification_metadata(context.messages[-1]) is None


def test_reading_does_not_normalize_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The costly `content_blocks` is never asked for."""

    def refuse(_self: AIMessage) -> list[object]:
        msg = "content_blocks was asked for"
        raise AssertionError(msg)

    monkeypatch.setattr(AIMessage, "content_blocks", property(refuse))
    assert len(CODEC.read(full_answer()).parts) == 9
