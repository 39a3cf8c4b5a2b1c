"""The rolling summary: written once for what leaves, kept in the state, never in the way of a turn."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import (
    BudgetError,
    ContextBuilder,
    ContextSession,
    HistoryPolicy,
    Message,
    Role,
    RollingSummary,
    Summarizing,
    Tokens,
    WindowState,
)
from tests.contract.shared import case_files, failed, load
from tests.core.summaries import CAP, WORDS, Conversation, Notes, OpenAIMessage, contents, fail, talk, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


@pytest.mark.parametrize("path", case_files("summarize"))
def test_the_cases_of_the_field_hold(path: Path) -> None:
    """What other summaries got wrong: see `expect` of each case, and the lines below for what it cannot judge."""
    case = load(path)
    source, budget = case["messages"], case["budget"]
    before = copy.deepcopy(source)
    given: list[Message] = []
    answers = budget["summary"] if isinstance(budget["summary"], list) else [budget["summary"]] * 9

    def summarize(_: str, messages: Sequence[Message]) -> str:
        given.extend(messages)
        return answers[0] if answers[0] != "RAISES" else fail("", messages)

    of_messages = budget["counter"] == "messages"
    policy = HistoryPolicy(max_messages=budget["max_tokens"] - 2) if of_messages else HistoryPolicy()
    # Where roles are to alternate, it stands in the system prompt.
    role = Role.SYSTEM if "no_consecutive_same_role" in case["expect"] else Role.USER
    rolling = RollingSummary(cap=Tokens(budget.get("summary_tokens", 20)), role=role, heading="")
    builder = ContextBuilder(1_000 if of_messages else budget["max_tokens"], WORDS).history(policy)
    builder = builder.rolling_summary(rolling)
    summarizing = Summarizing(summarize, window=budget.get("summary_input_tokens", 16_000))

    context = ContextSession[OpenAIMessage](builder, summarizer=summarizing).fit(source)

    assert failed(case, context.messages) == []
    assert source == before
    assert not any("Error generating summary" in text for text in contents(context))
    assert not of_messages or len(context.messages) <= budget["max_tokens"]
    sent = [message for message in context.messages if message in source]
    assert given
    assert [message.origin for message in given if message.origin in sent] == []
    # Whatever is gone was given to the summarizer; where it failed, a marker says how much is missing.
    assert len(sent) + len(given) == len(source)
    raised = budget["summary"] == "RAISES"
    assert [text for text in contents(context) if f"[{len(given)} earlier messages omitted]" in text][:1] == (
        [contents(context)[0]] if raised else []
    )


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.USER])
def test_every_message_is_summarized_once_in_order_and_onto_the_summary_before(role: Role) -> None:
    """At each cut what leaves is given once, with the summary that stands for all before it."""
    notes, conversation = Notes(), Conversation(role)
    summarizing = Summarizing(notes, every=1)
    for turns in range(40):
        context = conversation.ask(summarizing, talk(turns))
        gone = talk(turns)[: conversation.state.start]
        assert notes.given == [message["content"] for message in gone]
        assert context.tokens <= 40
        assert contents(context)[-1] == f"my question {turns}"
    assert len(notes.calls) > 4
    assert [summary for summary, _ in notes.calls] == ["", *(f"notes {at}" for at in range(1, len(notes.calls)))]


def test_between_two_cuts_nothing_is_asked_of_the_model() -> None:
    """The same request again, and those until the next cut, show the summary that was made."""
    notes, conversation = Notes(), Conversation()
    summarizing = Summarizing(notes)
    cut = next(turns for turns in range(40) if conversation.ask(summarizing, talk(turns)).state.summary)
    for turns in (cut, cut, cut + 1):
        assert contents(conversation.ask(summarizing, talk(turns)))[0] == "So far:\n<summary>\nnotes 1\n</summary>"
    assert len(notes.calls) == 1


def test_in_the_system_prompt_it_stands_behind_the_instructions() -> None:
    """As text of the system role it is the end of the one system message."""
    conversation = Conversation(Role.SYSTEM)
    conversation.builder = conversation.builder.system("Be brief.")
    context = conversation.ask(Summarizing(Notes()), talk(20))
    assert context.messages[0] == {"role": "system", "content": "Be brief.\n\nSo far:\n<summary>\nnotes 1\n</summary>"}


def test_as_a_user_message_it_stands_where_the_messages_stood() -> None:
    """Behind what is kept of the beginning, before what is kept up to the present; marked as made here."""
    conversation = Conversation(policy=HistoryPolicy(keep_first=2))
    rolling = conversation.builder.provider("openai")
    messages = [Message.user("first words"), Message.assistant("fine"), *(Message.user(f"q {at}") for at in range(40))]
    context = ContextSession[Message](rolling, summarizer=Notes()).fit(messages)
    assert texts(context.messages)[:3] == ["first words", "fine", "So far:\n<summary>\nnotes 1\n</summary>"]
    assert [message.synthetic for message in context.messages[:4]] == [False, False, True, False]


def test_what_stays_is_never_summarized() -> None:
    """System messages, the pinned with their step, the first ones and the current message are not given."""
    pinned = "the password is tide"
    messages = talk(30)
    messages[0:0] = [{"role": "system", "content": "rules"}]
    messages[9:9] = [{"role": "user", "content": pinned}, {"role": "assistant", "content": "noted"}]
    notes = Notes()
    policy = HistoryPolicy(keep_first=1, pinned=lambda message: "tide" in message.text)
    context = Conversation(policy=policy, limit=60).ask(Summarizing(notes), messages)
    assert {"rules", pinned, "my question 0", "my question 30"} <= set(contents(context))
    assert not {"rules", pinned, "my question 0", "my question 30"} & set(notes.given)
    assert len(notes.given) + len(context.messages) - 1 == len(messages)


def test_what_loses_its_place_later_is_summarized_then() -> None:
    """A question that was kept for the running turn leaves with it, and is given when it does."""
    running: list[OpenAIMessage] = [{"role": "user", "content": "do it all"}]
    for at in range(12):
        call = {"id": f"call {at}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        running.append({"role": "assistant", "content": None, "tool_calls": [call]})
        running.append({"role": "tool", "tool_call_id": f"call {at}", "content": f"seen this and {at}"})
    notes, conversation = Notes(), Conversation()
    summarizing = Summarizing(notes)
    assert "do it all" in contents(conversation.ask(summarizing, running))
    assert "do it all" not in notes.given
    after = [*running, {"role": "assistant", "content": "done"}, *talk(12)]
    assert "do it all" not in contents(conversation.ask(summarizing, after))
    assert notes.given.count("do it all") == 1


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.USER])
def test_if_it_fails_a_marker_stands_there_and_the_next_turn_tries_again(role: Role) -> None:
    """The turn goes out within its budget; what waits is given with the next cut's, each message once."""
    notes, conversation = Notes(), Conversation(role)
    context = conversation.ask(Summarizing(fail), talk(20))
    waiting = context.state.start
    assert contents(context)[0] == f"[{waiting} earlier messages omitted]"
    assert (context.state.summary, context.state.summarized) == ("", 0)
    assert context.tokens <= 40
    context = conversation.ask(Summarizing(notes), talk(21))
    assert contents(context)[0] == "So far:\n<summary>\nnotes 1\n</summary>"
    assert notes.given == [message["content"] for message in talk(21)[: context.state.start]]


