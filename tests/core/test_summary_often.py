"""How often a summarizer is asked: the calls are counted."""

from __future__ import annotations

from typing import Any

import pytest

from ctx_core import BudgetError, ContextBudget, ContextSession, Message, Summarizing, TokenCounter
from ctx_core.recipes import Assistant
from tests.core.summaries import Notes, OpenAIMessage

COUNTER = TokenCounter(lambda text: -(-len(text) // 4))
"""Four characters a token."""


def said(tokens: int, name: str) -> str:
    """Give a text of so many tokens."""
    return f"{name} {'word ' * tokens}"[: 4 * tokens]


def turns(count: int, asked: int, answered: int) -> list[OpenAIMessage]:
    """Give a conversation of so many turns, each of so many tokens."""
    return [
        {"role": role, "content": said(tokens, f"{role} {at}")}
        for at in range(count)
        for role, tokens in (("user", asked), ("assistant", answered))
    ]


LARGE = [
    (8_000, 0, 200, 300),
    (8_000, 7_000, 50, 100),
    (8_000, 7_400, 100, 100),
    (8_000, 4_000, 600, 900),
    (8_000, 0, 2_000, 2_000),
    (8_000, 0, 100, 6_000),
    (8_000, 0, 6_000, 500),
    (32_000, 28_000, 500, 1_500),
    (2_000, 1_500, 100, 150),
]


@pytest.mark.parametrize(("budget", "system", "asked", "answered"), LARGE)
@pytest.mark.parametrize("form", ["pure", "keeping"])
def test_it_is_asked_in_one_of_five_turns_at_most(
    form: str, budget: int, system: int, asked: int, answered: int
) -> None:
    """By default, with large system prompts and large turns: 30 turns, each with all those before it."""
    notes = Notes()
    builder = ContextSession[OpenAIMessage](budget=budget, counter=COUNTER, summarizer=notes)
    state: dict[str, Any] | None = None if form == "keeping" else {}
    instructions: list[OpenAIMessage] = [{"role": "system", "content": said(system, "rules")}] if system else []
    conversation = turns(30, asked, answered)
    for turn in range(30):
        context = builder.fit([*instructions, *conversation[: 2 * turn + 1]], state=state)
        assert context.tokens <= budget
        state = None if form == "keeping" else context.state.to_dict()
    assert 2 <= len(notes.calls) <= 6


def test_an_agent_is_asked_in_one_of_five_steps_at_most() -> None:
    """Within one turn of the user, each step of which overflows."""
    notes = Notes()
    session = ContextSession[OpenAIMessage](budget=4_000, counter=COUNTER, summarizer=notes)
    messages: list[OpenAIMessage] = [{"role": "user", "content": "Find it."}]
    for at in range(40):
        call = {"id": f"c{at}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{at}", "content": said(1_500, str(at))},
        ]
        session.fit(messages)
    assert 2 <= len(notes.calls) <= 8


def test_what_waits_is_not_lost() -> None:
    """Until the next summary a marker says how much waits; then all of it is given, once and in order."""
    notes = Notes()
    session = ContextSession[OpenAIMessage](budget=2_000, counter=COUNTER, summarizer=notes)
    conversation = turns(30, 400, 400)
    waited = 0
    for turn in range(30):
        context = session.fit(conversation[: 2 * turn + 1])
        pending = len(context.unsummarized())
        assert notes.given == [message["content"] for message in conversation[: context.state.start - pending]]
        assert (f"[{pending} earlier messages omitted]" in str(context.messages[0]["content"])) is (pending > 0)
        waited = max(waited, pending)
    assert 2 <= waited <= 10


def test_it_can_be_asked_at_every_cut() -> None:
    """`every=1` is for those who would rather pay than wait."""
    notes = Notes()
    session = ContextSession[OpenAIMessage](budget=2_000, counter=COUNTER, summarizer=Summarizing(notes, every=1))
    conversation = turns(30, 400, 400)
    for turn in range(30):
        assert session.fit(conversation[: 2 * turn + 1]).unsummarized() == ()
    assert len(notes.calls) > 20


@pytest.mark.parametrize("every", [0, -1])
def test_a_number_that_cannot_work_is_refused(every: int) -> None:
    """With what was found."""
    with pytest.raises(BudgetError, match=f"1 or more answers, found {every}"):
        Summarizing(Notes(), every=every)


def test_the_first_cut_of_a_large_window_is_summarized_within_the_default_time() -> None:
    """A window of 200,000 tokens, at 6 seconds a call: fewer than ten calls, so that the turn ends with its summary."""
    notes = Notes()
    session = ContextSession[OpenAIMessage](budget=200_000, counter="gpt-4o", summarizer=notes)
    words = "The ferry leaves at 9:40 from pier 7, unless the tide is low; then it waits. "
    conversation: list[OpenAIMessage] = [
        {"role": role, "content": f"{at} {words * 8}"} for at in range(640) for role in ("user", "assistant")
    ]
    context = session.fit([*conversation, {"role": "user", "content": "And now?"}])
    assert context.state.start > 400
    assert context.unsummarized() == ()
    assert 1 <= len(notes.calls) < 10


class Small(Notes):
    """A summarizer that says how much it takes."""

    window = 300


def test_a_summarizer_says_how_much_it_takes() -> None:
    """Where the caller does not: pieces, with the summary so far, are within its window."""
    small, told = Small(), Small()
    for notes, window in ((small, None), (told, 1_000)):
        summarizing = Summarizing(notes, counter=COUNTER, window=window)
        ContextSession[OpenAIMessage](budget=2_000, counter=COUNTER, summarizer=summarizing).fit(turns(30, 100, 100))
    assert all(sum(map(COUNTER.count_text, given)) <= 300 for _, given in small.calls)
    assert len(small.calls) > 2 * len(told.calls) > 2


def test_a_recipe_builds_with_a_summarizer_and_logs_the_turn_once(caplog: pytest.LogCaptureFixture) -> None:
    """The state carries the summary to the next build."""
    notes, recipe = Notes(), Assistant(budget=ContextBudget.local_small(), low_water=0.6)
    conversation = [Message.user(said(200, str(at))) for at in range(40)]
    with caplog.at_level("DEBUG", "ctx_core"):
        context = recipe.build(conversation, "And now?", summarizer=notes)
    assert sum("summary:" in record.message for record in caplog.records) == 1
    assert recipe.usage.stats().requests == 1
    assert context.state.summary == f"notes {len(notes.calls)}"
    again = recipe.build(conversation, "And now?", state=context.state, summarizer=notes)
    assert again.messages == context.messages
    assert recipe.usage.stats().requests == 2


async def test_a_recipe_builds_with_a_summarizer_on_a_loop() -> None:
    """As in the sync door, with tools and without a state."""
    notes, recipe = Notes(), Assistant(budget=ContextBudget.local_small(), low_water=0.6)
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
    conversation = [Message.user(said(200, str(at))) for at in range(40)]
    context = await recipe.abuild(conversation, "And now?", tools=[tool], summarizer=notes)
    assert context.state.summary == f"notes {len(notes.calls)}"
    assert context.report.layer("tools").used > 0
    assert recipe.usage.stats().requests == 1
