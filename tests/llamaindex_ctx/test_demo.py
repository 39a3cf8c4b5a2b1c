"""The demo: one request per answer, within the budget, and the same that the core alone would send."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from ctx_core import ContextBudget, ContextBuilder, ContextOverflowError, TokenCounter, WindowState
from llamaindex_ctx.demo import run

COUNTER = TokenCounter.for_model("gpt-4o")
Dict = dict[str, Any]


def step(number: int, *, parallel: int = 1) -> list[Dict]:
    """Make a message with calls, and their results."""
    calls = [
        {
            "id": f"c{number}.{at}",
            "type": "function",
            "function": {"name": "look", "arguments": f'{{"place": "harbour", "at": {at}}}'},
        }
        for at in range(parallel)
    ]
    results = [
        {"role": "tool", "content": f"the tide turns at {at} " * 4, "tool_call_id": f"c{number}.{at}"}
        for at in range(parallel)
    ]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *results]


def conversation(*, turns: int = 8) -> list[Dict]:
    """Make a talk with tools: steps, parallel calls, two questions in a row, an instruction in the middle."""
    messages: list[Dict] = [
        {"role": "system", "content": "You know the tides."},
        {"role": "assistant", "content": "Ahoy!"},
    ]
    for number in range(turns):
        messages.append({"role": "user", "content": f"When does the tide turn, question {number}?"})
        if number % 2:
            messages += [*step(number), *step(number + 100, parallel=2)]
        if number == 3:
            messages.append({"role": "system", "content": "Be brief."})
        if number == 4:
            messages.append({"role": "user", "content": "And please in GMT."})
        messages.append({"role": "assistant", "content": f"At {number} o'clock."})
    return messages


def asked(messages: list[Dict]) -> list[int]:
    """Give the positions at which a model is asked."""
    talk = next(at for at, message in enumerate(messages) if message["role"] != "system")
    return [at for at, message in enumerate(messages) if message["role"] == "assistant" and at > talk]


@pytest.mark.parametrize("budget", [200, 300, 500, 5_000])
def test_it_sends_what_the_core_sends(budget: int) -> None:
    """Request by request the same messages, and reports with the same numbers."""
    messages = conversation()
    state = WindowState()
    requests = list(run(messages, budget, COUNTER))
    positions = asked(messages)
    assert len(requests) == len(positions)
    for at, (sent, report) in zip(positions, requests, strict=True):
        expected = ContextBuilder(ContextBudget(budget), COUNTER).build(messages[:at], state=state)
        state = expected.state
        assert sent == expected.messages
        assert report.used == expected.tokens == COUNTER.count_messages(sent) <= budget
        assert report.history == expected.report.history


def test_a_last_question_without_an_answer_is_asked_too() -> None:
    """A recording may end where the model would be called."""
    messages = conversation()
    ended_early = messages[: asked(messages)[-1]]
    assert [sent for sent, _ in run(ended_early, 500, COUNTER)] == [sent for sent, _ in run(messages, 500, COUNTER)]


def test_a_request_follows_the_one_before() -> None:
    """Between cuts the beginning stays; the report says where a cut was."""
    requests = list(run(conversation(turns=30), ContextBudget(600, reserve=100), COUNTER))
    for (before, _), (after, report) in pairwise(requests):
        assert report.history.cut or after[: len(before)] == before
    assert any(report.history.cut for _, report in requests)
    assert all(report.limit == 500 for _, report in requests)


def test_pictures_and_names_pass_through() -> None:
    """What a chat engine cannot ask goes through the memory."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA==", "detail": "low"}}
    messages: list[Dict] = [
        {"role": "user", "content": [{"type": "text", "text": "what is it?"}, picture]},
        {"role": "assistant", "content": "a pixel"},
        {"role": "user", "content": "sure?", "name": "eva"},
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": ""},
        {"role": "assistant", "content": "hm"},
    ]
    assert [sent for sent, _ in run(messages, 5_000, COUNTER)] == [messages[:1], messages[:3], messages[:5]]


def test_an_empty_conversation_asks_nothing() -> None:
    """Neither does one of instructions only."""
    assert list(run([], 100)) == []
    assert list(run([{"role": "system", "content": "Be brief."}], 100)) == []


def test_a_budget_that_is_too_small_is_an_error() -> None:
    """As everywhere else."""
    with pytest.raises(ContextOverflowError):
        list(run(conversation(), 20, COUNTER))
