"""What holds for all five recipes: doors by model, checks, figures, numbers and names, logs, copies, settings."""

from __future__ import annotations

import copy
import inspect
import logging
import pickle
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core import (
    BudgetError,
    ContextBudget,
    ContextOverflowError,
    ContextSession,
    Item,
    Layer,
    Message,
    WindowState,
)
from ctx_core.recipes import (
    LARGE_RESULT,
    Assistant,
    Chat,
    Failure,
    Phase,
    Phased,
    Recipe,
    Rolling,
    RollingFigures,
    RollingSettings,
    Unit,
    Work,
    WorkspaceAgent,
    character_counter,
    chat_budget,
    cut_to_characters,
    estimate,
    fits,
)
from ctx_core.workspace import Workspace
from tests.core.recipes.kitchen import KITCHEN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ctx_core import ContextBuilder
    from ctx_core.counting import ToolDefinition

TALK: list[dict[str, Any]] = [
    {"role": role, "content": "zanzibar " * 60} for _ in range(40) for role in ("user", "assistant")
][:-1]
FIVE: dict[str, type[Recipe]] = {
    "chat": Chat,
    "assistant": Assistant,
    "workspace": WorkspaceAgent,
    "rolling": Rolling,
    "phased": Phased,
}
every = pytest.mark.parametrize("name", FIVE)


def needed(name: str, folder: Path) -> dict[str, Any]:
    """Give the fields that a recipe of a kind cannot do without."""
    if name == "workspace":
        return {"workspace": Workspace(folder)}
    return {"budget": ContextBudget(5_000)} if name == "rolling" else {}


def made(name: str, folder: Path, **given: Any) -> Any:
    """Make a recipe of a kind with some fields."""
    return FIVE[name](**{**needed(name, folder), **given})


@every
def test_for_model_of_the_class(name: str, tmp_path: Path) -> None:
    """It has the model's window, as much of it as the design uses, and its counter."""
    given: dict[str, Any] = {"workspace": Workspace(tmp_path)} if name == "workspace" else {}
    recipe: Any = FIVE[name].for_model("gpt-4o", reserve=1_000, **given)
    assert recipe.budget.total == (100_000 if name == "phased" else 128_000)
    assert recipe.budget.reserve == 1_000
    assert recipe.counter.tokenizer.name == "o200k_base"
    assert recipe.build([{"role": "user", "content": "hi"}]).report.model == "gpt-4o"


@every
def test_for_model_of_a_recipe_says_the_same_for_another_model(name: str, tmp_path: Path) -> None:
    """Its other fields stay."""
    recipe: Any = made(name, tmp_path, low_water=0.4).for_model("gpt-4o", reserve=1_000)
    assert recipe.low_water == 0.4
    assert recipe.counter.model == "gpt-4o"
    assert type(recipe) is FIVE[name]


@every
def test_a_counter_by_name_and_a_budget_by_number_are_normalized(name: str, tmp_path: Path) -> None:
    """A number is so many tokens of input; figures can be had."""
    recipe = made(name, tmp_path, counter="gpt-4o", budget=8_000)
    assert isinstance(recipe.budget, ContextBudget)
    assert recipe.budget.input_limit == recipe.budget.total == 8_000
    assert recipe.counter.model == "gpt-4o"
    context = recipe.build(TALK[:5])
    assert recipe.figures(context) is not None
    assert context.tokens <= 8_000


@every
@pytest.mark.parametrize("wrong", [True, 0, -3, "8000", 1.5])
def test_what_is_no_budget_is_refused(name: str, wrong: Any, tmp_path: Path) -> None:
    """At construction."""
    with pytest.raises(BudgetError):
        made(name, tmp_path, budget=wrong)


@every
def test_check_says_how_a_request_stands_before_anything_is_cut(name: str, tmp_path: Path) -> None:
    """By how much it is over, too; its own layers count."""
    recipe = made(name, tmp_path, budget=3_000)
    check = recipe.check(TALK)
    assert (check.within, check.available) == (False, 0)
    assert check.over == check.current - check.max_input > 0
    assert recipe.check(TALK[:1]).within
    assert recipe.check([Message.user("hi")]).over == 0
    assert not recipe.usage.entries


@every
def test_percentages_round_a_half_up(name: str, tmp_path: Path) -> None:
    """As the designs do."""
    recipe = made(name, tmp_path, counter=lambda _: 0, budget=200)
    recipe = replace(recipe, counter=lambda text: 5 if text == "hi" else 0)
    check = recipe.check([{"role": "user", "content": "hi"}])
    assert check.utilization == (200 * check.current + 200) // 400


