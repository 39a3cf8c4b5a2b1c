"""Results that come later than the next question."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from ctx_core import ContextOverflowError, HistoryPolicy, Share, TokenCounter, WindowState, fit
from tests.contract.invariants import broken, numbered

COUNTER = TokenCounter.for_model("gpt-4o")
CALLS = [{"id": name, "type": "function", "function": {"name": "f", "arguments": "{}"}} for name in "ab"]
TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "q1"},
    {"role": "assistant", "content": None, "tool_calls": CALLS},
    {"role": "tool", "tool_call_id": "a", "content": "r"},
    {"role": "user", "content": "hurry"},
    {"role": "tool", "tool_call_id": "b", "content": "r"},
    {"role": "assistant", "content": "x " * 40},
    {"role": "user", "content": "next"},
    {"role": "assistant", "content": "y " * 40},
    {"role": "user", "content": "more"},
]


@pytest.mark.parametrize("keep_first", [1, 2, 3, 4, Share(0.2), Share(0.5)])
def test_a_kept_call_keeps_the_result_that_came_after_the_next_question(keep_first: int | Share) -> None:
    """It belongs to what stands before, wherever a later cut begins."""
    source = numbered(TALK)
    for budget, most in product(range(60, 400, 30), (1, 2, 3)):
        state, policy = WindowState(), HistoryPolicy(keep_first=keep_first, max_messages=most)
        for end in (4, 5, 7, 9):
            try:
                context = fit(source[:end], budget, counter=COUNTER, policy=policy, state=state)
            except ContextOverflowError:
                continue
            state = context.state
            sent = context.messages
            assert broken(source[:end], sent, limit=budget, counter=COUNTER, policy=policy, remembered=True) == [], (
                budget,
                most,
                end,
            )


RUN = [
    message
    for at in range(6)
    for message in (
        {"role": "assistant", "content": None, "tool_calls": [{**CALLS[0], "id": f"r{at}"}]},
        {"role": "tool", "tool_call_id": f"r{at}", "content": "done"},
    )
]
TWICE: list[dict[str, Any]] = [
    {"role": "user", "content": "q1"},
    {"role": "assistant", "content": None, "tool_calls": CALLS[:1]},
    {"role": "tool", "tool_call_id": "a", "content": "one"},
    {"role": "assistant", "content": "hm"},
    {"role": "tool", "tool_call_id": "a", "content": "two"},
    {"role": "tool", "tool_call_id": "a", "content": "one"},
    {"role": "assistant", "content": "well"},
    {"role": "user", "content": "next"},
    *RUN,
]
STAYS: dict[str, HistoryPolicy] = {
    "preserved": HistoryPolicy(max_messages=8, preserve_recent_turns=1, omission_marker="[{count} gone]"),
    "first": HistoryPolicy(max_messages=8, keep_first=3, omission_marker="[{count} gone]"),
    "pinned": HistoryPolicy(
        max_messages=8, pinned=lambda message: "one" in message.text, omission_marker="[{count} gone]"
    ),
}


@pytest.mark.parametrize("what", STAYS)
def test_a_second_result_stays_with_the_first_at_a_cut_behind_both(what: str) -> None:
    """What is joined to a result that goes out is not gone: it is counted as sent, and is there when asked again."""
    source, policy = numbered(TWICE), STAYS[what]
    context = fit(source, 10_000, counter=COUNTER, policy=policy, state=WindowState(), provider=False)
    first = [message["content"] for message in context.messages].index("one\ntwo")
    marked = next(message["content"] for message in context.messages[first:] if message["role"] == "system")
    gone = len(source) - len([message for message in context.messages if "n" in message]) - 2  # those in the first
    assert marked == f"[{gone} gone]"
    assert context.report.history.omitted == gone
    again = fit(source, 10_000, counter=COUNTER, policy=policy, state=context.state, provider=False)
    assert (again.messages, again.state) == (context.messages, context.state)


@pytest.mark.parametrize("what", STAYS)
def test_a_message_that_stands_twice_is_not_left_out(what: str) -> None:
    """A copy of a message that goes out counts to what is sent, and leaves no gap."""
    talk = [{**message, "id": f"m{at}"} for at, message in enumerate(TWICE)]
    source = numbered([*talk[:2], talk[2], talk[3], dict(talk[0]), *talk[4:]])
    context = fit(source, 10_000, counter=COUNTER, policy=STAYS[what], state=WindowState(), provider=False)
    copies = 3
    sent = [message for message in context.messages if "n" in message]
    assert context.report.history.omitted == len(source) - len(sent) - copies
    again = fit(source, 10_000, counter=COUNTER, policy=STAYS[what], state=context.state, provider=False)
    assert (again.messages, again.state) == (context.messages, context.state)
