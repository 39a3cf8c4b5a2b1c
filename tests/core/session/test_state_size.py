"""A state is small: under 4 KB beside its summary, whatever the conversation is like."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import ContextSession, HistoryPolicy, RollingSummary, Tokens, ToolResultPolicy, WindowState
from tests.core.session.kitchen import WORDS, OpenAIMessage, step, talk

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 4_096


def size(state: WindowState) -> int:
    """Give the bytes of a state as JSON, without its summary; it must come back as it was."""
    data = state.to_dict()
    restored = WindowState.from_dict(json.loads(json.dumps(data)))
    assert restored.to_dict() == data
    return len(json.dumps(data)) - len(json.dumps(data.get("summary", "")))


def results(kind: str, count: int) -> list[OpenAIMessage]:
    """Make a run of an agent: one call a step, several at once, or errors and small results in between."""
    chance = random.Random(5)  # noqa: S311 - the same one each time
    messages: list[OpenAIMessage] = [{"role": "user", "content": "go"}]
    at = 0
    while at < count:
        many = chance.choice((1, 2, 3)) if kind == "parallel" else 1
        calls = [step(at + one, f"seen {at + one} " + "x " * 30) for one in range(many)]
        messages.append({**calls[0][0], "tool_calls": [call[0]["tool_calls"][0] for call in calls]})
        messages += [call[1] for call in calls]
        if kind == "mixed" and chance.random() < 0.5:
            messages[-1]["content"] = chance.choice(("ok", "error: " + "x " * 30))
        at += many
    return messages


@pytest.mark.parametrize("kind", ["one by one", "parallel", "mixed"])
@pytest.mark.parametrize("turn_by_turn", [False, True], ids=["at once", "step by step"])
def test_hundreds_of_cleared_results_take_little(kind: str, turn_by_turn: bool) -> None:  # noqa: FBT001 - a table's column
    """400 in the window, cleared all at one cut or one after the other; what goes out stays the same in between."""
    policy = HistoryPolicy(
        low_water=1.0, results=ToolResultPolicy(clear_after_steps=5, clear_rest=not turn_by_turn, min_tokens=5)
    )
    messages = results(kind, 420 if kind != "mixed" else 850)
    session = ContextSession[OpenAIMessage](budget=9_000, counter=WORDS, policy=policy)
    state, sent = WindowState(), list[Any]()
    first = 2 if turn_by_turn else len(messages)
    ends = [at for at, one in enumerate(messages) if one["role"] == "assistant" and at >= first]
    for end in [*ends[::20], len(messages)]:
        context = session.fit(messages[:end], state=state)
        if not context.report.history.cut:
            assert context.messages[: len(sent)] == sent
        state, sent = WindowState.from_dict(json.loads(json.dumps(context.state.to_dict()))), context.messages
        assert size(state) < MOST
    small = ContextSession[OpenAIMessage](budget=6_500, counter=WORDS, policy=policy)
    context = small.fit(messages, state=state)
    assert context.report.history.cleared > 200
    assert size(context.state) < MOST
    again = small.fit(messages, state=context.state.to_dict())
    assert (again.messages, again.report.history.cut) == (context.messages, False)


def test_placeholders_say_the_same_age_for_ever() -> None:
    """It is worked out from when a result was cleared, and not stored."""
    policy = HistoryPolicy(results=ToolResultPolicy(clear_after_steps=1, min_tokens=5, placeholder="[{age} {tokens}]"))
    messages = results("one by one", 6)
    session = ContextSession[OpenAIMessage](budget=150, counter=WORDS, policy=policy)
    first = session.fit(messages)
    ages = [one["content"] for one in first.messages if str(one["content"]).startswith("[")]
    assert ages == [f"[{age} 32]" for age in (5, 4, 3, 2)]
    later = session.fit([*messages, *step(9, "ok"), *step(10, "ok")])
    assert later.messages[: len(first.messages)] == first.messages


@pytest.mark.parametrize("every", [1, 2, 3])
def test_thousands_of_system_messages_take_little(every: int) -> None:
    """6,000 in mid-history, in a row or each by itself: their roles tell where they are."""
    system = {"role": "system", "content": ""}
    messages: list[OpenAIMessage] = [{"role": "user", "content": "begin"}]
    spoken = iter(talk(20_000))
    messages += [system if at % every == 0 else next(spoken) for at in range(6_000 * every)]
    messages += talk(30)
    session = ContextSession[OpenAIMessage](budget=60, counter=WORDS)
    context = session.fit(messages, state=WindowState())
    assert size(context.state) < MOST
    again = session.fit(messages, state=json.loads(json.dumps(context.state.to_dict())))
    assert (again.messages, again.report.history.cut) == (context.messages, False)
    assert sum(one is system for one in again.messages) == 6_000


@pytest.mark.parametrize(
    "answer",
    [lambda: "word " * 1_000_000, lambda: "x" * 10_000_000, lambda: "文" * 100_000],
    ids=["words", "one word", "cjk"],
)
def test_a_summary_is_kept_within_its_cap(answer: Callable[[], str]) -> None:
    """Whatever the summarizer answers."""
    rolling = RollingSummary(cap=Tokens(50))
    session = ContextSession[OpenAIMessage](
        budget=2_000, summary=rolling, summarizer=lambda *_: answer(), states=(states := dict[str, Any]())
    )
    context = session.fit(talk(400))
    assert context.report.history.cut
    summary = context.state.summary
    assert summary
    assert context.report.layer("summary").used <= 50
    assert len(json.dumps(states)) < MOST + 2 * len(json.dumps(summary))
    assert len(summary) < 500


@pytest.mark.parametrize(
    "broken",
    [float("inf"), float("nan"), 10**400, None, [], {"version": 2, "start": float("inf")}, "x", {"version": 1}],
)
def test_what_is_no_state_gives_a_fresh_one_and_one_line(broken: Any, caplog: pytest.LogCaptureFixture) -> None:
    """In the debug log, without a word of what it was."""
    with caplog.at_level("DEBUG", logger="ctx_core"):
        assert WindowState.from_dict(broken) == WindowState()
    assert [record.levelname for record in caplog.records] == ["DEBUG"]


def test_empty_fields_are_not_stored() -> None:
    """A fresh state is its version."""
    assert list(WindowState().to_dict()) == ["version"]
