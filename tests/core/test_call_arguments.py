"""Arguments of old calls: cut and cleared as results are, and JSON of the same keys all the time."""

from __future__ import annotations

import copy
import json
from typing import Any, Final

import pytest

from ctx_core import (
    BudgetError,
    ContextOverflowError,
    HistoryPolicy,
    TokenCounter,
    ToolCallPolicy,
    WindowState,
    fit,
)
from ctx_core.conversation.message_texts import LEFT_OUT
from ctx_core.conversation.messages import ToolCall
from ctx_core.history.arguments import clear_arguments, shortened_arguments
from ctx_core.history.json_cuts import JsonCutter
from ctx_core.truncation import cut_middle
from tests.core.talks import WORDS, OpenAIMessage

GO: Final = {"role": "user", "content": "go"}
PLACEHOLDER: Final = "[gone]"


def writing(at: int, size: int = 60, name: str = "write_file") -> list[OpenAIMessage]:
    """Give a step that writes a file of so many words."""
    arguments = json.dumps({"path": f"f{at}.py", "content": " ".join(["line"] * size), "mode": 3})
    call = {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": arguments}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{at}", "content": "ok"},
    ]


def arguments_of(message: OpenAIMessage) -> dict[str, Any]:
    """Read the arguments of a message's call."""
    read: dict[str, Any] = json.loads(message["tool_calls"][0]["function"]["arguments"])
    return read


def run(messages: list[OpenAIMessage], budget: int, *, state: WindowState | None = None, **calls: Any) -> Any:
    """Fit with a policy about calls."""
    fields: dict[str, Any] = {"min_tokens": 5, "placeholder": PLACEHOLDER, **calls}
    policy = HistoryPolicy(calls=ToolCallPolicy(**fields))
    return fit(messages, budget, counter=WORDS, policy=policy, state=state)


RUN: Final = [GO, *writing(0), *writing(1), *writing(2), *writing(3)]
ALL: Final = WORDS.count_messages(RUN)


def shown(context: Any) -> list[str]:
    """Show what became of the contents that were written."""
    contents = [arguments_of(message)["content"] for message in context.messages if message.get("tool_calls")]
    return [text if len(text.split()) < 10 else f"{len(text.split())} words" for text in contents]


def test_within_the_budget_no_call_is_touched() -> None:
    """However old it is."""
    context = run(RUN, ALL, clear_after_steps=0, clear_rest=True)
    assert all(mine is theirs for mine, theirs in zip(RUN, context.messages, strict=True))


@pytest.mark.parametrize(
    ("policy", "found"),
    [
        ({"clear_after_steps": 1}, [PLACEHOLDER, "60 words", "60 words", "60 words"]),
        ({"clear_rest": True}, [PLACEHOLDER, "60 words", "60 words", "60 words"]),
        ({"clear_after_steps": 5}, ["60 words", "60 words", "60 words"]),
        ({"clear_rest": True, "keep": ("write_file",)}, ["60 words", "60 words", "60 words"]),
        ({"clear_rest": True, "min_tokens": 100}, ["60 words", "60 words", "60 words"]),
        ({"max_tokens": 20}, ["18 words", "18 words", "18 words", "18 words"]),
        ({"max_tokens": 20, "keep": ("write_file",)}, ["60 words", "60 words", "60 words"]),
        ({}, ["60 words", "60 words", "60 words"]),
    ],
)
def test_old_calls_give_way_before_their_steps_go(policy: Any, found: list[str]) -> None:
    """By age or with the rest, oldest first and no more than it takes; tools may be kept out of it."""
    marker: dict[str, Any] = {"cut_marker": " … "} if "max_tokens" in policy else {}
    context = run(RUN, ALL - 20, **policy, **marker)
    assert shown(context) == found
    assert WORDS.count_messages(context.messages) == context.tokens <= ALL - 20


def test_a_cleared_call_keeps_its_keys_and_its_short_values() -> None:
    """The path says what was written; the report says that the call was altered, and the caller's own is as it was."""
    before = copy.deepcopy(RUN)
    context = run(RUN, ALL - 20, clear_rest=True)
    assert arguments_of(context.messages[1]) == {"path": "f0.py", "content": PLACEHOLDER, "mode": 3}
    assert context.messages[1]["tool_calls"][0]["id"] == "c0"
    assert before == RUN
    report = context.report.history
    assert (report.cleared_calls, report.shortened_calls, report.altered) == (1, 0, 1)
    row = context.report.layer("history")
    assert row.why == "1 call cleared"
    assert row.asked is None
    assert "1 call cleared" in str(context.report)
    assert "1 call cleared" in context.report._repr_html_()
    assert context.report.to_dict()["history"]["cleared_calls"] == 1


