"""The phases of a workflow as data, their system prompts, and units as they are shown."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import BudgetError, ContextBudget, Message, Share, TokenCounter, Tokens
from ctx_core.counting import FourCharacters
from ctx_core.recipes import PHASES, Failure, Phase, Phased, PhaseDefinition, Unit, Work, phased_budget
from ctx_core.recipes.code_text import declarations

if TYPE_CHECKING:
    from collections.abc import Mapping

COUNTER = TokenCounter(FourCharacters())
REVIEW = PhaseDefinition(
    name="review",
    system="You review.",
    parts=("unit", "types", "previous"),
    caps={"types": Tokens(50)},
    previous_units=1,
)
UNIT = Unit("lexer", "def lexer(): ...", path="src/lexer.py")


def prompt(work: Work, **options: Any) -> str:
    """Give the system prompt of a request."""
    return Phased(work=work, counter=COUNTER, **options).build(message="go").system_prompt


@pytest.mark.parametrize("phase", Phase)
def test_each_phase_has_a_system_prompt_by_a_mapping(phase: Phase) -> None:
    """By the phase's name."""
    assert prompt(Work(phase=phase), system={name: f"Do the {name}." for name in Phase}) == f"Do the {phase}."


def test_or_by_a_function_of_the_phase() -> None:
    """Which is given its name."""
    assert prompt(Work(phase=Phase.TESTING), system=lambda name: f"Do the {name}.") == "Do the testing."


def test_one_text_is_that_of_all_phases() -> None:
    """As before."""
    assert prompt(Work(), system="You program.") == "You program."


@pytest.mark.parametrize(
    ("system", "said"),
    [
        ({"plannig": "x"}, "plannig; known are planning, interface"),
        ({"testing": "x"}, "'planning' has no system prompt"),
    ],
)
def test_a_mapping_that_misses_the_phase_is_refused(system: Mapping[str, str], said: str) -> None:
    """At construction where the work is known then, and not silently without one."""
    with pytest.raises(BudgetError, match=said):
        Phased(system=system)


def test_phases_of_ones_own() -> None:
    """Name, system prompt, which parts it is sent and in which order, caps: data, not code."""
    work = Work(
        phase=REVIEW, design="D", types="class A:\n" + "  x\n" * 200 + "class B: ...", unit=UNIT, approved=(UNIT,)
    )
    text = prompt(work)
    headings = ("You review.", "Design document:", "Current unit:", "Existing types:", "Approved units:")
    assert [line for line in text.splitlines() if line in headings] == list(headings)
    assert "class A" not in text
    assert "class B: ...\n[1 more left out]" in text


def test_a_phase_of_ones_own_is_known_by_its_name() -> None:
    """A stored string finds it among the phases of the work, and requests are logged under it."""
    recipe = Phased(work=Work(phase="review", phases=(*PHASES, REVIEW)), counter=COUNTER)
    recipe.build(message="go")
    assert list(recipe.usage.latest()) == ["review"]


def test_the_four_phases_are_the_default_set() -> None:
    """In the design's order."""
    assert [definition.name for definition in PHASES] == [phase.value for phase in Phase]
    assert Work().phases == PHASES


@pytest.mark.parametrize(
    "given", ["implementation", Phase.IMPLEMENTATION, "Implementation", json.loads('"implementation"')]
)
def test_a_phase_is_coerced_when_work_is_made(given: str) -> None:
    """A stored string is the phase, and a phase can be stored."""
    work = Work(phase=given, unit=UNIT)
    assert work.phase is Phase.IMPLEMENTATION
    assert replace(work, phase=json.loads(json.dumps(work.phase))) == work
    assert "Current unit:" in prompt(work)


