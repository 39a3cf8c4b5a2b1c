"""What gives way where not everything fits: layers, the summary, the question, in this order."""

from __future__ import annotations

from typing import Any

import pytest

from ctx_core import (
    ContextBudget,
    ContextBuilder,
    ContextOverflowError,
    HistoryPolicy,
    Layer,
    Message,
    RollingSummary,
    Share,
    Tokens,
    ToolResultPolicy,
    WindowState,
)
from tests.core.builds import builder, remembered, step, talk, texts, words


def test_memory_gives_way_before_the_running_turn_loses_a_step() -> None:
    """The answer that is being worked on is worth more than old facts."""
    running = [Message.user("q"), *step("c1", 30), *step("c2", 30)]
    facts = [words(10, "fact"), words(10, "other")]
    context = builder(75).layer(remembered(*facts)).build([*talk(3), *running])
    assert context.report.layer("memory").left_out == 1
    assert texts(context.conversation) == texts(running)


@pytest.mark.parametrize("on_overflow", ["raise", "truncate"])
@pytest.mark.parametrize(
    "policy",
    [
        HistoryPolicy(keep_first=2),
        HistoryPolicy(preserve_recent_turns=1),
        HistoryPolicy(pinned=lambda message: "q1" in message.text),
        HistoryPolicy(omission_marker="[{count} earlier messages]"),
    ],
)
def test_memory_gives_way_to_whatever_of_the_history_stays(policy: HistoryPolicy, on_overflow: Any) -> None:
    """Before anything is truncated, or called an overflow."""
    facts = [words(10, f"fact{at}") for at in range(50)]
    context = builder(500).history(policy).layer(remembered(*facts)).build(talk(30), "now", on_overflow=on_overflow)
    assert context.tokens <= 500
    assert texts(context.conversation)[-1] == "now"
    assert context.report.layer("memory").left_out > 0
    assert context.report.history.truncated == 0


@pytest.mark.parametrize("share", [Share(0.2), Share(0.4), Share(0.6)])
@pytest.mark.parametrize("on_overflow", ["raise", "truncate"])
def test_memory_gives_way_to_first_messages_that_grow_with_the_room(share: Share, on_overflow: Any) -> None:
    """With what fits without any memory, it fits with too much of it as well."""
    made = builder(400).history(HistoryPolicy(keep_first=share)).layer(Layer(name="notes", text=words(2_000)))
    context = made.build(talk(10, size=20), words(100), on_overflow=on_overflow)
    assert context.tokens <= 400
    assert context.report.history.truncated == 0


@pytest.mark.parametrize(
    "policy",
    [
        {"omission_marker": "[{count} earlier messages]"},
        {"keep_first": 2},
        {"keep_first": Share(0.1)},
        {"preserve_recent_turns": 1},
        {"pinned": lambda message: "q1" in message.text},
    ],
)
def test_the_running_turn_loses_no_step_while_memory_can_give_way(policy: dict[str, Any]) -> None:
    """Also to what stays of the history beside it."""
    steps = [message for at in range(6) for message in step(f"c{at}", 60)]
    made = builder(600).history(HistoryPolicy(**policy)).layer(remembered(*(words(10, f"m{at}") for at in range(50))))
    context = made.build([*talk(5), Message.user("go"), *steps], state=WindowState())
    assert context.conversation[-12:] == steps
    assert context.report.layer("memory").used > 0


@pytest.mark.parametrize("results", [{"clear_after_steps": 1}, {"clear_rest": True}])
def test_results_that_may_be_cleared_give_way_before_memory(results: dict[str, Any]) -> None:
    """It needs only room for what is put in their places."""
    policy = HistoryPolicy(results=ToolResultPolicy(min_tokens=5, placeholder="gone", **results))
    steps = [message for at in range(6) for message in step(f"c{at}", 60)]
    made = builder(350).history(policy).layer(remembered(*(words(10, f"m{at}") for at in range(20))))
    context = made.build([Message.user("go"), *steps], state=WindowState())
    assert context.report.layer("memory").used == 200
    assert context.tokens <= 350


def test_what_is_truncated_may_exceed_the_fixed_part_of_the_history() -> None:
    """The question has to go out, and there is room for it beside its part."""
    budget = ContextBudget(1_000, parts={"history": Tokens(500)})
    context = builder(budget).system(words(10)).build(talk(1), words(1_500), on_overflow="truncate")
    assert context.tokens <= 1_000
    assert context.report.history.truncated == 1


