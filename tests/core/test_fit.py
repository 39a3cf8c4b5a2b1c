"""The one-call form, and what is logged on the way."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ctx_core import (
    BudgetError,
    Context,
    ContextOverflowError,
    Framing,
    HistoryPolicy,
    Message,
    MessageError,
    TokenCounter,
    fit,
)

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())


def talk(turns: int) -> list[dict[str, Any]]:
    """Give turns of three words each way, and a last question of two."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "be brief"}]
    for turn in range(turns):
        messages += [
            {"role": "user", "content": f"question number {turn}"},
            {"role": "assistant", "content": f"answer number {turn}"},
        ]
    return [*messages, {"role": "user", "content": "and now?"}]


def test_what_fits_passes_untouched() -> None:
    """The very same objects, in the same order."""
    messages = talk(3)
    context = fit(messages, 100, counter=WORDS)
    assert len(context.messages) == len(messages)
    assert all(mine is theirs for mine, theirs in zip(messages, context.messages, strict=True))


def test_what_is_kept_is_the_same_object() -> None:
    """After a cut too."""
    messages = talk(3)
    context = fit(messages, 12, counter=WORDS)
    assert [messages.index(message) for message in context.messages] == [0, 5, 6, 7]
    assert all(any(message is mine for mine in messages) for message in context.messages)


def test_the_list_that_comes_out_is_a_new_one() -> None:
    """The caller may change it."""
    messages = talk(1)
    fit(messages, 100, counter=WORDS).messages.clear()
    assert len(messages) == 4


@pytest.mark.parametrize("kind", [dict, Message])
def test_the_same_kind_comes_back(kind: type) -> None:
    """Dicts for dicts, messages for messages; stubs and markers as well."""
    policy = HistoryPolicy(omission_marker="[{count} gone]")
    messages: list[Any] = talk(5)
    if kind is Message:
        roles = {"system": Message.system, "user": Message.user, "assistant": Message.assistant}
        messages = [roles[message["role"]](message["content"]) for message in messages]
    context: Context[Any] = fit(messages, 20, counter=WORDS, policy=policy)
    assert len(context.messages) == 7
    assert all(isinstance(message, kind) for message in context.messages)


def test_an_empty_conversation_is_empty() -> None:
    """Nothing in, nothing out, no error."""
    context: Context[Any] = fit([], 100, counter=WORDS)
    assert (context.messages, context.tokens, context.report.history.messages) == ([], 0, 0)


def test_the_default_counter_is_a_safe_estimate() -> None:
    """Without one, no model is assumed."""
    messages = talk(2)
    assert fit(messages, 1_000).tokens == TokenCounter.for_model("").count_messages(messages)


def test_an_overflow_is_raised_with_the_numbers() -> None:
    """Of each layer, after everything that may go has gone."""
    messages = [{"role": "system", "content": "rule " * 50}, *talk(5)[1:-1], {"role": "user", "content": "word " * 60}]
    with pytest.raises(ContextOverflowError) as caught:
        fit(messages, 100, counter=WORDS)
    assert (caught.value.needed, caught.value.limit) == (110, 100)
    assert caught.value.layers == {"system": 50, "current": 60}


def test_truncating_cuts_the_question_first() -> None:
    """The instructions stay whole as long as that is enough."""
    messages = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "word " * 60, "id": "m1"}]
    context = fit(messages, 20, counter=WORDS, on_overflow="truncate")
    assert context.messages[0] is messages[0]
    assert context.messages[1]["content"].endswith("word\n[truncated]")
    assert context.messages[1]["id"] == "m1"
    assert 19 <= context.tokens <= 20
    assert context.report.history.truncated == 1
    assert context.report.layer("current").why == "truncated to fit"


def test_truncating_cuts_the_instructions_too_where_it_must() -> None:
    """Largest first: both are there, and marked."""
    messages = [{"role": "system", "content": "rule " * 300}, {"role": "user", "content": "now what is this"}]
    context = fit(messages, 100, counter=WORDS, on_overflow="truncate")
    assert context.messages[1] is messages[1]
    assert context.messages[0]["content"].endswith("rule\n[truncated]")
    assert context.messages[0]["content"].count("rule") > 80


