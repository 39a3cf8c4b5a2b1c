"""What is counted against what is really sent: not less than its strings cost, and little more."""

from __future__ import annotations

import functools
import json
import re
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("splintr", reason="splintr-rs is not installed")

from ctx_core import Framing, TokenCounter
from ctx_core.conversation.formats.names import format_named
from ctx_core.conversation.transcript import read_natives
from ctx_core.counting.registry import encoding_tokenizer
from langchain_ctx.convert import CODEC as LANGCHAIN
from llamaindex_ctx.convert import CODEC as LLAMAINDEX
from tests.payloads.clients import CLIENTS, clients
from tests.payloads.conversations import TOOLS
from tests.payloads.flattened import strings
from tests.payloads.kinds import MEDIA
from tests.payloads.said import FRAMEWORKS
from tests.payloads.said_in_formats import FORMATS
from tests.payloads.words import Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.formats.names import FormatName
    from tests.payloads.client import Client, Framework

TOKENS: Final = encoding_tokenizer("o200k_base").count
COUNTER: Final = TokenCounter(TOKENS, framing=Framing.free())
"""Counts texts alone: neither frames nor media."""
CODECS: Final[dict[Framework, Any]] = {"langchain": LANGCHAIN, "llamaindex": LLAMAINDEX}
MOST: Final = 1.5
"""How many times what is sent may be counted."""
SYNTAX: Final = 12
"""Tokens of a block's JSON beside its strings."""
LEVEL: Final = re.compile(r'"l\\?":')
"""A level of what is nested in a block, which has JSON of its own."""
MEETING: Final = 1
"""Tokens that may be saved where two texts of a block meet, which providers join."""
FIXED: Final = (
    "the",
    "ferry",
    "to",
    "the",
    "island",
    "leaves",
    "from",
    "the",
    "old",
    "pier",
    "at",
    "nine",
    "and",
    "returns",
    "before",
    "the",
    "tide",
    "turns",
)
NEVER: Final[dict[Framework, set[str]]] = {"langchain": set(), "llamaindex": {"a result: the end of a cache"}}
"""Kinds that no client sends."""
SENT_TWICE: Final = {"llamaindex-openai": "the user: a call of the user"}
"""What a client puts into a payload at two places."""

VOCABULARY: Final = (
    *FIXED, "Fähre", "île", "паром", "φέρι", "渡轮九点出发", "フェリー", "배는", "العبّارة", "नौका", "🚢", "don't",
    "x=f(y[0])", "2026-11-28", "\t", "\n",
)  # fmt: skip
WORDS: Final = st.lists(st.sampled_from(VOCABULARY), min_size=12, max_size=60)


def kinds_of(client: Client) -> dict[str, Any]:
    """Give the kinds of blocks of a client's framework."""
    twice = SENT_TWICE.get(client.name)
    return {name: told for name, told in FRAMEWORKS[client.framework].items() if name != twice}


@functools.cache
def taken(client: Client) -> tuple[str, ...]:
    """Give the kinds of blocks that a client sends without an error."""
    kinds = list[str]()
    for name, told in kinds_of(client).items():
        try:
            client.payload(told(Words(FIXED), 1), TOOLS[client.framework])
        except Exception:  # noqa: BLE001, S112 - whatever a client raises, it does not send such a block
            continue
        kinds.append(name)
    return tuple(kinds)


def judge(payload: dict[str, Any], counted: int, words: Words, blocks: int) -> None:
    """Compare what is counted with what is sent."""
    sent, said = json.dumps(payload), sum(map(TOKENS, strings(payload, MEDIA)))
    left_out = sum(TOKENS(text) for mark, text in words.given.items() if mark not in sent)
    syntax = SYNTAX * blocks + len(LEVEL.findall(sent))
    assert said - MEETING * blocks <= counted <= MOST * (said + left_out) + syntax


def judge_client(client: Client, kinds: Sequence[str], words: Words) -> None:
    """Compare what is counted of a framework's messages with what its client sends."""
    told = kinds_of(client)
    messages = [message for at, kind in enumerate(kinds) for message in told[kind](words, at)]
    counted = COUNTER.count_sequence(read_natives(messages, CODECS[client.framework]))
    judge(client.payload(messages, TOOLS[client.framework]), counted, words, len(kinds))


def judge_format(name: FormatName, kinds: Sequence[str], words: Words) -> None:
    """Compare what is counted of a provider's messages with what they say."""
    messages = [message for at, kind in enumerate(kinds) for message in FORMATS[name][kind](words, at)]
    counted = COUNTER.count_sequence(read_natives(messages, format_named(name)))
    judge({"messages": messages}, counted, words, len(kinds))


@pytest.mark.parametrize("client", clients())
def test_each_kind_of_block_is_counted_as_it_is_sent(client: Client) -> None:
    """Alone, with the same words: payloads inside results, in blocks that nobody knows, beside a content."""
    for kind in taken(client):
        judge_client(client, [kind], Words(FIXED))


@pytest.mark.parametrize("client", clients())
@settings(max_examples=25)
@given(data=st.data(), words=WORDS)
def test_conversations_are_counted_as_they_are_sent(client: Client, data: st.DataObject, words: list[str]) -> None:
    """Several kinds of blocks in one conversation, with words of many languages."""
    kinds = data.draw(st.lists(st.sampled_from(taken(client)), min_size=1, max_size=4))
    judge_client(client, kinds, Words(words))


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in FORMATS.items() for kind in kinds])
def test_each_kind_of_a_format_is_counted(name: FormatName, kind: str) -> None:
    """A provider's own messages are what is sent."""
    judge_format(name, [kind], Words(FIXED))


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data(), words=WORDS)
def test_generated_messages_of_a_format_are_counted(name: FormatName, data: st.DataObject, words: list[str]) -> None:
    """Several of them, with words of many languages."""
    kinds = data.draw(st.lists(st.sampled_from(list(FORMATS[name])), min_size=1, max_size=5))
    judge_format(name, kinds, Words(words))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_kind_is_sent_by_some_client(framework: Framework) -> None:
    """So that each was judged."""
    here = [client for client in CLIENTS if client.framework == framework and client.installed]
    if len(here) < sum(client.framework == framework for client in CLIENTS):
        pytest.skip("not all clients are installed")
    sent = {kind for client in here for kind in taken(client)}
    assert set(FRAMEWORKS[framework]) - sent == NEVER[framework]
