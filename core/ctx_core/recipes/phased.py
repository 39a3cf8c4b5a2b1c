"""A workflow in phases: planning, interface, implementation, testing, or others, each with the parts that it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ctx_core.budget import ContextBudget
from ctx_core.builder import ContextBuilder
from ctx_core.counting.counter import ToolDefinition, as_counter
from ctx_core.engine.layers import Item, Layer, Rest
from ctx_core.errors import BudgetError
from ctx_core.history.policy import HistoryPolicy
from ctx_core.recipes.code_text import declarations
from ctx_core.recipes.given import BudgetField, CounterField, given
from ctx_core.recipes.recipe import WHOLE_MESSAGES, Recipe, report_of
from ctx_core.recipes.work import Unit, Work
from ctx_core.sizes import Size, Tokens

if TYPE_CHECKING:
    from ctx_core.engine.context import Context
    from ctx_core.report.report import ContextReport

OMITTED: Final = "[{count} earlier messages omitted for brevity]"
"""Stands behind the first message where others were left out."""
LEFT_OUT: Final = "[{count} more left out]"
"""Stands behind types, tests, units and failures where others were left out."""
PRACTICAL: Final = 100_000
"""Tokens of a window that are used; the design leaves the other half of 200,000 to the model's attention."""
_PARTS: Final = {"system": 500, "design": 1_000, "types": 2_000, "unit": 2_000, "history": 20_000}
_RESPONSE: Final = 4_000

WorkSource: TypeAlias = Work | Callable[[], Work]
"""The work, or what gives it as it is now."""
SystemPrompt: TypeAlias = str | Mapping[str, str] | Callable[[str], str]
"""A system prompt: one for all phases, one for each by its name, or a function from the phase's name to it."""


