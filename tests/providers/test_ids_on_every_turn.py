"""Ids that are made anew are the same on every turn, wherever a cut falls."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx_core import ContextBuilder, Framing, HistoryPolicy, Message, TokenCounter, WindowState, fit
from ctx_core.conversation.formats.anthropic import AnthropicFormat

WORDS: Final = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
TURNS: Final = 30
Turn = list[dict[str, Any]]


def turn(number: int, ids: list[str | None], size: int) -> Turn:
    """Give a question, its calls of these ids with their results, and the answer."""
    used = [
        {"type": "tool_use", "id": told, "name": "look", "input": {"day": f"{number}.{at}"}}
        for at, told in enumerate(ids)
    ]
    results = [{"type": "tool_result", "tool_use_id": told, "content": f"sunny {number}"} for told in ids]
    calls: Turn = [{"role": "assistant", "content": used}, {"role": "user", "content": results}] if ids else []
    return [
        {"role": "user", "content": f"question {number} " + "so " * size},
        *calls,
        {"role": "assistant", "content": f"answer {number}"},
    ]


def calls_of(messages: list[Any]) -> dict[str, str]:
    """Give the id of each call by its arguments, which no other call has."""
    blocks = [block for message in messages if isinstance(message["content"], list) for block in message["content"]]
    return {block["input"]["day"]: block["id"] for block in blocks if block["type"] == "tool_use"}


def pairs_of(messages: list[Any]) -> None:
    """Find each call answered by the results behind, and no id twice."""
    ids: list[str] = []
    for before, after in pairwise(messages):
        listed = before["content"] if isinstance(before["content"], list) else []
        asked = [block["id"] for block in listed if block["type"] == "tool_use"]
        if asked:
            assert [block["tool_use_id"] for block in after["content"]] == asked
        ids += asked
    assert len(set(ids)) == len(ids)


IDS: Final = st.lists(st.sampled_from(["call_0", "call_1", "call_2", "", None, "call:7", "x" * 70]), max_size=3)
TALKS: Final = st.lists(st.tuples(IDS, st.integers(0, 6)), min_size=TURNS, max_size=TURNS)


@pytest.mark.parametrize("kept", ["a state", "a stored state", "nothing"])
@pytest.mark.parametrize("row", ["anthropic", "bedrock", "unknown"])
@settings(max_examples=6)
@given(talk=TALKS, limit=st.integers(60, 200), first=st.integers(0, 2))
def test_a_call_keeps_its_id_on_every_turn(
    row: str, kept: str, talk: list[tuple[list[str | None], int]], limit: int, first: int
) -> None:
    """Thirty turns of repeated, missing and malformed ids; between cuts the beginning stays the same bytes."""
    policy = HistoryPolicy(keep_first=first)
    history: Turn = []
    state: WindowState | None = None if kept == "nothing" else WindowState()
    known: dict[str, str] = {}
    last: list[Any] = []
    begun = None
    for number, (ids, size) in enumerate(talk):
        *said, answer = turn(number, ids, size)
        history += said
        context = fit(history, limit, counter=WORDS, policy=policy, state=state, provider=row, format="anthropic")
        sent = context.messages
        pairs_of(sent)
        now = calls_of(sent)
        assert {day: now[day] for day in now.keys() & known.keys()} == {
            day: known[day] for day in now.keys() & known.keys()
        }
        known |= now
        if context.state.start == begun:
            # Up to the question of the turn before: behind it an answer was added.
            assert list(map(json.dumps, sent[: len(last)])) == last
        begun, last = context.state.start, list(map(json.dumps, sent))
        if state is not None:
            state = context.state
            if kept == "a stored state":
                state = WindowState.from_dict(json.loads(json.dumps(state.to_dict())))
        history.append(answer)


def test_a_store_that_drops_old_messages_changes_no_id() -> None:
    """Not even where the call that had the id first is among those."""
    history: Turn = []
    state, known = WindowState(), dict[str, str]()
    for number in range(60):
        *said, answer = turn(number, [f"call_{number % 3}", None], 4)
        history += said
        context = fit(history, 80, counter=WORDS, state=state, provider="anthropic", format="anthropic")
        now = calls_of(context.messages)
        assert all(known.get(day, told) == told for day, told in now.items())
        known |= now
        state = context.state
        history.append(answer)
        if len(history) > 60:
            history = history[20:]
    assert state.moved > 100
    assert len(set(known.values())) > 100


def test_what_a_cut_left_out_is_not_read_for_its_ids() -> None:
    """Which ids had an owner there is remembered: a few bytes of each that is still in use."""
    read: list[int] = []

    class Counted(AnthropicFormat):
        def read(self, native: Any) -> Message:
            read.append(native.places[0])
            return super().read(native)

    history = [message for number in range(300) for message in turn(number, [f"call_{number % 5}"], 4)]
    question = {"role": "user", "content": "And now?"}
    builder = ContextBuilder(80, WORDS).provider("anthropic")
    state = builder.build([*history, question], codec=Counted(), state=WindowState()).state
    assert len(state.repeated_ids) == 4
    read.clear()
    builder.build([*history, question], codec=Counted(), state=state, verify="ends")
    assert len(set(read)) < 40
