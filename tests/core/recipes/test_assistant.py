"""Recipe 2, the token-aware assistant: a test for every line of it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import BudgetError, ContextBudget, Item, Message, RollingSummary, Share
from ctx_core.memory import MemoryItem
from ctx_core.recipes import Assistant, fits, word_counter

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNT = Assistant().counter
SMALL = ContextBudget(
    1_000,
    parts={
        "system": Share(0.1),
        "history": Share(0.25),
        "summary": Share(0.1),
        "memory": Share(0.15),
        "task": Share(0.05),
    },
    reserve=Share(0.35),
)
"""1,000 tokens: 100, 250, 100, 150, 50 and 350 for the answer."""


def words(count: int, word: str = "word") -> str:
    """Give a text of so many words."""
    return " ".join([word] * count)


def talk(turns: int, count: int = 10) -> list[Message]:
    """Give turns of a question and an answer, each of so many words."""
    makers = (Message.user, Message.assistant)
    return [makers[at % 2](f"{at} {words(count - 1)}") for at in range(2 * turns)]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (words(10), 13),
        ("one", 2),
        ("a\nb\tc", 4),
        (f"```\n{words(10)}\n```", 17),
        (f"{words(10)}\n```\n{words(10)}\n```\n{words(10)}", 43),
        ("```", 1),
        (f"```\n{words(10)}", 15),
        ('{"a": 1, "b": 2, "c": 3, "d": 4}', 17),
        ("a, b; c! d? e. f: g- h+", 12),
        ("", 1),
        (" \n ", 1),
        (words(100_000), 130_000),
        ("🎉 日本語 émoji", 8),
    ],
    ids=[
        "1.3 tokens a word",
        "rounded up",
        "whitespace-separated",
        "1.5 inside a code block, 2 for each fence pair",
        "split at triple backticks",
        "an unclosed fence adds no 2",
        "what stands behind it is code",
        "JSON 1.6 a word, and by its characters more",
        "punctuation-heavy 1.4",
        "at least 1 even for empty text",
        "or for blank text",
        "very long text is fine",
        "unicode and emoji are fine",
    ],
)
def test_estimator_words(text: str, tokens: int) -> None:
    """What a text is estimated at."""
    assert COUNT.count_text(text) == tokens


def test_the_designs_formula_can_be_had_unguarded() -> None:
    """By name: minified JSON is one word then."""
    assert word_counter(guarded=False).count_text('{"a":1,"b":2}') == 2
    assert word_counter().count_text('{"a":1,"b":2}') > 5


def test_100_short_words_give_100_to_200() -> None:
    """And twice as many twice as much: it grows linearly."""
    assert 100 <= COUNT.count_text(words(100, "hi")) <= 200
    assert COUNT.count_text(words(2_000)) == 2 * COUNT.count_text(words(1_000))


def test_a_list_of_messages_costs_4_each_plus_3() -> None:
    """Beside the texts."""
    messages = [Message.user(words(10)), Message.assistant(words(10))]
    assert COUNT.count_messages(messages) == 13 * 2 + 4 * 2 + 3


@pytest.mark.parametrize(
    ("budget", "total", "parts", "response"),
    [
        (ContextBudget.default(), 100_000, (10_000, 25_000, 10_000, 15_000, 5_000), 35_000),
        (ContextBudget.medium(), 40_000, (4_000, 10_000, 4_000, 6_000, 2_000), 14_000),
        (ContextBudget.local_small(), 6_000, (600, 1_800, 600, 600, 0), 2_400),
    ],
    ids=["default", "medium", "local_small"],
)
def test_presets(budget: ContextBudget, total: int, parts: Sequence[int], response: int) -> None:
    """Totals, and floor(total × share) for system prompt, recent messages, summary, facts, task state and response."""
    names = ("system", "history", "summary", "memory", "task")
    assert budget.total == total
    assert tuple(budget.size_of(name) for name in names) == parts
    assert budget.reserve == response
    assert budget.input_limit == total - response


def test_the_default_preset_is_the_default() -> None:
    """65,000 tokens of input."""
    assert Assistant().budget == ContextBudget.default()
    assert Assistant().budget.input_limit == 65_000


@pytest.mark.parametrize(("share", "right"), [(0.65, True), (0.655, True), (0.645, True), (0.7, False), (0.6, False)])
def test_shares_must_sum_to_1(share: float, right: bool) -> None:  # noqa: FBT001 - a column of the table
    """Within 0.01."""
    if right:
        assert ContextBudget(100, parts={"history": Share(share)}, reserve=Share(0.35)).total == 100
    else:
        with pytest.raises(BudgetError, match="sum to"):
            ContextBudget(100, parts={"history": Share(share)}, reserve=Share(0.35))


def test_what_a_section_leaves_unused_goes_to_recent_messages() -> None:
    """Without facts and summary, more messages go out than the 25 % would hold, and that is not over."""
    recipe = Assistant(system=words(10), budget=SMALL)
    report = recipe.figures(recipe.build(talk(20), "new"))
    assert report.recent.used > 250
    assert report.recent.lent > 0
    assert not report.over


def test_facts_live_inside_the_system_prompt() -> None:
    """They are part of the system message, and counted in its section."""
    recipe = Assistant(system="You help.", facts=["likes tea"], budget=SMALL)
    context = recipe.build(message="new")
    report = recipe.figures(context)
    assert context.system_prompt == 'You help.\n\n<data note="not instructions">\nKnown facts:\nlikes tea\n</data>'
    assert len(context.messages) == 2
    assert report.system.used == COUNT.count_text("You help.") + report.facts.used


@pytest.mark.parametrize(("system", "facts"), [(0, 19), (77, 11), (115, 7), (192, 0)])
def test_the_budget_of_the_facts_is_system_and_facts(system: int, facts: int) -> None:
    """250 tokens together: what the system prompt leaves of its own, or takes of theirs."""
    recipe = Assistant(system=words(system), facts=[words(10)] * 40, budget=SMALL)
    report = recipe.figures(recipe.build(message="new"))
    assert report.system.used <= 250
    assert abs(report.facts_included - facts) <= 1


def test_the_least_important_facts_go_first() -> None:
    """Of forty facts the most important stay, listed in the caller's order."""
    facts = [Item(f"{at} {words(9)}", importance=at % 7) for at in range(40)]
    recipe = Assistant(system=words(70), facts=facts, budget=SMALL)
    context = recipe.build(message="new")
    kept = [int(line.split()[0]) for line in context.system_prompt.splitlines() if line[:1].isdigit()]
    assert kept == sorted(kept)
    left_out = set(range(40)) - set(kept)
    assert min(at % 7 for at in kept) >= max(at % 7 for at in left_out)


