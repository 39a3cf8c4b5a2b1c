"""Thoughts beside a content cost the same in every door, however they are spelled, and go from everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain_core.messages import AIMessage
from llama_index.core.base.llms.types import ChatMessage

from ctx_core import TokenCounter
from ctx_core.conversation.formats.names import format_named
from ctx_core.conversation.parts import ReasoningPart
from ctx_core.conversation.transcript import read_natives
from langchain_ctx import LangChainCodec
from llamaindex_ctx import ChatMessageCodec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ctx_core.conversation.message_types import Codec
    from ctx_core.conversation.messages import Message

COUNTER: Final = TokenCounter.for_model("deepseek-chat")
THOUGHTS: Final = "They ask about the weather in Oslo, and not about that of Rome. " * 30
COPY: Final = "QUJD" * 500
DOORS: Final[dict[str, tuple[Codec[Any], Callable[[Mapping[str, Any]], Any], Callable[[Any], Mapping[str, Any]]]]] = {
    "openai": (
        format_named("openai"),
        lambda outside: {"role": "assistant", "content": "Warm.", **outside},
        lambda native: native,
    ),
    "langchain": (
        LangChainCodec(),
        lambda outside: AIMessage("Warm.", additional_kwargs=dict(outside)),
        lambda native: native.additional_kwargs,
    ),
    "llamaindex": (
        ChatMessageCodec(),
        lambda outside: ChatMessage(role="assistant", content="Warm.", additional_kwargs=dict(outside)),
        lambda native: native.additional_kwargs,
    ),
}
"""Each door, how a message with such fields is made there, and where these stand in it."""
_SUMMARY: Final = [{"type": "summary_text", "text": THOUGHTS}]
SPELLED: Final[dict[str, dict[str, Any]]] = {
    "a text": {"reasoning_content": THOUGHTS},
    "a text of another name": {"reasoning": THOUGHTS},
    "pieces": {"reasoning_details": [{"type": "reasoning.text", "text": THOUGHTS, "index": 0}]},
    "a summary in pieces": {"reasoning_details": [{"type": "reasoning.summary", "summary": THOUGHTS}]},
    "a block": {"reasoning": {"type": "reasoning", "id": "rs_1", "summary": _SUMMARY}},
    "a text twice": {"reasoning_content": THOUGHTS, "reasoning": THOUGHTS},
    "a text and pieces": {
        "reasoning": THOUGHTS,
        "reasoning_details": [{"type": "reasoning.text", "text": THOUGHTS, "format": "unknown"}],
    },
}
ENCRYPTED: Final[dict[str, dict[str, Any]]] = {
    "pieces": {
        "reasoning": THOUGHTS,
        "reasoning_details": [{"type": "reasoning.encrypted", "data": COPY}],
    },
    "a block": {"reasoning": {"type": "reasoning", "summary": _SUMMARY, "encrypted_content": COPY}},
}


def _read(door: str, outside: Mapping[str, Any]) -> Message:
    codec, made, _ = DOORS[door]
    (message,) = read_natives([made(outside)], codec)
    return message


@pytest.mark.parametrize("spelling", SPELLED)
@pytest.mark.parametrize("door", DOORS)
def test_thoughts_outside_are_read_once_in_every_door(door: str, spelling: str) -> None:
    """They are one part, and cost what they cost as a text."""
    message = _read(door, SPELLED[spelling])
    thoughts = [part for part in message.parts if isinstance(part, ReasoningPart)]
    assert thoughts == [ReasoningPart(THOUGHTS)]
    plain = _read("openai", SPELLED["a text"])
    assert COUNTER.count_message(message) == COUNTER.count_message(plain)
    assert COUNTER.count_message(message) > COUNTER.count_message(_read(door, {})) + 300


@pytest.mark.parametrize("spelling", ENCRYPTED)
@pytest.mark.parametrize("door", DOORS)
def test_an_encrypted_copy_outside_is_read_with_its_thoughts(door: str, spelling: str) -> None:
    """Some providers bill what is in it."""
    (thoughts, _) = _read(door, ENCRYPTED[spelling]).parts
    assert thoughts == ReasoningPart(THOUGHTS, encrypted=len(COPY))


@pytest.mark.parametrize("spelling", [*SPELLED, *ENCRYPTED])
@pytest.mark.parametrize("door", DOORS)
def test_thoughts_that_are_dropped_go_from_everywhere(door: str, spelling: str) -> None:
    """No key of them is left in what goes out, and nothing else goes with them."""
    outside = {**ENCRYPTED, **SPELLED}[spelling]
    codec, _, fields = DOORS[door]
    sent = codec.write(_read(door, {**outside, "mine": 1}).without_reasoning())
    assert not set(outside) & set(fields(sent))
    assert fields(sent)["mine"] == 1
    (again,) = read_natives([sent], codec)
    assert again.text == "Warm."


def test_thoughts_in_the_content_are_not_read_again_outside() -> None:
    """Integrations keep the same in both places."""
    codec, _, _ = DOORS["langchain"]
    block = {"type": "reasoning", "summary": _SUMMARY}
    (message,) = read_natives([AIMessage([block], additional_kwargs={"reasoning": {"summary": _SUMMARY}})], codec)
    assert [part for part in message.parts if isinstance(part, ReasoningPart)] == [ReasoningPart(THOUGHTS)]
