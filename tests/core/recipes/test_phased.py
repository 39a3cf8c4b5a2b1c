"""Recipe 5, phased workflow: a test for every line of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ctx_core import BudgetError, ContextBudget, ContextOverflowError, Message, Role, Tokens
from ctx_core.counting import FourCharacters, TokenCounter
from ctx_core.recipes import Failure, Phase, Phased, Unit, Work, phased_budget

COUNTER = TokenCounter(FourCharacters())
UNITS = tuple(
    Unit(name, f"def {name}(): ...", language="python") for name in ("parse", "store", "render", "send", "log")
)
WORK = Work(
    design="A pipeline.",
    types="class Row: ...",
    unit=Unit("merge", "def merge(): ..."),
    tests=(Unit("test_merge", "assert merge()"),),
    approved=UNITS,
    failures=(Failure("test_store_twice", "AssertionError", "1", "2", "store.py:3"), Failure("test_SEND")),
)
HEADINGS = (
    "Design document:",
    "Existing types:",
    "Current unit:",
    "Relevant tests:",
    "Approved units:",
    "Failing tests:",
    "Implementation:",
)


def phased(phase: Phase, **changes: Any) -> Phased:
    """Give the recipe in a phase."""
    return Phased(system="You program.", work=replace(WORK, phase=phase, **changes), counter=COUNTER)


def talk(turns: int, characters: int = 384) -> list[Message]:
    """Give turns of a question and an answer, numbered."""
    makers = (Message.user, Message.assistant)
    return [makers[at % 2](f"{at:04}" + "x" * (characters - 4)) for at in range(2 * turns)]


def code(name: str, tokens: int) -> Unit:
    """Give a unit of about so many tokens."""
    return Unit(name, "c" * 4 * tokens)


@pytest.mark.parametrize(
    ("part", "tokens"),
    [("system", 500), ("design", 1_000), ("types", 2_000), ("unit", 2_000), ("history", 20_000)],
    ids=[
        "system prompt 500",
        "design document 1,000",
        "types 2,000",
        "current context 2,000",
        "message history 20,000",
    ],
)
def test_parts(part: str, tokens: int) -> None:
    """The rest of the practical window is a buffer."""
    assert Phased().budget.size_of(part) == tokens


def test_window_200_000_practical_100_000_response_4_000() -> None:
    """Of the window, the practical part is used, less the response."""
    assert Phased().window == 200_000
    assert (Phased().budget.total, Phased().budget.reserve, Phased().budget.input_limit) == (100_000, 4_000, 96_000)
    with pytest.raises(BudgetError, match="100,000 tokens is over the model's of 32,000"):
        Phased(window=32_000)


@pytest.mark.parametrize(
    ("phase", "headings"),
    [
        (Phase.PLANNING, ("Design document:",)),
        (Phase.INTERFACE, ("Design document:", "Existing types:")),
        (
            Phase.IMPLEMENTATION,
            ("Design document:", "Existing types:", "Current unit:", "Relevant tests:", "Approved units:"),
        ),
        (Phase.TESTING, ("Design document:", "Existing types:", "Failing tests:", "Implementation:")),
    ],
    ids=[
        "Planning: only these",
        "Interface: existing types",
        "Implementation: types, current unit, relevant tests, units",
        "Testing: types, failures, implementation",
    ],
)
def test_always_system_prompt_and_design_document(phase: Phase, headings: tuple[str, ...]) -> None:
    """And what the phase needs, in this order."""
    prompt = phased(phase).build(talk(1), "go").system_prompt
    assert prompt.startswith("You program.\n\nDesign document:\nA pipeline.")
    assert tuple(line for line in prompt.splitlines() if line in HEADINGS) == headings


def test_implementation_has_the_last_3_approved_units() -> None:
    """In the order in which they were approved."""
    prompt = phased(Phase.IMPLEMENTATION).build(message="go").system_prompt
    assert [name for name in ("parse", "store", "render", "send", "log") if f"### {name}\n" in prompt] == [
        "render",
        "send",
        "log",
    ]


@pytest.mark.parametrize(("tokens", "names"), [(15_000, "abc"), (20_000, "bc"), (40_000, "c"), (48_000, "")])
def test_they_take_at_most_half_of_what_is_left(tokens: int, names: str) -> None:
    """Of 96,000 tokens less the parts before them; the least recent go first."""
    recipe = phased(Phase.IMPLEMENTATION, approved=tuple(code(name, tokens) for name in "abc"))
    context = recipe.build(message="go")
    assert "".join(name for name in "abc" if f"### {name}\n" in context.system_prompt) == names
    assert context.report.layer("previous").used <= 48_000


@pytest.mark.parametrize(
    ("failure", "text"),
    [
        (
            Failure("test_add", "No", "3", "4", "a.py:1\nb.py:2"),
            "### test_add\n**Error:** No\n**Expected:** 3\n**Received:** 4\n**Stack trace:**\n```\na.py:1\nb.py:2\n```",
        ),
        (Failure("test_add", "Timeout"), "### test_add\n**Error:** Timeout"),
        (Failure("test_add", "two\nlines"), "### test_add\n**Error:**\n```\ntwo\nlines\n```"),
    ],
    ids=["name, error, expected, received, stack", "what is not known is not there", "several lines"],
)
def test_failures(failure: Failure, text: str) -> None:
    """As the model reads them."""
    assert (
        phased(Phase.TESTING, failures=(failure,)).build(message="go").system_prompt.endswith(f"Failing tests:\n{text}")
    )


def test_units_are_fenced_by_what_is_not_in_them() -> None:
    """A unit with a fence in it has a longer one around it."""
    assert Unit("doc", "```\nx\n```", language="md").text == "### doc\n````md\n```\nx\n```\n````"


def test_testing_has_the_units_whose_name_appears_in_a_failing_tests_name() -> None:
    """And no others."""
    prompt = phased(Phase.TESTING).build(message="go").system_prompt
    assert [unit.name for unit in UNITS if f"### {unit.name}\n" in prompt] == ["store", "send"]


def test_the_first_message_stays_always() -> None:
    """The original request, before the gap."""
    messages = talk(300)
    assert phased(Phase.PLANNING).build(messages, "go").conversation[0] is messages[0]


def test_messages_newest_to_oldest_until_the_budget_ends() -> None:
    """As many whole turns as 96,000 tokens hold."""
    context = phased(Phase.PLANNING).build(talk(600), "go")
    assert context.tokens <= 96_000 < context.tokens + 210
    numbers = [int(message.text[:4]) for message in context.conversation[3:-1]]
    assert numbers == list(range(1_200 - len(numbers), 1_200))


def test_messages_are_not_cut_at_their_part_while_there_is_room() -> None:
    """60,000 tokens go out whole, as nothing else wants their room."""
    messages = talk(300)
    assert phased(Phase.PLANNING).build(messages, "go").conversation[:-1] == messages


def test_skipped_messages_leave_a_system_message_after_the_first() -> None:
    """`[45 earlier messages omitted for brevity]`."""
    recipe = replace(phased(Phase.PLANNING), budget=phased_budget(practical=30_000), provider="openai")
    context = recipe.build(talk(150), "go")
    omitted = context.report.history.omitted
    gap = next(at for at, message in enumerate(context.conversation) if message.role is Role.SYSTEM)
    assert context.conversation[gap].text == f"[{omitted} earlier messages omitted for brevity]"
    assert context.conversation[0].text.startswith("0000")
    assert gap == 1
    assert all(int(message.text[:4]) > omitted for message in context.conversation[gap + 1 : -1])


def test_no_marker_where_nothing_was_skipped() -> None:
    """A short history passes as it is."""
    messages = talk(3)
    assert phased(Phase.PLANNING).build(messages, "go").conversation[:-1] == messages


def test_over_budget_previous_units_go_before_older_messages() -> None:
    """The least recent first, as many as it takes for the history to have its part."""
    budget = ContextBudget(
        30_000, parts={"system": Tokens(500), "design": Tokens(1_000), "history": Tokens(20_000)}, reserve=4_000
    )
    units = tuple(code(name, 3_000) for name in "abc")
    recipe = replace(phased(Phase.IMPLEMENTATION, approved=units), budget=budget)
    small, large = recipe.build(talk(10), "go"), recipe.build(talk(95), "go")
    assert [name for name in "abc" if f"### {name}\n" in small.system_prompt] == ["a", "b", "c"]
    assert [name for name in "abc" if f"### {name}\n" in large.system_prompt] == ["b", "c"]
    assert large.report.history.omitted == 0


def test_then_older_messages() -> None:
    """Once no unit is left to go."""
    budget = ContextBudget(10_000, parts={"history": Tokens(8_000)}, reserve=1_000)
    recipe = replace(phased(Phase.IMPLEMENTATION, design="d" * 4 * 4_000, approved=(code("a", 2_000),)), budget=budget)
    context = recipe.build(talk(40), "go")
    assert context.report.layer("previous").used == 0
    assert context.report.history.omitted > 0


@pytest.mark.parametrize("part", ["system", "design", "unit"])
def test_never_system_prompt_design_document_or_current_unit(part: str) -> None:
    """Each stays whole over its part, and is an overflow over everything."""
    for tokens, whole in ((30_000, True), (97_000, False)):
        text = "t" * 4 * tokens
        recipe = phased(Phase.IMPLEMENTATION)
        recipe = replace(recipe, system=text) if part == "system" else recipe
        work = replace(WORK, phase=Phase.IMPLEMENTATION)
        recipe = replace(recipe, work=replace(work, design=text)) if part == "design" else recipe
        recipe = replace(recipe, work=replace(work, unit=Unit("merge", text))) if part == "unit" else recipe
        if whole:
            assert text in recipe.build(talk(200), "go").system_prompt
        else:
            with pytest.raises(ContextOverflowError):
                recipe.build(talk(200), "go")


def test_then_relevant_tests_and_then_types_at_their_own_boundaries() -> None:
    """Once the older messages have given way down to their part; each test and each class as a whole."""
    tests = tuple(code(f"t{at}", 4_000) for at in range(9))
    types = "\n".join(f"class C{at}:\n    {'x' * 20_000}" for at in range(9))
    messages = talk(300)
    recipe = phased(Phase.IMPLEMENTATION, approved=(code("old", 1_000),), tests=tests, types=types)
    report = recipe.build(messages, "go").report
    assert report.layer("previous").used == 0
    assert 20_000 <= report.layer("history").used < 20_000 + 4_200
    assert report.layer("tests").left_out > 0
    assert report.layer("types").left_out == 0
    recipe = phased(Phase.IMPLEMENTATION, tests=tests, types=f"{types}\n" * 3)
    context = recipe.build(messages, "go")
    assert context.report.layer("tests").used < 4_000
    assert context.report.layer("types").used > 50_000
    assert context.report.layer("types").left_out > 0
    whole = [line for line in types.splitlines() if line.startswith("    ")]
    sent = context.system_prompt.partition("Existing types:\n")[2].splitlines()
    assert all(line in whole for line in sent if line.startswith("    "))
    assert "more left out]" in context.system_prompt


def test_older_messages_go_before_tests_and_types() -> None:
    """As long as they are over their part, which is 20,000 tokens here."""
    tests, types = (code("t", 10_000),), "class C:\n" + "x" * 40_000
    report = phased(Phase.IMPLEMENTATION, tests=tests, types=types).build(talk(500), "go").report
    assert report.history.omitted > 0
    assert report.layer("tests").left_out == report.layer("types").left_out == 0


@pytest.mark.parametrize("part", ["types", "unit", "tests", "history"])
def test_nothing_is_cut_while_there_is_room(part: str) -> None:
    """Each goes out whole far over its part of the budget."""
    large = "class C:\n" + "x" * 4 * 60_000
    given: dict[str, Any] = {"types": large, "unit": Unit("merge", large), "tests": (Unit("t", large),)}
    messages = talk(300) if part == "history" else talk(1)
    recipe = phased(Phase.IMPLEMENTATION, **({part: given[part]} if part in given else {}))
    context = recipe.build(messages, "go")
    assert not context.report.trimmed
    assert part == "history" or large in context.system_prompt


def test_a_failure_larger_than_its_room_keeps_head_and_tail() -> None:
    """With its name, its labels and whole fences, and whatever goes is in the report."""
    failure = Failure("test_a", error="boom", stack="first line\n" + "at x.py\n" * 100_000 + "last line")
    context = phased(Phase.TESTING, failures=(failure,)).build(message="go")
    for text in ("### test_a\n**Error:** boom\n**Stack trace:**\n```\nfirst line", "last line\n```", "tokens left out"):
        assert text in context.system_prompt
    assert context.report.layer("failures").why == "over its part: 1 cut"


def test_a_huge_failure_leaves_room_for_the_others() -> None:
    """It is cut to half of their room at most."""
    huge = Failure("test_huge", stack="x" * 400_000)
    context = phased(Phase.TESTING, failures=(huge, Failure("test_b", error="no"))).build(message="go")
    assert "### test_huge" in context.system_prompt
    assert "### test_b\n**Error:** no" in context.system_prompt


@pytest.mark.parametrize("messages", [2, 100])
def test_a_huge_failure_takes_what_the_others_leave_and_no_more(messages: int) -> None:
    """Neither goes an implicated unit or a message within the history's part for it, nor is there room left idle."""
    huge = Failure("test_store_rows", stack="first line\n" + "at x.py\n" * 60_000 + "last line")
    recipe = replace(phased(Phase.TESTING, failures=(huge, Failure("test_parse", error="no"))), budget=8_000)
    report = recipe.build(talk(messages), "go").report
    assert report.layer("failures").left_out == report.layer("implicated").left_out == 0
    assert (report.history.omitted > 0) == (messages == 100)
    # Whole turns, of 208 tokens.
    part = recipe.budget.size_of("history")
    assert part is not None
    assert messages == 2 or part - 410 < report.layer("history").used + report.layer("current").used <= part + 10
    assert report.limit - report.used < 210


