"""Which part of a history is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx_core import (
    ContextOverflowError,
    Role,
    WindowState,
)
from tests.core.talks import SYSTEM, OpenAIMessage, run, said, shown, step, talk


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
