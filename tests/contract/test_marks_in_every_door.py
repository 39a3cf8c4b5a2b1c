"""Thoughts that are not shown, what documents are sent with, and failures are told alike in every door."""

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
)

from ctx_core import TokenCounter
from ctx_core.conversation.formats.names import format_named
from ctx_core.conversation.parts import TextPart
from ctx_core.conversation.transcript import read_natives
from langchain_ctx import LangChainCodec
from llamaindex_ctx import ChatMessageCodec

if TYPE_CHECKING:
    from ctx_core.conversation.message_types import Codec
    from ctx_core.conversation.messages import Message

GEMINI: Final = TokenCounter.for_model("gemini-3-pro-preview")
GPT: Final = TokenCounter.for_model("gpt-4o")
CLAUDE: Final = TokenCounter.for_model("claude-sonnet-4-5")
LANGCHAIN, LLAMAINDEX, OPENAI = LangChainCodec(), ChatMessageCodec(), format_named("openai")


def _assistant(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content)}


def _thought(**said: Any) -> ChatMessage:
    return ChatMessage(role="assistant", blocks=[ThinkingBlock(content="", additional_information=said)])


def _read(native: Any, codec: Codec[Any]) -> Message:
    (message,) = read_natives([native], codec)
    return message


REDACTED: Final = {"type": "redacted_thinking", "data": "x" * 4_000}
HIDDEN: Final[dict[str, tuple[Any, Codec[Any]]]] = {
    "anthropic": (_assistant(REDACTED), format_named("anthropic")),
    "openai": (_assistant(REDACTED), OPENAI),
    "bedrock": (
        {"role": "assistant", "content": [{"reasoningContent": {"redactedContent": base64.b64decode("x" * 4_000)}}]},
        format_named("bedrock"),
    ),
    "langchain": (AIMessage([REDACTED]), LANGCHAIN),
    "llamaindex": (_thought(**REDACTED), LLAMAINDEX),
    "llamaindex without a type": (_thought(data="x" * 4_000), LLAMAINDEX),
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
    assert _read(native, format_named("gemini")).failed is (failed or None)


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
