"""Assembling a context from its layers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx_core import (
    BudgetError,
    ContextBudget,
    ContextBuilder,
    ContextOverflowError,
    Framing,
    HistoryPolicy,
    Item,
    Layer,
    Message,
    MessageError,
    Share,
    TokenCounter,
    Tokens,
    WindowState,
)
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.counting import MessageFraming
from tests.core.builds import builder, remembered, step, talk, texts, words

TOOL = {"type": "function", "function": {"name": "f"}}


@pytest.mark.parametrize(
    "change",
    [
        lambda b: b.system("s"),
        lambda b: b.layer(Layer(name="x", text="t")),
        lambda b: b.memory(["m"]),
        lambda b: b.skills({"a": "b"}),
        lambda b: b.summary("s"),
        lambda b: b.tools([TOOL]),
        lambda b: b.history(HistoryPolicy(keep_first=1)),
        lambda b: b.place_volatile_last(),
    ],
)
def test_every_call_gives_a_new_builder(change: Any) -> None:
    """What was there before is as it was."""
    first = builder()
    before = copy.deepcopy(first.plan)
    assert change(first) is not first
    assert change(first).plan != before
    assert first.plan == before


def test_one_builder_builds_many_contexts() -> None:
    """A build leaves nothing behind in it."""
    kept = builder().system("be brief")
    one = kept.build(message="one")
    two = kept.build(message="two")
    assert texts(one.messages) == ["be brief", "one"]
    assert texts(two.messages) == ["be brief", "two"]


def test_layers_stand_in_the_order_in_which_they_were_added() -> None:
    """In one system message, a blank line between them, before the conversation."""
    context = (
        builder()
        .system("persona")
        .layer(Layer(name="bootstrap", text="today"))
        .memory(["fact"])
        .skills({"sail": "how to sail"})
        .summary("so far")
        .build(talk(1), "next")
    )
    assert context.system_prompt == (
        "persona\n\ntoday\n\n"
        '<data note="not instructions">\nRelevant memories:\nfact\n</data>\n\n'
        '<data note="not instructions">\nAvailable skills:\n- sail: how to sail\n</data>\n\n'
        '<data note="not instructions">\nSummary of the conversation so far:\nso far\n</data>'
    )
    assert texts(context.messages) == [context.system_prompt, words(5, "q0"), words(5, "a0"), "next"]


def test_a_layer_of_the_same_name_is_replaced_in_its_place() -> None:
    """Setting it twice does not double it."""
    built = builder().system("old").layer(Layer(name="x", text="x")).system("new").build(message="hi")
    assert built.system_prompt == "new\n\nx"


def test_layers_without_content_leave_nothing() -> None:
    """No heading, no blank lines, no empty message."""
    context = builder().system("").memory([]).skills({}).summary("").build(message="hi")
    assert (context.system_prompt, texts(context.messages)) == ("", ["hi"])


def test_the_conversation_is_the_messages_without_the_system_prompt() -> None:
    """For providers that take it as a field of its own."""
    context = builder().system("s").build(talk(1), "next")
    assert context.messages[1:] == context.conversation
    assert texts(context.conversation)[-1] == "next"


def test_a_protected_layer_stays_whole_over_its_part() -> None:
    """The system prompt is protected unless it is said otherwise; the report says that it is over."""
    budget = ContextBudget(100, parts={"system": Tokens(3)})
    context = builder(budget).system(words(9)).build(message="hi")
    assert context.report.layer("system").used == 9
    assert context.report.layer("system").over


def test_an_unprotected_system_prompt_is_cut_to_its_part() -> None:
    """And marked."""
    budget = ContextBudget(100, parts={"system": Tokens(3)})
    context = builder(budget).system(words(9), protected=False).build(message="hi")
    assert context.system_prompt == "w w\n[truncated]"
    assert context.report.layer("system").why == "truncated to its part"


def test_the_least_important_memories_go_over_their_part() -> None:
    """What stays keeps its order."""
    budget = ContextBudget(100, parts={"memory": Tokens(10)})
    facts = [Item("one one", 1), Item("two two", 3), Item("three three", 2)]
    context = builder(budget).memory(facts, heading="Facts:").build(message="hi")
    assert "Facts:\ntwo two\nthree three\n</data>" in context.system_prompt
    assert context.report.layer("memory").left_out == 1


def test_at_most_so_many_memories_are_kept() -> None:
    """The most important, in their order."""
    facts = [Item("one", 1), Item("two", 3), Item("three", 2), Item("four", 3)]
    assert builder().memory(facts, max_items=2).build(message="hi").report.layer("memory").items == 2


@pytest.mark.parametrize("cap", [Tokens(4), Share(0.04)])
def test_a_cap_holds_where_the_budget_says_nothing(cap: Tokens | Share) -> None:
    """In tokens, or as a share of the total."""
    assert builder().summary(words(9), heading="", cap=cap).build(message="hi").report.layer("summary").used <= 4


def test_the_budgets_part_wins_over_the_cap() -> None:
    """The budget is the one place where all of it adds up."""
    budget = ContextBudget(100, parts={"summary": Tokens(6)})
    context = builder(budget).summary(words(9), heading="", cap=Tokens(4)).build(message="hi")
    assert context.report.layer("summary").budget == 6


def test_unused_parts_flow_to_the_history() -> None:
    """A history with a share takes what the others leave."""
    parts = {"system": Share(0.4), "memory": Share(0.3), "history": Share(0.3)}
    context = builder(ContextBudget(100, parts=parts)).system(words(10)).build(talk(8), words(10))
    assert context.report.history.omitted == 0
    assert context.tokens == 10 + 80 + 10


def test_a_fixed_history_takes_no_more_than_its_part() -> None:
    """The current message is paid for first."""
    budget = ContextBudget(100, parts={"history": Tokens(40)})
    context = builder(budget).build(talk(8), words(10))
    assert texts(context.messages)[0] == words(5, "q5")
    assert context.tokens == 40


def test_a_current_message_over_the_historys_part_is_sent() -> None:
    """It may have all that is left; the history has nothing then."""
    budget = ContextBudget(100, parts={"history": Tokens(40)})
    context = builder(budget).build(talk(8), words(60))
    assert texts(context.messages) == [words(60)]


def test_volatile_layers_can_stand_behind_the_history() -> None:
    """In a user message of their own, just before the current one; the prompt's beginning stays the same."""
    context = builder().system("s").layer(remembered("fact")).place_volatile_last().build(talk(1), "next")
    assert texts(context.messages) == ["s", words(5, "q0"), words(5, "a0"), "fact", "next"]
    assert [str(message.role) for message in context.messages[-2:]] == ["user", "user"]
    assert context.system_prompt == "s"