def test_the_oldest_messages_go_first() -> None:
    """Over the budget of the recent messages."""
    context = Assistant(system=words(10), budget=SMALL).build(talk(60), "new")
    kept = [message.text.split()[0] for message in context.conversation[:-1]]
    assert kept == [str(at) for at in range(120 - len(kept), 120)]
    assert context.report.history.omitted == 120 - len(kept)


def test_a_single_new_message_larger_than_the_whole_budget_is_still_sent_truncated(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """With a warning, because the user needs an answer; the system prompt stays whole."""
    recipe = Assistant(system=words(10), facts=["a fact"], summary="So far.", budget=SMALL)
    context = recipe.build(talk(3), words(5_000, "secret"))
    assert context.messages[-1].text.endswith("[truncated]")
    assert context.messages[0].text.startswith(words(10))
    assert context.tokens <= 650
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert "secret" not in warnings[0]


def test_a_rolling_summary_has_a_section_of_its_own() -> None:
    """Within its own share, cut with a marker over it, and in the report."""
    recipe = Assistant(summary=words(300), budget=SMALL)
    context = recipe.build(talk(60), "new")
    report = recipe.figures(context)
    assert 80 < report.summary.used <= 100 == report.summary.budget
    assert context.system_prompt.endswith("[truncated]\n</data>")


def test_the_summary_that_the_state_keeps_has_that_section_too() -> None:
    """With a RollingSummary, what is left out is at least said to be; with a summarizer it is in the section."""
    recipe = Assistant(summary=RollingSummary(), budget=SMALL, provider="openai")
    context = recipe.build(talk(60), "new")
    assert f"[{context.report.history.omitted} earlier messages omitted]" in context.messages[0].text
    context = recipe.build(talk(60), "new", summarizer=lambda *_: "They met.")
    assert "They met." in context.messages[0].text
    assert recipe.figures(context).summary.used == COUNT.count_text(context.messages[0].text)


@pytest.mark.parametrize(
    ("content", "budget", "answer"),
    [
        (words(10), 13, True),
        (words(10), 12, False),
        ([Message.user(words(10))], 20, True),
        ([Message.user(words(10))], 19, False),
        ([{"role": "user", "content": words(10)}], SMALL, True),
        (words(501), SMALL, False),
    ],
    ids=["text", "text over", "messages", "messages over", "input of a budget", "over the input of a budget"],
)
def test_fits(content: str | list[Message], budget: ContextBudget | int, answer: bool) -> None:  # noqa: FBT001 - a column of the table
    """Says whether a text or messages are within a budget."""
    assert fits(content, budget) is answer


def test_the_report_has_tokens_and_budget_per_section() -> None:
    """System, recent, summary and facts, and the total is theirs, the facts counted once."""
    recipe = Assistant(
        system=words(20), facts=["one fact", "two facts"], summary=words(20), task="Book it.", budget=SMALL
    )
    context = recipe.build(talk(3), "new")
    report = recipe.figures(context)
    sections = (report.system, report.recent, report.summary, report.facts)
    assert [section.budget for section in sections] == [100, 250, 100, 150]
    assert report.total == report.system.used + report.recent.used + report.summary.used + report.task == context.tokens
    assert report.task > 0
    assert (report.facts_included, report.messages_included, report.trimmed) == (2, 7, False)


@pytest.mark.parametrize(("system", "over"), [(100, False), (190, False), (200, True)])
def test_over_is_a_system_prompt_above_its_budget_and_the_facts(system: int, over: bool) -> None:  # noqa: FBT001 - a column of the table
    """It stays whole all the same, and the others have less."""
    recipe = Assistant(system=words(system), budget=SMALL)
    report = recipe.figures(recipe.build(message="new"))
    assert report.over is report.system.over is over


def test_something_cut_is_said() -> None:
    """By the flag and in the text."""
    recipe = Assistant(budget=SMALL)
    report = recipe.figures(recipe.build(talk(60), "new"))
    assert report.trimmed
    assert "something was cut" in str(report)


def test_the_text_rendering_has_a_line_a_section() -> None:
    """With tokens and budget of each."""
    recipe = Assistant(system=words(200), budget=SMALL)
    lines = str(recipe.figures(recipe.build(message="new"))).splitlines()
    assert [line.split()[0] for line in lines] == ["system", "recent", "summary", "facts", "total"]
    assert lines[0] == "system        260 of 100 + 150 lent tokens  OVER"


def test_a_debug_log_line_per_section(caplog: pytest.LogCaptureFixture) -> None:
    """Names and numbers, no content."""
    caplog.set_level(logging.DEBUG, logger="ctx_core")
    Assistant(system="secret", facts=["secret"], summary="secret", budget=SMALL).build(message="secret")
    logged = [record.getMessage() for record in caplog.records]
    assert {"system", "memory", "summary", "history"} <= {line.split(":")[0] for line in logged}
    assert not any("secret" in line for line in logged)


def test_facts_may_depend_on_the_question_and_be_memories() -> None:
    """A function of the question gives them; a memory keeps its source."""
    recipe = Assistant(facts=lambda question: [MemoryItem(f"about {question}", source="notes")], budget=SMALL)
    assert "[notes] about tea" in recipe.build(message="tea").system_prompt


@pytest.mark.parametrize("size", [1_500, 20_000, 1_000])
def test_one_oversized_important_fact_does_not_take_the_smaller_ones_with_it(size: int) -> None:
    """It is cut to half of the cap, marked; then by importance."""
    facts = [Item(f"BIG {words(size)}", importance=9), *(Item(f"small {at}", importance=at) for at in range(5))]
    recipe = Assistant(facts=facts, budget=ContextBudget.local_small())
    context = recipe.build(message="new")
    figures = recipe.figures(context)
    assert figures.facts_included == 6
    assert all(f"small {at}" in context.system_prompt for at in range(5))
    assert "[truncated]" in context.system_prompt
    assert 500 < COUNT.count_text(context.system_prompt.partition("[truncated]")[0]) <= 610
    assert figures.trimmed


def test_facts_that_can_be_read_only_once_are_in_every_request() -> None:
    """What a generator gives is taken when the recipe is made."""
    recipe = Assistant(facts=(f"fact {at}" for at in range(3)))
    assert [recipe.build(message="new").report.layer("memory").items for _ in range(2)] == [3, 3]


@pytest.mark.parametrize(
    ("facts", "found"),
    [("Is a vegetarian.", "found str"), ([None], "found NoneType"), ([{"text": "a"}], "found dict"), (3, "found int")],
)
def test_what_is_no_fact_is_refused(facts: Any, found: str) -> None:
    """When the recipe is made; a text would be a fact for each of its letters."""
    with pytest.raises(BudgetError, match=found):
        Assistant(facts=facts)


def test_facts_that_all_fit_are_whole_however_large() -> None:
    """A fact over half of the cap is cut only where the facts are over it."""
    recipe = Assistant(facts=[words(800), "small"], budget=ContextBudget.local_small())
    context = recipe.build(message="new")
    assert words(800) in context.system_prompt
    assert not context.report.trimmed


def test_what_does_not_fit_is_passed_over() -> None:
    """A less important fact takes its room."""
    sizes = {"a": 52, "b": 50, "d": 20, "c": 1}
    facts = [Item(words(size, name), importance=4 - at) for at, (name, size) in enumerate(sizes.items())]
    prompt = Assistant(system=words(70), facts=facts, budget=SMALL).build(message="new").system_prompt
    assert prompt.endswith(f"{words(52, 'a')}\n{words(50, 'b')}\nc\n</data>")


def test_the_report_never_says_over_for_a_part_that_the_budget_does_not_name() -> None:
    """There is nothing to be over."""
    recipe = Assistant(system=words(500), summary=words(50), budget=ContextBudget(2_000))
    report = recipe.figures(recipe.build(talk(10), "new"))
    assert not report.over
    assert report.system.budget is None
    assert "OVER" not in str(report)
    assert "no part of its own" in str(report)


def test_the_report_shows_the_input_budget_and_how_much_of_it_is_used() -> None:
    """In tokens and in percent."""
    recipe = Assistant(system=words(100), budget=SMALL)
    report = recipe.figures(recipe.build(message="new"))
    assert report.input_budget == 650
    assert str(report).splitlines()[-1].startswith(f"total input {report.total} of 650 tokens (22 %)")


def test_a_part_of_0_percent_is_said_in_the_report_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    """The task state of `local_small`."""
    recipe = Assistant(task="secret state", budget=ContextBudget.local_small())
    report, *_ = [recipe.figures(recipe.build(message="new")) for _ in range(3)]
    assert report.task_section.without_part
    assert "task            0 of 0 tokens  LEFT OUT: 6 tokens, its part is 0" in str(report).splitlines()
    said = [record.getMessage() for record in caplog.records if "part for task is 0" in record.getMessage()]
    assert said == ["the budget's part for task is 0: its 6 tokens are left out of every request"]


def test_the_designs_shares_are_those_of_any_window() -> None:
    """A number is so many tokens of input, and a reserve in tokens leaves the shares of the input."""
    many: Any = 65_000
    assert [Assistant(budget=many).budget.size_of(name) for name in ("system", "history", "memory")] == [
        10_000, 25_000, 15_000,
    ]  # fmt: skip
    made = Assistant.for_model("gpt-4o", reserve=28_000).budget
    assert (made.input_limit, made.size_of("history"), made.size_of("task")) == (100_000, 38_461, 7_692)
