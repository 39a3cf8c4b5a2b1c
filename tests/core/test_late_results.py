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