@pytest.mark.parametrize("share", [Share(0.3), Share(0.7), Share(0.9)])
@pytest.mark.parametrize("of", ["the first messages", "a protected layer"])
def test_what_an_overflow_needs_is_enough_where_something_has_a_share_of_it(of: str, share: Share) -> None:
    """With a larger budget that is larger as well."""

    def made(budget: int) -> ContextBuilder:
        if of == "the first messages":
            return builder(budget).history(HistoryPolicy(keep_first=share))
        layer = Layer(
            name="rules", text=words(90_000, "r"), cap=share, protected=True, cut=lambda text, most: text[: 2 * most]
        )
        return builder(budget).layer(layer)

    with pytest.raises(ContextOverflowError) as caught:
        made(100).build(talk(3_000), words(150))
    needed = caught.value.needed
    assert made(needed).build(talk(3_000), words(150)).tokens <= needed


def test_memory_does_not_give_way_to_a_result_that_is_cut_anyway() -> None:
    """It needs no more than the policy leaves of it."""
    policy = HistoryPolicy(results=ToolResultPolicy(max_tokens=40, cut_marker=" … "))
    made = builder().history(policy).layer(remembered(words(10, "m"))).build([Message.user("go"), *step("1", 300)])
    assert made.report.layer("memory").used == 10
    assert made.tokens <= 100


def test_old_turns_go_before_memory_does() -> None:
    """A part that was given is given."""
    context = builder(50).layer(remembered(words(20, "fact"))).build(talk(8), "next")
    assert context.report.layer("memory").left_out == 0
    assert context.report.history.omitted == 12


def test_the_last_layer_gives_way_first() -> None:
    """Of equal priority; the others keep what they have as long as they can."""
    summarized = builder(60).layer(Layer(name="summary", text=words(20, "s")))
    built = summarized.layer(remembered(words(20, "m"))).build(message=words(35))
    assert (built.report.layer("summary").used, built.report.layer("memory").used) == (20, 0)


def test_the_layer_of_the_lowest_priority_gives_way_first() -> None:
    """Whatever its place."""
    layers = (
        builder(60)
        .layer(Layer(name="a", text=words(20), priority=1))
        .layer(Layer(name="b", text=words(20), priority=2))
    )
    built = layers.build(message=words(35))
    assert built.report.layer("a").used < 20
    assert built.report.layer("b").used == 20


def test_protected_layers_do_not_give_way() -> None:
    """What cannot be sent whole is an overflow with the numbers of each layer."""
    layers = builder(60).system(words(20)).layer(Layer(name="task", text=words(25), protected=True)).memory([words(9)])
    with pytest.raises(ContextOverflowError) as caught:
        layers.build(talk(2), words(20))
    assert caught.value.layers == {"system": 20, "task": 25, "current": 20}
    assert (caught.value.needed, caught.value.limit) == (65, 60)


def test_with_leave_to_truncate_the_current_message_is_cut_first() -> None:
    """Protected layers stay whole as long as that is enough."""
    context = builder(60).system(words(50)).build(talk(2), words(20), on_overflow="truncate")
    assert context.system_prompt == words(50)
    assert texts(context.conversation) == [f"{words(9)}\n[truncated]"]
    assert context.report.layer("current").why == "truncated to fit"


def test_with_leave_to_truncate_a_protected_layer_gives_way_last() -> None:
    """Where it leaves nothing for the current message, which is whole then."""
    context = builder(60).system(words(90)).build(talk(2), words(20), on_overflow="truncate")
    assert context.system_prompt.endswith("w\n[truncated]")
    assert texts(context.conversation) == [words(20)]
    assert context.tokens == 60


def test_with_leave_to_truncate_both_are_cut_where_one_is_not_enough() -> None:
    """The layer first gives all it has, then the question is cut to what there is."""
    context = builder(60).system(words(80, "s")).build(talk(1), words(100, "q"), on_overflow="truncate")
    assert context.tokens <= 60
    assert context.report.history.truncated == 1
    assert texts(context.conversation)[-1].startswith("q q")


@pytest.mark.parametrize("on_overflow", ["raise", "truncate"])
def test_the_summary_gives_way_before_the_question(on_overflow: Any) -> None:
    """It can be told shorter, and the question cannot."""
    state = builder(60).build(talk(10), state=WindowState()).state.with_summary(words(80, "so"))
    made = builder(120).rolling_summary(RollingSummary(cap=Tokens(80)))
    context = made.build(talk(10), words(100), state=state, on_overflow=on_overflow)
    assert context.report.history.truncated == 0
    assert context.report.layer("summary").used < 80