def test_the_placeholder_says_age_and_size() -> None:
    """As that of results does."""
    context = run(RUN, ALL - 20, clear_rest=True, placeholder=ToolCallPolicy().placeholder)
    assert arguments_of(context.messages[1])["content"] == "[argument truncated - 3 steps ago, 60 tokens]"


def test_clearing_is_decided_once_and_kept() -> None:
    """With a state that goes through JSON no other call is cleared until the next overflow."""
    state, messages, cuts, before = WindowState(), [GO], 0, list[OpenAIMessage]()
    for at in range(30):
        messages = [*messages, *writing(at, 30)]
        context = run(messages, 400, clear_after_steps=1, clear_rest=True, state=state)
        cuts += context.report.history.cut
        assert context.report.history.cut or context.messages[: len(before)] == before
        assert WORDS.count_messages(context.messages) == context.tokens <= 400
        state = WindowState.from_dict(json.loads(json.dumps(context.state.to_dict())))
        assert state == context.state
        assert len(state.cleared_calls) == context.report.history.cleared_calls
        before = context.messages
    assert 2 <= cuts <= 12


def test_what_was_decided_is_forgotten_where_the_call_says_something_else() -> None:
    """It is bound to a digest of the messages that it is about."""
    state = run(RUN, ALL - 20, clear_rest=True, state=WindowState()).state
    assert set(state.cleared_calls)
    edited = [GO, *writing(7), *RUN[3:]]
    assert shown(run(edited, 10_000, state=state, clear_rest=True)) == ["60 words"] * 4


@pytest.mark.parametrize("budget", [40, 60, 90, 150])
def test_the_newest_step_does_not_raise_under_truncate(budget: int) -> None:
    """30,000 tokens of arguments are cut with a mark where they may be; else it is an overflow."""
    messages = [{"role": "user", "content": "write it"}, *writing(0, 30_000)]
    with pytest.raises(ContextOverflowError):
        fit(messages, budget, counter=WORDS)
    context = fit(messages, budget, counter=WORDS, on_overflow="truncate", state=WindowState())
    assert WORDS.count_messages(context.messages) == context.tokens <= budget
    assert context.messages[0] is messages[0], "the question is smaller"
    assert set(arguments_of(context.messages[1])) == {"path", "content", "mode"}
    assert "tokens left out" in arguments_of(context.messages[1])["content"]
    assert context.report.history.shortened_calls == 1
    again = fit([*messages, *writing(1, 3)], 200, counter=WORDS, state=context.state)
    assert again.messages[: len(messages)] == context.messages, "and stays so"


ARGUMENTS: Final = {
    "a text": '{"content": "' + "w " * 99 + '", "n": 1}',
    "nested": json.dumps({"edits": [{"old": "a " * 50, "new": "b " * 50}], "path": "x"}),
    "numbers": json.dumps({"rows": list(range(500)), "path": "x"}),
    "a list": json.dumps(["w " * 99, 1]),
    "no JSON": "*** Begin Patch " + "+ line " * 99,
    "empty": "",
}


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("limit", [1, 5, 30])
def test_arguments_are_cut_to_what_they_are(name: str, limit: int) -> None:
    """JSON stays JSON of the same keys, what is none stays a text; down to the limit wherever its frame allows."""
    call = ToolCall(name="f", arguments=ARGUMENTS[name], id="c")
    cutter = JsonCutter(counter=WORDS, cut=lambda text, most: cut_middle(text, most, WORDS, marker=" … "))
    gone = clear_arguments(call, lambda _: "[gone]", WORDS, most=20)
    for form in (shortened_arguments(call, limit, cutter), gone):
        if name in {"no JSON", "empty"}:
            continue
        was, now = json.loads(call.arguments), json.loads(form.arguments)
        assert type(was) is type(now)
        assert not isinstance(was, dict) or list(was) == list(now)
    assert WORDS.count_text(shortened_arguments(call, limit, cutter).arguments) <= max(limit, 4)


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"max_tokens": 0}, "max_tokens must be 1 or more"),
        ({"clear_after_steps": -1}, "clear_after_steps must be 0 or more"),
        ({"clear_rest": None}, "clear_rest must be a bool"),
        ({"keep": "f"}, "keep must be names of tools"),
        ({"placeholder": " "}, "placeholder must be a text that says something"),
        ({"cut_marker": ""}, "cut_marker must be a text that says something"),
    ],
)
def test_policies_that_cannot_work_are_refused(fields: dict[str, Any], found: str) -> None:
    """When they are made."""
    with pytest.raises(BudgetError, match=found):
        ToolCallPolicy(**fields)