@pytest.mark.parametrize("given", ["implementaton", "", None, 3])
def test_an_unknown_phase_is_refused_with_the_known_ones(given: Any) -> None:
    """When the work is made, and when it is changed."""
    with pytest.raises(BudgetError, match="known are planning, interface, implementation, testing"):
        Work(phase=given)
    with pytest.raises(BudgetError, match="known are planning, interface, implementation, testing"):
        replace(Work(), phase=given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": " "}, "needs a name"),
        ({"name": "x", "parts": ("tpyes",)}, "parts that work has not: tpyes; it has types, unit, tests"),
        ({"name": "x", "caps": {"unit": Tokens(5)}}, "the current unit has none"),
        ({"name": "x", "caps": {"types": 5}}, "a cap is Tokens"),
        ({"name": "x", "previous_units": -1}, "found -1"),
        ({"name": "x", "previous_units": 1.5}, "found 1.5"),
        ({"name": "x", "parts": "unit"}, r"parts are a tuple of names, found a text; write parts=\('unit',\)"),
    ],
)
def test_a_phase_that_cannot_work_is_refused(given: dict[str, Any], said: str) -> None:
    """When it is defined."""
    with pytest.raises(BudgetError, match=said):
        PhaseDefinition(**given)


def test_of_two_phases_of_one_name_the_later_counts() -> None:
    """So that one of the four can be replaced; blanks and the case of letters make no other name."""
    own = PhaseDefinition(name=" Planning ", system="Mine.")
    for work in (Work(phase="planning", phases=(*PHASES, own)), Work(phase=own)):
        assert Phased(work=work).build(message="go").system_prompt == "Mine."
        assert [phase.name for phase in work.phases] == ["Planning", "interface", "implementation", "testing"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"phases": ("planning",)}, "phases of the work: each is a PhaseDefinition, found str"),
        ({"phases": ()}, "no phase is called 'planning': known are none"),
        ({"tests": ("def test_a(): ...",)}, "tests of the work: each is a Unit, found str"),
        ({"tests": "def test_a(): ..."}, "tests of the work: each is a Unit, found str"),
        ({"approved": (UNIT, None)}, "approved of the work: each is a Unit, found NoneType"),
        ({"failures": ({"name": "test_a"},)}, "failures of the work: each is a Failure, found dict"),
        ({"unit": "def f(): ..."}, "unit of the work: each is a Unit, found str"),
    ],
)
def test_work_of_other_things_is_refused(given: dict[str, Any], said: str) -> None:
    """When it is made, not when a request is built with it."""
    with pytest.raises(BudgetError, match=said):
        Work(**given)


def test_for_model_of_a_workflow_has_the_models_window() -> None:
    """Not that of 200,000 tokens, which the model has not."""
    assert Phased.for_model("gpt-4").window == Phased().for_model("gpt-4").window == 8_192


def test_a_cap_counts_even_where_there_is_room() -> None:
    """A share of the window, or tokens."""
    phase = PhaseDefinition(name="look", parts=("tests",), caps={"tests": Share(0.001)})
    tests = tuple(Unit(f"t{at}", "x" * 120) for at in range(9))
    report = Phased(work=Work(phase=phase, tests=tests), counter=COUNTER).build(message="go").report
    assert 0 < report.layer("tests").used <= 100
    assert report.layer("tests").left_out > 0


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        (UNIT, "### lexer\n```python\n# src/lexer.py\ndef lexer(): ...\n```"),
        (Unit("row", "type Row = {}", path="src/row.ts"), "### row\n```typescript\n// src/row.ts\ntype Row = {}\n```"),
        (Unit("q", "select 1", path="q.sql"), "### q\n```sql\n-- q.sql\nselect 1\n```"),
        (Unit("page", "<p>", path="a/page.html"), "### page\n```html\n<!-- a/page.html -->\n<p>\n```"),
        (Unit("s", "a {}", path="s.css"), "### s\n```css\n/* s.css */\na {}\n```"),
        (Unit("x", "x", path="x.py", language="ruby"), "### x\n```ruby\n# x.py\nx\n```"),
        (Unit("x", "x"), "### x\n```\nx\n```"),
        (Unit("", "x", path="src/x.go"), "### x.go\n```go\n// src/x.go\nx\n```"),
        (Unit("x", "x", path="a/Dockerfile"), "### x\n```dockerfile\n# a/Dockerfile\nx\n```"),
        (Unit("x\n## y", "x", path="x.rs"), "### x ## y\n```rust\n// x.rs\nx\n```"),
        (Unit("x", "x", path="x.unknown"), "### x\n```\n// x.unknown\nx\n```"),
        (Unit("x", "  \n"), ""),
    ],
)
def test_a_unit_is_shown_with_its_path_as_a_comment_and_its_language(unit: Unit, text: str) -> None:
    """So that imports of it come out right."""
    assert unit.text == text


