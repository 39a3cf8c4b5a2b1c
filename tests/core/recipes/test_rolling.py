"""Recipe 4, rolling context: a test for every line of it."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ctx_core import (
    ContextBudget,
    ContextOverflowError,
    Message,
    ToolCall,
    UnknownModelError,
    WindowState,
    register_tokenizer,
)
from ctx_core.conversation.messages import Role
from ctx_core.conversation.parts import ImagePart, TextPart
from ctx_core.counting import unregister_tokenizer
from ctx_core.recipes import Rolling, counter_for
from tests.core.counting.test_media import png

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ctx_core import Context

RESULT = "r" * 700
"""A result of 200 tokens."""


def rolling(limit: int, *, preserve_recent_turns: int = 2) -> Rolling:
    """Give the recipe with so many tokens of input and the conservative estimate."""
    return Rolling(budget=ContextBudget(limit + 100, reserve=100), preserve_recent_turns=preserve_recent_turns)


def steps(count: int, result: Callable[[int], str] = lambda at: f"{at:03}{RESULT[3:]}") -> list[Message]:
    """Give a question and so many steps of an agent."""
    messages = [Message.user("go")]
    for at in range(count):
        call = ToolCall(name="run", arguments="{}", id=f"c{at}")
        messages += [Message.assistant("", tool_calls=(call,)), Message.tool(result(at), tool_call_id=f"c{at}")]
    return messages


def talk(turns: int) -> list[Message]:
    """Give turns of a question and an answer, of about 200 tokens each."""
    makers = (Message.user, Message.assistant)
    return [makers[at % 2](f"{at // 2} " + "x" * 350) for at in range(2 * turns)]


def results_of(context: Context[Message]) -> list[str]:
    """Give the texts of the tool results."""
    return [message.text for message in context.messages if message.role is Role.TOOL]


@pytest.fixture
def registered() -> Iterator[None]:
    """Register tokenizers of 1 and 2 tokens a text."""
    register_tokenizer("acme", lambda _: 1)
    register_tokenizer("acme-large", lambda _: 2)
    yield
    unregister_tokenizer("acme")
    unregister_tokenizer("acme-large")


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("model", "tokens"),
    [("acme-large", 2), ("acme-large-v2", 2), ("acme-small", 1), ("ACME-Large-V2", 2), ("nobody-knows", 29), ("", 29)],
    ids=[
        "exact name", "longest matching family prefix", "a shorter prefix", "whatever the case",
        "else ceil(len/3.5)", "or without a model",
    ],
)  # fmt: skip
def test_tokenizers_by_model(model: str, tokens: int) -> None:
    """Users can register their own; what nobody knows is estimated conservatively."""
    assert counter_for(model).count_text("x" * 100) == tokens


def test_known_families_are_counted_by_their_vocabulary() -> None:
    """For gpt-4o as tiktoken does."""
    assert counter_for("gpt-4o-2024-08-06").tokenizer.name == "o200k_base"


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        (Message.user("x" * 35), 4 + 10),
        (Message(role=Role.USER, parts=(TextPart("x" * 35), ImagePart(url="https://x"))), 4 + 10 + 1_000),
        (Message.assistant(tool_calls=(ToolCall(name="x" * 7, arguments="y" * 14, id="c"),)), 4 + 2 + 4 + 10),
        (Message.assistant(tool_calls=(ToolCall(name="x" * 7, arguments="y" * 14, id="c"),) * 2), 4 + (2 + 4 + 10) * 2),
    ],
    ids=["4 + its text parts", "1,000 for an image part", "name, JSON arguments and 10", "for each tool call"],
)
def test_a_message_costs(message: Message, tokens: int) -> None:
    """What its parts do."""
    assert counter_for("").count_message(message) == tokens


@pytest.mark.parametrize(
    ("model", "size", "tokens"),
    [
        ("", (4_000, 4_000), 1_000),
        ("", (64, 64), 1_000),
        ("gpt-4o", (64, 64), 85 + 170),
        ("gpt-4o", (1_024, 1_024), 85 + 4 * 170),
        ("gpt-4o", None, 1_000),
        ("gpt-4o-mini", (64, 64), 2_833 + 5_667),
        ("claude-sonnet-4-5", (1_024, 1_024), 1_024 * 1_024 // 750),
        ("claude-sonnet-4-5", None, 1_024 * 1_024 // 750),
        ("gemini-2.5-pro", (1_024, 1_024), 258),
    ],
)
def test_an_image_costs_what_the_model_takes_for_its_size_where_that_is_known(
    model: str, size: tuple[int, int] | None, tokens: int
) -> None:
    """Else 1,000, or what one of 1,024 pixels costs if that is more; twice that at most, as families have a margin."""
    image = ImagePart(url="https://x") if size is None else ImagePart(data=base64.b64encode(png(*size)).decode())
    counter = counter_for(model)
    cost = counter.count_message(Message(role=Role.USER, parts=(image,))) - counter.count_message(Message.user(""))
    assert tokens <= cost <= (tokens if not model else 2.1 * tokens)


def test_a_list_costs_3_more() -> None:
    """Beside its messages."""
    assert counter_for("").count_messages([Message.user("x" * 35)]) == 3 + 4 + 10


@pytest.mark.parametrize(
    ("characters", "figures"),
    [(3_500, (2_000, 1_007, 993, True, 50)), (10_500, (2_000, 3_007, 0, False, 150))],
    ids=["within", "over"],
)
def test_check(characters: int, figures: tuple[int, int, int, bool, int]) -> None:
    """Max input (context − reserved output), current, available, within or not, utilization in whole percent."""
    recipe = Rolling(budget=ContextBudget(3_000, reserve=1_000))
    check = recipe.check([Message.user("x" * characters)])
    assert (check.max_input, check.current, check.available, check.within, check.utilization) == figures


def test_within_budget_the_messages_come_back_untouched() -> None:
    """The very objects, even results of more than 2,000 tokens and steps long past."""
    messages = steps(20, lambda _: "r" * 20_000)
    context = rolling(1_000_000).build(messages)
    assert all(mine is theirs for mine, theirs in zip(context.messages, messages, strict=True))


def test_pass_1_clears_results_older_than_5_steps() -> None:
    """The oldest first and no more than it takes; the placeholder says age and tokens; it stops as soon as it fits."""
    recipe, messages = rolling(1_750), steps(9)
    context = recipe.build(messages)
    texts = results_of(context)
    assert texts[:2] == [f"[content truncated - {age} steps ago, 200 tokens]" for age in (8, 7)]
    assert texts[2:] == [message.text for message in messages if message.role is Role.TOOL][2:]
    assert context.tokens <= 1_750 < context.tokens + 180
    assert recipe.figures(context).dropped == 0


@pytest.mark.parametrize("word", ["Error", "exception", "FAILED", "fatal", "cannot", "unable to"])
def test_pass_1_keeps_errors(word: str) -> None:
    """Results that report one are left alone while others can go."""
    context = rolling(1_900).build(steps(9, lambda at: f"{word} {RESULT}" if at == 0 else RESULT))
    assert results_of(context)[0] == f"{word} {RESULT}"
    assert results_of(context)[1].startswith("[content truncated - 7 steps ago")


def test_pass_1_keeps_results_under_100_tokens() -> None:
    """They are not worth it: 99 stay, 100 go."""
    sizes = [99, 100]
    context = rolling(1_700).build(steps(9, lambda at: "r" * (sizes[at] * 7 // 2) if at < len(sizes) else RESULT))
    assert results_of(context)[0] == "r" * 346
    assert results_of(context)[1] == "[content truncated - 7 steps ago, 100 tokens]"


def test_pass_2_clears_the_remaining_results_oldest_first() -> None:
    """Younger ones, and errors, once those older than 5 steps are not enough."""
    context = rolling(700).build(steps(9, lambda at: f"error {RESULT}" if at == 0 else RESULT))
    texts = results_of(context)
    cleared = [text.startswith("[content truncated") for text in texts]
    assert cleared == sorted(cleared, reverse=True)
    assert 4 < sum(cleared) < 9
    assert len(texts) == 9


def test_pass_3_drops_the_oldest_messages() -> None:
    """When placeholders are not enough, in whole turns."""
    recipe, messages = rolling(1_000), [*talk(30), Message.user("now")]
    context = recipe.build(messages)
    assert recipe.figures(context).dropped == 61 - len(context.messages) > 0
    assert all(mine is theirs for mine, theirs in zip(context.messages[::-1], messages[::-1], strict=False))


def test_pass_3_never_drops_system_messages_nor_the_preserved_turns() -> None:
    """Wherever they stand; the last turns are those beside the running one."""
    note = Message.system("Speak French.")
    turns = talk(9)
    context = rolling(300, preserve_recent_turns=1).build([note, *turns, Message.user("now")])
    assert context.messages[0] is note
    assert [message.text[:1] for message in context.messages[1:]] == ["8", "8", "n"]
    with pytest.raises(ContextOverflowError):
        rolling(300, preserve_recent_turns=2).build([note, *turns, Message.user("now")])


def test_a_single_huge_result_is_cut_to_its_head_and_tail() -> None:
    """The newest one, which no pass clears, if there is no other way."""
    context = rolling(1_000).build(steps(1, lambda _: "head " + "x" * 20_000 + " tail"))
    (text,) = results_of(context)
    assert text.startswith("head ")
    assert text.endswith(" tail")
    assert re.search(r"\[… [\d,]+ tokens left out …\]", text)


def test_results_over_2_000_tokens_may_be_cut_at_sight() -> None:
    """Where the policy says so, and then it is that on every turn."""
    recipe = rolling(100_000).with_results(max_tokens=2_000)
    (text,) = results_of(recipe.build(steps(1, lambda _: "x" * 20_000)))
    assert recipe.counter.count_text(text) <= 2_000


def test_template_ages_and_thresholds_are_configurable() -> None:
    """Each of them."""
    recipe = rolling(1_500).with_results(placeholder="<{age}/{tokens}>", clear_after_steps=2, min_tokens=10)
    assert results_of(recipe.build(steps(9)))[0] == "<8/200>"


def test_overflow_has_both_numbers() -> None:
    """In the text and as attributes."""
    with pytest.raises(
        ContextOverflowError,
        match=r"Cannot fit request within context limit\. After trimming: 1,007 tokens, Max: 500 tokens\.",
    ) as caught:
        rolling(500).build([Message.user("x" * 3_500)])
    assert (caught.value.needed, caught.value.limit) == (1_007, 500)


@pytest.mark.parametrize(("limit", "trimmed"), [(5_000, False), (1_900, True)])
def test_the_result(limit: int, trimmed: bool) -> None:  # noqa: FBT001 - a column of the table
    """Messages, token count, within budget, trimmed or not, number dropped, original and final tokens."""
    recipe, messages = rolling(limit), steps(9)
    context = recipe.build(messages)
    figures = recipe.figures(context)
    assert figures.messages == context.messages
    assert figures.tokens == figures.final == recipe.counter.count_messages(context.messages)
    assert figures.original == recipe.counter.count_messages(messages)
    assert (figures.within, figures.trimmed, figures.dropped) == (True, trimmed, 0)
    assert (figures.original > figures.final) is trimmed


def test_the_usage_log_keeps_the_last_100_requests() -> None:
    """With time, original, final, max, trimmed and dropped of each."""
    recipe = rolling(1_900)
    for _ in range(102):
        recipe.build(steps(9))
    records = recipe.usage.entries
    assert len(records) == 100
    last = records[-1]
    assert last.original == recipe.counter.count_messages(steps(9))
    assert last.time.tzinfo is not None
    assert (last.used <= 1_900, last.limit, last.trimmed, last.omitted) == (True, 1_900, True, 0)


def test_usage_totals() -> None:
    """Total requests, trimmed requests, average utilization."""
    recipe = Rolling(budget=ContextBudget(2_007), counter=counter_for(""))
    recipe.build([Message.user("x" * 3_500)])
    recipe.build(steps(20))
    stats = recipe.usage.stats()
    assert (stats.requests, stats.trimmed) == (2, 1)
    assert stats.average_utilization == pytest.approx(sum(r.used for r in recipe.usage.entries) / 2 / 2_007)


def test_the_usage_log_can_be_switched_at_run_time() -> None:
    """Off and on again."""
    recipe = rolling(1_000)
    for enabled in (True, False, True):
        recipe.usage.enabled = enabled
        recipe.build([Message.user("hi")])
    assert len(recipe.usage.entries) == 2


def test_for_model_knows_the_window() -> None:
    """And says so where it doesn't."""
    assert Rolling.for_model("gpt-4o", reserve=1_000).budget.input_limit == 127_000
    with pytest.raises(UnknownModelError):
        Rolling.for_model("nobody-knows")


def test_what_was_cleared_stays_cleared() -> None:
    """With a state, the next turn that fits has the same placeholders."""
    recipe = rolling(1_900)
    first = recipe.build(steps(9), state=WindowState())
    second = recipe.build([*steps(9), Message.assistant("done"), Message.user("ok")], state=first.state)
    assert results_of(second) == results_of(first)


def test_an_error_is_told_by_the_messages_own_status() -> None:
    """Whatever its text says."""
    messages = steps(9, lambda _: RESULT)
    first = next(at for at, message in enumerate(messages) if message.role is Role.TOOL)
    messages[first] = replace(messages[first], failed=True)
    assert results_of(rolling(1_900).build(messages))[0] == RESULT


def test_the_designs_match_anywhere_in_the_text_can_be_had_by_name() -> None:
    """By default a word in the middle of a result makes it no error."""
    messages = steps(9, lambda at: f"{RESULT} error" if at == 0 else RESULT)
    recipe = rolling(1_900)
    anywhere = replace(recipe, results=replace(recipe.results, error_words="anywhere"))
    assert results_of(rolling(1_900).build(messages))[0].startswith("[content truncated")
    assert results_of(anywhere.build(messages))[0] == f"{RESULT} error"
