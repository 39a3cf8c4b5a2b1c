"""The demonstration: a recorded conversation, turn by turn through a chain."""

from __future__ import annotations

from typing import Any

from ctx_core import ContextBudget, TokenCounter
from langchain_ctx.demo import run

SYSTEM = {"role": "system", "content": "You answer {briefly}."}


def step(at: int) -> list[dict[str, Any]]:
    """Make a turn with one call of a tool."""
    call = {"id": f"c{at}", "type": "function", "function": {"name": "look", "arguments": f'{{"at": {at}}}'}}
    return [
        {"role": "user", "content": f"question {at}"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": f"result {at} " * 20, "tool_call_id": f"c{at}"},
        {"role": "assistant", "content": f"answer {at}"},
    ]


CONVERSATION = [SYSTEM, *(message for at in range(12) for message in step(at))]


def test_what_fits_is_sent_as_it_was_recorded() -> None:
    """With room for everything, each request is the conversation up to the answer."""
    requests = [messages for messages, _ in run(CONVERSATION, 100_000, "gpt-4o")]
    answered = [at for at, message in enumerate(CONVERSATION) if message["role"] == "assistant"]
    assert requests == [CONVERSATION[:at] for at in answered]


def test_every_request_is_within_the_budget() -> None:
    """With less room each request fits, begins with the system prompt, and its report says so."""
    counter = TokenCounter.for_model("gpt-4o")
    cuts = 0
    for messages, report in run(CONVERSATION, ContextBudget(500, reserve=100), counter):
        assert counter.count_messages(messages) == report.used <= 400
        assert messages[0] == SYSTEM
        assert messages[1]["role"] == "user"
        cuts += report.history.cut
    assert 2 <= cuts < 12


def test_a_last_question_without_an_answer_is_asked() -> None:
    """A recording that ends with the user's question ends with a request for its answer."""
    asked = [*CONVERSATION, {"role": "user", "content": "and?"}]
    *_, (messages, _) = run(asked, 100_000)
    assert messages == asked


def test_nothing_to_run() -> None:
    """An empty recording makes no request, nor does a mere greeting of the model's."""
    assert list(run([], 100)) == []
    assert list(run([SYSTEM, {"role": "assistant", "content": "Hello!"}], 100)) == []
