"""The codec of `ChatMessage`: what comes in goes out, and what was altered goes out as a copy."""

from __future__ import annotations

import base64
import io
from dataclasses import replace
from typing import cast, get_args

import pytest
from llama_index.core.base.llms.types import (
    AudioBlock,
    CacheControl,
    CachePoint,
    ChatMessage,
    CitableBlock,
    CitationBlock,
    ContentBlock,
    DocumentBlock,
    ImageBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    VideoBlock,
)

from ctx_core.conversation.document_texts import document_text
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.conversation.parts import (
    AudioPart,
    CitationPart,
    FilePart,
    ImagePart,
    OpaquePart,
    ReasoningPart,
    TextPart,
    VideoPart,
)
from ctx_core.errors import MessageError
from llamaindex_ctx.convert import ChatMessageCodec

CODEC = ChatMessageCodec()
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(32))
ALL_BLOCKS = [
    TextBlock(text="look"),
    ImageBlock(url="https://example.org/a.png", detail="low"),
    AudioBlock(audio=base64.b64encode(b"ID3" + bytes(16)), format="mp3"),
    VideoBlock(url="https://example.org/a.mp4", video_mimetype="video/mp4"),
    DocumentBlock(data=b"plain words", title="notes", document_mimetype="text/plain"),
    CachePoint(cache_control=CacheControl(type="ephemeral")),
    CitableBlock(title="Guide", source="guide.md", content=[TextBlock(text="cited text"), ImageBlock(image=PNG)]),
    CitationBlock(
        title="Guide", source="guide.md", cited_content=TextBlock(text="quoted"), additional_location_info={"page": 2}
    ),
    ThinkingBlock(content="hmm", additional_information={"signature": "s" * 400}),
    ToolCallBlock(tool_call_id="c1", tool_name="find", tool_kwargs={"q": "x"}),
]


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        (MessageRole.SYSTEM, Role.SYSTEM),
        (MessageRole.DEVELOPER, Role.DEVELOPER),
        (MessageRole.USER, Role.USER),
        (MessageRole.ASSISTANT, Role.ASSISTANT),
        (MessageRole.CHATBOT, Role.ASSISTANT),
        (MessageRole.MODEL, Role.ASSISTANT),
        (MessageRole.TOOL, Role.TOOL),
        (MessageRole.FUNCTION, Role.TOOL),
    ],
)
def test_every_role_of_llamaindex_is_known(role: MessageRole, expected: Role) -> None:
    """Each role has its neutral one, asked for and read alike."""
    message = ChatMessage("x", role=role)
    assert CODEC.role(message) is expected
    assert CODEC.read(message).role is expected


def test_the_table_of_roles_has_all_of_the_framework() -> None:
    """A role that a newer LlamaIndex adds would fail here first."""
    assert {CODEC.role(ChatMessage("x", role=role)) for role in MessageRole} == set(Role)


@pytest.mark.parametrize("found", [{"role": "user", "content": "x"}, "x", None, 3])
def test_what_is_no_chat_message_is_refused(found: object) -> None:
    """The error names the type that was found."""
    with pytest.raises(MessageError, match=f"expected a ChatMessage, found {type(found).__name__}"):
        CODEC.role(cast("ChatMessage", found))


def test_an_unknown_role_is_refused() -> None:
    """A role that was set past the model's validation is named."""
    message = ChatMessage("x").model_copy(update={"role": "critic"})
    with pytest.raises(MessageError, match="unknown role 'critic'"):
        CODEC.read(message)


def test_a_role_set_as_plain_text_is_known() -> None:
    """`model_copy` does not validate, and a plain string is as good as the enum."""
    assert CODEC.role(ChatMessage("x").model_copy(update={"role": "assistant"})) is Role.ASSISTANT


def test_every_block_has_its_part() -> None:
    """All kinds of blocks are read in order, each with itself as the raw form."""
    message = ChatMessage(role="assistant", blocks=list(ALL_BLOCKS))
    parts = CODEC.read(message).parts
    kinds = [TextPart, ImagePart, AudioPart, VideoPart, FilePart, OpaquePart]
    kinds += [CitationPart, ImagePart, CitationPart, ReasoningPart, OpaquePart]
    assert [type(part) for part in parts] == kinds
    assert [part.raw for part in parts if not isinstance(part, ImagePart)] == [
        block for block in message.blocks if not isinstance(block, ImageBlock)
    ]


def test_the_list_of_blocks_has_all_of_the_framework() -> None:
    """A block that a newer LlamaIndex adds would fail here first."""
    assert {type(block) for block in ALL_BLOCKS} == set(get_args(get_args(ContentBlock)[0]))


def test_an_unaltered_message_is_the_very_object() -> None:
    """Writing what was read gives the caller's own message."""
    message = ChatMessage(role="assistant", blocks=list(ALL_BLOCKS), additional_kwargs={"x": object()})
    assert CODEC.write(CODEC.read(message)) is message


