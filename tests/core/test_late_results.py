"""Results that come later than the next question."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from ctx_core import (
    ContextOverflowError,
    HistoryPolicy,
    Message,
    Share,
    TokenCounter,
    ToolResultPolicy,
    WindowState,
    fit,
)
from ctx_core.conversation.message_types import NeutralCodec
from ctx_core.conversation.transcript import Transcript
from ctx_core.history.remembered import matching
from tests.contract.invariants import broken, numbered
from tests.core.builds import builder, step

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
    marked = [message["content"] for message in context.messages if message["role"] == "system"]
    gone = len(source) - len([message for message in context.messages if "n" in message]) - 2  # those in the first
    assert sum(int(text.removeprefix("[").removesuffix(" gone]")) for text in marked) == gone
    assert "one\ntwo" in [message["content"] for message in context.messages]
    assert context.report.history.omitted == gone
    again = fit(source, 10_000, counter=COUNTER, policy=policy, state=context.state, provider=False)
    assert (again.messages, again.state) == (context.messages, context.state)


@pytest.mark.parametrize("what", STAYS)
def test_a_message_that_stands_twice_is_not_left_out(what: str) -> None:
    """A copy of a message that goes out counts to what is sent, and leaves no gap."""
    talk = [{**message, "id": f"m{at}"} for at, message in enumerate(TWICE)]
    source = numbered([*talk[:4], dict(talk[3]), *talk[4:]])
    context = fit(source, 10_000, counter=COUNTER, policy=STAYS[what], state=WindowState(), provider=False)
    sent = [message for message in context.messages if "n" in message]
    copies = 2 + ("hm" in [message["content"] for message in sent])
    assert context.report.history.omitted == len(source) - len(sent) - copies
    again = fit(source, 10_000, counter=COUNTER, policy=STAYS[what], state=context.state, provider=False)
    assert (again.messages, again.state) == (context.messages, context.state)


CLEARS = HistoryPolicy(results=ToolResultPolicy(clear_rest=True, min_tokens=5), preserve_recent_turns=9)


def run_of_steps(second: str, *later: Message) -> list[Message]:
    """Give a question and four steps, of which the first has two results."""
    first = [*step("c0", 20), Message.tool(second, tool_call_id="c0")]
    return [Message.user("q"), *first, *step("c1", 60), *step("c2", 60), *step("c3", 60), *later]


def test_an_edit_of_what_was_joined_to_a_cleared_result_is_noticed() -> None:
    """What was decided about a result is bound to all that it said, wherever that stood."""
    source = run_of_steps("late words that say more")
    state = builder(150).history(CLEARS).build(source, state=WindowState()).state
    assert (state.cleared, state.seconds) == ({2: 3, 5: 2, 7: 1}, (3,))
    read = WindowState.from_dict(state.to_dict())
    assert read == state
    again = Transcript((), run_of_steps("late words that say more"), NeutralCodec())
    assert matching(read, again) == state
    edited = Transcript((), run_of_steps("other words that say more"), NeutralCodec())
    assert (matching(read, edited).cleared, matching(read, edited).start) == ({}, state.start)


def test_what_comes_late_for_a_cleared_result_is_read_once() -> None:
    """Nobody has read it yet: the result is whole again, unless there is no room for it."""
    made = builder(150).history(CLEARS)
    state = made.build(run_of_steps("old words"), state=WindowState()).state
    repeated = made.build(run_of_steps("old words", Message.tool("old words", tool_call_id="c0")), state=state)
    source = run_of_steps("old words", Message.tool("late words", tool_call_id="c0"))
    late = made.build(source, state=state)
    assert repeated.messages[2].text.startswith("[content truncated")
    assert late.messages[2].text.endswith("old words\nlate words")
    assert late.messages[4].text.startswith("[content truncated")
    assert made.build(source, state=late.state).messages == late.messages
