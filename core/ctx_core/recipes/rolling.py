"""Rolling context for agents that use tools a lot: results give way in passes before messages do."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Generic, Self

from ctx_core.budget import BudgetCheck, ContextBudget
from ctx_core.builder import ContextBuilder
from ctx_core.conversation.transcript import NativeT
from ctx_core.counting.counter import TokenCounter, ToolDefinition
from ctx_core.counting.estimators import Conservative
from ctx_core.history.policy import HistoryPolicy, ToolResultPolicy
from ctx_core.recipes.framings import ROLLING
from ctx_core.recipes.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctx_core.conversation.messages import Message
    from ctx_core.engine.context import Context

STEPS: Final = 5
"""Results older than this many steps give way first."""


def results_policy() -> ToolResultPolicy:
    """Give the passes over tool results: those older than 5 steps, but for errors and small ones, then the rest.

    One that alone is too large is cut to its head and tail after that, where it is the newest; `max_tokens` cuts
    larger ones when they are first seen.
    """
    return ToolResultPolicy(clear_after_steps=STEPS, clear_rest=True, min_tokens=100, overflow_share=1.0)


def counter_for(model: str) -> TokenCounter:
    """Give what counts for a model: by its exact name, else its family, else 3.5 characters a token.

    Tokenizers come from `ctx_core.register_tokenizer` and the built-in families; the framing is this recipe's.
    """
    known, unknown = TokenCounter.for_model(model), TokenCounter.for_model("")
    if known.tokenizer is unknown.tokenizer and known.framing == unknown.framing:
        return TokenCounter(Conservative(), framing=ROLLING, model=model or None)
    framing = replace(
        ROLLING,
        messages=replace(ROLLING.messages, per_token=known.framing.messages.per_token),
        calls=replace(ROLLING.calls, per_token=known.framing.calls.per_token),
    )
    return TokenCounter(known.tokenizer, framing=framing, model=model, margin=known.margin)


@dataclass(frozen=True, slots=True, kw_only=True)
class RollingFigures(Generic[NativeT]):
    """The result of one request. Its `repr` holds no content."""

    messages: list[NativeT] = field(repr=False)
    """Everything, in order; the caller's own objects where nothing had to be done to them."""
    tokens: int
    """Tokens of the request, the same as `final`."""
    within: bool
    """Whether it is within the budget. It always is: what cannot be is a `ContextOverflowError`."""
    trimmed: bool
    """Whether anything was cut, cleared or left out."""
    dropped: int
    """Messages that were left out."""
    original: int
    """Tokens before trimming."""
    final: int
    """Tokens after trimming."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolling(Recipe):
    """The context of an agent: whole while it fits, else trimmed in passes, each of which stops as soon as it fits."""

    budget: ContextBudget
    """The context window and what is reserved for the output."""
    counter: TokenCounter = field(default_factory=lambda: counter_for(""))
    """Counts; `counter_for(model)` or `Rolling.for_model(model)` gives the model's own."""
    system: str = field(default="", repr=False)
    """A system prompt, if it is not among the messages."""
    results: ToolResultPolicy = field(default_factory=results_policy)
    """Ages, thresholds and the placeholder's template."""
    preserve_recent_turns: int = 2
    """The last turns, beside the running one, that are never left out."""

    @classmethod
    def for_model(cls, model: str, *, reserve: int | None = None) -> Self:
        """Give the recipe with a model's window and counter.

        Args:
            model: its name.
            reserve: tokens kept for the output; by default as `ContextBudget.for_model` keeps.

        Raises:
            UnknownModelError: if the model's window is not known; give a `budget` then.
        """
        return cls(budget=ContextBudget.for_model(model, reserve=reserve), counter=counter_for(model))

    def builder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Give the builder of one request."""
        del question
        policy = HistoryPolicy(
            low_water=self.low_water, results=self.results, preserve_recent_turns=self.preserve_recent_turns
        )
        return (
            ContextBuilder(self.budget, self.counter).system(self.system).tools(tools).history(policy).count_original()
        )

    def check(
        self, messages: Iterable[Message | Mapping[str, Any]], *, tools: Iterable[ToolDefinition] = ()
    ) -> BudgetCheck:
        """Say how messages stand to the budget as they are: maximum, current, available, within, utilization in %."""
        return self.budget.check(messages, counter=self.counter, tools=tools)

    def figures(self, context: Context[NativeT]) -> RollingFigures[NativeT]:
        """Give the result of a request that was built with this recipe."""
        report = context.report
        return RollingFigures(
            messages=context.messages,
            tokens=report.used,
            within=report.used <= report.limit,
            trimmed=report.trimmed,
            dropped=report.history.omitted,
            original=report.used if report.original is None else report.original,
            final=report.used,
        )

    def with_results(self, **changes: Any) -> Self:
        """Give a copy with other ages, thresholds or templates; the fields are those of `ToolResultPolicy`."""
        return replace(self, results=replace(self.results, **changes))