@pytest.mark.parametrize("limit", [-3, 0, 1])
def test_what_is_no_json_keeps_a_mark_and_what_is_empty_stays_so(limit: int) -> None:
    """Clients leave out a malformed call without arguments, and send its result alone."""
    cutter = JsonCutter(counter=WORDS, cut=lambda text, most: " ".join(text.split()[: max(0, most)]))
    malformed = ToolCall(name="look", arguments="no json at all", id="c1")
    assert shortened_arguments(malformed, limit, cutter).arguments == ("no" if limit == 1 else LEFT_OUT)
    empty = ToolCall(name="look", arguments="", id="c1")
    assert shortened_arguments(empty, limit, cutter) is empty


SIGNS = TokenCounter(len)
"""A token a sign."""


def cut_to(limit: int, *, cuts_keys: bool = False, **fields: Any) -> Any:
    """Give arguments cut to so many signs, read."""
    cutter = JsonCutter(
        counter=SIGNS, cut=lambda text, most: cut_middle(text, most, SIGNS, marker="…"), cuts_keys=cuts_keys
    )
    call = shortened_arguments(ToolCall(name="f", arguments=json.dumps(fields), id="c"), limit, cutter)
    assert len(call.arguments) <= limit
    return json.loads(call.arguments)


def test_what_is_too_large_without_its_texts_becomes_one() -> None:
    """Numbers have no texts to cut: a list of them becomes a text, and what is small beside it stays as it is."""
    cut = cut_to(60, rows=list(range(500)), path="x", deep={"on": True}, number=4.5)
    assert (cut["path"], cut["number"]) == ("x", 4.5)
    assert cut["rows"].startswith("[0")
    assert cut["rows"].endswith("9]")
    assert "…" in cut["rows"]


def test_a_mark_stands_under_each_key_where_no_text_fits() -> None:
    """And nothing at all where no mark does."""
    fields = {name: list(range(50)) for name in ("rows", "columns", "cells")}
    assert cut_to(45, **fields) == dict.fromkeys(fields, LEFT_OUT)
    assert cut_to(36, **fields) == dict.fromkeys(fields, "")


@pytest.mark.parametrize("limit", [2, 9, 20, 60, 200])
def test_keys_are_cut_at_the_very_last(limit: int) -> None:
    """Long ones to their share, and where many are too many the last go; each stays another one than the rest."""
    for fields in (
        {"k" * 5_000: "text", "path": "x"},
        {f"{'k' * 400}{at}{'k' * 400}": at for at in range(9)},
        {f"key_{at}": at for at in range(999)},
    ):
        cut = cut_to(limit, cuts_keys=True, **fields)
        assert isinstance(cut, dict)
        assert set(cut.values()) <= {""}
        assert len(cut) > 0 or limit < 9


@pytest.mark.parametrize("keys", [{"k " * 500: "text"}, {f"key {at}": at for at in range(500)}], ids=["long", "many"])
def test_no_key_is_too_long_where_texts_may_be_truncated(keys: dict[str, Any]) -> None:
    """The newest step stays, whatever is too much in it; without leave to truncate it is an overflow."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": json.dumps(keys)}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "done"},
    ]
    context = fit(messages, 60, counter=WORDS, on_overflow="truncate")
    assert WORDS.count_messages(context.messages) == context.tokens <= 60
    assert json.loads(context.messages[1]["tool_calls"][0]["function"]["arguments"])
    assert context.report.history.shortened_calls == 1
    with pytest.raises(ContextOverflowError):
        fit(messages, 60, counter=WORDS)