def test_a_part_of_0_is_no_fault_of_a_phase(caplog: pytest.LogCaptureFixture) -> None:
    """Nobody is told that approved units are left out of every request, where others took their room in this one."""
    tests = tuple(code(f"t{at}", 30_000) for at in range(4))
    phased(Phase.IMPLEMENTATION, tests=tests).build(talk(2), "go")
    recipe = replace(phased(Phase.IMPLEMENTATION, tests=tests, types="class A: ..."), budget=phased_budget(types=0))
    recipe.build(talk(2), "go")
    assert "every request" not in caplog.text


def test_whatever_goes_is_in_the_report_and_in_one_log_line(caplog: pytest.LogCaptureFixture) -> None:
    """At info: messages, tokens, and what of the layers went, without a word of it."""
    caplog.set_level("INFO", logger="ctx_core")
    tests = tuple(code(f"t{at}", 30_000) for at in range(4))
    phased(Phase.IMPLEMENTATION, tests=tests, types="secret").build(talk(2), "secret")
    (line,) = [record.getMessage() for record in caplog.records if record.levelname == "INFO"]
    assert line.startswith("Phased implementation: 5 messages sent, 0 left out, ")
    assert line.endswith(" of 96000 tokens; tests 1 left out, previous 3 left out")


def test_a_usage_record_per_phase() -> None:
    """Tokens of each part, total and time, the latest of each phase."""
    now = [WORK]
    recipe = Phased(system="You program.", work=lambda: now[0], counter=COUNTER)
    for phase in (Phase.PLANNING, Phase.INTERFACE, Phase.INTERFACE):
        now[0] = replace(WORK, phase=phase)
        recipe.build(talk(2), "go")
    latest = recipe.usage.latest()
    assert list(latest) == ["planning", "interface"]
    assert latest["planning"].layers["types"] == 0 < latest["interface"].layers["types"]
    for record in latest.values():
        assert record.used == sum(record.layers.values())
        assert record.time.tzinfo is not None


def test_a_repr_says_nothing_of_the_content() -> None:
    """Of work, units and failures, only names."""
    work = Work(design="secret", types="secret", unit=Unit("u", "secret"), failures=(Failure("t", "secret"),))
    assert "secret" not in repr(Phased(system="secret", work=work))