def test_an_altered_message_keeps_every_block_that_was_not_altered() -> None:
    """Only the text is another; all other blocks are the same objects in the same order, each once."""
    message = ChatMessage(role="assistant", blocks=list(ALL_BLOCKS))
    written = CODEC.write(CODEC.read(message).with_text("seen"))
    assert written is not message
    assert written.blocks[0] == TextBlock(text="seen")
    assert [id(block) for block in written.blocks[1:]] == [id(block) for block in message.blocks[1:]]
    assert message.blocks == ALL_BLOCKS


def test_an_altered_message_keeps_unknown_extras_and_its_class() -> None:
    """What this package doesn't know stays where it is, in a message of the caller's own class too."""

    class Noted(ChatMessage):
        note: str = ""

    message = Noted(blocks=[TextBlock(text="long text")], note="mine", additional_kwargs={"trace": {"id": 7}})
    written = CODEC.write(CODEC.read(message).with_text("short"))
    assert isinstance(written, Noted)
    assert (written.note, written.additional_kwargs, written.content) == ("mine", {"trace": {"id": 7}}, "short")
    assert message.content == "long text"


def test_writing_never_touches_the_extras_of_the_original() -> None:
    """Dropping a call edits a copy of `additional_kwargs`."""
    listed = [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]
    message = ChatMessage(role="assistant", additional_kwargs={"tool_calls": listed})
    CODEC.write(CODEC.read(message).without_calls(frozenset({0})))
    assert message.additional_kwargs == {"tool_calls": listed}
    assert len(listed) == 1


def test_a_message_without_content_has_no_text() -> None:
    """The content of a message of tool calls only is None, which must never count as a word."""
    message = ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_call_id="1", tool_name="f")])
    assert message.content is None
    assert CODEC.read(message).text == ""


def test_thinking_is_never_split_and_its_signature_not_counted() -> None:
    """A thinking block is one part with its text only; shortening a message leaves it whole."""
    thinking = ThinkingBlock(content="step by step", additional_information={"signature": "secret"})
    message = ChatMessage(role="assistant", blocks=[thinking, TextBlock(text="answer " * 50)])
    read = CODEC.read(message)
    assert read.parts[0] == ReasoningPart("step by step", encrypted=6, signed=True)
    assert CODEC.write(read.with_text("cut")).blocks[0] is thinking


def test_thinking_goes_as_a_whole() -> None:
    """Without reasoning neither the block nor a provider's extra field is left."""
    message = ChatMessage(
        role="assistant",
        blocks=[ThinkingBlock(content="hmm"), TextBlock(text="answer")],
        additional_kwargs={"reasoning_content": "hmm", "other": 1},
    )
    written = CODEC.write(CODEC.read(message).without_reasoning())
    assert written.blocks == [TextBlock(text="answer")]
    assert written.additional_kwargs == {"other": 1}


def test_reasoning_in_the_extras_counts_once() -> None:
    """A provider that repeats its thinking block in `additional_kwargs` is not billed twice."""
    twice = ChatMessage(
        role="assistant", blocks=[ThinkingBlock(content="hmm")], additional_kwargs={"reasoning_content": "hmm"}
    )
    alone = ChatMessage("answer", role="assistant", additional_kwargs={"reasoning_content": "hmm"})
    assert CODEC.read(twice).parts == (ReasoningPart("hmm"),)
    assert CODEC.read(alone).parts == (ReasoningPart("hmm"), TextPart("answer"))
    assert CODEC.write(CODEC.read(alone).with_text("!")).blocks == [TextBlock(text="!")]


def test_pictures_carry_what_their_price_depends_on() -> None:
    """Address, content as base64 text, type and detail reach the counter."""
    by_url = CODEC.read(ChatMessage(role="user", blocks=[ImageBlock(url="https://example.org/a.png", detail="high")]))
    by_data = CODEC.read(ChatMessage(role="user", blocks=[ImageBlock(image=PNG)]))
    assert by_url.parts == (ImagePart(url="https://example.org/a.png", media_type="image/png", detail="high"),)
    assert by_data.parts == (ImagePart(data=PNG.decode(), media_type="image/png"),)


def test_a_stream_is_not_moved() -> None:
    """Of one in memory the content is known all the same."""
    stream = io.BytesIO(b"\x89PNG")
    stream.seek(2)
    part = CODEC.read(ChatMessage(role="user", blocks=[ImageBlock(image=stream, image_mimetype="image/png")])).parts[0]
    assert part == ImagePart(data=b"\x89PNG", media_type="image/png")
    assert stream.tell() == 2


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (DocumentBlock(data=b"plain words", document_mimetype="text/plain"), "plain words"),
        (DocumentBlock(data="größer".encode(), document_mimetype="text/markdown"), "größer"),
        (DocumentBlock(data=b'{"a": 1}', document_mimetype="application/json"), '{"a": 1}'),
        (DocumentBlock(data=b"no type given"), "no type given"),
        (DocumentBlock(data=b"%PDF-1.7 \xff\xfe", document_mimetype="application/pdf"), None),
        (DocumentBlock(data=b"\xff\xfe\x00\x01"), None),
        (DocumentBlock(url="https://example.org/a.pdf"), None),
    ],
)
def test_a_document_of_plain_text_counts_as_text(block: DocumentBlock, text: str | None) -> None:
    """Text documents are counted by what they say, all others by a price for documents."""
    (part,) = CODEC.read(ChatMessage(role="user", blocks=[block])).parts
    assert isinstance(part, FilePart)
    assert part.media_type == block.document_mimetype
    assert document_text(part) == text