def test_if_it_fails_later_the_summary_so_far_stays() -> None:
    """Summary and marker stand together until the model answers again, and then nothing is given twice."""
    notes, conversation = Notes(), Conversation()
    first = conversation.ask(Summarizing(notes), talk(20)).state.start
    context = conversation.ask(Summarizing(fail), talk(30))
    waiting = context.state.start - first
    assert contents(context)[0] == f"So far:\n<summary>\nnotes 1\n</summary>\n[{waiting} earlier messages omitted]"
    context = conversation.ask(Summarizing(notes), talk(31))
    assert [summary for summary, _ in notes.calls] == ["", "notes 1"]
    assert notes.given == [message["content"] for message in talk(31)[: context.state.start]]


@pytest.mark.parametrize("answer", ["", "  \n", "\u200b\u2060 \ufeff", None, 7])
def test_what_is_no_summary_is_a_failure(answer: Any) -> None:
    """An empty text would stand for messages that are gone."""
    context = Conversation().ask(Summarizing(lambda *_: answer), talk(20))
    assert contents(context)[0].endswith("earlier messages omitted]")


def test_a_failure_is_logged_without_content(caplog: pytest.LogCaptureFixture) -> None:
    """The log says what went wrong and how much waits, in counts; a provider's error may quote anything."""
    Conversation().ask(Summarizing(fail), talk(20))
    (record,) = (record for record in caplog.records if "no summary" in record.message)
    assert "ConnectionError" in record.message
    assert "question" not in record.message


