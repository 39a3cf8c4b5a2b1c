"""What becomes of the reasoning of answers."""

from __future__ import annotations

from typing import Any

import pytest

from ctx_core import Context, Framing, HistoryPolicy, TokenCounter, WindowState, fit
from tests.core.talks import OpenAIMessage, run, said, step, talk

THINKING = {"type": "thinking", "thinking": "hm", "signature": "s"}


def thinking(turns: int) -> list[OpenAIMessage]:
    """Give turns whose answers have reasoning: seven words more or less."""
    messages = talk(turns)
    return [
        {**message, "content": [THINKING, {"type": "text", "text": message["content"]}]}
        if message["role"] == "assistant"
        else message
        for message in messages
    ]


def reasons(context: Context[Any]) -> list[bool]:
    """Say of each answer that went out whether it has its reasoning."""
    answers = [message for message in context.messages if message["role"] == "assistant"]
    return [THINKING in (message["content"] or []) for message in answers]


def test_reasoning_is_kept() -> None:
    """Untouched, in the caller's own objects."""
    messages = thinking(3)
    context = run(messages, 30)
    assert all(any(message is mine for mine in messages) for message in context.messages)
    assert reasons(context) == [True, True]


def test_reasoning_can_go_at_a_cut() -> None:
    """What was there then loses it; what comes later keeps it, until the next."""
    first = run(thinking(9), 60, reasoning="drop_at_cut", state=WindowState())
    assert not any(reasons(first))
    more = [*thinking(10)[:-1], said("user", "now")]
    later = run(more, 60, reasoning="drop_at_cut", state=first.state)
    assert not later.report.history.cut
    assert reasons(later)[:-1] == reasons(first)
    assert reasons(later)[-1]


def test_reasoning_stays_where_nothing_is_cut() -> None:
    """There is nothing that it could be bound to and that is missing."""
    assert all(reasons(run(thinking(3), 1_000, reasoning="drop_at_cut")))


def test_reasoning_of_old_turns_can_go() -> None:
    """Only the running turn keeps it, whether it fits or not."""
    running = [
        *thinking(2),
        {**step("s1")[0], "content": [THINKING]},
        step("s1")[1],
    ]
    assert reasons(run(running, 1_000, reasoning="drop_old_turns")) == [False, False, True]


def test_thoughts_go_before_results_of_the_newest_step_are_given_up() -> None:
    """Where thoughts are dropped at a cut, the newest results are then cut as far as it takes."""
    thought, *results = step("s1", 900)
    messages = [said("user", "go"), {**thought, "reasoning_content": "hm " * 3_000}, *results]
    context = run(messages, 100, reasoning="drop_at_cut", state=WindowState())
    assert "reasoning_content" not in context.messages[1]
    assert context.tokens <= 100


@pytest.mark.parametrize("thoughts", [8, 14, 20, 80])
@pytest.mark.parametrize("budget", [41, 48, 62])
def test_a_cut_has_the_room_of_the_reasoning_that_goes_with_it(thoughts: int, budget: int) -> None:
    """What fits without it stays, so that the same request asked again is the same."""
    thinking = {"type": "thinking", "thinking": "hm " * thoughts, "signature": "s"}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [thinking, {"type": "text", "text": "it is so " * 10}]},
        {"role": "user", "content": "now " * 4},
    ]
    words = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
    policy = HistoryPolicy(reasoning="drop_at_cut", low_water=0.6)
    context = fit(messages, budget, counter=words, policy=policy, state=WindowState())
    assert len(context.messages) == len(messages)
    again = fit(messages, budget, counter=words, policy=policy, state=context.state)
    assert (again.messages, again.state) == (context.messages, context.state)
