"""Which part of a history is kept."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx_core import (
    Context,
    ContextOverflowError,
    Framing,
    HistoryPolicy,
    Message,
    Role,
    Share,
    TokenCounter,
    WindowState,
    fit,
)

OpenAIMessage = dict[str, Any]

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
"""A token a word: a call costs one."""

SYSTEM = {"role": "system", "content": "be brief"}


def said(role: str, text: str, size: int = 5) -> OpenAIMessage:
    """Give a message of so many words."""
    return {"role": role, "content": " ".join([text] * size)}


def talk(turns: int) -> list[OpenAIMessage]:
    """Give turns of a question and an answer of five words each, and a last question of five."""
    messages: list[OpenAIMessage] = []
    for turn in range(turns):
        messages += [said("user", f"q{turn}"), said("assistant", f"a{turn}")]
    return [*messages, said("user", "now")]


def step(name: str, size: int = 4) -> list[OpenAIMessage]:
    """Give a call of one word and its result."""
    call = {"id": name, "type": "function", "function": {"name": "f", "arguments": ""}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": name, "content": " ".join([name] * size)},
    ]


def run(messages: list[OpenAIMessage], budget: int, *, state: WindowState | None = None, **policy: Any) -> Context[Any]:
    """Fit with a policy."""
    return fit(messages, budget, counter=WORDS, policy=HistoryPolicy(**policy), state=state)


def shown(context: Context[Any]) -> str:
    """Show what went out: the first word of each message, a call as `+`."""
    return " ".join((message["content"] or "+").split()[0] for message in context.messages)


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (35, "q0 a0 q1 a1 q2 a2 now"),
        (34, "q1 a1 q2 a2 now"),
        (25, "q1 a1 q2 a2 now"),
        (24, "q2 a2 now"),
        (15, "q2 a2 now"),
        (14, "now"),
        (5, "now"),
    ],
)
def test_the_oldest_turns_go(budget: int, expected: str) -> None:
    """Whole ones, no more than it takes."""
    assert shown(run(talk(3), budget)) == expected


def test_a_window_is_contiguous() -> None:
    """The first turn that does not fit ends it; no smaller one jumps over the gap."""
    messages = [said("user", "small", 1), said("assistant", "a", 1), said("user", "large", 50), *talk(1)]
    assert shown(run(messages, 20)) == "q0 a0 now"


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=12), st.integers(1, 120))
def test_as_much_as_fits_is_kept(sizes: list[tuple[int, int]], budget: int) -> None:
    """One turn more would be too much."""
    messages: list[OpenAIMessage] = []
    for asked, answered in sizes:
        messages += [said("user", "q", asked), said("assistant", "a", answered)]
    messages.append(said("user", "now", 1))
    context = run(messages, budget)
    omitted = context.report.history.omitted
    assert omitted % 2 == 0
    if omitted:
        assert context.tokens + sum(sizes[omitted // 2 - 1]) > budget


def test_system_messages_stay_through_a_cut() -> None:
    """All of them, each in its place."""
    late = {"role": "system", "content": "never share keys"}
    messages = [SYSTEM, *talk(2)[:-1], late, *talk(2)]
    context = run(messages, 20)
    assert [message["content"].split()[0] for message in context.messages] == ["be", "never", "q1", "a1", "now"]


def test_a_developer_message_is_an_instruction() -> None:
    """As a system message is."""
    developer = {"role": "developer", "content": "be brief"}
    assert run([developer, *talk(3)], 17).messages[0] is developer


def test_a_history_without_a_question_is_kept_from_its_end() -> None:
    """There is no user message to begin with."""
    messages = [said("assistant", f"a{at}") for at in range(6)]
    assert shown(run(messages, 15)) == "a3 a4 a5"


def test_a_long_run_keeps_its_question_and_its_newest_steps() -> None:
    """The oldest steps go; the user message that began it stays."""
    messages = [*talk(2), *step("s1"), *step("s2"), *step("s3"), *step("s4")]
    assert shown(run(messages, 17)) == "now + s3 + s4"


def test_the_newest_step_stays_whole() -> None:
    """With all of its parallel results, or not at all."""
    calls = [{"id": f"p{at}", "type": "function", "function": {"name": "f", "arguments": ""}} for at in range(10)]
    parallel: list[OpenAIMessage] = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": call["id"], "content": call["id"]} for call in calls),
    ]
    context = run([*talk(2), *step("old"), *parallel], 25)
    assert [message["role"] for message in context.messages] == ["user", "assistant", *["tool"] * 10]
    with pytest.raises(ContextOverflowError):
        run([*talk(2), *parallel], 24)


def test_text_between_steps_is_a_place_to_cut() -> None:
    """An answer in the middle of a run may be the first that is kept."""
    messages = [said("user", "now"), *step("s1"), said("assistant", "hm"), *step("s2")]
    assert shown(run(messages, 15)) == "now hm + s2"


def test_system_messages_in_a_run_stay() -> None:
    """Though the steps around them go."""
    late = {"role": "system", "content": "hurry up"}
    assert shown(run([said("user", "now"), *step("s1"), late, *step("s2")], 12)) == "now hurry + s2"


@pytest.mark.parametrize(
    ("keep_first", "expected"),
    [
        (0, "q4 a4 now"),
        (1, "q0 q4 a4 now"),
        (2, "q0 a0 now"),
        (Share(0.3), "q0 q4 a4 now"),
        (Share(0.5), "q0 a0 now"),
        (Share(0.0), "q4 a4 now"),
    ],
)
def test_the_first_messages_stay(keep_first: int | Share, expected: str) -> None:
    """So many, or as many as fit into the share of twenty tokens."""
    assert shown(run(talk(5), 20, keep_first=keep_first)) == expected


def test_the_first_messages_are_whole_steps() -> None:
    """A call is kept with its result."""
    messages = [said("user", "go"), *step("s1"), said("assistant", "so"), *talk(5)]
    assert shown(run(messages, 25, keep_first=2)) == "go + s1 q4 a4 now"


def test_the_first_messages_begin_with_a_question() -> None:
    """A greeting and the instructions are not counted."""
    messages = [SYSTEM, said("assistant", "hello"), *talk(5)]
    assert shown(run(messages, 22, keep_first=1)) == "be q0 q4 a4 now"


def test_the_first_messages_stay_through_every_cut() -> None:
    """With a state, turn after turn."""
    state = WindowState()
    for turns in range(1, 30):
        context = run(talk(turns), 60, keep_first=2, state=state)
        assert shown(context).startswith("q0 a0 ")
        state = context.state


def is_pinned(message: Message) -> bool:
    """Pin what says so."""
    return "pin" in message.text


def test_a_pinned_message_stays_with_its_question() -> None:
    """An answer is no answer without it; the others of its turn go."""
    messages = [said("user", "q"), said("assistant", "pin"), said("assistant", "more"), *talk(5)]
    assert shown(run(messages, 25, pinned=is_pinned)) == "q pin q4 a4 now"


def test_a_pinned_result_stays_with_its_step() -> None:
    """And with the question of its turn."""
    messages = [said("user", "q"), *step("s1"), *step("pin"), said("assistant", "so"), *talk(5)]
    assert shown(run(messages, 25, pinned=is_pinned)) == "q + pin q4 a4 now"


def test_pinned_messages_stay_through_every_cut() -> None:
    """With a state, from wherever they stand."""
    state = WindowState()
    for turns in range(1, 30):
        messages = [*talk(2)[:-1], said("user", "pin"), *talk(turns)]
        context = run(messages, 60, pinned=is_pinned, state=state)
        assert "pin" in shown(context).split()
        state = context.state


def test_too_much_that_is_pinned_is_an_overflow() -> None:
    """Nothing pinned is dropped silently."""
    with pytest.raises(ContextOverflowError) as caught:
        run([said("user", "pin", 50), *talk(2)], 40, pinned=is_pinned)
    assert caught.value.layers == {"history": 50, "current": 5}


@pytest.mark.parametrize(
    ("preserved", "expected"),
    [(0, "now + s2 + s3 + s4"), (1, "q1 a1 now + s4")],
)
def test_recent_turns_are_preserved(preserved: int, expected: str) -> None:
    """Rather the oldest steps of the running turn go."""
    messages = [*talk(2), *step("s1"), *step("s2"), *step("s3"), *step("s4")]
    assert shown(run(messages, 20, preserve_recent_turns=preserved)) == expected


def test_preserved_turns_that_do_not_fit_are_an_overflow() -> None:
    """They are never left out."""
    with pytest.raises(ContextOverflowError):
        run(talk(5), 20, preserve_recent_turns=2)


def test_a_greeting_is_no_turn_to_preserve() -> None:
    """I3: where something has to go, what goes out begins with a user message."""
    messages = [said("assistant", "hello"), said("user", "now"), *step("s1"), *step("s2")]
    assert shown(run(messages, 15, preserve_recent_turns=1)) == "now + s1 + s2"
    assert shown(run(messages, 14, preserve_recent_turns=1)) == "now + s2"


@pytest.mark.parametrize(
    ("most", "expected"),
    [(6, "q0 a0 q1 a1 q2 a2 now"), (5, "q1 a1 q2 a2 now"), (4, "q1 a1 q2 a2 now"), (3, "q2 a2 now"), (1, "now")],
)
def test_no_more_messages_than_the_policy_allows(most: int, expected: str) -> None:
    """The current one and the instructions are not counted; turns go whole."""
    assert shown(run([SYSTEM, *talk(3)], 1_000, max_messages=most)) == f"be {expected}"


def test_the_most_messages_have_a_low_water_mark_too() -> None:
    """With a state, a cut makes room for the next turns."""
    context = run(talk(20), 1_000, max_messages=20, state=WindowState())
    assert context.report.history.messages == 12 + 1


@pytest.mark.parametrize(("low_water", "tokens"), [(1.0, 95), (0.6, 65), (0.3, 35)])
def test_a_remembered_cut_goes_down_to_the_low_water_mark(low_water: float, tokens: int) -> None:
    """Whole turns, nearest to that share of the hundred tokens."""
    assert abs(run(talk(20), 100, low_water=low_water, state=WindowState()).tokens - tokens) <= 10


def test_an_omission_is_marked() -> None:
    """With the number of messages, at the gap."""
    context = run([SYSTEM, *talk(5)], 23, omission_marker="[{count} earlier messages omitted for brevity]")
    assert context.messages[1] == {"role": "system", "content": "[8 earlier messages omitted for brevity]"}
    assert shown(context) == "be [8 q4 a4 now"


def test_nothing_omitted_is_nothing_marked() -> None:
    """A whole history has no gap."""
    assert shown(run(talk(3), 100, omission_marker="[{count}]")) == "q0 a0 q1 a1 q2 a2 now"


def test_the_marker_stands_behind_the_first_messages() -> None:
    """Where the gap is."""
    assert shown(run(talk(5), 21, keep_first=1, omission_marker="[{count}]")) == "q0 [7] q4 a4 now"


def test_the_marker_stands_behind_the_question_of_a_long_run() -> None:
    """Its oldest steps are what is missing."""
    messages = [said("user", "now"), *step("s1"), *step("s2"), *step("s3")]
    assert shown(run(messages, 16, omission_marker="[{count}]")) == "now [2] + s2 + s3"


def test_the_marker_can_be_a_users() -> None:
    """For providers that take system messages at the beginning only."""
    context = run(talk(5), 21, omission_marker="[{count}]", marker_role=Role.USER)
    assert context.messages[0] == {"role": "user", "content": "[8]"}


def test_the_marker_is_paid_for() -> None:
    """Without it, one more turn would fit."""
    assert shown(run(talk(3), 25)) == "q1 a1 q2 a2 now"
    assert shown(run(talk(3), 25, omission_marker="[{count}]")) == "[4] q2 a2 now"


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


@pytest.mark.parametrize(("start_with_user", "expected"), [(False, "hello q0 a0 now"), (True, "q0 a0 now")])
def test_a_greeting_passes_unless_the_policy_asks_for_a_user(start_with_user: bool, expected: str) -> None:  # noqa: FBT001 - a table's column
    """Where nothing has to go, a history is the caller's."""
    assert shown(run([said("assistant", "hello"), *talk(1)], 100, start_with_user=start_with_user)) == expected


def test_a_greeting_goes_first_where_something_has_to() -> None:
    """What is cut begins with a user message."""
    assert shown(run([said("assistant", "hello"), *talk(2)], 25)) == "q0 a0 q1 a1 now"


def test_system_messages_before_a_greeting_stay() -> None:
    """Asking for a user start is about the talk."""
    context = run([SYSTEM, said("assistant", "hello"), *talk(1)], 100, start_with_user=True)
    assert shown(context) == "be q0 a0 now"