def test_what_cannot_be_truncated_is_an_overflow_all_the_same() -> None:
    """Pictures have no end to cut."""
    image = {"type": "image_url", "image_url": {"url": "u"}}
    with pytest.raises(ContextOverflowError):
        fit([{"role": "user", "content": [image]}], 500, counter=TokenCounter(len), on_overflow="truncate")


@pytest.mark.parametrize("budget", [0, -1, 1.5, None, "100", True])
def test_what_is_no_budget_is_refused(budget: Any) -> None:
    """Before anything else happens."""
    with pytest.raises(BudgetError, match="the budget must be a whole number of tokens above 0"):
        fit(talk(1), budget, counter=WORDS)


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ([{"role": "wizard", "content": "secret"}], "message 1 of 1: unknown role 'wizard'"),
        ([{"role": "user", "content": "hi"}, "secret"], "message 2 of 2: expected a message dict, found str"),
        (
            [{"role": "user", "content": "hi"}, Message.user("secret")],
            "message 2 of 2: expected a message dict, found Message",
        ),
        ([Message.user("hi"), {"role": "user"}], "message 2 of 2: expected a ctx_core Message, found dict"),
        ([{"role": "user", "content": 5}], "message 1 of 1: content must be"),
        ([None], "expected a list of messages|message 1"),
        ("secret", "expected a list of messages, found str"),
    ],
)
def test_what_is_no_message_is_refused(messages: Any, found: str) -> None:
    """The error says which one and why, and not what it says."""
    with pytest.raises(MessageError, match=found) as caught:
        fit(messages, 100, counter=WORDS)
    assert "secret" not in str(caught.value)


def test_a_result_without_an_id_is_paired() -> None:
    """It answers the call before it."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "not json"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "r"},
    ]
    context = fit(messages, 100, counter=WORDS)
    assert context.messages[2] == {"role": "tool", "content": "r", "tool_call_id": "c1"}
    assert "tool_call_id" not in messages[2]
    assert context.report.history.repairs == {"paired": 1}


def test_extras_that_cannot_be_copied_are_no_matter() -> None:
    """A lock, or a message that holds itself, goes through a cut."""
    messages = talk(5)
    for message in messages:
        message["lock"] = threading.Lock()
        message["self"] = message
    context = fit(messages, 12, counter=WORDS)
    assert context.messages[-1] is messages[-1]


def test_threads_may_fit_at_once() -> None:
    """With one counter between them, all get the same."""
    messages = talk(60)
    counter = TokenCounter(lambda text: len(text.split()))
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: fit(messages, 200, counter=counter).messages, range(40)))
    assert all(result == results[0] for result in results)


def test_counts_are_logged_at_debug(caplog: pytest.LogCaptureFixture) -> None:
    """A line a layer, under the package's name."""
    with caplog.at_level(logging.DEBUG, logger="ctx_core"):
        context = fit(talk(3), 12, counter=WORDS)
    lines = [record.getMessage() for record in caplog.records]
    assert lines == [f"{layer.name}: {layer.used} tokens of {layer.budget}" for layer in context.report.layers]
    assert {record.name for record in caplog.records} == {"ctx_core"}
    assert {record.levelno for record in caplog.records} == {logging.DEBUG}


def test_truncating_warns_once(caplog: pytest.LogCaptureFixture) -> None:
    """With the numbers."""
    messages = [{"role": "system", "content": "rule " * 300}, {"role": "user", "content": "word " * 300}]
    with caplog.at_level(logging.WARNING, logger="ctx_core"):
        fit(messages, 100, counter=WORDS, on_overflow="truncate")
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "2 messages" in record.getMessage()
    assert "of 100 tokens used" in record.getMessage()


@pytest.mark.parametrize("on_overflow", ["raise", "truncate"])
def test_cutting_a_history_warns_of_nothing(caplog: pytest.LogCaptureFixture, on_overflow: Any) -> None:
    """That old turns go is what it is for."""
    with caplog.at_level(logging.INFO, logger="ctx_core"):
        fit(talk(9), 12, counter=WORDS, on_overflow=on_overflow)
    assert caplog.records == []


def test_an_overflow_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """The error says it all."""
    with caplog.at_level(logging.DEBUG, logger="ctx_core"), pytest.raises(ContextOverflowError):
        fit(talk(1), 2, counter=WORDS)
    assert caplog.records == []
