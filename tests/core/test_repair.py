"""Broken conversations, made such that providers accept them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given

from ctx_core import Context, ContextBuilder, HistoryPolicy, TokenCounter, fit
from tests.contract.conversations import conversations
from tests.contract.invariants import broken, numbered

OpenAIMessage = dict[str, Any]

COUNTER = TokenCounter(lambda text: len(text.split()))
STUB = "[no result: the call was not answered]"

USER = {"role": "user", "content": "go"}
DONE = {"role": "assistant", "content": "done"}
NEXT = {"role": "user", "content": "next"}


def call(*ids: str, content: str | None = None) -> OpenAIMessage:
    """Give a message that makes calls."""
    calls = [{"id": one, "type": "function", "function": {"name": "f", "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": content, "tool_calls": calls}


def result(call_id: str | None, content: str = "r") -> OpenAIMessage:
    """Give a tool's result."""
    return {"role": "tool", "content": content} | ({} if call_id is None else {"tool_call_id": call_id})


def legacy(name: str = "f") -> OpenAIMessage:
    """Give a message with the legacy call."""
    return {"role": "assistant", "content": None, "function_call": {"name": name, "arguments": "{}"}}


def repaired(messages: list[OpenAIMessage], **policy: Any) -> Context[OpenAIMessage]:
    """Fit where everything fits, so that only repairs are made; the input stays as it was."""
    before = copy.deepcopy(messages)
    context = fit(messages, 100_000, counter=COUNTER, policy=HistoryPolicy(**policy))
    assert messages == before
    return context


A, B = result("c1", "first"), result("c2", "second")
STUB1 = {"role": "tool", "content": STUB, "tool_call_id": "c1"}


@pytest.mark.parametrize(
    ("messages", "sent", "repairs"),
    [
        ([USER, call("c1"), A, DONE, NEXT], None, {}),
        ([USER, call("c1", "c2"), A, B, DONE], None, {}),
        ([USER, call("c1", "c2"), B, A, DONE], None, {}),
        ([A, USER], [USER], {"orphans": 1}),
        ([USER, DONE, A, NEXT], [USER, DONE, NEXT], {"orphans": 1}),
        ([USER, call("c1"), A, B, DONE], [USER, call("c1"), A, DONE], {"orphans": 1}),
        ([USER, A, call("c1"), B, NEXT], [USER, call("c1"), STUB1, NEXT], {"orphans": 2, "stubs": 1}),
        ([USER, call("c1"), DONE, NEXT], [USER, call("c1"), STUB1, DONE, NEXT], {"stubs": 1}),
        ([USER, call("c1"), NEXT], [USER, call("c1"), STUB1, NEXT], {"stubs": 1}),
        ([USER, call("c1", "c2"), B, DONE], [USER, call("c1", "c2"), B, STUB1, DONE], {"stubs": 1}),
        ([USER, call("c1", "c2"), B], [USER, call("c1", "c2"), B, STUB1], {"stubs": 1}),
        ([USER, call("c1"), DONE, A, NEXT], [USER, call("c1"), A, DONE, NEXT], {"moved": 1}),
        (
            [USER, call("c1"), call("c2"), A, B, DONE],
            [USER, call("c1"), A, call("c2"), B, DONE],
            {"moved": 1},
        ),
        ([USER, call("c1"), NEXT, A], [USER, call("c1"), A, NEXT], {"moved": 1}),
        ([USER, call("c1"), A, A, DONE], [USER, call("c1"), A, DONE], {"duplicates": 1}),
        ([USER, call("c1"), A, DONE, A], [USER, call("c1"), A, DONE], {"duplicates": 1}),
        ([USER, call("c1"), result(None), DONE], [USER, call("c1"), result("c1"), DONE], {"paired": 1}),
        (
            [USER, call("c1", "c2"), result(None, "x"), result(None, "y"), DONE],
            [USER, call("c1", "c2"), result("c1", "x"), result("c2", "y"), DONE],
            {"paired": 2},
        ),
        (
            [USER, call("c1", "c2"), result(None, "x"), result("c1", "y"), DONE],
            [USER, call("c1", "c2"), result("c2", "x"), result("c1", "y"), DONE],
            {"paired": 1},
        ),
        ([USER, call("c1"), A, DONE, NEXT, call("c1"), result("c1", "other"), DONE], None, {}),
        ([USER, call("c1"), call("c1"), A, DONE], [USER, call("c1"), STUB1, call("c1"), A, DONE], {"stubs": 1}),
        ([USER, call("c1", "c1"), A, result("c1", "other"), DONE], None, {}),
        ([USER, legacy(), {"role": "function", "name": "f", "content": "r"}, DONE], None, {}),
        (
            [USER, legacy(), DONE],
            [USER, legacy(), {"role": "function", "name": "f", "content": STUB}, DONE],
            {"stubs": 1},
        ),
        (
            [USER, legacy("g"), {"role": "function", "name": "f", "content": "r"}, DONE],
            [USER, legacy("g"), {"role": "function", "name": "g", "content": STUB}, DONE],
            {"orphans": 1, "stubs": 1},
        ),
    ],
    ids=[
        "sound", "sound in parallel", "parallel results in another order", "orphan at the front",
        "orphan in the middle", "orphan beside a result", "result before its call", "never answered",
        "cut off by the user", "one of two answered", "one of two answered so far", "late result",
        "interleaved steps", "result behind the next question", "result twice", "result again later",
        "result without an id", "parallel results without ids",
        "parallel results of which one has no id", "an id in two turns",
        "an id called again before it was answered", "an id twice in one message", "legacy call",
        "legacy call never answered", "legacy result of another function",
    ],
)  # fmt: skip
def test_what_is_broken_is_repaired(
    messages: list[OpenAIMessage], sent: list[OpenAIMessage] | None, repairs: dict[str, int]
) -> None:
    """Each kind of fault in its own way, and reported; what is sound stays."""
    context = repaired(messages)
    assert context.messages == (messages if sent is None else sent)
    assert context.report.history.repairs == repairs


