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
    RollingSummary,
    Share,
    TokenCounter,
    Tokens,
    ToolCall,
    ToolResultPolicy,
    WindowState,
)
from ctx_core.openai_messages import OpenAICodec

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
"""A token a word and nothing else, so that a test can be worked out by hand."""

TOOL = {"type": "function", "function": {"name": "f"}}


def builder(budget: ContextBudget | int = 100) -> ContextBuilder:
    """Begin a context that counts words."""
    return ContextBuilder(budget, WORDS)


def words(number: int, word: str = "w") -> str:
    """Give a text of so many words."""
    return " ".join([word] * number)


def talk(turns: int, size: int = 5) -> list[Message]:
    """Give turns of a question and an answer, each of so many words."""
    messages: list[Message] = []
    for turn in range(turns):
        messages += [Message.user(words(size, f"q{turn}")), Message.assistant(words(size, f"a{turn}"))]
    return messages


def step(call_id: str, size: int) -> list[Message]:
    """Give a call of one word and its result of so many."""
    call = ToolCall(name="f", arguments="", id=call_id)
    return [Message.assistant(tool_calls=(call,)), Message.tool(words(size, "r"), tool_call_id=call_id)]


def texts(messages: list[Message]) -> list[str]:
    """Show messages."""
    return [message.text for message in messages]


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
        "persona\n\ntoday\n\nRelevant memories:\nfact\n\nAvailable skills:\n- sail: how to sail\n\n"
        "Summary of the conversation so far:\nso far"
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
    budget = ContextBudget(100, parts={"memory": Tokens(6)})
    facts = [Item("one one", 1), Item("two two", 3), Item("three three", 2)]
    context = builder(budget).memory(facts, heading="Facts:").build(message="hi")
    assert context.system_prompt == "Facts:\ntwo two\nthree three"
    assert context.report.layer("memory").left_out == 1


def test_at_most_so_many_memories_are_kept() -> None:
    """The most important, in their order."""
    facts = [Item("one", 1), Item("two", 3), Item("three", 2), Item("four", 3)]
    assert builder().memory(facts, heading="", max_items=2).build(message="hi").system_prompt == "two\nfour"


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
    context = builder().system("s").memory(["fact"], heading="").place_volatile_last().build(talk(1), "next")
    assert texts(context.messages) == ["s", words(5, "q0"), words(5, "a0"), "fact", "next"]
    assert [str(message.role) for message in context.messages[-2:]] == ["user", "user"]
    assert context.system_prompt == "s"


def test_volatile_layers_stand_before_a_running_turn() -> None:
    """Not between its question and its steps."""
    context = (
        builder()
        .memory(["fact"], heading="")
        .place_volatile_last()
        .build([*talk(1), Message.user("next"), *step("c", 2)])
    )
    assert texts(context.messages)[2:4] == ["fact", "next"]


def test_volatile_layers_can_be_placed_back() -> None:
    """The switch has two positions."""
    both = builder().memory(["fact"], heading="").place_volatile_last().place_volatile_last(last=False)
    assert texts(both.build(message="next").messages) == ["fact", "next"]


def test_memory_gives_way_before_the_running_turn_loses_a_step() -> None:
    """The answer that is being worked on is worth more than old facts."""
    running = [Message.user("q"), *step("c1", 30), *step("c2", 30)]
    facts = [words(10, "fact"), words(10, "other")]
    context = builder(75).memory(facts, heading="").build([*talk(3), *running])
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
    context = builder(500).history(policy).memory(facts, heading="").build(talk(30), "now", on_overflow=on_overflow)
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
    made = builder(600).history(HistoryPolicy(**policy)).memory([words(10, f"m{at}") for at in range(50)], heading="")
    context = made.build([*talk(5), Message.user("go"), *steps], state=WindowState())
    assert context.conversation[-12:] == steps
    assert context.report.layer("memory").used > 0


@pytest.mark.parametrize("results", [{"clear_after_steps": 1}, {"clear_rest": True}])
def test_results_that_may_be_cleared_give_way_before_memory(results: dict[str, Any]) -> None:
    """It needs only room for what is put in their places."""
    policy = HistoryPolicy(results=ToolResultPolicy(min_tokens=5, placeholder="gone", **results))
    steps = [message for at in range(6) for message in step(f"c{at}", 60)]
    made = builder(350).history(policy).memory([words(10, f"m{at}") for at in range(20)], heading="")
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
    made = builder().history(policy).memory([words(10, "m")], heading="").build([Message.user("go"), *step("1", 300)])
    assert made.report.layer("memory").used == 10
    assert made.tokens <= 100


def test_old_turns_go_before_memory_does() -> None:
    """A part that was given is given."""
    context = builder(50).memory([words(20, "fact")], heading="").build(talk(8), "next")
    assert context.report.layer("memory").left_out == 0
    assert context.report.history.omitted == 12


def test_the_last_layer_gives_way_first() -> None:
    """Of equal priority; the others keep what they have as long as they can."""
    built = (
        builder(60).summary(words(20, "s"), heading="").memory([words(20, "m")], heading="").build(message=words(35))
    )
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


def test_tools_are_counted_and_never_cut() -> None:
    """They have a row in the report, and the history what they leave."""
    counter = TokenCounter(lambda text: len(text.split()), framing=Framing(per_request=0, per_message=0))
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
    assert texts(context.messages)[-1] == words(message)
