"""A recipe in a face of this package: it brings what is otherwise set by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ctx_core.counting.calibration import Calibration
from ctx_core.counting.options import RequestOptions
from ctx_core.errors import BudgetError
from ctx_core.history.summary import RollingSummary
from ctx_core.recipes import Recipe, question_of
from langchain_ctx.bills import learning
from langchain_ctx.convert import CODEC
from langchain_ctx.summaries import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from langchain_core.messages import BaseMessage

    from ctx_core.builder import ContextBuilder
    from ctx_core.report import ContextReport


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeBuilders:
    """Gives the builder of each request, from a recipe and what the face adds to it."""

    recipe: Recipe
    tools: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    """Definitions of the tools that go with each request."""
    options: RequestOptions | None = None
    """What else each request asks for."""
    summarises: bool = False
    """Whether there is a summariser, whose summary needs a place."""
    summary: RollingSummary | None = None
    """Where the summary stands; None: where the recipe says, else in a user message."""
    calibration: Calibration | None = None
    """Learns from what is billed."""

    def of(self, history: Sequence[BaseMessage], message: BaseMessage | None) -> ContextBuilder:
        """Give the builder of a request."""
        return self._placed(self.recipe.builder(question_of(history, message, CODEC), tools=self.tools))

    async def aof(self, history: Sequence[BaseMessage], message: BaseMessage | None) -> ContextBuilder:
        """Give the builder of a request, without blocking the event loop on the recipe's files."""
        return self._placed(await self.recipe.abuilder(question_of(history, message, CODEC), tools=self.tools))

    def record(self, report: ContextReport) -> None:
        """Log a request in the recipe's own log."""
        self.recipe.record(report)

    def _placed(self, builder: ContextBuilder) -> ContextBuilder:
        summary = self.summary or (DEFAULT if self.summarises and builder.plan.rolling is None else None)
        builder = builder if summary is None else builder.rolling_summary(summary)
        builder = builder if self.options is None else builder.options(self.options)
        return learning(builder, self.calibration)


def check_recipe(recipe: object, brought: Mapping[str, object]) -> None:
    """Refuse what is no recipe, and what is given beside one that brings it.

    Args:
        recipe: what was given as one.
        brought: arguments that a recipe takes the place of, by name, with what was given; None for nothing.

    Raises:
        BudgetError: naming what contradicts what.
    """
    if not isinstance(recipe, Recipe):
        msg = f"recipe must be a Recipe of ctx_core.recipes or a subclass, found {type(recipe).__name__}"
        raise BudgetError(msg)
    both = [name for name, given in brought.items() if given is not None]
    if both:
        msg = (
            f"both recipe and {', '.join(both)} are given: the recipe brings {', '.join(brought)}; "
            "dataclasses.replace(recipe, …) changes what it brings"
        )
        raise BudgetError(msg)