@pytest.mark.parametrize(
    ("messages", "sent", "dropped"),
    [
        ([USER, call("c1"), DONE], [USER, DONE], 1),
        ([USER, call("c1", content=" "), DONE], [USER, DONE], 1),
        ([USER, call("c1", content="hm"), DONE], [USER, {"role": "assistant", "content": "hm"}, DONE], 1),
        ([USER, call("c1", "c2"), B, DONE], [USER, call("c2"), B, DONE], 1),
        ([USER, call("c1", "c2"), DONE], [USER, DONE], 2),
        ([USER, legacy(), DONE], [USER, DONE], 1),
        ([USER, call("c1"), call("c1"), A, DONE], [USER, call("c1"), A, DONE], 1),
    ],
    ids=["alone", "with a blank", "with a text", "one of two", "both of two", "legacy", "called again"],
)
def test_unanswered_calls_can_be_dropped(
    messages: list[OpenAIMessage], sent: list[OpenAIMessage], dropped: int
) -> None:
    """The call goes, and the message with it if it said nothing else."""
    context = repaired(messages, unanswered="drop")
    assert context.messages == sent
    assert context.report.history.repairs == {"dropped_calls": dropped}


@pytest.mark.parametrize("unanswered", ["stub", "drop"])
@pytest.mark.parametrize("last", [call("c1"), call("c1", "c2", content="hm"), legacy()])
def test_a_call_at_the_very_end_is_in_flight(last: OpenAIMessage, unanswered: Any) -> None:
    """Its result is still to come; a provider that is asked wants one."""
    messages, policy = [USER, DONE, NEXT, last], HistoryPolicy(unanswered=unanswered)
    context = fit(messages, 100_000, counter=COUNTER, policy=policy, provider=False)
    assert context.messages[-1] is last
    assert repaired(messages, unanswered=unanswered).messages[-1]["content"] == STUB
    assert context.report.history.repairs == {}


@pytest.mark.parametrize("unanswered", ["stub", "drop"])
@pytest.mark.parametrize("behind", [[], [{"role": "system", "content": "Be brief."}]])
def test_results_of_the_last_calls_may_follow_a_part_of_a_request(behind: list[OpenAIMessage], unanswered: Any) -> None:
    """Where it is said that they may; and where the conversation has gone on none do."""
    messages = [USER, call("c1", "c2", "c3"), result("c2"), *behind]
    policy = HistoryPolicy(unanswered=unanswered)
    part = ContextBuilder(100_000, COUNTER).provider("openai").history(policy).part_of_request(results_follow=True)
    assert part.build(messages).messages == messages
    for later in (DONE, NEXT):
        repairs = part.build([*messages, later]).report.history.repairs
        assert repairs == {{"stub": "stubs", "drop": "dropped_calls"}[unanswered]: 2}
    whole = repaired(messages, unanswered=unanswered).messages
    called = [one["id"] for one in whole[1]["tool_calls"]]
    assert sorted(called) == sorted(message["tool_call_id"] for message in whole if message["role"] == "tool")