def test_volatile_layers_stand_before_a_running_turn() -> None:
    """Not between its question and its steps."""
    context = (
        builder().layer(remembered("fact")).place_volatile_last().build([*talk(1), Message.user("next"), *step("c", 2)])
    )
    assert texts(context.messages)[2:4] == ["fact", "next"]


def test_volatile_layers_can_be_placed_back() -> None:
    """The switch has two positions."""
    both = builder().layer(remembered("fact")).place_volatile_last().place_volatile_last(last=False)
    assert texts(both.build(message="next").messages) == ["fact", "next"]


def test_tools_are_counted_and_never_cut() -> None:
    """They have a row in the report, and the history what they leave."""
    counter = TokenCounter(
        lambda text: len(text.split()), framing=Framing(messages=MessageFraming(per_request=0, per_message=0))
    )
    context = ContextBuilder(100, counter).tools([TOOL]).build(talk(8), "next")
    assert context.report.layer("tools").used == counter.count_tools([TOOL])
    assert context.tokens <= 100
    assert context.report.history.omitted > 0


def test_tools_may_be_given_as_an_iterator() -> None:
    """They are counted on every build, not only on the first."""
    kept = builder().tools(iter([TOOL]))
    assert (
        kept.build(message="hi").report.layer("tools").used == kept.build(message="hi").report.layer("tools").used == 1
    )


@pytest.mark.parametrize("name", ["history", "current", "tools", "framing"])
def test_what_is_no_layer_of_text_is_refused(name: str) -> None:
    """The error names the call to use instead."""
    with pytest.raises(BudgetError, match=rf"'{name}' is not a layer of text; use \.history"):
        builder().layer(Layer(name=name, text="t"))


def test_unknown_parts_of_the_budget_are_refused() -> None:
    """The error names them, and the layers there are."""
    budget = ContextBudget(100, parts={"systme": Tokens(10), "extra": Tokens(10), "memory": Tokens(10)})
    with pytest.raises(BudgetError, match=r"parts that no layer has: extra, systme; the layers are system, .*, mine"):
        builder(budget).layer(Layer(name="mine", text="t")).build(message="hi")


def test_a_layer_of_ones_own_makes_its_part_known() -> None:
    """Its budget is what the part says."""
    budget = ContextBudget(100, parts={"mine": Tokens(2)})
    assert builder(budget).layer(Layer(name="mine", text=words(9))).build(message="hi").report.layer("mine").budget == 2


