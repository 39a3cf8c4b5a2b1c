"""What comes with a call, or is left out of it, costs the same in every door."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from llama_index.core.base.llms.types import (
    ChatMessage,
    CitableBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)

from ctx_core import TokenCounter
from ctx_core.conversation.formats.names import format_named
from ctx_core.conversation.messages import TextPart
from ctx_core.conversation.transcript import read_natives
from langchain_ctx import LangChainCodec
from llamaindex_ctx import ChatMessageCodec

if TYPE_CHECKING:
    from ctx_core.conversation.messages import Message
    from ctx_core.conversation.transcript import Codec

COPY: Final = base64.b64encode(b"\x00thought" * 375).decode()
BYTES: Final = base64.b64decode(COPY)
PAYLOAD: Final = "the payload of a custom tool, which is no JSON; " * 20
GEMINI: Final = TokenCounter.for_model("gemini-3-pro-preview")
GPT: Final = TokenCounter.for_model("gpt-4o")
CLAUDE: Final = TokenCounter.for_model("claude-sonnet-4-5")
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


REDACTED: Final = {"type": "redacted_thinking", "data": "x" * 4_000}
HIDDEN: Final[dict[str, tuple[Any, Codec[Any]]]] = {
    "anthropic": ({"role": "assistant", "content": [REDACTED]}, format_named("anthropic")),
    "openai": ({"role": "assistant", "content": [REDACTED]}, OPENAI),
    "bedrock": (
        {"role": "assistant", "content": [{"reasoningContent": {"redactedContent": base64.b64decode("x" * 4_000)}}]},
        format_named("bedrock"),
    ),
    "langchain": (_ai([REDACTED]), LANGCHAIN),
    "llamaindex": (_li(ThinkingBlock(content="", additional_information=REDACTED)), LLAMAINDEX),
    "llamaindex without a type": (
        _li(ThinkingBlock(content="", additional_information={"data": "x" * 4_000})),
        LLAMAINDEX,
    ),
}


@pytest.mark.parametrize("counter", [GPT, CLAUDE, GEMINI])
@pytest.mark.parametrize("where", HIDDEN)
def test_redacted_thoughts_cost_the_same_in_every_door(where: str, counter: TokenCounter) -> None:
    """They are a copy that only the provider reads, and no text."""
    cost = counter.count_message(_read(*HIDDEN[where]))
    assert cost == counter.count_message(_read(*HIDDEN["anthropic"]))


_WORDS: Final = "words of a document " * 10
_CITED: Final = {"citations": {"enabled": True}}
_PLAIN: Final = {"type": "text-plain", "text": _WORDS, "mime_type": "text/plain"}


def _document(**said: Any) -> dict[str, Any]:
    source = {"type": "text", "media_type": "text/plain", "data": _WORDS}
    return {"role": "user", "content": [{"type": "document", "source": source, **said}]}


@pytest.mark.parametrize(
    "said", [_CITED, {"title": "A title", "context": "and where it is from", **_CITED}, {"title": "T"}]
)
@pytest.mark.parametrize("key", [None, "extras", "metadata"])
def test_what_is_said_about_a_document_costs_the_same_wherever_it_stands(key: str | None, said: dict[str, Any]) -> None:
    """LangChain's client for Claude takes it out of `extras` and of `metadata`, too."""
    block = {**_PLAIN, **(said if key is None else {key: said})}
    cost = CLAUDE.count_message(_read(HumanMessage([block]), LANGCHAIN))
    assert cost == CLAUDE.count_message(_read(_document(**said), format_named("anthropic")))


def test_citations_of_a_pdf_are_counted_in_extras_too() -> None:
    """As those of a text are."""
    block = {"type": "file", "mime_type": "application/pdf", "base64": base64.b64encode(b"%PDF-1.7").decode()}
    beside, inside = ({**block, **_CITED}, {**block, "extras": _CITED})
    costs = {CLAUDE.count_message(_read(HumanMessage([one]), LANGCHAIN)) for one in (beside, inside)}
    assert len(costs) == 1
    assert costs != {CLAUDE.count_message(_read(HumanMessage([block]), LANGCHAIN))}


def test_citable_blocks_of_llamaindex_ask_for_citations() -> None:
    """LlamaIndex' client for Claude sends each as a search result with citations switched on."""
    block = CitableBlock(title="A title", source="here", content=[TextBlock(text=_WORDS)])
    told = ChatMessage(role="user", blocks=[block])
    found = {
        "type": "search_result", "title": "A title", "source": "here", "content": [{"type": "text", "text": _WORDS}],
        **_CITED,
    }  # fmt: skip
    cost = CLAUDE.count_message(_read(told, LLAMAINDEX))
    plain = CLAUDE.count_message(_read({"role": "user", "content": [found]}, format_named("anthropic")))
    assert abs(cost - plain) <= 5, (cost, plain)


@pytest.mark.parametrize(
    ("response", "failed"),
    [
        ({"error": "no such file"}, True),
        ({"error": {"code": 404}}, True),
        ({"error": "no such file", "code": 404}, True),
        ({"error": None, "output": "fine"}, False),
        ({"error": "", "output": "fine"}, False),
        ({"output": "error"}, False),
        ({"result": {"error": "x"}}, False),
        (None, False),
    ],
)
@pytest.mark.parametrize("key", ["functionResponse", "function_response"])
def test_an_error_of_geminis_is_a_failed_result(key: str, response: Any, *, failed: bool) -> None:
    """As Gemini's own pages have it, and as we write one."""
    native = {"role": "user", "parts": [{key: {"id": "c1", "name": "look", "response": response}}]}
    assert _read(native, format_named("gemini")).failed is failed


@pytest.mark.parametrize("name", ["anthropic", "bedrock", "gemini"])
def test_a_failed_result_is_read_as_it_was_written(name: Any) -> None:
    """What a format writes for an error it reads as one."""
    failed = _read({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "is_error": True,
                    "content": "no such file"}]}, format_named("anthropic"))  # fmt: skip
    door = format_named(name)
    fresh = replace(failed, origin=None, name="look", parts=(TextPart("no such file"),))
    assert _read(door.write(fresh), door).failed


def test_a_failed_patch_is_a_failed_result() -> None:
    """Of OpenAI's items this one says so."""
    item = {"type": "apply_patch_call_output", "call_id": "c1", "status": "failed", "output": "no such file"}
    assert _read(item, format_named("responses")).failed
    assert not _read({**item, "status": "completed"}, format_named("responses")).failed