def phased_budget(
    *,
    practical: int = PRACTICAL,
    response: int | None = None,
    system: int | None = None,
    design: int | None = None,
    types: int | None = None,
    unit: int | None = None,
    history: int | None = None,
) -> ContextBudget:
    """Give the budget: a practical window with the tokens kept for the response; what no part has is a buffer.

    The parts are shares that count only where a request is over the budget. Those that are not given, the response
    among them, become smaller in proportion in a window that does not hold them.

    Args:
        practical: tokens of the window.
        response: tokens kept for the response; 4,000.
        system: tokens of the system prompt; 500.
        design: tokens of the design document; 1,000.
        types: tokens of the types; 2,000.
        unit: tokens of the current context, unit and tests; 2,000.
        history: tokens of the messages; 20,000.

    Raises:
        BudgetError: if what is given is over the window.
    """
    given = {"system": system, "design": design, "types": types, "unit": unit, "history": history, "reserve": response}
    usual = {**_PARTS, "reserve": _RESPONSE}
    fixed = {name: tokens for name, tokens in given.items() if tokens is not None}
    left = practical - sum(fixed.values())
    wanted = sum(tokens for name, tokens in usual.items() if name not in fixed)
    shrunk = 1.0 if wanted <= left else max(0, left) / wanted
    sizes = {name: fixed.get(name, int(tokens * shrunk)) for name, tokens in usual.items()}
    reserve = sizes.pop("reserve")
    return ContextBudget(practical, parts={name: Tokens(size) for name, size in sizes.items()}, reserve=reserve)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhasedFigures:
    """The result of one request."""

    phase: str
    """The phase that it was built for."""
    parts: Mapping[str, int]
    """Tokens of each part that went out."""
    left_out: Mapping[str, int]
    """Units, tests, failures and messages that did not, by their part; those of which none is missing are not in it."""
    tokens: int
    """Tokens of the whole request."""
    limit: int
    """Tokens that it might have had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phased(Recipe):
    """A workflow whose context depends on its phase; every request is logged under its phase.

    Nothing is cut while there is room. Over the budget, the least recent approved units go first, then older messages,
    then relevant tests and then types, each as a whole; never the system prompt, the design document or the unit.
    """

    work: WorkSource = field(default_factory=Work, compare=False)
    """The work, or a function that gives it, so that one recipe serves a workflow from phase to phase."""
    system: SystemPrompt = field(default="", repr=False, hash=False)
    """The system prompt: for all phases, by the phase's name, or a function of that. For a phase that a mapping does
    not name it is that of its definition."""
    window: int = 200_000
    """Tokens of the model's window, which the practical one must not exceed."""
    budget: BudgetField = given(phased_budget)
    """The practical window, its parts and the reserve for the response; a number is that much input."""
    counter: CounterField = given(lambda: as_counter(None))
    """Counts; by default a safe estimate."""

    def __post_init__(self) -> None:
        """Refuse a practical window that the model doesn't have, and system prompts of phases that there are not."""
        Recipe.__post_init__(self)
        if self.budget.total > self.window:
            msg = f"the practical window of {self.budget.total:,} tokens is over the model's of {self.window:,}"
            raise BudgetError(msg)
        if isinstance(self.work, Work):
            self._system_for(self.work)

    @property
    def now(self) -> Work:
        """The work as it is now."""
        return self.work() if callable(self.work) else self.work

    def builder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Give the builder of one request, with the layers of the phase; the others are there and empty."""
        del question
        work = self.now
        builder = (
            ContextBuilder(self.budget, self.counter)
            .provider(self.provider)
            .tools(tools)
            .flexible_parts()
            .label(work.definition.name)
        )
        for layer in (Layer(name="system", text=self._system_for(work), protected=True), *self._layers(work)):
            builder = builder.layer(layer)
        return builder.history(
            HistoryPolicy(
                keep_first=1,
                omission_marker=OMITTED,
                low_water=self.low_water,
                results=WHOLE_MESSAGES,
                split_last_run=False,
            )
        )

    def figures(self, result: Context[Any] | ContextReport) -> PhasedFigures:
        """Give the result of a request that was built with this recipe, or of its report."""
        report = report_of(result)
        return PhasedFigures(
            phase=report.label,
            parts={layer.name: layer.used for layer in report.layers},
            left_out={layer.name: layer.left_out for layer in report.layers if layer.left_out},
            tokens=report.used,
            limit=report.limit,
        )

    def parts_of_nothing(self) -> tuple[str, ...]:
        """Give none: parts count only where a request is over the budget."""
        return ()

    @classmethod
    def sized(cls, budget: ContextBudget) -> ContextBudget:
        """Give the design's parts to a budget, of which no more than 100,000 tokens are used."""
        sized = phased_budget(practical=min(budget.total, PRACTICAL), response=min(budget.reserve, PRACTICAL - 1))
        return ContextBudget(sized.total, parts=sized.parts, reserve=sized.reserve, model=budget.model)

    @classmethod
    def fields_for(cls, model: object, reserve: int | None) -> dict[str, Any]:
        """Give the fields of a recipe that are a model's, its window among them."""
        window = ContextBudget.for_model(model, reserve=reserve).total
        return {**super(Phased, cls).fields_for(model, reserve), "window": window}

    def _system_for(self, work: Work) -> str:
        """Give the system prompt of the work's phase.

        Raises:
            BudgetError: if a mapping names phases that there are not, or neither it nor the phase has one.
        """
        definition, system = work.definition, self.system
        if callable(system):
            return system(definition.name)
        if isinstance(system, str):
            return system or definition.system
        names = [known.name for known in work.phases]
        unknown = [str(name) for name in system if name not in names]
        if unknown:
            msg = f"system prompts for phases that there are not: {', '.join(unknown)}; known are {', '.join(names)}"
            raise BudgetError(msg)
        prompt = system.get(definition.name, definition.system)
        if not prompt:
            msg = f"phase {definition.name!r} has no system prompt: name it in system=, or give its definition one"
            raise BudgetError(msg)
        return prompt

    def _layers(self, work: Work) -> tuple[Layer, ...]:
        """Give the layers behind the system prompt: those of the phase in its order, then the others, empty."""
        definition = work.definition
        sent = {layer.name: layer for layer in self._parts(work)}
        names = (*definition.parts, *(name for name in sent if name not in definition.parts))
        layers = [Layer(name="design", text=work.design, heading="Design document:", protected=True)]
        for name in names:
            layer = sent[name]
            if name not in definition.parts:
                layer = Layer(name=name)
            layers.append(layer)
        return tuple(layers)

    def _parts(self, work: Work) -> tuple[Layer, ...]:
        """Give every part of the work as a layer; the lower its priority, the earlier it gives way."""
        definition = work.definition
        caps = definition.caps
        approved = [unit for unit in work.approved if unit.text]
        previous = approved[max(0, len(approved) - definition.previous_units) :]
        return (
            _types(work.types, caps.get("types")),
            Layer(name="unit", text=work.unit.text if work.unit else "", heading="Current unit:", protected=True),
            Layer(
                name="tests",
                items=_first_to_stay(test.text for test in work.tests),
                heading="Relevant tests:",
                shares_with=("unit",) if "unit" in definition.parts else (),
                omission_marker=LEFT_OUT,
                passes_over=True,
                cap=caps.get("tests"),
                priority=2,
            ),
            Layer(
                name="previous",
                items=_last_to_stay(previous),
                heading="Approved units:",
                cap=caps.get("previous"),
                yields=True,
            ),
            Layer(
                name="failures",
                items=tuple(
                    Item(failure.text, importance=-float(at), cut=failure.cut_rule(self.counter))
                    for at, failure in enumerate(work.failures)
                ),
                heading="Failing tests:",
                largest_item=1.0 if len(work.failures) == 1 else 0.5,
                omission_marker=LEFT_OUT,
                passes_over=True,
                cap=caps.get("failures"),
                priority=2,
            ),
            Layer(
                name="implicated",
                items=_last_to_stay(unit for unit in work.implicated if unit.text),
                heading="Implementation:",
                omission_marker=LEFT_OUT,
                passes_over=True,
                cap=caps.get("implicated"),
                priority=1,
            ),
        )


def _types(types: str, cap: Size | Rest | None) -> Layer:
    """Give the types as a layer of declarations, each of which goes as a whole; a single one is cut at its end."""
    items = _first_to_stay(declarations(types))
    return Layer(
        name="types",
        items=items,
        heading="Existing types:",
        largest_item=1.0 if len(items) == 1 else None,
        omission_marker=LEFT_OUT,
        passes_over=True,
        cap=cap,
        priority=3,
    )


def _first_to_stay(texts: Iterable[str]) -> tuple[Item, ...]:
    return tuple(Item(text, importance=-float(at)) for at, text in enumerate(texts) if text)


def _last_to_stay(units: Iterable[Unit]) -> tuple[Item, ...]:
    return tuple(Item(unit.text, importance=float(at)) for at, unit in enumerate(units))