def test_a_summary_over_its_cap_is_cut_with_a_marker() -> None:
    """The request stays within its budget and the cut where it was; the report says what was cut."""
    conversation = Conversation()
    context = conversation.ask(Summarizing(lambda *_: "word " * 500), talk(20))
    row = context.report.layer("summary")
    assert (row.used, row.budget) == (CAP, CAP)
    assert contents(context)[0].endswith("\n[truncated]\n</summary>")
    assert WORDS.count_text(contents(context)[0]) == CAP
    start = context.state.start
    assert conversation.ask(Summarizing(fail), talk(20)).state.start == start


def test_room_for_the_summary_is_kept_free_before_it_is_there() -> None:
    """One that takes the whole of its cap drives nothing more out."""
    waiting = Conversation().ask(Summarizing(fail), talk(20))
    full = Conversation().ask(Summarizing(lambda *_: "word " * 500), talk(20))
    assert full.state.start == waiting.state.start
    assert contents(full)[1:] == contents(waiting)[1:]


@pytest.mark.parametrize("form", ["pure", "keeping"])
@pytest.mark.parametrize("fails_at", [1, 2, 5])
def test_what_a_piece_gave_is_kept_where_a_later_one_fails(form: str, fails_at: int) -> None:
    """It is shown with a marker for the rest, and the next turn goes on from there: no message is given twice."""
    notes, states, state = Notes(), dict[str, Any](), WindowState()
    failing = [True]

    def later_fails(summary: str, messages: Sequence[Message]) -> str:
        if failing[0] and len(notes.calls) == fails_at:
            return fail(summary, messages)
        return notes(summary, messages)

    session = ContextSession[OpenAIMessage](
        Conversation().builder, states=states, summarizer=Summarizing(later_fails, window=100, counter=WORDS)
    )
    context = session.fit(talk(200), state=state if form == "pure" else None)
    given = len(notes.given)
    shown = f"So far:\n<summary>\nnotes {fails_at}\n</summary>\n"
    assert contents(context)[0] == f"{shown}[{context.state.start - given} earlier messages omitted]"
    assert context.tokens <= 40
    failing[0] = False
    again = session.fit(talk(201), state=context.state.to_dict() if form == "pure" else None)
    assert notes.given == [message["content"] for message in talk(201)[: again.state.start]]
    assert contents(again)[0] == f"So far:\n<summary>\nnotes {len(notes.calls)}\n</summary>"


@pytest.mark.parametrize(
    ("options", "said"),
    [({"window": 99}, "found 99"), ({"timeout": 0}, "found 0"), ({"timeout": -1.5}, "found -1.5")],
)
def test_what_cannot_work_is_refused(options: dict[str, Any], said: str) -> None:
    """When it is made, with what was found."""
    with pytest.raises(BudgetError, match=said):
        Summarizing(fail, **options)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])  # noqa: S301 - our own bytes
def test_copies_work_on_their_own(again: Callable[[Summarizing], Summarizing]) -> None:
    """A copy summarizes with the same settings, and its lock is its own."""
    other = again(Summarizing(fail, timeout=None))
    assert contents(Conversation().ask(other, talk(20)))[0].endswith("earlier messages omitted]")
