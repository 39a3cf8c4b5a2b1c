"""Conversations that are alike in everything but something: what one has said is never shown in the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from llama_index.core.base.llms.types import AudioBlock, ChatMessage, DocumentBlock, ImageBlock, TextBlock, VideoBlock

from ctx_core import ContextSession
from ctx_core.history.keys import message_key
from langchain_ctx import LangChainCodec
from llamaindex_ctx import ChatMessageCodec
from tests.core.session.kitchen import LIMIT, WORDS, Notes, OpenAIMessage, talk, texts

HERE = Path(__file__)

BLOCKS: list[tuple[Any, Any]] = [
    ({"type": "image", "file_id": "f1"}, {"type": "image", "file_id": "f2"}),
    ({"type": "file", "file": {"file_id": "f1"}}, {"type": "file", "file": {"file_id": "f2"}}),
    ({"type": "audio", "url": "http://x/1"}, {"type": "audio", "url": "http://x/2"}),
    ({"type": "video", "url": "http://x/1"}, {"type": "video", "url": "http://x/2"}),
    ({"type": "file", "base64": "AAAA", "mime_type": "application/pdf"}, {"type": "file", "base64": "AAAB"}),
    (
        {"type": "document", "source": {"type": "url", "url": "1"}},
        {"type": "document", "source": {"type": "url", "url": "2"}},
    ),
    ({"type": "novel", "payload": {"id": 1}}, {"type": "novel", "payload": {"id": 2}}),
]


@pytest.mark.parametrize(("one", "other"), BLOCKS, ids=lambda block: str(block["type"]))
def test_messages_of_other_media_are_others(one: Any, other: Any) -> None:
    """By address, by id, by content, or by whatever an unknown block holds."""
    codec, said = LangChainCodec(), {"type": "text", "text": "look"}
    keys = {message_key(codec.read(HumanMessage([said, block]))) for block in (one, other, dict(one))}
    assert len(keys) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ImageBlock(path=HERE), ImageBlock(path=HERE.with_name("kitchen.py"))),
        (AudioBlock(url="http://x/1"), AudioBlock(url="http://x/2")),
        (VideoBlock(url="http://x/1"), VideoBlock(url="http://x/2")),
        (DocumentBlock(url="http://x/1"), DocumentBlock(url="http://x/2")),
        (DocumentBlock(data=b"%PDF-1"), DocumentBlock(data=b"%PDF-2")),
    ],
    ids=lambda block: block.block_type,
)
def test_llamaindex_blocks_are_told_apart(one: Any, other: Any) -> None:
    """Whatever they have their content in."""
    codec = ChatMessageCodec()
    keys = {
        message_key(codec.read(ChatMessage(role="user", blocks=[TextBlock(text="look"), one]))) for one in (one, other)
    }
    assert len(keys) == 2


def test_no_text_is_taken_for_a_picture() -> None:
    """A row of contents cannot be written as one of them."""
    codec = LangChainCodec()
    picture = HumanMessage([{"type": "text", "text": "hi"}, {"type": "image_url", "image_url": {"url": "u"}}])
    keys = {message_key(codec.read(one)) for one in (picture, HumanMessage("hi\0image\0u\0"), HumanMessage("hi"))}
    assert len(keys) == 3
    assert message_key(codec.read(HumanMessage("hi", name="ann"))) != message_key(
        codec.read(HumanMessage("hi", name="bob"))
    )


def test_equal_ends_make_no_equal_conversation() -> None:
    """The first and the last message that left are the same, and so is that with which the window begins."""
    states: dict[str, Any] = {}
    hers = talk(20, "her")
    hers[0] = {"role": "user", "content": "hello there you"}
    mine = talk(20)
    mine[0] = dict(hers[0])
    context = ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS, states=states, summarizer=hers_and_all).fit(
        hers
    )
    start = context.state.start
    mine[start - 1], mine[start] = hers[start - 1], hers[start]
    for given in (None, context.state):  # another process, and a state that a caller has mixed up
        again = json.loads(json.dumps(states))
        session = ContextSession[OpenAIMessage](budget=LIMIT, counter=WORDS, states=again, summarizer=Notes())
        sent = texts(session.fit(mine, state=given))
        assert not any("secret" in text for text in sent)


def hers_and_all(summary: str, messages: Any) -> str:
    """Summarize with what only one of them has said."""
    del messages
    return summary or "secret"


@pytest.mark.parametrize("form", ["pure", "keeping"])
def test_an_instruction_that_moves_is_sent(form: str) -> None:
    """From one place in what is left out to another, in another process."""
    states: dict[str, Any] = {}
    messages = talk(20)
    messages.insert(3, {"role": "system", "content": "rule"})
    make = ContextSession[OpenAIMessage]
    context = make(budget=LIMIT, counter=WORDS, states=states).fit(messages)
    moved = [one for one in messages if one["role"] != "system"]
    moved.insert(9, {"role": "system", "content": "rule"})
    again = make(budget=LIMIT, counter=WORDS, states=states)
    sent = again.fit(moved, state=context.state.to_dict() if form == "pure" else None)
    assert texts(sent).count("rule") == 1
    assert sent.messages[0]["content"] == "rule"
