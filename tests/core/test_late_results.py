"""Results that come late, and results whose text costs more inside a request than by itself."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from ctx_core import ContextOverflowError, HistoryPolicy, Message, Share, TokenCounter, WindowState, fit
from ctx_core.history import ToolResultPolicy
from ctx_core.history.tool_results import shortened
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


@pytest.mark.parametrize("text", ["\n" * 3_000, '"a": "b",\n' * 500, "\\" * 4_000, "plain words " * 800, "\x01" * 900])
@pytest.mark.parametrize("limit", [200, 700])
def test_a_quoted_result_is_cut_to_its_limit_and_no_further(text: str, limit: int) -> None:
    """What a JSON string costs beside its text is cut off as well, but something of the text remains."""
    result = Message.tool(text, tool_call_id="a")
    form = shortened(result, limit, COUNTER, ToolResultPolicy(), parallel=True)
    assert form.text
    assert COUNTER.count_message(form, parallel=True) <= limit


def test_thoughts_go_before_results_of_the_newest_step_are_given_up() -> None:
    """Where thoughts are dropped at a cut, the newest results are then cut as far as it takes."""
    thought = {"role": "assistant", "content": None, "tool_calls": CALLS, "reasoning_content": "hm " * 3_000}
    results = [{"role": "tool", "tool_call_id": name, "content": f"{name} " * 900} for name in "ab"]
    talk = [{"role": "user", "content": "Look"}, thought, *results]
    policy = HistoryPolicy(reasoning="drop_at_cut")
    assert fit(talk, 1_000, counter=COUNTER, policy=policy, state=WindowState()).tokens <= 1_000


def test_instructions_before_the_first_question_are_no_cut() -> None:
    """Where nothing was left out, nothing is remembered: the first messages stay the first ones."""
    talk = [{"role": "system", "content": "s"}, {"role": "user", "content": "FIRST"}]
    for at in range(3):
        talk += [{"role": "assistant", "content": f"{at} " + "long " * 100}, {"role": "user", "content": f"q{at}"}]
    state, policy = WindowState(), HistoryPolicy(keep_first=1, start_with_user=True)
    for end in (2, 4, 6, 8):
        context = fit(talk[:end], 180, counter=COUNTER, policy=policy, state=state)
        state = context.state
    assert state.start > 2
    assert context.messages[1]["content"] == "FIRST"
