"""The omission marker that stands by default: only where what is kept leaves a gap that the model would read over."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any, Final

import pytest

from ctx_core import (
    ContextBuilder,
    ContextOverflowError,
    HistoryPolicy,
    Message,
    Role,
    Share,
    ToolResultPolicy,
    WindowState,
    fit,
)
from ctx_core.engine.summary import RollingSummary
from ctx_core.history.policy import GAP_MARKER
from ctx_core.memory import recalling
from ctx_core.recipes.phased import OMITTED
from ctx_core.session.written import read_policy, write_policy
from tests.core.recipes.kitchen import KITCHEN
from tests.core.talks import SYSTEM, WORDS, OpenAIMessage, run, said, shown, step, talk


def is_pinned(message: Message) -> bool:
    """Pin what says so."""
    return "pin" in message.text


PINNED: Final = [*talk(2)[:-1], said("user", "pin"), said("assistant", "kept"), *talk(5)]
RUNNING: Final = [said("user", "go"), *step("s1"), *step("s2"), *step("s3")]


def marked(count: int) -> OpenAIMessage:
    """Give the marker of so many messages."""
    return {"role": "system", "content": f"[{count} earlier messages left out]"}


@pytest.mark.parametrize(
    ("messages", "budget", "policy", "expected", "count"),
    [
        (talk(5), 26, {"keep_first": 1}, "q0 [7 q4 a4 now", 7),
        (talk(5), 26, {"keep_first": Share(0.4)}, "q0 a0 [8 now", 8),
        (PINNED, 31, {"pinned": is_pinned}, "pin [13 q4 a4 now", 13),
        ([SYSTEM, *talk(5)], 28, {"keep_first": 1}, "be q0 [7 q4 a4 now", 7),
        ([*talk(3)[:-1], *RUNNING], 24, {"keep_first": 1}, "q0 [5 go + s3", 5),
    ],
    ids=["head", "share", "pin", "behind instructions", "before a running turn"],
)
def test_a_gap_behind_what_is_kept_is_marked(
    messages: list[OpenAIMessage], budget: int, policy: dict[str, Any], expected: str, count: int
) -> None:
    """By default, between turns, with how many are missing there; None switches it off."""
    context = run(messages, budget, **policy)
    assert shown(context) == expected
    assert marked(count) in context.messages
    assert context.tokens == WORDS.count_messages(list(map(as_message, context.messages))) <= budget
    without = run(messages, budget, omission_marker=None, **policy)
    assert not any("left out" in str(message["content"]) for message in without.messages)


def as_message(native: OpenAIMessage) -> Message:
    """Give a message of the same words; a call is one."""
    return Message.user(native["content"] or "+")


@pytest.mark.parametrize(
    ("messages", "budget", "policy", "expected"),
    [
        (talk(5), 21, {}, "q4 a4 now"),
        (RUNNING, 14, {}, "go + s3"),
        (RUNNING, 14, {"keep_first": 1}, "go + s3"),
        (RUNNING, 19, {"keep_first": 3}, "go + s1 + s3"),
        ([*talk(1)[:-1], *RUNNING], 24, {"keep_first": 2}, "q0 a0 go + s3"),
        (PINNED[4:], 30, {"pinned": is_pinned, "low_water": 1.0}, None),
        (talk(5), 200, {"keep_first": 2}, "q0 a0 q1 a1 q2 a2 q3 a3 q4 a4 now"),
    ],
    ids=["plain cut", "running turn", "its question is first", "first steps", "behind the head", "pin", "no cut"],
)
def test_without_such_a_gap_nothing_is_marked(
    messages: list[OpenAIMessage], budget: int, policy: dict[str, Any], expected: str | None
) -> None:
    """A plain cut has no marker, and a turn that lost its steps has none: not a token is kept for one."""
    context, without = run(messages, budget, **policy), run(messages, budget, omission_marker=None, **policy)
    if expected is None:
        assert "left out" in json.dumps(context.messages)  # a pin with a gap behind it
        return
    assert shown(context) == expected
    assert context.messages == without.messages
    assert context.tokens == without.tokens


def test_a_marker_of_ones_own_stands_at_every_cut() -> None:
    """In a running turn too, as it was asked for."""
    assert shown(run(RUNNING, 14, omission_marker="[{count}]")) == "go [4] + s3"
    assert shown(run(talk(3), 25, omission_marker="[{count}]")) == "[4] q2 a2 now"


def test_it_stands_where_the_gap_is() -> None:
    """A pinned turn right before the rest ends the gap before it."""
    messages = [*talk(4)[:-1], said("user", "pin"), said("assistant", "kept"), *talk(1)]
    context = run(messages, 36, keep_first=1, pinned=is_pinned)
    assert shown(context).split()[:4] == ["q0", "[7", "pin", "kept"]


TWO_PINS: Final = [
    *talk(3)[:-1], said("user", "pin"), said("assistant", "kept"),
    *talk(3)[:-1], said("user", "pin"), said("assistant", "kept"), *talk(4),
]  # fmt: skip
TWO_STEPS: Final = [
    said("user", "go"), *step("s1"), *step("pin"), *step("s3"), *step("pin"), said("assistant", "done"), *talk(4)
]  # fmt: skip


@pytest.mark.parametrize(
    ("messages", "budget", "policy", "expected"),
    [
        (TWO_PINS, 50, {}, "pin [13 pin [9 now"),
        (TWO_PINS, 60, {"keep_first": 1}, "q0 [5 pin [7 pin [9 now"),
        (TWO_PINS, 70, {}, "pin [13 pin [5 q2 a2 q3 a3 now"),
        (TWO_PINS, 200, {"keep_first": 2, "max_messages": 7}, "q0 a0 [4 pin [7 pin [9 now"),
        (TWO_PINS, 50, {"omission_marker": "[{count}]"}, "[6] pin [7] pin [7] q3 a3 now"),
        (TWO_PINS, 40, {"omission_marker": None}, "pin pin q3 a3 now"),
        (TWO_STEPS, 45, {}, "go [2 + pin [2 + pin [9 now"),
        (TWO_STEPS[:-9], 26, {}, "go + pin + pin done"),
    ],
    ids=["pins", "and first", "and a turn", "by number", "of one's own", "none", "steps", "of a running turn"],
)
def test_each_gap_is_marked(messages: list[OpenAIMessage], budget: int, policy: dict[str, Any], expected: str) -> None:
    """With how many are left out since the marker before; all numbers together are what the report says."""
    context = run(messages, budget, pinned=is_pinned, state=WindowState(), **policy)
    assert shown(context) == expected
    told = [int(number) for number in re.findall(r"\[(\d+)[] ]", str(context.messages))]
    assert sum(told) == (context.report.history.omitted if told else 0)
    assert context.tokens == WORDS.count_messages(list(map(as_message, context.messages))) <= budget
    again = run(messages, budget, pinned=is_pinned, state=context.state, **policy)
    assert (again.messages, again.state) == (context.messages, context.state)


def test_it_gives_way_before_a_request_fails() -> None:
    """Nobody asked for it; one of the caller's own stays, and its request is refused."""
    assert shown(run(talk(5), 10, keep_first=1)) == "q0 now"


