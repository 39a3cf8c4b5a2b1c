"""What is remembered of a cut."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx_core import Framing, HistoryPolicy, Message, TokenCounter, ToolCall, ToolResultPolicy, WindowState, fit
from ctx_core.conversation.messages import Role
from ctx_core.conversation.parts import ImagePart, TextPart
from ctx_core.history.keys import message_key

OpenAIMessage = dict[str, Any]

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())

FIELDS: dict[str, Any] = {
    "start": 9,
    "start_key": "k9",
    "limit": 500,
    "kept_before": (2,),
    "instructions": (0, 1),
    "head_end": 3,
    "gone_keys": ("k3", "k8"),
    "gone_digest": "0d",
    "cleared": {10: 14, 12: 14, 13: 20},
    "shortened": {15: 50},
    "results_digest": "0e",
    "seconds": (16,),
    "reasoning_from": 3,
    "repeated_ids": ("0a0b0c0d", "1a1b1c1d"),
    "moved": 4,
    "summary": "said",
    "summarized": 7,
    "kept_at_summary": (2,),
    "summary_ends": (3, 6),
    "summary_keys": ("k3", "k6"),
    "summary_digest": "0f",
}
"""Everything that there may be in one."""
STATE = WindowState(**FIELDS)


def changed(fields: dict[str, Any]) -> WindowState:
    """Give it with other fields, which need not make sense."""
    return WindowState(**{**FIELDS, **fields})


def talk(turns: int, first: int = 0) -> list[OpenAIMessage]:
    """Give turns of ten words."""
    messages: list[OpenAIMessage] = []
    for turn in range(first, first + turns):
        messages += [
            {"role": "user", "content": f"question number {turn} is this"},
            {"role": "assistant", "content": f"answer number {turn} is this"},
        ]
    return messages


def picture(data: str) -> Message:
    """Give a message of the same words with a picture."""
    return Message(role=Role.USER, parts=(TextPart("look"), ImagePart(data=data)))


NEXT = {"role": "user", "content": "and what now then please"}


def contents(messages: list[OpenAIMessage]) -> list[str]:
    """Show messages."""
    return [message["content"] for message in messages]


def test_it_survives_json() -> None:
    """Plain types, both ways."""
    assert WindowState.from_dict(json.loads(json.dumps(STATE.to_dict()))) == STATE


def test_a_fresh_one_survives_json() -> None:
    """It is that of a conversation that was never cut."""
    assert WindowState.from_dict(json.loads(json.dumps(WindowState().to_dict()))) == WindowState()


@given(st.recursive(st.none() | st.integers() | st.text(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)))
def test_what_is_no_state_gives_a_fresh_one(data: Any) -> None:
    """Anything that a store may have made of it."""
    assert WindowState.from_dict(data) == WindowState()


@pytest.mark.parametrize("field", list(STATE.to_dict()))
@pytest.mark.parametrize(
    "value",
    ["damaged", None, 3.7, True, -1, float("inf"), 10**30, {"a": 1}, [["x"]], [1], [0, 10**12], [-5, 2], [1, 1, 10**9]],
    ids=repr,
)
def test_a_damaged_field_never_raises(field: str, value: Any) -> None:
    """It gives some state, with which a request can be made."""
    state = WindowState.from_dict({**STATE.to_dict(), field: value})
    assert fit([*talk(9), NEXT], 30, counter=WORDS, state=state).tokens <= 30


def test_another_version_gives_a_fresh_state() -> None:
    """It is only a hint."""
    assert WindowState.from_dict({**STATE.to_dict(), "version": 999}) == WindowState()


def test_a_state_can_be_hashed() -> None:
    """It is frozen."""
    assert len({STATE, replace(STATE)}) == 1


@pytest.mark.parametrize(
    "state",
    [
        changed({"start": -1}),
        changed({"start": 10**6, "kept_before": (10**6 - 1,)}),
        changed({"kept_before": (-3, 99)}),
        changed({"instructions": None}),
        changed({"instructions": (-1, 50)}),
        changed({"gone_keys": None}),
        changed({"cleared": {-1: 3, 99: -7}, "shortened": {-1: 5, 99: -5}}),
        changed({"summary_ends": (-1, 10**6)}),
        changed({"kept_at_summary": (-1, 99), "summarized": 10**6}),
        changed({"reasoning_from": 10**6}),
    ],
)
def test_a_state_that_matches_nothing_does_no_harm(state: WindowState) -> None:
    """Positions out of range, lists of unequal length: the conversation decides."""
    messages = [*talk(9), NEXT]
    for matching in (state, replace(state, start_key=message_key(Message.user(messages[4]["content"])))):
        context = fit(messages, 30, counter=WORDS, state=matching)
        assert context.tokens <= 30
        assert context.messages[-1] is NEXT
        assert context.messages[0]["role"] == "user"


def test_nothing_is_remembered_of_a_conversation_that_fits() -> None:
    """Its state is a fresh one."""
    assert fit([*talk(3), NEXT], 1_000, counter=WORDS, state=WindowState()).state == WindowState()


def test_a_cut_is_remembered() -> None:
    """By the position and the key of the first message that is kept."""
    messages = [*talk(9), NEXT]
    context = fit(messages, 50, counter=WORDS, state=WindowState())
    start = context.state.start
    assert messages[start] is context.messages[0]
    assert context.state.start_key == message_key(Message.user(messages[start]["content"]))


def test_without_a_state_the_window_is_filled() -> None:
    """Nothing is kept free for turns to come."""
    assert fit([*talk(9), NEXT], 50, counter=WORDS).tokens == 45


def test_with_a_state_it_is_cut_to_the_low_water_mark() -> None:
    """So that the next turns fit without another cut."""
    assert fit([*talk(9), NEXT], 50, counter=WORDS, state=WindowState()).tokens == 25


def test_the_start_stays_until_the_next_overflow() -> None:
    """The prompt grows at its end; the next cut comes only when it must."""
    messages, state, cuts, before = talk(5), WindowState(), 0, list[str]()
    for turn in range(5, 30):
        context = fit([*messages, NEXT], 100, counter=WORDS, state=state)
        sent = contents(context.messages[:-1])
        cuts += context.report.history.cut
        assert context.report.history.cut or sent[: len(before)] == before
        messages, state, before = [*messages, *talk(1, turn)], context.state, sent
    assert cuts == 4


def test_a_store_that_dropped_its_oldest_messages_is_recognized() -> None:
    """The start is found where it is now."""
    messages = [*talk(9), NEXT]
    first = fit(messages, 50, counter=WORDS, state=WindowState())
    later = fit([*messages[8:], *talk(1, 20), NEXT], 50, counter=WORDS, state=first.state)
    assert contents(later.messages)[:3] == contents(first.messages)[:3]
    assert later.state.start == first.state.start - 8


def test_a_system_message_put_in_front_is_kept() -> None:
    """And the start is found behind it."""
    messages = [*talk(9), NEXT]
    first = fit(messages, 50, counter=WORDS, state=WindowState())
    system = {"role": "system", "content": "be brief"}
    later = fit([system, *messages], 50, counter=WORDS, state=first.state)
    assert later.messages == [system, *first.messages]


def test_a_system_message_in_the_place_of_old_ones_is_kept() -> None:
    """A summary that an application put where a message was: the positions are the same, and it is an instruction."""
    messages = [*talk(9), NEXT]
    first = fit(messages, 50, counter=WORDS, state=WindowState())
    for at in range(first.state.start):
        system = {"role": "system", "content": f"what was said before {at}"}
        later = fit([*messages[:at], system, *messages[at + 1 :]], 50, counter=WORDS, state=first.state)
        assert later.messages[0] is system
        assert later.messages[-1] is NEXT


def test_a_system_message_may_say_something_else_each_turn() -> None:
    """It is the same layer, and no reason to cut anew."""
    messages = [*talk(9), NEXT]
    first = fit([{"role": "system", "content": "it is noon"}, *messages], 50, counter=WORDS, state=WindowState())
    later = fit([{"role": "system", "content": "it is one"}, *messages], 50, counter=WORDS, state=first.state)
    assert not later.report.history.cut
    assert later.messages[0]["content"] == "it is one"
    assert later.messages[1:] == first.messages[1:]


def test_an_edited_start_is_cut_anew() -> None:
    """The message that the window began with is no longer there."""
    messages = [*talk(9), NEXT]
    state = fit(messages, 50, counter=WORDS, state=WindowState()).state
    edited = [*messages]
    edited[state.start] = {"role": "user", "content": "something else altogether"}
    context = fit(edited, 50, counter=WORDS, state=state)
    assert context.report.history.cut
    assert context.tokens <= 50


def test_a_conversation_that_was_wound_back_is_whole_again() -> None:
    """What fits is not cut because it once was."""
    state = fit([*talk(9), NEXT], 50, counter=WORDS, state=WindowState()).state
    short = [*talk(2), NEXT]
    assert fit(short, 50, counter=WORDS, state=state).messages == short


def test_decisions_about_results_are_remembered() -> None:
    """A cleared one stays cleared, a shortened one as it was shortened."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": ""}}
    step = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "r " * 40},
    ]
    policy = HistoryPolicy(results=ToolResultPolicy(clear_after_steps=0, min_tokens=5, placeholder="[gone {age}]"))
    messages = [{"role": "user", "content": "go"}, *step, *step, *step]
    first = fit(messages, 100, counter=WORDS, policy=policy, state=WindowState())
    assert set(first.state.cleared) == {2, 4}
    more = [*messages, {"role": "assistant", "content": "so"}, NEXT]
    later = fit(more, 100, counter=WORDS, policy=policy, state=first.state)
    assert later.messages[: len(first.messages)] == first.messages


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (Message.user("a"), Message.user("a"), True),
        (Message.user("a"), Message.user("b"), False),
        (Message.user("a"), Message.assistant("a"), False),
        (Message.system("a"), Message.system("b"), True),
        (replace(Message.user("a"), id="m1"), replace(Message.user("b"), id="m1"), False),
        (replace(Message.user("a"), id="m1"), replace(Message.user("a"), id="m2"), True),
        (picture("one"), picture("two"), False),
        (Message.tool("a", tool_call_id="1"), Message.tool("a", tool_call_id="2"), False),
        (
            Message.assistant(tool_calls=(ToolCall(name="f", arguments="1"),)),
            Message.assistant(tool_calls=(ToolCall(name="f", arguments="2"),)),
            False,
        ),
    ],
)
def test_a_message_is_recognized_by_what_it_says(one: Message, other: Message, same: bool) -> None:  # noqa: FBT001 - a table's column
    """Whatever its id; an instruction by being one."""
    assert (message_key(one) == message_key(other)) is same
