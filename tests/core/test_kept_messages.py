"""What of a history stays through every cut: the first messages, the pinned, the newest turns."""

from __future__ import annotations

from typing import Any

import pytest

from ctx_core import (
    Context,
    ContextOverflowError,
    Message,
    Share,
    ToolResultPolicy,
    WindowState,
)
from tests.core import talks
from tests.core.talks import SYSTEM, said, shown, step, talk


def run(messages: list[talks.OpenAIMessage], budget: int, **how: Any) -> Context[Any]:
    """Fit with a policy, and without the marker that says what is missing."""
    return talks.run(messages, budget, omission_marker=None, **how)


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


def test_instructions_before_the_first_question_are_no_cut() -> None:
    """Where nothing was left out, nothing is remembered: the first messages stay the first ones."""
    state = WindowState()
    for turns in range(1, 9):
        context = run([SYSTEM, *talk(turns)], 42, keep_first=2, start_with_user=True, state=state)
        state = context.state
        assert shown(context).startswith("be q0 a0 ")
    assert state.start > 3


def test_a_greeting_that_was_left_out_is_no_cut() -> None:
    """The first messages are those behind it, also when a cut is made later."""
    state = WindowState()
    for turns in range(1, 9):
        context = run([said("assistant", "hello"), *talk(turns)], 42, keep_first=2, start_with_user=True, state=state)
        state = context.state
        assert shown(context).startswith("q0 a0 ")
    assert state.start > 3


def test_a_greeting_that_goes_at_a_cut_does_not_close_the_first_messages() -> None:
    """Fewer than are to be kept were there then: those that come next are of them."""
    state, messages = WindowState(), [said("assistant", "hello", 40), *talk(8)]
    for end in range(2, 19, 2):
        context = run(messages[:end], 42, keep_first=2, state=state)
        state = context.state
        assert shown(context).startswith("q0 a0 " if end > 2 else "q0")
    assert state.start > 3


def test_the_question_of_a_cut_turn_never_becomes_one_of_the_first_messages() -> None:
    """It was kept without its steps while its turn ran; a larger budget has no use for it later."""
    messages = [*talk(1)[:-1], said("user", "go"), *step("s1"), *step("s2"), *step("s3"), *step("s4")]
    first = run(messages, 25, keep_first=Share(0.5), state=WindowState())
    assert shown(first) == "q0 a0 go + s4"
    messages += [said("assistant", "so"), said("user", "now"), *step("s5"), *step("s6"), *step("s7"), *step("s8")]
    later = run(messages, 40, keep_first=Share(0.5), state=first.state)
    assert shown(later) == "q0 a0 now + s5 + s6 + s7 + s8"


def test_no_message_becomes_one_of_the_first_after_they_have_gone() -> None:
    """A policy that keeps the first ones comes too late once they are left out."""
    state = run(talk(8), 40, state=WindowState()).state
    later = run(talk(16), 40, keep_first=2, state=state)
    assert later.report.history.cut
    assert shown(later) == "q14 a14 q15 a15 now"


def test_turns_of_many_steps_are_preserved_too() -> None:
    """However far back that is to look, and where their results have to be cut for it."""
    turn = [message for at in range(30) for message in step(f"s{at}")]
    messages = [*talk(2)[:-1], said("user", "first"), *turn, said("user", "second"), *turn, said("user", "now")]
    context = run(messages, 150, preserve_recent_turns=2, results=ToolResultPolicy(overflow_share=0.01, cut_marker="…"))
    assert [word for word in shown(context).split() if word in ("first", "second", "now")] == ["first", "second", "now"]