def test_where_they_do_not_all_fit_none_stands() -> None:
    """One alone would say that the other gap is none; and the request is the same when it is asked again."""
    messages = [*talk(2)[:-1], said("user", "pin"), said("assistant", "kept"), *talk(3)[:-1], said("user", "pin too")]
    messages += [said("assistant", "kept"), *talk(3)[:-1], said("user", "now")]
    sent = {shown(run(messages, budget, pinned=is_pinned, state=WindowState())) for budget in range(20, 40)}
    assert any(text.count("[") == 2 for text in sent)
    assert any(text.count("[") == 0 for text in sent)
    assert not any(text.count("[") == 1 for text in sent)
    for budget in range(20, 40):
        context = run(messages, budget, pinned=is_pinned, state=WindowState())
        assert run(messages, budget, pinned=is_pinned, state=context.state).messages == context.messages


def test_where_a_summary_stands_it_is_not_said_twice() -> None:
    """The summary speaks of what is missing, and so does its own marker."""
    policy = HistoryPolicy(keep_first=1)
    for summary, times in ((RollingSummary(), 0), (RollingSummary(role=Role.SYSTEM), 1)):
        builder = ContextBuilder(60, WORDS).history(policy).rolling_summary(summary)
        context = builder.build(talk(12), state=WindowState())
        assert str(context.messages).count("left out") == times
        assert "omitted" in str(context.messages)