def test_media_within_a_citable_source_count_and_go_out_once() -> None:
    """A source with a picture is two parts of one block."""
    block = CitableBlock(title="T", source="s", content=[TextBlock(text="words"), ImageBlock(image=PNG)])
    message = ChatMessage(role="user", blocks=[block, TextBlock(text="why?")])
    read = CODEC.read(message)
    assert [type(part) for part in read.parts] == [CitationPart, ImagePart, TextPart]
    assert CODEC.write(read.with_text("so?")).blocks == [block, TextBlock(text="so?")]


def test_legacy_images_go_with_the_pictures() -> None:
    """A message whose media were taken out doesn't keep them in `additional_kwargs["images"]`."""
    message = ChatMessage(role="tool", blocks=[TextBlock(text="see"), ImageBlock(image=PNG)])
    message.additional_kwargs["images"] = ["the same picture"]
    read = CODEC.read(message)
    assert "images" in CODEC.write(read.with_text("look")).additional_kwargs
    assert "images" not in CODEC.write(read.with_only_text("gone")).additional_kwargs


def test_a_tool_result_has_its_call() -> None:
    """The id in `additional_kwargs` is what a result refers to, and its name is kept."""
    message = ChatMessage("found", role="tool", additional_kwargs={"tool_call_id": "c1", "name": "find"})
    read = CODEC.read(message)
    assert (read.tool_call_id, read.name) == ("c1", "find")


def test_a_return_direct_answer_is_an_assistants_message() -> None:
    """FunctionAgent repeats the id of the call on the answer, which is no tool's result."""
    message = ChatMessage("42", role="assistant", additional_kwargs={"tool_call_id": "c1"})
    read = CODEC.read(message)
    assert (read.role, read.tool_call_id, read.tool_calls) == (Role.ASSISTANT, None, ())


def test_a_result_that_was_given_an_id_is_written_with_it() -> None:
    """A repaired result carries the id of the call it answers, which only the role `tool` can have."""
    message = ChatMessage("found", role="function", additional_kwargs={"name": "find"})
    written = CODEC.write(replace(CODEC.read(message), tool_call_id="c9", altered=True))
    assert (written.role, written.additional_kwargs) == ("tool", {"name": "find", "tool_call_id": "c9"})
    assert message.additional_kwargs == {"name": "find"}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (Message.system("be kind"), ChatMessage("be kind", role="system")),
        (Message.user("hi", name="Eva"), ChatMessage("hi", role="user", additional_kwargs={"name": "Eva"})),
        (Message.tool("r", tool_call_id="1"), ChatMessage("r", role="tool", additional_kwargs={"tool_call_id": "1"})),
        (
            Message.tool("r", tool_call_id=None, name="f"),
            ChatMessage("r", role="function", additional_kwargs={"name": "f"}),
        ),
        (
            Message.assistant("ok", tool_calls=(ToolCall(id="1", name="f", arguments='{"a":1}'),)),
            ChatMessage(
                role="assistant",
                blocks=[
                    TextBlock(text="ok"),
                    ToolCallBlock(tool_call_id="1", tool_name="f", tool_kwargs={"a": 1}),
                ],
            ),
        ),
        (
            Message.assistant(tool_calls=(ToolCall(id="1", name="f", arguments='{"a":'),)),
            ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_call_id="1", tool_name="f", tool_kwargs='{"a":')]),
        ),
        (
            Message(
                role=Role.USER,
                parts=(ImagePart(url="https://example.org/a.png"), FilePart(text="notes"), ReasoningPart("hmm")),
            ),
            ChatMessage(
                role="user",
                blocks=[
                    ImageBlock(url="https://example.org/a.png"),
                    DocumentBlock(data=b"notes", document_mimetype="text/plain"),
                    ThinkingBlock(content="hmm"),
                ],
            ),
        ),
    ],
)
def test_a_message_that_was_made_here_is_written_as_a_new_one(message: Message, expected: ChatMessage) -> None:
    """Stubs, markers and messages of other origins become messages of LlamaIndex."""
    assert CODEC.write(message) == expected


def test_a_message_of_another_framework_is_written_as_a_new_one() -> None:
    """An OpenAI-style dict comes through the neutral form, content blocks included."""
    native = {
        "role": "user",
        "content": [
            {"type": "text", "text": "what is this?"},
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}},
        ],
    }
    assert CODEC.write(OpenAICodec().read(native)).blocks == [
        TextBlock(text="what is this?"),
        ImageBlock(url="https://example.org/a.png", detail="low"),
    ]
