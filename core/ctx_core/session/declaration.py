"""What declares the context of each request: a builder or a recipe, with what a surface adds to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ctx_core.budget import ContextBudget
from ctx_core.builder import ContextBuilder, OnOverflow
from ctx_core.counting.calibration import Calibration
from ctx_core.counting.counter import TokenCounter, ToolDefinition
from ctx_core.counting.options import RequestOptions
from ctx_core.engine.layers import Layer
from ctx_core.engine.summary import RollingSummary
from ctx_core.providers.asked import ProviderLike
from ctx_core.sizes import Size, tokens_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.report.report import ContextReport


@runtime_checkable
class Declaration(Protocol):
    """Declares the context of a request: a `Recipe` does, and a `ContextBuilder`, which says the same for each.

    Where it has an `on_overflow` or a method `on_report(report)`, as recipes do, they count too.
    """

    def builder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Give the builder of a request.

        Args:
            question: text of the message that is being answered.
            tools: definitions of the tools that go with the request.
        """
        ...

    async def abuilder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Give the builder of a request, without blocking the event loop on files."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A declaration with what else was said about its requests."""

    source: Declaration
    tools: tuple[ToolDefinition, ...] = field(default=(), repr=False)
    """Tools that go with each request, where the request does not bring its own."""
    request_options: RequestOptions | None = None
    reserve: int | Size = 0
    summary: RollingSummary | None = None
    """Where the summary stands; None: where the declaration says."""
    summarizes: bool = False
    """Whether there is a summarizer, whose summary needs a place."""
    calibration: Calibration | None = None
    on_overflow: OnOverflow | None = None
    """None: as the declaration says."""
    provider: ProviderLike = None
    """The provider that the requests go to; None: as the declaration says."""
    layers: tuple[Layer, ...] = ()
    """Layers that every request has."""
    open_parts: bool = False
    """Whether there are layers that not every request has."""
    budget: ContextBudget | int | None = None
    """In the place of the declaration's; a number of input tokens leaves it its parts. None: the declaration's."""
    counter: TokenCounter | None = None
    """In the place of the declaration's; None: that one."""

    def builder(self, question: str, *, tools: Sequence[ToolDefinition] | None = None) -> ContextBuilder:
        """Give the builder of a request."""
        return self._complete(self.source.builder(question, tools=self.tools if tools is None else tools))

    async def abuilder(self, question: str, *, tools: Sequence[ToolDefinition] | None = None) -> ContextBuilder:
        """Give the builder of a request."""
        return self._complete(await self.source.abuilder(question, tools=self.tools if tools is None else tools))

    @property
    def overflow(self) -> OnOverflow:
        """What happens when what is protected does not fit."""
        declared: OnOverflow | None = getattr(self.source, "on_overflow", None)
        return self.on_overflow or declared or "raise"

    def on_report(self, report: ContextReport) -> None:
        """Tell a recipe of a request."""
        hear = getattr(self.source, "on_report", None)
        if hear is not None:
            hear(report)

    def _complete(self, builder: ContextBuilder) -> ContextBuilder:
        if self.budget is not None or self.counter is not None:
            builder = builder.within(self.budget, self.counter)
        for layer in self.layers:
            builder = builder.layer(layer)
        plan = builder.plan
        if self.open_parts:
            builder = builder.open_parts()
        summary = self.summary or (RollingSummary() if self.summarizes and plan.rolling is None else None)
        if summary is not None:
            builder = builder.rolling_summary(summary)
        if self.request_options is not None:
            builder = builder.options(self.request_options)
        if self.provider is not None:
            builder = builder.provider(self.provider)
        if self.reserve:
            builder = builder.reserve(plan.reserve + tokens_in(self.reserve, plan.budget))
        if self.calibration is not None and plan.counter.calibration is None:
            builder = builder.calibration(self.calibration)
        return builder


def tokens_in(size: int | Size, budget: ContextBudget) -> int:
    """Give a number of tokens, or a size as a number of tokens of a budget's total."""
    return size if isinstance(size, int) else tokens_of(size, budget.total)