@pytest.mark.parametrize(
    ("marker", "expected"),
    [(None, "pin pin [18 q2 a2 q3 a3 now"), ("[{count}]", "[6] pin [7] pin [20 [7] q3 a3 now")],
    ids=["without markers", "with others before"],
)
def test_a_summary_stands_at_the_last_of_several_gaps(marker: str | None, expected: str) -> None:
    """Beside the marker that stands there."""
    policy = HistoryPolicy(pinned=is_pinned, omission_marker=marker)
    builder = ContextBuilder(80, WORDS).history(policy).rolling_summary(RollingSummary())
    assert shown(builder.build(TWO_PINS, state=WindowState())) == expected


def test_its_number_stays_as_long_as_the_cut_does() -> None:
    """Over thirty turns with first and pinned messages; and each request is recounted."""
    state, before, cuts = WindowState(), list[OpenAIMessage](), 0
    for turns in range(1, 31):
        messages = [*talk(2)[:-1], said("user", "pin"), said("assistant", "kept"), *talk(turns)[:-1], said("user", "n")]
        policy = HistoryPolicy(keep_first=2, pinned=is_pinned)
        context = fit(messages, 90, counter=WORDS, policy=policy, state=state)
        assert context.tokens == WORDS.count_messages(list(map(as_message, context.messages))) <= 90
        assert context.report.history.cut or context.messages[: len(before)] == before
        assert sum(map(int, re.findall(r"(\d+) earlier messages left out", str(context.messages)))) == (
            context.report.history.omitted
        )
        cuts += context.report.history.cut
        state = WindowState.from_dict(json.loads(json.dumps(context.state.to_dict())))
        before = context.messages[:-1]
    assert 2 <= cuts < 15


def test_its_number_stays_where_a_store_drops_old_messages() -> None:
    """What the store forgets is left out all the same."""
    messages = talk(12)
    first = run(messages, 50, omission_marker="[{count}]", state=WindowState())
    count = first.report.history.omitted
    assert count > 6
    for dropped in (2, 4, 6):
        later = run(messages[dropped:], 50, omission_marker="[{count}]", state=first.state)
        assert shown(later).split()[0] == f"[{count}]"
        again = run(messages[dropped + 2 :], 50, omission_marker="[{count}]", state=later.state)
        assert shown(again).split()[0] == f"[{count}]"


def test_a_written_policy_reads_as_it_was() -> None:
    """The default, none, and one of the caller's own."""
    for policy in (HistoryPolicy(), HistoryPolicy(omission_marker=None), HistoryPolicy(omission_marker="[cut]")):
        read = read_policy(json.loads(json.dumps(write_policy(policy))))
        assert read.omission_marker == policy.omission_marker


def test_with_recall_the_default_names_the_tool_and_none_stays_none() -> None:
    """What was switched off is not switched on again."""
    assert "search_context" in (recalling(HistoryPolicy()).omission_marker or "")
    assert recalling(HistoryPolicy(omission_marker=None)).omission_marker is None


@pytest.mark.parametrize("name", KITCHEN)
def test_recipes_mark_what_their_design_says(name: str) -> None:
    """Only the phased one keeps the first message, and has a marker of its own."""
    policy = KITCHEN[name](6_000).builder("And now?").plan.policy
    own = policy.keep_first != 0
    assert policy.pinned is None
    assert (policy.omission_marker == OMITTED) is own
    assert own or policy.omission_marker == GAP_MARKER


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.USER])
def test_it_never_stands_between_a_call_and_its_result(role: Role) -> None:
    """Not even where a message stood that has the id of one before, and says the same."""
    copy = {"role": "assistant", "content": "hm", "id": "msg_1"}
    messages: list[OpenAIMessage] = [
        copy,
        said("user", "tide", 20),
        {"role": "assistant", "content": None, "function_call": {"name": "run", "arguments": '{"q": "tide"}'}},
        copy,
        {"role": "function", "name": "run", "content": "fatal: " * 30},
        said("user", "now", 30),
        {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}},
    ]
    policy = HistoryPolicy(
        omission_marker="[{count} left out]",
        marker_role=role,
        preserve_recent_turns=3,
        pinned=lambda message: "tide" in message.text,
        results=ToolResultPolicy(overflow_share=0.5),
    )
    fitted = 0
    for budget in range(60, 130):
        try:
            sent = fit(messages, budget, counter=WORDS, policy=policy, state=WindowState()).messages
        except ContextOverflowError:
            continue
        roles = [message["role"] for message in sent]
        assert all(before == "assistant" for before, after in pairwise(roles) if after == "function")
        fitted += 1
    assert fitted
