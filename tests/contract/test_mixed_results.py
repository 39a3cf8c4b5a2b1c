"""Results that hold more than text, in every door: their text is cut, all else stays as it is."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from llama_index.core.base.llms.types import (
    ChatMessage,
    CitableBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ToolCallBlock,
)

from ctx_core import ContextBuilder, Framing, HistoryPolicy, TokenCounter, ToolResultPolicy
from ctx_core.conversation.formats.names import format_named
from ctx_core.conversation.transcript import read_natives
from langchain_ctx.convert import CODEC as LANGCHAIN
from llamaindex_ctx.convert import CODEC as LLAMAINDEX
from tests.payloads.kinds import PICTURE

if TYPE_CHECKING:
    from collections.abc import Callable

COUNTER: Final = TokenCounter(
    lambda text: len(text.split()), framing=replace(Framing.free(), media=Framing().media)
)  # fmt: skip
"""A token a word; pictures cost what they cost by default."""
LONG: Final = " ".join(f"line{at}" for at in range(4_000))
NAMED: Final = "[image 640×480]"
MARK: Final = {"type": "ephemeral"}
SOURCE: Final = {"type": "base64", "media_type": "image/png", "data": PICTURE}

IMAGE: Final = {"type": "image", "source": SOURCE}
MARKED: Final = {"type": "text", "text": LONG, "cache_control": MARK, "note": "kept"}
DOCUMENT: Final = {
    "type": "document",
    "title": "log.txt",
    "cache_control": MARK,
    "source": {"type": "text", "media_type": "text/plain", "data": LONG},
}
RESOURCE: Final = {"type": "resource", "resource": {"uri": "file:///log", "mimeType": "text/plain", "text": LONG}}
FOUND: Final = {
    "type": "search_result", "title": "t", "source": "s", "content": [{"type": "text", "text": LONG}]
}  # fmt: skip
OPENAI_IMAGE: Final = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}


def openai(*blocks: Any) -> list[Any]:
    """Write chat completions."""
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": list(blocks), "status": "kept"},
    ]


def anthropic(*blocks: Any) -> list[Any]:
    """Write Anthropic's messages."""
    result = {"type": "tool_result", "tool_use_id": "c1", "content": list(blocks), "cache_control": MARK}
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}]},
        {"role": "user", "content": [result]},
    ]


def bedrock(*blocks: Any) -> list[Any]:
    """Write Bedrock's messages."""
    result = {"toolResult": {"toolUseId": "c1", "content": list(blocks), "status": "success"}}
    return [
        {"role": "user", "content": [{"text": "go"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "look", "input": {}}}]},
        {"role": "user", "content": [result]},
    ]


def gemini(*blocks: Any) -> list[Any]:
    """Write Gemini's contents: the text is the response, media stand beside it."""
    response = {"name": "look", "response": {"output": LONG}, "parts": list(blocks), "scheduling": "SILENT"}
    return [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": response}]},
    ]


def responses(*blocks: Any) -> list[Any]:
    """Write Responses items."""
    return [
        {"role": "user", "content": "go"},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": list(blocks), "status": "completed"},
    ]


def langchain(*blocks: Any) -> list[Any]:
    """Write LangChain's messages."""
    call: Any = {"name": "look", "args": {}, "id": "c1", "type": "tool_call"}
    result = ToolMessage(list(blocks), tool_call_id="c1", artifact={"k": 1}, name="look")
    return [HumanMessage("go"), AIMessage("", tool_calls=[call]), result]


def llamaindex(*blocks: Any) -> list[Any]:
    """Write LlamaIndex' messages."""
    call = ToolCallBlock(tool_call_id="c1", tool_name="look", tool_kwargs={})
    extra = {"tool_call_id": "c1", "k": 1}
    return [
        ChatMessage("go", role="user"),
        ChatMessage(role="assistant", blocks=[call]),
        ChatMessage(role="tool", blocks=list(blocks), additional_kwargs=extra),
    ]


def _content(message: Any) -> list[Any]:
    content: list[Any] = message["content"]
    return content