def test_units_without_text_are_skipped_and_take_no_place() -> None:
    """Of the last three approved ones, those that say something count."""
    approved = (Unit("a", "1"), Unit("b", "2"), Unit("c", "3"), Unit("d", " "), Unit("e", ""))
    work = Work(phase="implementation", approved=approved, unit=Unit("now", ""), tests=(Unit("t", ""), Unit("u", "x")))
    text = prompt(work)
    assert [name for name in "abcdetu" if f"### {name}\n" in text] == ["a", "b", "c", "u"]
    assert "Current unit:" not in text


def test_usage_is_logged_under_the_phase_that_was_built() -> None:
    """Not under the one that the work has come to meanwhile."""
    now = [Work(phase=Phase.PLANNING)]
    recipe = Phased(work=lambda: now[0], counter=COUNTER)
    builder = recipe.builder()
    now[0] = Work(phase=Phase.TESTING)
    recipe.on_report(builder.build(message="go").report)
    assert list(recipe.usage.latest()) == ["planning"]
    assert recipe.figures(builder.build(message="go").report).phase == "planning"


def test_the_budget_takes_its_parts_by_keyword() -> None:
    """Those that are not named have the design's size."""
    budget = phased_budget(types=8_000, history=30_000, response=6_000)
    assert [budget.size_of(name) for name in ("system", "design", "types", "unit", "history")] == [
        500, 1_000, 8_000, 2_000, 30_000,
    ]  # fmt: skip
    assert budget.reserve == 6_000


@pytest.mark.parametrize("practical", [40, 4_000, 8_192, 16_000, 29_500, 32_000, 200_000])
def test_the_budget_takes_smaller_windows(practical: int) -> None:
    """Where the parts do not fit they are smaller in proportion, and a request can be made."""
    budget = phased_budget(practical=practical)
    parts = [budget.size_of(name) or 0 for name in budget.parts]
    assert sum(parts) + budget.reserve <= budget.total == practical
    assert parts == sorted(parts) or practical < 100
    assert Phased(budget=budget, counter=COUNTER).build([Message.user("hi")]).tokens <= budget.input_limit


def test_parts_that_exceed_the_window_are_refused() -> None:
    """Where they were given."""
    with pytest.raises(BudgetError, match="over the total of 8,000"):
        phased_budget(practical=8_000, history=9_000)


@pytest.mark.parametrize(
    "code",
    [
        "from x import y\n\n# A token.\n@dataclass\nclass Token:\n    kind: str\n\nclass Tree:\n    a: int\n",
        "export interface Row {\n  id: string;\n}\n/** Doc\n * more\n */\nexport type X = {\n  a: 1\n}\n",
        "",
        "\n\n  x",
        "no declarations at all",
    ],
)
def test_types_are_divided_at_declarations_and_nothing_is_lost(code: str) -> None:
    """The pieces joined are the code; comments and decorators stay above what they belong to."""
    pieces = declarations(code)
    assert "\n".join(pieces) == code
    assert not any(piece.rstrip().endswith(("@dataclass", "# A token.", "*/")) for piece in pieces)


def test_a_failure_cut_to_nothing_is_left_out() -> None:
    """A room that holds no heading holds no failure."""
    rule = Failure("test_a", stack="x" * 1_000).cut_rule(COUNTER)
    assert rule("", 1) == ""
    assert COUNTER.count_text(rule("", 60)) <= 60


def test_small_windows_by_a_number() -> None:
    """A number is so many tokens of input."""
    many: Any = 8_000
    recipe = Phased(budget=many, counter=COUNTER)
    assert isinstance(recipe.budget, ContextBudget)
    assert recipe.budget.input_limit == 8_000
