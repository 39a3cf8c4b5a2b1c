"""What comes with a call, or is left out of it, costs the same in every door."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain_core.messages import AIMessage
from llama_index.core.base.llms.types import (
    ChatMessage,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)

from ctx_core import TokenCounter
from ctx_core.conversation.formats.names import format_named
from ctx_core.conversation.parts import ReasoningPart
from ctx_core.conversation.transcript import Transcript, read_natives
from langchain_ctx import LangChainCodec
from llamaindex_ctx import ChatMessageCodec

if TYPE_CHECKING:
    from ctx_core.conversation.message_types import Codec
    from ctx_core.conversation.messages import Message

COPY: Final = base64.b64encode(b"\x00thought" * 375).decode()
BYTES: Final = base64.b64decode(COPY)
PAYLOAD: Final = "the payload of a custom tool, which is no JSON; " * 20
GEMINI: Final = TokenCounter.for_model("gemini-3-pro-preview")
GPT: Final = TokenCounter.for_model("gpt-4o")
ARGS: Final = {"city": "Oslo"}
LANGCHAIN, LLAMAINDEX, OPENAI = LangChainCodec(), ChatMessageCodec(), format_named("openai")


def _ai(content: Any = "", **fields: Any) -> AIMessage:
    return AIMessage(content, **fields)


def _li(*blocks: Any, **extras: Any) -> ChatMessage:
    return ChatMessage(role="assistant", blocks=list(blocks), additional_kwargs=extras)


def _assistant(**fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, **fields}


_LISTED: Final = {"name": "look", "args": ARGS, "id": "c1", "type": "tool_call"}
_CALL: Final = {"type": "function", "id": "c1", "function": {"name": "look", "arguments": '{"city": "Oslo"}'}}
_BLOCK: Final = ToolCallBlock(tool_call_id="c1", tool_name="look", tool_kwargs=ARGS)
_CONTENT: Final = {"type": "tool_call", "id": "c1", "name": "look", "args": ARGS}
_GEMINI: Final = {"functionCall": {"id": "c1", "name": "look", "args": ARGS}}
SIGNED: Final[dict[str, tuple[Any, Codec[Any]]]] = {
    "gemini": ({"role": "model", "parts": [{**_GEMINI, "thoughtSignature": COPY}]}, format_named("gemini")),
    "gemini's client": ({"role": "model", "parts": [{**_GEMINI, "thought_signature": BYTES}]}, format_named("gemini")),
    "openai, flat": (_assistant(tool_calls=[{**_CALL, "thought_signature": COPY}]), OPENAI),
    "openai, extra content": (
        _assistant(tool_calls=[{**_CALL, "extra_content": {"google": {"thought_signature": COPY}}}]),
        OPENAI,
    ),
    "langchain's map": (
        _ai(tool_calls=[_LISTED], additional_kwargs={"__gemini_function_call_thought_signatures__": {"c1": COPY}}),
        LANGCHAIN,
    ),
    "langchain, flat": (_ai([{**_CONTENT, "thought_signature": COPY}], tool_calls=[_LISTED]), LANGCHAIN),
    "langchain, only flat": (_ai([{**_CONTENT, "signature": COPY}]), LANGCHAIN),
    "langchain's extras": (_ai([{**_CONTENT, "extras": {"signature": COPY}}], tool_calls=[_LISTED]), LANGCHAIN),
    "langchain, a block beside": (
        _ai([{"type": "function_call_signature", "signature": COPY, "index": 0}], tool_calls=[_LISTED]),
        LANGCHAIN,
    ),
    "langchain, as sent": (
        _ai(tool_calls=[_LISTED], additional_kwargs={"tool_calls": [{**_CALL, "thought_signature": COPY}]}),
        LANGCHAIN,
    ),
    "llamaindex": (_li(_BLOCK, thought_signatures=[COPY]), LLAMAINDEX),
    "llamaindex, bytes": (_li(_BLOCK, thought_signatures=[BYTES]), LLAMAINDEX),
    "llamaindex, an entry": (_li(tool_calls=[{**_CALL, "thought_signature": COPY}]), LLAMAINDEX),
}
UNSIGNED: Final[dict[str, tuple[Any, Codec[Any]]]] = {
    "gemini": ({"role": "model", "parts": [_GEMINI]}, format_named("gemini")),
    "openai": (_assistant(tool_calls=[_CALL]), OPENAI),
    "langchain": (_ai(tool_calls=[_LISTED]), LANGCHAIN),
    "llamaindex": (_li(_BLOCK), LLAMAINDEX),
}


def _read(native: Any, codec: Codec[Any]) -> Message:
    (message,) = read_natives([native], codec)
    return message


def _sent(native: Any, codec: Codec[Any]) -> list[Any]:
    transcript = Transcript([native], (), codec)
    return transcript.write([transcript[0]])


@pytest.mark.parametrize("where", SIGNED)
def test_a_signature_of_a_call_costs_the_same_wherever_it_stands(where: str) -> None:
    """What it adds to the call without it is what it adds in Gemini's own format."""
    door = where.partition(",")[0].partition("'")[0]
    added = GEMINI.count_message(_read(*SIGNED[where])) - GEMINI.count_message(_read(*UNSIGNED[door]))
    plain = GEMINI.count_message(_read(*SIGNED["gemini"])) - GEMINI.count_message(_read(*UNSIGNED["gemini"]))
    assert added == plain
    assert plain > 300