def test_the_stubs_text_can_be_set() -> None:
    """It is what the model reads."""
    assert repaired([USER, call("c1"), NEXT], stub="(none)").messages[2]["content"] == "(none)"


def test_a_copy_is_left_out() -> None:
    """A message that stands again with the same id and content was stored twice."""
    hello = {**USER, "id": "m1"}
    context = repaired([hello, DONE, dict(hello), DONE, NEXT])
    assert context.messages == [hello, DONE, DONE, NEXT]
    assert context.report.history.repairs == {"duplicates": 1}


def test_a_copy_of_the_current_message_stays() -> None:
    """Whoever asks again wants an answer."""
    hello = {**USER, "id": "m1"}
    messages = [hello, DONE, dict(hello)]
    context = repaired(messages)
    assert context.messages == messages
    assert context.messages[-1] is messages[-1]


def test_an_id_with_another_content_is_another_message() -> None:
    """Ids repeat within real conversations."""
    messages = [{**USER, "id": "m1"}, {**DONE, "id": "m2"}, {**NEXT, "id": "m1"}]
    assert repaired(messages).messages == messages


def test_equal_messages_without_an_id_are_not_copies() -> None:
    """People say yes twice."""
    messages = [USER, DONE, USER, DONE, USER]
    assert repaired(messages).messages == messages


def test_what_needs_no_repair_is_the_callers_own_object() -> None:
    """A stub between them changes nothing about the others."""
    messages = [USER, call("c1"), DONE, NEXT]
    sent = repaired(messages).messages
    assert [sent[0], sent[1], sent[3], sent[4]] == messages
    assert all(mine is theirs for mine, theirs in zip(messages, [sent[0], sent[1], sent[3], sent[4]], strict=True))


def test_other_fields_of_a_paired_result_stay() -> None:
    """Only the id is added, in a copy."""
    context = repaired([USER, call("c1"), {**result(None), "artifact": {"k": 1}}])
    assert context.messages[-1] == {**result("c1"), "artifact": {"k": 1}}


def test_a_legacy_result_of_a_call_with_an_id_becomes_a_tools() -> None:
    """Providers refuse a `function` message where a call waits for its `tool` message."""
    messages = [USER, call("c1"), {"role": "function", "name": "f", "content": "r"}, DONE]
    sent = repaired(messages).messages
    assert sent == [USER, call("c1"), {"role": "tool", "name": "f", "content": "r", "tool_call_id": "c1"}, DONE]


@pytest.mark.parametrize("own", [{"id": "msg_1"}, {}])
def test_a_legacy_result_with_an_id_of_its_own_is_the_callers(own: dict[str, str]) -> None:
    """The id is the message's, not the call's, which has none."""
    asked = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    answer = {"role": "function", "name": "f", "content": "r", **own}
    assert repaired([USER, asked, answer, DONE]).messages[2] is answer


@given(conversations())
def test_any_conversation_is_repaired(messages: list[OpenAIMessage]) -> None:
    """I2, I4 and I6 where nothing has to go for the budget; and what is repaired needs no repair."""
    source = numbered(messages)
    once = repaired(source).messages
    assert broken(source, once, limit=100_000, counter=COUNTER) == []
    assert repaired(once).messages == once, "repaired twice is not the same as once"


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_conversation_that_is_saved_again_and_again_is_sent_once(times: int) -> None:
    """Ids and contents are the same; the question is sent once too."""
    messages = [{**USER, "id": "1"}, {**DONE, "id": "2"}, {**NEXT, "id": "3"}]
    assert repaired(messages * times).messages == messages


def test_a_question_that_is_asked_again_is_sent_again() -> None:
    """What was answered in between does not answer it twice."""
    asked = {**USER, "id": "1"}
    assert repaired([asked, DONE, asked]).messages == [asked, DONE, asked]
