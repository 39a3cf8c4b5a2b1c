"""Marks of where a cache ends, by how long they live and where they stand."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage
from llama_index.core.base.llms.types import CacheControl as Control
from llama_index.core.base.llms.types import CachePoint, ChatMessage, TextBlock

from ctx_core import ContextBudget, ContextBuilder, fit, validate
from ctx_core.providers import Kind
from langchain_ctx.convert import CODEC as LANGCHAIN
from llamaindex_ctx.convert import CODEC as LLAMAINDEX

LIVES: Final = ("", "5m", "1h")
MOST: Final = 4


def mark(life: str) -> dict[str, Any]:
    """Give a mark; without a life it lives for five minutes."""
    return {"cache_control": {"type": "ephemeral", **({"ttl": life} if life else {})}}


def user(*lives: str | None) -> dict[str, Any]:
    """Make a message of a block for each, with a mark or without."""
    return {
        "role": "user",
        "content": [
            {"type": "text", "text": f"part {at}", **({} if life is None else mark(life))}
            for at, life in enumerate(lives)
        ],
    }


def lives_in(value: Any) -> list[str]:
    """Give the lives of all marks, in order."""
    if isinstance(value, list):
        return [life for one in value for life in lives_in(one)]
    if not isinstance(value, dict):
        return []
    if "cachePoint" in value:
        return [value["cachePoint"].get("ttl", "5m")]
    own = [value["cache_control"].get("ttl", "5m")] if value.get("cache_control") else []
    return own + [life for one in value.values() for life in lives_in(one)]


@given(
    messages=st.lists(st.lists(st.none() | st.sampled_from(LIVES), min_size=1, max_size=3), min_size=1, max_size=6),
    system=st.lists(st.none() | st.sampled_from(LIVES), max_size=2),
    tool=st.none() | st.sampled_from(LIVES),
)
def test_no_more_than_four_and_those_of_an_hour_first(
    messages: list[list[str | None]], system: list[str | None], tool: str | None
) -> None:
    """Of generated marks in messages, system text and a tool, wherever the caller has put them."""
    natives: list[Any] = []
    for lives in messages:
        natives += [user(*lives), {"role": "assistant", "content": "Yes."}]
    natives.append({"role": "user", "content": "And?"})
    tools = [{"name": "look", "input_schema": {}, **({} if tool is None else mark(tool))}]
    said: list[Any] = user(*system)["content"] or [{"type": "text", "text": "Be brief."}]
    sent = fit(natives, 100_000, counter=len, format="anthropic", system=said, tools=tools).messages
    beside = [*lives_in(tools), *lives_in(said)]
    found = [*beside, *lives_in(sent)]
    assert len(found) <= MOST
    if beside == sorted(beside):  # what the caller has sent beside the messages is in order
        assert all((one, other) != ("5m", "1h") for one, other in pairwise(found))
    marked = sum(life is not None for lives in messages for life in lives)
    assert len(lives_in(sent)) == min(marked, MOST - len(beside))


def test_validate_takes_what_is_made() -> None:
    """It refuses the marks as they were."""
    messages = [user("5m"), {"role": "assistant", "content": "Yes."}, user("1h"), *([user("1h")] * 3)]
    found = validate(messages, "claude-sonnet-4-5")
    assert {refusal.kind for refusal in found.refusals} == {Kind.CACHE_MARKS}
    assert found.fixed.validation.accepted
    assert lives_in(found.fixed.request) == ["5m"] * 4
    assert isinstance(found.fixed.request, list)
    assert found.fixed.request[0] is messages[0]


def test_a_mark_on_a_thought_goes_and_the_thought_stays() -> None:
    """Of the block there is a copy that says the same."""
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "S"}
    answer = {"role": "assistant", "content": [{**thought, **mark("")}, {"type": "text", "text": "Yes."}]}
    messages: list[Any] = [{"role": "user", "content": "Is it?"}, answer, {"role": "user", "content": "And?"}]
    assert not validate(messages, "claude-sonnet-4-5").accepted
    fixed = validate(messages, "claude-sonnet-4-5").fixed
    assert fixed.validation.accepted
    assert isinstance(fixed.request, list)
    assert fixed.request[1]["content"][0] == thought


BEDROCK: Final = [
    {"role": "user", "content": [{"text": "Hi."}, {"cachePoint": {"type": "default"}}]},
    {"role": "assistant", "content": [{"text": "Yes."}]},
    {"role": "user", "content": [{"text": "And?"}, {"cachePoint": {"type": "default", "ttl": "1h"}}]},
]
ANTHROPIC: Final = [user("5m"), {"role": "assistant", "content": "Yes."}, user("1h")]


@pytest.mark.parametrize(("row", "messages"), [("anthropic", ANTHROPIC), ("bedrock", BEDROCK)])
def test_points_and_keys_alike(row: str, messages: list[Any]) -> None:
    """Anthropic's marks are a key, Bedrock's a block."""
    sent = ContextBuilder(ContextBudget(100_000), len).provider(row).build(messages, codec=row).messages  # type: ignore[call-overload]
    assert lives_in(sent) == ["5m", "5m"]


def test_in_both_frameworks_messages() -> None:
    """LangChain's blocks are dicts, LlamaIndex' are objects."""
    builder = ContextBuilder(ContextBudget(100_000), len).provider("anthropic")
    told = builder.build([HumanMessage(one["content"]) for one in (user("5m"), user("1h"))], codec=LANGCHAIN).messages
    assert [lives_in(one.content) for one in told] == [["5m"], ["5m"]]
    natives = [
        ChatMessage(
            role="user",
            blocks=[TextBlock(text="Hi."), CachePoint(cache_control=Control(type="ephemeral", ttl=life))],
        )
        for life in ("5m", "1h")
    ]
    sent = builder.build(natives, codec=LLAMAINDEX).messages
    points = [block for one in sent for block in one.blocks if isinstance(block, CachePoint)]
    assert [point.cache_control.ttl for point in points] == ["5m", "5m"]