def test_signatures_of_llamaindex_go_with_their_blocks() -> None:
    """Each block has the one at its place; a text's and a thought's cost what Gemini's do, once."""
    told = _li(
        ThinkingBlock(content="hm", additional_information={"thought_signature": BYTES}),
        TextBlock(text="It is"),
        _BLOCK,
        thought_signatures=[COPY, COPY[:2_000], COPY[:1_000]],
    )
    gemini = {
        "role": "model",
        "parts": [
            {"text": "hm", "thought": True, "thoughtSignature": COPY},
            {"text": "It is", "thoughtSignature": COPY[:2_000]},
            {**_GEMINI, "thoughtSignature": COPY[:1_000]},
        ],
    }
    read, plain = _read(told, LLAMAINDEX), _read(gemini, format_named("gemini"))
    assert [call.encrypted for call in read.tool_calls] == [1_000]
    assert GEMINI.count_message(read) == GEMINI.count_message(plain)


def test_signatures_of_llamaindex_stay_with_their_blocks() -> None:
    """Where thoughts or calls are gone from a copy, no block gets the signature of another."""
    other = ToolCallBlock(tool_call_id="c2", tool_name="look", tool_kwargs={"city": "Rome"})
    told = _li(
        ThinkingBlock(content="hm"), TextBlock(text="It is"), _BLOCK, other, thought_signatures=["a", "b", "c", "d"]
    )
    message = _read(told, LLAMAINDEX)
    words = tuple(part for part in message.parts if not isinstance(part, ReasoningPart))
    renamed = (replace(message.tool_calls[1], id="c9"),)
    written = LLAMAINDEX.write(replace(message, parts=words, tool_calls=renamed, altered=True))
    assert [type(block) for block in written.blocks] == [TextBlock, ToolCallBlock]
    assert written.additional_kwargs["thought_signatures"] == ["b", "d"]
    assert told.additional_kwargs["thought_signatures"] == ["a", "b", "c", "d"]


_CUSTOM: Final = {"type": "custom", "id": "c1", "custom": {"name": "run", "input": PAYLOAD}}
_NO_ID: Final = {"type": "custom", "custom": {"name": "run", "input": PAYLOAD}}
_EMPTY: Final = {"name": "run", "args": {}, "id": "c1", "type": "tool_call"}
_ITEM: Final = {"type": "custom_tool_call", "call_id": "c1", "id": "ctc_1", "name": "run", "input": PAYLOAD}


def _invalid(args: str | None, call_id: str | None = "c1") -> dict[str, Any]:
    return {"name": "run", "args": args, "id": call_id, "error": None, "type": "invalid_tool_call"}


CUSTOM: Final[dict[str, tuple[Any, Codec[Any]]]] = {
    "openai": (_assistant(tool_calls=[_CUSTOM]), OPENAI),
    "openai, a list and a block": (
        _assistant(
            content=[{"type": "tool_use", "id": "c1", "name": "run", "input": PAYLOAD}],
            tool_calls=[{"type": "function", "id": "c1", "function": {"name": "run", "arguments": "{}"}}],
        ),
        OPENAI,
    ),
    "responses": (_ITEM, format_named("responses")),
    "langchain": (_ai(tool_calls=[_EMPTY], additional_kwargs={"tool_calls": [_CUSTOM]}), LANGCHAIN),
    "langchain's content": (_ai([_ITEM], tool_calls=[_EMPTY]), LANGCHAIN),
    "langchain, invalid": (
        _ai(invalid_tool_calls=[_invalid("")], additional_kwargs={"tool_calls": [_CUSTOM]}),
        LANGCHAIN,
    ),
    "langchain, invalid, null": (
        _ai(invalid_tool_calls=[_invalid(None)], additional_kwargs={"tool_calls": [_CUSTOM]}),
        LANGCHAIN,
    ),
    "langchain, invalid, no id": (
        _ai(invalid_tool_calls=[_invalid("", None)], additional_kwargs={"tool_calls": [_NO_ID]}),
        LANGCHAIN,
    ),
    "llamaindex": (_li(tool_calls=[_CUSTOM]), LLAMAINDEX),
    "llamaindex, a block beside": (
        _li(ToolCallBlock(tool_call_id="c1", tool_name="run", tool_kwargs={}), tool_calls=[_CUSTOM]),
        LLAMAINDEX,
    ),
    "llamaindex, a block with an empty text": (
        _li(ToolCallBlock(tool_call_id="c1", tool_name="run", tool_kwargs=""), tool_calls=[_CUSTOM]),
        LLAMAINDEX,
    ),
    "llamaindex, an entry without id": (
        _li(ToolCallBlock(tool_call_id="c1", tool_name="run", tool_kwargs={}), tool_calls=[_NO_ID]),
        LLAMAINDEX,
    ),
}


