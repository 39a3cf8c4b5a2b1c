"""What becomes of an agent's finished run that does not fit whole, one question later."""

from __future__ import annotations

import pytest

from ctx_core import HistoryPolicy, Message, WindowState
from ctx_core.recipes import Chat, Phased, Work
from tests.core.builds import builder, step, talk, texts, words


def run(steps: int, size: int = 20, question: str = "find it", answer: str = "found it") -> list[Message]:
    """Make a finished run of so many steps, each with a result of so many words."""
    called = [message for at in range(steps) for message in step(f"c{at}", size)]
    return [Message.user(question), *called, Message.assistant(answer)]


def test_its_question_and_its_answer_stay_with_as_many_of_its_newest_steps_as_fit() -> None:
    """A run of 400 words in a budget of 100, then another question."""
    history = [*talk(3), *run(20)]
    context = builder(100).build(history, "and now?")
    sent = texts(context.messages)
    assert sent[0] == "find it"
    assert sent[-2:] == ["found it", "and now?"]
    assert sent.count(words(20, "r")) == 4
    assert context.tokens <= 100


def test_turns_before_it_go_whole() -> None:
    """Whether or not they would fit beside what is left of it."""
    history = [*run(2, size=5, question="older", answer="so"), *run(20)]
    assert "older" not in texts(builder(100).build(history, "and now?").messages)


def test_a_turn_after_it_stays_whole() -> None:
    """The run is the newest turn with calls, not the newest turn."""
    history = [*run(20), Message.user("thanks"), Message.assistant("welcome")]
    sent = texts(builder(100).build(history, "and now?").messages)
    assert [sent[0], *sent[-4:]] == ["find it", "found it", "thanks", "welcome", "and now?"]


def test_an_older_run_goes_whole() -> None:
    """Only of the newest one the oldest steps may be missing."""
    history = [
        *run(20, question="older", answer="so"),
        *run(1, size=5),
        Message.user("thanks"),
        Message.assistant("ok"),
    ]
    sent = texts(builder(100).build(history, "and now?").messages)
    assert "older" not in sent
    assert "find it" in sent


@pytest.mark.parametrize("limit", [3, 5, 6])
def test_where_not_even_its_answer_fits_it_goes_whole(limit: int) -> None:
    """No answer is kept without its question."""
    sent = texts(builder(limit).build(run(20, answer="it was found"), "and now?").messages)
    assert sent == ["and now?"]


def test_the_cut_is_remembered() -> None:
    """The next turns begin with the same prompt."""
    history = run(20)
    context = builder(140).build(history, "and now?", state=WindowState())
    before = texts(context.messages)
    for at in range(3):
        history = [*history, Message.user("and now?" if at == 0 else f"more {at}"), Message.assistant("so")]
        context = builder(140).build(history, f"more {at + 1}", state=context.state)
        assert not context.report.history.cut
        assert texts(context.messages)[: len(before)] == before
        before = texts(context.messages)
    assert before[:1] == ["find it"]


def test_it_can_be_left_to_go_whole() -> None:
    """By the policy, and in the recipes whose designs keep whole turns only."""
    sent = texts(builder(100).history(HistoryPolicy(split_last_run=False)).build(run(20), "and now?").messages)
    assert sent == ["and now?"]
    assert not Chat().builder().plan.policy.split_last_run
    assert not Phased(system="S.", work=Work()).builder().plan.policy.split_last_run
