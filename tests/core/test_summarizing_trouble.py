"""Summaries where something is in the way: small budgets, summarizers that fail, hang or run out, turns at once."""

from __future__ import annotations

import contextvars
import warnings
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import ContextSession, Message, Summarizing, WindowState
from ctx_core.history.places import Position
from tests.core.summaries import WORDS, Conversation, Notes, contents, talk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.session import LayerRequest

WHO: contextvars.ContextVar[str] = contextvars.ContextVar("WHO", default="nobody")


def test_a_long_summary_never_breaks_a_turn_of_a_small_budget() -> None:
    """A cap over the budget is no reason to overflow."""
    context = Conversation(cap=1_000, limit=100).ask(Summarizing(lambda *_: "word " * 2_000), talk(40))
    assert context.tokens <= 100


def test_a_large_cap_does_not_drive_the_history_out() -> None:
    """The room kept free for a summary to come is a part of the budget, not all of it."""
    context = Conversation(cap=1_000, limit=100).ask(Summarizing(lambda *_: "short"), talk(40))
    assert len(context.messages) > 4


def test_a_summarizer_that_has_run_out_is_a_failure() -> None:
    """What ends a generator must not end the summary as if everything were in it."""
    answers = iter(())
    context = Conversation().ask(Summarizing(lambda *_: next(answers)), talk(20))
    assert contents(context)[0].endswith("earlier messages omitted]")


def test_summary_and_piece_together_are_within_the_window() -> None:
    """The summarizer is never given more than it can read."""
    sizes: list[int] = []

    def long(summary: str, messages: Sequence[Message]) -> str:
        sizes.append(WORDS.count_text(summary) + sum(WORDS.count_message(message) for message in messages))
        return "word " * 500

    Conversation().ask(Summarizing(long, window=100, counter=WORDS), talk(200))
    assert len(sizes) > 1
    assert max(sizes) <= 100


@pytest.mark.parametrize("timeout", [None, 60.0])
def test_the_context_of_the_turn_goes_along(timeout: float | None) -> None:
    """Traces and callbacks live in context variables."""
    seen: list[str] = []

    def look(_: str, __: Sequence[Message]) -> str:
        seen.append(WHO.get())
        return "notes"

    token = WHO.set("me")
    try:
        Conversation().ask(Summarizing(look, timeout=timeout), talk(20))
    finally:
        WHO.reset(token)
    assert seen == ["me"]


def test_a_failure_is_not_repeated_within_the_turn() -> None:
    """An agent asks for its messages at every step; a model that hangs must not cost its timeout each time."""
    calls: list[int] = []

    def broken(_: str, messages: Sequence[Message]) -> str:
        calls.append(len(messages))
        raise OSError

    conversation, summarizing = Conversation(), Summarizing(broken)
    for _ in range(5):
        conversation.ask(summarizing, talk(20))
    assert len(calls) == 1
    conversation.ask(summarizing, talk(21))
    assert len(calls) == 2


def test_a_summary_is_taken_over_a_later_cut() -> None:
    """It still speaks of what stands before the message up to which it was made."""
    earlier = WindowState(start=Position(10), start_key="x", summary="s", summarized=Position(10))
    later = WindowState(start=Position(14), start_key="y")
    assert later.with_newer_summary(earlier).summarized == 10
    assert earlier.with_newer_summary(WindowState(start=Position(14), summary="t", summarized=Position(14))) == earlier


async def test_an_async_summarizer_works_in_the_sync_door_on_a_loop() -> None:
    """No coroutine is left behind."""

    async def summarize(_: str, __: Sequence[Message]) -> str:
        return "notes"

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        context = Conversation().ask(Summarizing(summarize, timeout=None), talk(20))
    assert context.state.summary == "notes"


def test_the_turn_that_is_summarized_says_that_it_was_cut() -> None:
    """Though the second build begins with the cut of the first."""
    assert Conversation().ask(Summarizing(Notes()), talk(20)).report.history.cut


def test_a_turn_that_comes_late_does_not_summarize_again() -> None:
    """It looks once more when its conversation is free, and shows what the other turn had written."""
    notes, nested = Notes(), list[int]()

    def another_turn_comes_and_goes(_: LayerRequest) -> None:
        if not nested:
            nested.append(1)
            session.fit(talk(20))

    builder = Conversation().builder
    session = ContextSession[dict[str, Any]](builder, summarizer=notes, layers=[another_turn_comes_and_goes])
    context = session.fit(talk(20))
    assert len(notes.calls) == 1
    assert contents(context)[0] == "So far:\n<summary>\nnotes 1\n</summary>"