@pytest.mark.parametrize("where", CUSTOM)
def test_a_payload_is_counted_once_where_the_parsed_arguments_are_empty(where: str) -> None:
    """The provider's own payload is taken, in every door alike."""
    message = _read(*CUSTOM[where])
    (call,) = message.tool_calls
    assert call.arguments == PAYLOAD
    assert GPT.count_message(message) == GPT.count_message(_read(*CUSTOM["openai"]))


def test_arguments_that_are_there_are_not_replaced() -> None:
    """Where the parsed arguments say something they are what is sent."""
    for native, codec in (
        (_ai(tool_calls=[_LISTED], additional_kwargs={"tool_calls": [{**_CUSTOM, "id": "c1"}]}), LANGCHAIN),
        (_li(_BLOCK, tool_calls=[{**_CUSTOM, "id": "c1"}]), LLAMAINDEX),
    ):
        (call,) = _read(native, codec).tool_calls
        assert call.arguments == '{"city": "Oslo"}'


_SPELLED: Final = {"name": "look", "arguments": '{"city": "Oslo"}'}
_LEGACY: Final[dict[str, dict[str, Any]]] = {
    "of the same name": _SPELLED,
    "of another name": {"name": "book", "arguments": '{"city": "Rome"}'},
}


@pytest.mark.parametrize("which", _LEGACY)
def test_a_legacy_call_beside_others_is_none_of_its_own(which: str) -> None:
    """OpenAI refuses both in one message, and clients leave the legacy one out: so does every door."""
    legacy = _LEGACY[which]
    doors: tuple[tuple[Any, Codec[Any]], ...] = (
        (_assistant(tool_calls=[_CALL], function_call=legacy), OPENAI),
        (_ai(tool_calls=[_LISTED], additional_kwargs={"function_call": legacy}), LANGCHAIN),
        (_li(tool_calls=[_CALL], function_call=legacy), LLAMAINDEX),
        (_li(_BLOCK, function_call=legacy), LLAMAINDEX),
    )
    for native, codec in doors:
        message = _read(native, codec)
        assert [(call.id, call.name, call.legacy) for call in message.tool_calls] == [("c1", "look", False)]
    for native, codec in (doors[0], *doors[2:]):
        (sent,) = _sent(native, codec)
        assert "function_call" not in (sent if isinstance(sent, dict) else sent.additional_kwargs)


def test_a_legacy_call_alone_is_one_in_every_door() -> None:
    """It is the message's own and has no id, and goes out as the very message that came in."""
    doors: tuple[tuple[Any, Codec[Any]], ...] = (
        (_assistant(function_call=_SPELLED), OPENAI),
        (_ai(additional_kwargs={"function_call": _SPELLED}), LANGCHAIN),
        (_li(function_call=_SPELLED), LLAMAINDEX),
    )
    for native, codec in doors:
        message = _read(native, codec)
        assert [(call.id, call.name, call.legacy) for call in message.tool_calls] == [(None, "look", True)]
        assert _sent(native, codec) == [native]
        assert _sent(native, codec)[0] is native


def test_spellings_without_an_id_are_matched_by_name_in_every_door() -> None:
    """What other places say again is no second call; what they say of another tool is a call only with an id."""
    again, other = {"name": "look", "input": ARGS}, {"name": "book", "input": ARGS, "id": "c2"}
    entries = [
        {"type": "function", "function": _SPELLED},
        {"type": "function", "function": {"name": "run", "arguments": "{}"}},
        {"type": "function", "id": "c2", "function": {"name": "book", "arguments": '{"city": "Oslo"}'}},
    ]
    blocks = [{"type": "tool_use", **one} for one in (again, {"name": "run", "input": {}}, other)]
    doors: tuple[tuple[Any, Codec[Any]], ...] = (
        (_assistant(content=blocks, tool_calls=[_CALL]), OPENAI),
        (_ai(blocks, tool_calls=[_LISTED]), LANGCHAIN),
        (_ai(tool_calls=[_LISTED], additional_kwargs={"tool_calls": entries}), LANGCHAIN),
        (_li(_BLOCK, tool_calls=entries), LLAMAINDEX),
    )
    for native, codec in doors:
        assert [(call.id, call.name) for call in _read(native, codec).tool_calls] == [("c1", "look"), ("c2", "book")]