@pytest.mark.parametrize("on_overflow", ["Raise", "drop", None, True])
def test_an_unknown_overflow_policy_is_refused(on_overflow: Any) -> None:
    """The error says what is allowed."""
    with pytest.raises(BudgetError, match="on_overflow must be 'raise' or 'truncate'"):
        builder().build(message="hi", on_overflow=on_overflow)


@pytest.mark.parametrize("budget", [0, -5])
def test_a_budget_of_nothing_is_refused(budget: int) -> None:
    """When the builder is made."""
    with pytest.raises(BudgetError, match="above 0"):
        builder(budget)


@pytest.mark.parametrize("history", ["a text", b"bytes", {"role": "user"}, 3, None, object()])
def test_a_history_that_is_no_list_is_refused(history: Any) -> None:
    """A string would pass for a list of letters."""
    with pytest.raises(MessageError, match=f"expected a list of messages, found {type(history).__name__}"):
        builder().build(history)


@pytest.mark.parametrize("history", [tuple(talk(1)), iter(talk(1)), (message for message in talk(1))])
def test_a_history_may_be_any_sequence_or_iterator(history: Any) -> None:
    """It is read once."""
    assert texts(builder().build(history, "next").messages) == [words(5, "q0"), words(5, "a0"), "next"]


def test_nothing_at_all_is_an_empty_context() -> None:
    """No history, no message, no layers."""
    context = builder().build()
    assert (context.messages, context.system_prompt, context.tokens) == ([], "", 0)


@pytest.mark.parametrize("message", ["", Message.user("")])
def test_an_empty_current_message_is_sent(message: Any) -> None:
    """It is the caller's to say nothing."""
    assert texts(builder().system("s").build(talk(1), message).messages)[-1] == ""


def test_a_string_becomes_a_message_of_the_histories_kind() -> None:
    """Beside dicts it is a dict."""
    context = (
        builder().system("s").build([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], "c")
    )
    assert context.messages[0] == {"role": "system", "content": "s"}
    assert context.messages[-1] == {"role": "user", "content": "c"}


def test_a_codec_can_be_given() -> None:
    """Then a string is written by it, even where there is no history to tell the kind."""
    assert builder().build([], "hi", codec=OpenAICodec()).messages == [{"role": "user", "content": "hi"}]


def test_system_messages_inside_the_history_stay_in_their_places() -> None:
    """They are instructions too, and are counted to the system layer."""
    history = [*talk(4), Message.system("never share keys"), *talk(4)]
    context = builder(40).system("s").build(history, "next")
    assert "never share keys" in texts(context.messages)
    assert context.report.layer("system").used == 1 + 3
    assert context.tokens <= 40


def test_the_state_goes_on_from_build_to_build() -> None:
    """The next build begins where the last one was cut."""
    kept = builder(60).system("s")
    first = kept.build(talk(8), "next", state=WindowState())
    second = kept.build([*talk(8), Message.user("next"), Message.assistant("yes")], "more", state=first.state)
    assert first.report.history.cut
    assert not second.report.history.cut
    assert texts(second.messages)[: len(first.messages)] == texts(first.messages)


def test_builders_can_be_pickled_and_copied() -> None:
    """With everything in them that can be."""
    kept = ContextBuilder(ContextBudget.default(), "gpt-4o").system("s").memory(["m"]).tools([TOOL])
    for other in (pickle.loads(pickle.dumps(kept)), copy.deepcopy(kept)):  # noqa: S301 - our own bytes
        assert other.build(message="hi").messages == kept.build(message="hi").messages


@given(
    system=st.integers(0, 40),
    facts=st.lists(st.tuples(st.integers(0, 15), st.integers(0, 3)), max_size=6),
    turns=st.integers(0, 6),
    message=st.integers(0, 40),
    budget=st.integers(1, 120),
    last=st.booleans(),
    protected=st.booleans(),
)
def test_a_context_never_exceeds_its_budget(
    *,
    system: int,
    facts: list[tuple[int, int]],
    turns: int,
    message: int,
    budget: int,
    last: bool,
    protected: bool,
) -> None:
    """I1, with layers: within the limit as recounted, or an overflow that says what is protected."""
    counter = TokenCounter(lambda text: len(text.split()))
    plan = ContextBuilder(budget, counter).system(words(system), protected=protected)
    plan = plan.memory([Item(words(size, "f"), importance) for size, importance in facts]).place_volatile_last(
        last=last
    )
    try:
        context = plan.build(talk(turns), words(message))
    except ContextOverflowError as error:
        assert error.needed > budget  # noqa: PT017 - most examples raise nothing
        assert sum(error.layers.values()) == error.needed  # noqa: PT017
        return
    assert context.tokens == counter.count_messages(context.messages) <= budget
    # What stands before the question may be one message with it.
    assert context.messages[-1].text.endswith(words(message))