BLOCKS: Final[dict[str, tuple[Callable[..., list[Any]], tuple[Any, ...], Callable[[Any], list[Any]]]]] = {
    "openai": (openai, (MARKED, OPENAI_IMAGE, DOCUMENT, RESOURCE), _content),
    "anthropic": (anthropic, (MARKED, IMAGE, DOCUMENT, FOUND, RESOURCE), lambda one: _content(one["content"][0])),
    "bedrock": (
        bedrock,
        (
            {"text": LONG},
            {"image": {"format": "png", "source": {"bytes": PICTURE}}},
            {"document": {"format": "txt", "name": "log", "source": {"bytes": LONG.encode()}}},
            {"document": {"format": "txt", "name": "log", "source": {"text": LONG}}},
        ),
        lambda one: _content(one["content"][0]["toolResult"]),
    ),
    "gemini": (
        gemini,
        ({"inlineData": {"mimeType": "image/png", "data": PICTURE}},),
        lambda one: [
            {"text": one["parts"][0]["functionResponse"]["response"]["output"]},
            *one["parts"][0]["functionResponse"]["parts"],
        ],
    ),
    "responses": (
        responses,
        (
            {"type": "input_text", "text": LONG, "note": "kept"},
            {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"},
        ),
        lambda one: one["output"],
    ),
    "langchain": (langchain, (MARKED, IMAGE, DOCUMENT, RESOURCE), lambda one: one.content),
    "llamaindex": (
        llamaindex,
        (
            TextBlock(text=LONG),
            ImageBlock(image=PICTURE.encode(), image_mimetype="image/png"),
            DocumentBlock(data=LONG.encode(), title="log.txt", document_mimetype="text/plain"),
            CitableBlock(title="t", source="s", content=[TextBlock(text=LONG)]),
        ),
        lambda one: one.blocks,
    ),
}
DOORS: Final[dict[str, Any]] = {"langchain": LANGCHAIN, "llamaindex": LLAMAINDEX}


def fitted(name: str, messages: list[Any], budget: int, *, provider: Any = None, **results: Any) -> Any:
    """Fit the messages of a door."""
    policy = HistoryPolicy(results=ToolResultPolicy(cut_marker=" … ", placeholder="[gone {tokens}]", **results))
    builder = ContextBuilder(budget, COUNTER).provider(provider).history(policy)
    return builder.build(messages, codec=DOORS.get(name, name))


def recount(name: str, messages: list[Any]) -> int:
    """Count what went out, from scratch."""
    return COUNTER.count_messages(list(read_natives(messages, DOORS.get(name) or format_named(name))))


def without_texts(value: Any) -> Any:
    """Give a block with nothing in the place of its long texts."""
    if hasattr(value, "model_dump"):
        value = value.model_dump(exclude={"data"} if isinstance(value, DocumentBlock) else None)
    if isinstance(value, dict):
        return {key: without_texts(held) for key, held in value.items()}
    if isinstance(value, list):
        return [without_texts(one) for one in value]
    return "…" if isinstance(value, str | bytes) and ("line" in str(value) or "…" in str(value)) else value


@pytest.mark.parametrize("name", BLOCKS)
def test_the_text_of_a_mixed_result_is_cut_and_its_picture_stays(name: str) -> None:
    """The list stays a list, the picture the very object, and every block keeps what it has beside its text."""
    write, blocks, read = BLOCKS[name]
    messages = write(*blocks)
    before = copy.deepcopy(messages)
    context = fitted(name, messages, 100_000, max_tokens=2_500)
    sent = read(context.messages[-1])
    came = read(messages[-1])
    assert [without_texts(block) for block in sent] == [without_texts(block) for block in came]
    pictures = [at for at, block in enumerate(came) if PICTURE in str(block)]
    assert pictures
    assert all(sent[at] is came[at] for at in pictures), "the very object"
    assert recount(name, context.messages) == context.tokens <= 2_510
    assert context.report.history.shortened == 1
    assert messages == before


@pytest.mark.parametrize("name", BLOCKS)
def test_a_picture_that_is_too_large_is_named(name: str) -> None:
    """Where there is no room for it beside a text, it does not go without a word."""
    write, blocks, read = BLOCKS[name]
    context = fitted(name, write(*blocks), 100_000, max_tokens=200)
    assert NAMED in str(read(context.messages[-1])) or NAMED in str(context.messages[-1])
    assert PICTURE not in str(context.messages[-1])
    assert recount(name, context.messages) == context.tokens <= 210


@pytest.mark.parametrize("name", BLOCKS)
def test_a_mixed_result_is_cleared_as_what_it_is(name: str) -> None:
    """One placeholder says how much there was, media are named, and what a block has beside its text stays on it."""
    write, blocks, read = BLOCKS[name]
    messages = [*write(*blocks), *write(*blocks)]
    size = fitted(name, messages[:3], 1_000_000).tokens
    context = fitted(
        name, messages, 2 * size - 500, provider=False, clear_rest=True, overflow_share=1.0, superseded=False
    )
    assert context.report.history.cleared == 1
    assert recount(name, context.messages) == context.tokens
    sent = read(context.messages[2])
    assert str(sent).count("[gone ") == 1
    assert NAMED in str(sent)
    assert not any("line" in str(block) for block in sent)
    assert str(sent).count("cache_control': {") == str(read(messages[2])).count("cache_control': {")
    assert read(context.messages[-1]) == read(messages[-1])
