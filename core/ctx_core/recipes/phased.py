"""A workflow in phases: planning, interface, implementation, testing, each with the parts that it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from ctx_core.budget import ContextBudget, Tokens
from ctx_core.builder import ContextBuilder
from ctx_core.counting.counter import TokenCounter, ToolDefinition, as_counter
from ctx_core.engine.layers import Item, Layer, Rest
from ctx_core.errors import BudgetError
from ctx_core.history.policy import HistoryPolicy
from ctx_core.recipes.recipe import WHOLE_MESSAGES, Recipe
from ctx_core.recipes.work import Phase, Unit, Work

OMITTED: Final = "[{count} earlier messages omitted for brevity]"
"""Stands behind the first message where others were left out."""
RECENT_UNITS: Final = 3
"""Approved units that the implementation of the next one sees."""
_UNITS_SHARE: Final = Rest(0.5)
"""What they may take of what is left."""

WorkSource: TypeAlias = Work | Callable[[], Work]
"""The work, or what gives it as it is now."""


def phased_budget(*, practical: int = 100_000, response: int = 4_000) -> ContextBudget:
    """Give the budget: a practical window with the tokens kept for the response; what no part has is a buffer.

    The parts: system prompt 500, design document 1,000, types 2,000, current context (unit and tests) 2,000,
    message history 20,000.
    """
    parts = {
        "system": Tokens(500),
        "design": Tokens(1_000),
        "types": Tokens(2_000),
        "unit": Tokens(2_000),
        "history": Tokens(20_000),
    }
    return ContextBudget(practical, parts=parts, reserve=response)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phased(Recipe):
    """A workflow whose context depends on its phase; every request is logged under its phase."""

    work: WorkSource = field(default_factory=Work, compare=False)
    """The work, or a function that gives it, so that one recipe serves a workflow from phase to phase."""
    system: str = field(default="", repr=False)
    """The system prompt."""
    window: int = 200_000
    """Tokens of the model's window, which the practical one must not exceed."""
    budget: ContextBudget = field(default_factory=phased_budget)
    """The practical window, its parts and the reserve for the response."""
    counter: TokenCounter = field(default_factory=lambda: as_counter(None))
    """Counts; by default a safe estimate."""

    def __post_init__(self) -> None:
        """Refuse a practical window that the model doesn't have."""
        if self.budget.total > self.window:
            msg = f"the practical window of {self.budget.total:,} tokens is over the model's of {self.window:,}"
            raise BudgetError(msg)

    @property
    def now(self) -> Work:
        """The work as it is now."""
        return self.work() if callable(self.work) else self.work

    @property
    def label(self) -> str:
        """The phase, under which requests are logged."""
        return str(self.now.phase)

    def builder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Give the builder of one request, with the layers of the phase; the others are there and empty."""
        del question
        builder = ContextBuilder(self.budget, self.counter).tools(tools)
        for layer in (Layer(name="system", text=self.system, protected=True), *_layers(self.now)):
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


def _layers(work: Work) -> tuple[Layer, ...]:
    """Give the layers behind the system prompt, those that the phase doesn't need being empty."""
    phase = work.phase
    implementing, testing = phase is Phase.IMPLEMENTATION, phase is Phase.TESTING
    unit = work.unit.text if implementing and work.unit else ""
    tests = work.tests if implementing else ()
    previous = work.approved[-RECENT_UNITS:] if implementing else ()
    failures = work.failures if testing else ()
    return (
        Layer(name="design", text=work.design, heading="Design document:", protected=True),
        Layer(name="types", text="" if phase is Phase.PLANNING else work.types, heading="Existing types:", priority=3),
        Layer(name="unit", text=unit, heading="Current unit:", protected=True),
        Layer(
            name="tests",
            items=_first_to_stay(test.text for test in tests),
            heading="Relevant tests:",
            shares_with=("unit",),
            priority=2,
        ),
        Layer(name="failures", items=_first_to_stay(f.text for f in failures), heading="Failing tests:", priority=2),
        Layer(name="previous", items=_last_to_stay(previous), heading="Approved units:", cap=_UNITS_SHARE, yields=True),
        Layer(
            name="implicated",
            items=_last_to_stay(work.implicated if testing else ()),
            heading="Implementation:",
            yields=True,
            priority=1,
        ),
    )


def _first_to_stay(texts: Iterable[str]) -> tuple[Item, ...]:
    return tuple(Item(text, importance=-float(at)) for at, text in enumerate(texts))


def _last_to_stay(units: Iterable[Unit]) -> tuple[Item, ...]:
    return tuple(Item(unit.text, importance=float(at)) for at, unit in enumerate(units))