@every
def test_figures_of_a_context_and_of_its_report(name: str, tmp_path: Path) -> None:
    """Both lead to the same numbers, so that `on_report` and `last_report` do."""
    recipe = made(name, tmp_path, budget=3_000)
    context = recipe.build(TALK)
    whole, numbers = recipe.figures(context), recipe.figures(context.report)
    content = {"messages", "system_prompt"} & {field.name for field in fields(whole)} - {"messages_included"}
    content = content if name in ("chat", "rolling") else set()
    for field in fields(whole):
        if field.name not in content:
            assert getattr(whole, field.name) == getattr(numbers, field.name), field.name


@every
def test_one_line_at_info_for_each_trim(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Messages sent, left out, tokens, limit; under `ctx_core`; no content."""
    caplog.set_level(logging.INFO, logger="ctx_core")
    recipe = made(name, tmp_path, budget=3_000)
    context = recipe.build(TALK)
    lines = [record for record in caplog.records if record.levelno == logging.INFO]
    assert len(lines) == 1
    report = context.report
    assert lines[0].name.startswith("ctx_core")
    assert f"{report.history.messages} messages sent, {report.history.omitted} left out" in lines[0].getMessage()
    assert f"{report.used} of {report.limit} tokens" in lines[0].getMessage()
    assert "zanzibar" not in caplog.text


@every
def test_the_line_is_written_through_a_session_too(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Once a request."""
    caplog.set_level(logging.INFO, logger="ctx_core")
    session: ContextSession[Any] = ContextSession(made(name, tmp_path, budget=3_000))
    session.fit(TALK)
    assert [record.levelno for record in caplog.records].count(logging.INFO) == 1


@every
def test_only_chat_logs_a_request_that_is_whole(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its design asks for a line of every build."""
    caplog.set_level(logging.INFO, logger="ctx_core")
    made(name, tmp_path).build([{"role": "user", "content": "hi"}])
    assert [record.levelno for record in caplog.records].count(logging.INFO) == (name == "chat")


@every
def test_no_user_text_is_logged(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """At any level, whole and cut, by the recipe and by a session."""
    caplog.set_level(logging.DEBUG)
    for budget in (1_200, 3_000, 90_000):
        recipe = made(name, tmp_path, budget=budget)
        session: ContextSession[Any] = ContextSession(recipe)
        for build in (recipe.build, session.fit):
            build(TALK[:3] if budget == 1_200 else TALK)
    assert "zanzibar" not in caplog.text


HIDDEN = "zanzibar"


def _secretive(name: str, folder: Path, budget: int) -> list[Recipe]:
    """Give recipes that have nothing but secrets to tell, in every field and file."""
    units = tuple(Unit(f"unit_{at}", f"{HIDDEN}\n" * 60, path=f"u{at}.py") for at in range(4))
    failures = tuple(Failure(f"test_unit_{at}", error=HIDDEN * 9, stack=f"{HIDDEN}\n" * 900) for at in range(3))
    if name == "phased":
        work = Work(design=HIDDEN, types=f"class {HIDDEN}:\n    x\n" * 99, unit=units[0], tests=units, approved=units)
        works = [replace(work, phase=phase, failures=failures) for phase in Phase]
        return [Phased(system=HIDDEN, work=work, budget=budget) for work in works]
    if name == "assistant":
        facts = [Item(f"{HIDDEN} " * at, importance=at) for at in range(40)]
        given: dict[str, Any] = {"system": HIDDEN, "facts": facts, "summary": HIDDEN * 50, "task": HIDDEN}
        return [Assistant(**given, budget=size) for size in (budget, ContextBudget.local_small())]
    if name == "workspace":
        heads = (f"---\nname: {HIDDEN}\ndescription: [ x\n---\n", HIDDEN, f"---\nname: {HIDDEN}\ndescription: x\n---\n")
        texts = {f"skills/skill_{at}/SKILL.md": head for at, head in enumerate((*heads, heads[-1]))}
        texts |= {"SOUL.md": HIDDEN, "AGENTS.md": f"---\n{HIDDEN}: [\n---\n", "TOOLS.md": f"{HIDDEN}(x)"}
        for path, text in {**texts, "memory/MEMORY.md": f"- {HIDDEN} is far\n" * 200}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        return [WorkspaceAgent(workspace=Workspace(folder), capabilities=HIDDEN, budget=budget)]
    if name == "rolling":
        return [Rolling(budget=ContextBudget(budget), system=HIDDEN, on_trim=lambda _: 1 / 0)]
    return [Chat(system=HIDDEN * 900, budget=budget)]


@every
@pytest.mark.parametrize("budget", [300, 2_000, 60_000])
def test_no_text_of_any_field_is_logged(
    name: str, budget: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor does an error or a representation hold any: facts, units, failures, files, calls and results."""
    caplog.set_level(logging.DEBUG)
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": f"{{{HIDDEN}"}}
    talk = [*TALK, {"role": "assistant", "content": None, "tool_calls": [call]}]
    talk += [{"role": "tool", "tool_call_id": "c1", "content": HIDDEN * 900}]
    told: list[object] = []
    for recipe in _secretive(name, tmp_path, budget):
        try:
            context = recipe.build(talk, HIDDEN)
        except ContextOverflowError as error:
            told.append(error)
        else:
            told += [context, recipe.figures(context)]
        told += [recipe, recipe.check(talk)]
    assert HIDDEN not in "".join(map(repr, told)) + "".join(map(str, told)) + caplog.text
    assert caplog.text or budget == 300


@every
def test_a_recipe_and_what_holds_one_can_be_copied_and_pickled(name: str) -> None:
    """Used or not; the copy is a recipe that builds the same."""
    recipe = KITCHEN[name](3_000)
    recipe = replace(recipe, clock=_noon) if isinstance(recipe, WorkspaceAgent) else recipe
    built = recipe.build(TALK)
    for one in (copy.copy(recipe), copy.deepcopy(recipe), pickle.loads(pickle.dumps(recipe))):  # noqa: S301 - our own
        assert one.build(TALK).messages == built.messages
    builder = recipe.builder("tea")
    again = pickle.loads(pickle.dumps(builder))  # noqa: S301 - our own
    assert again.build(TALK).messages == copy.deepcopy(builder).build(TALK).messages


def _noon() -> Any:
    from datetime import UTC, datetime

    return datetime(2026, 11, 27, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "share"), [("chat", 1.0), ("assistant", 0.6), ("workspace", 0.6), ("rolling", 0.6), ("phased", 1.0)]
)
def test_low_water(name: str, share: float, tmp_path: Path) -> None:
    """Where cuts are remembered, three leave room for the next turns; chat and phased fill up."""
    recipe = made(name, tmp_path, budget=9_000)
    assert recipe.low_water == share
    talk = [{"role": role, "content": f"{at} " * 60} for at in range(200) for role in ("user", "assistant")][:-1]
    context = recipe.build(talk, state=WindowState())
    filled = context.tokens / context.report.limit
    assert filled > 0.8 if share == 1 else filled < 0.75
    assert recipe.build(talk).tokens / context.report.limit > (0.8 if name != "workspace" else 0.5)


def test_estimates_of_the_designs_can_be_imported_on_their_own() -> None:
    """And what cuts a system prompt."""
    assert estimate("one two three") == 4
    assert estimate([Message.user("one two three")]) == 4 + 4 + 3
    assert estimate("a" * 400, counter=character_counter()) == 100
    assert fits("one two three", 4)
    assert cut_to_characters("x" * 400, 100) == "x" * 380 + "\n[truncated]"


@every
def test_a_subclass_with_slots_may_call_super(name: str, tmp_path: Path) -> None:
    """In the dataclass that the documentation shows."""
    base: Any = FIVE[name]

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Mine(base):  # type: ignore[misc]
        extra: str = "own layer"

        def builder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
            builder: ContextBuilder = super().builder(question, tools=tools)
            return builder.layer(Layer(name="mine", text=self.extra))

    recipe: Any = Mine(**needed(name, tmp_path))
    assert recipe.build(message="hi").system_prompt.endswith("own layer")


@every
async def test_a_subclass_that_overrides_builder_is_honored_by_the_async_doors(name: str, tmp_path: Path) -> None:
    """Of the recipe and of a session."""
    base: Any = FIVE[name]

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Mine(base):  # type: ignore[misc]
        def builder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
            builder: ContextBuilder = base.builder(self, question, tools=tools)
            return builder.layer(Layer(name="mine", text="own layer"))

    recipe: Any = Mine(**needed(name, tmp_path))
    assert (await recipe.abuild(message="hi")).system_prompt.endswith("own layer")
    session: ContextSession[Any] = ContextSession(recipe)
    context = await session.afit([{"role": "user", "content": "hi"}])
    assert context.system_prompt.endswith("own layer")


def test_every_recipe_is_used_in_five_lines() -> None:
    """Of the core; the faces' tests have theirs."""
    for recipe in (Chat(), Assistant(), Rolling(budget=ContextBudget(8_000)), Phased(work=Work())):
        assert recipe.build(message="hi").messages[-1].text == "hi"


def test_numbers_and_names_are_typed_as_what_they_become() -> None:
    """Type checkers take them, and see a budget and a counter."""
    recipes = (
        Chat(counter="gpt-4o"),
        Assistant(counter="gpt-4o", budget=8_000),
        Rolling(counter="gpt-4o", budget=8_000),
        Phased(work=Work(), counter="gpt-4o", budget=80_000),
    )
    for recipe in recipes:
        assert recipe.counter.count_text("hi") == 1
        assert recipe.budget.input_limit > 0


def test_chats_figures_are_those_of_a_counter_by_name() -> None:
    """What failed before."""
    chat = Chat(system="Be brief.", counter="gpt-4o", budget=chat_budget())
    assert chat.figures(chat.build(message="hi")).tokens > 0


class TestRolling:
    """What is the rolling context's alone."""

    @staticmethod
    def recipe(**given: Any) -> Rolling:
        """Give one of 1,000 tokens."""
        return Rolling(budget=ContextBudget(1_000), **given)

    def test_enabled_at_run_time(self) -> None:
        """Off, it only checks: everything goes out whole, and is reported and logged; on again, it cuts."""
        recipe = self.recipe()
        session: ContextSession[Any] = ContextSession(recipe)
        for enabled in (True, False, True):
            recipe.switch.enabled = enabled
            for context in (recipe.build(TALK[:9]), session.fit(TALK[:9])):
                assert (len(context.messages) == 9) is not enabled
                assert recipe.figures(context).within is enabled
        assert len(recipe.usage.entries) == 3 * 2

    def test_settings_are_stored_and_loaded(self) -> None:
        """As JSON, with what is declared on the recipe; the loaded recipe trims as the stored one did."""
        import json

        recipe = self.recipe(preserve_recent_turns=1).with_results(clear_after_steps=2, priorities={"read": 3})
        recipe.switch.enabled = False
        stored = json.loads(json.dumps(recipe.settings.to_dict()))
        loaded = self.recipe().with_settings(RollingSettings.from_dict(stored))
        assert loaded.settings == recipe.settings
        assert (loaded.switch.enabled, loaded.preserve_recent_turns) == (False, 1)
        assert (loaded.results.clear_after_steps, loaded.results.priorities) == (2, {"read": 3})
        assert RollingSettings.from_dict({}) == self.recipe().settings

    @pytest.mark.parametrize(
        "stored",
        [
            {"enabeld": False}, {"enabled": "no"}, {"clear_after_steps": -1}, {"max_tokens": 0}, {"low_water": "x"},
            {"low_water": 2}, {"error_words": "never"}, {"placeholder": 3}, {"priorities": [1]},
            {"priorities": {"read": "high"}}, {"min_tokens": None}, {"preserve_recent_turns": None}, "{}", [1], {1: 2},
        ],
    )  # fmt: skip
    def test_settings_that_cannot_work_are_refused(self, stored: dict[str, Any]) -> None:
        """A typing error too."""
        with pytest.raises(BudgetError):
            RollingSettings.from_dict(stored)

    def test_a_trim_is_told_to_the_users_callback(self, caplog: pytest.LogCaptureFixture) -> None:
        """With figures; not a request that fits, and a callback that fails stops nothing."""
        told: list[RollingFigures[Any]] = []
        recipe = self.recipe(on_trim=told.append)
        recipe.build(TALK[:1])
        recipe.build(TALK)
        session: ContextSession[Any] = ContextSession(recipe)
        session.fit(TALK)
        assert [figures.dropped > 0 for figures in told] == [True, True]
        assert told[0].original > told[0].final
        assert self.recipe(on_trim=lambda _: 1 / 0).build(TALK).messages
        assert "on_trim failed (ZeroDivisionError)" in caplog.text

    def test_pinned_and_first_messages_stay(self) -> None:
        """As in the history's policy."""
        talk = [Message.user("first"), Message.assistant("yes"), *(Message.user("x" * 700) for _ in range(9))]
        talk.insert(4, Message.user("pinned"))
        policy = {"keep_first": 1, "pinned": lambda message: message.text == "pinned", "preserve_recent_turns": 0}
        recipe = self.recipe(**policy, provider="openai")
        sent = [message.text for message in recipe.build(talk).messages]
        assert sent[:3] == ["first", "[3 earlier messages left out]", "pinned"]

    def test_2_000_tokens_a_result_is_a_named_option(self) -> None:
        """Of the design."""
        assert LARGE_RESULT == 2_000
        assert self.recipe().with_results(max_tokens=LARGE_RESULT).results.max_tokens == 2_000


def test_signatures_of_the_five_are_alike() -> None:
    """Check, figures and build take the same arguments everywhere."""
    for method in ("check", "build", "abuild"):
        assert len({str(inspect.signature(getattr(kind, method))) for kind in FIVE.values()}) == 1
    for kind in FIVE.values():
        assert list(inspect.signature(kind.figures).parameters) == ["self", "result"]
