"""Rolling context for agents that use tools a lot: results give way in passes before messages do."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Generic, Self, TypeAlias, overload

from ctx_core.builder import ContextBuilder
from ctx_core.conversation.message_types import NativeT
from ctx_core.counting.counter import TokenCounter, ToolDefinition
from ctx_core.counting.estimators import Conservative
from ctx_core.counting.model_objects import asked_model, model_name
from ctx_core.engine.context import Context
from ctx_core.history.policy import HistoryPolicy, Pinned, ToolResultPolicy
from ctx_core.recipes.framings import IMAGE, ROLLING
from ctx_core.recipes.given import BudgetField, CounterField, given
from ctx_core.recipes.recipe import Recipe, report_of
from ctx_core.recipes.rolling_settings import OF_RESULTS, RollingSettings, Switch
from ctx_core.report.usage_log import UsageLog
from ctx_core.sizes import Share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx_core.report.report import ContextReport

STEPS: Final = 5
"""Results older than this many steps give way first."""
LARGE_RESULT: Final = 2_000
"""Tokens over which the design may cut a single result when it is first seen: `with_results(max_tokens=…)`."""
OnTrim: TypeAlias = "Callable[[RollingFigures[Any]], object]"
"""Is told of a trim; the figures have no messages."""
_LOG: Final = logging.getLogger("ctx_core.recipes")


def results_policy() -> ToolResultPolicy:
    """Give the passes over tool results: those older than 5 steps, but for errors and small ones, then the rest.

    One that alone is too large is cut to its head and tail after that, where it is the newest; `max_tokens` cuts
    larger ones when they are first seen.
    """
    return ToolResultPolicy(clear_after_steps=STEPS, clear_rest=True, min_tokens=100, overflow_share=1.0)


def counter_for(model: str) -> TokenCounter:
    """Give what counts for a model: by its exact name, else its family, else 3.5 characters a token.

    Tokenizers come from `ctx_core.register_tokenizer` and the built-in families. Messages, calls and lists are framed
    as by this recipe; what it says nothing of (tools, documents, pictures of known size) costs what the model's does.
    """
    known, unknown = TokenCounter.for_model(model), TokenCounter.for_model("")
    if known.tokenizer is unknown.tokenizer and known.framing == unknown.framing:
        return TokenCounter(Conservative(), framing=ROLLING, model=model or None)
    media = known.framing.media
    framing = replace(
        known.framing,
        messages=replace(ROLLING.messages, per_token=known.framing.messages.per_token),
        calls=replace(ROLLING.calls, per_token=known.framing.calls.per_token),
        media=replace(media, image=max(IMAGE, media.image or media.images.tokens(1_024, 1_024))),
    )
    return TokenCounter(known.tokenizer, framing=framing, model=model, margin=known.margin)


@dataclass(frozen=True, slots=True, kw_only=True)
class RollingFigures(Generic[NativeT]):
    """The result of one request. Its `repr` holds no content."""

    messages: list[NativeT] = field(repr=False)
    """Everything, in order; the caller's own objects where nothing had to be done to them. Empty of a report, which
    holds none."""
    tokens: int
    """Tokens of the request, the same as `final`."""
    within: bool
    """Whether it is within the budget. While trimming is on it always is: what cannot be is an error."""
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

    budget: BudgetField = given()
    """The context window and what is reserved for the output; a number is that much input."""
    counter: CounterField = given(lambda: counter_for(""))
    """Counts; `counter_for(model)` or `Rolling.for_model(model)` gives the model's own."""
    low_water: float = 0.6
    """As in every recipe; with a state, a cut leaves room for the next turns."""
    system: str = field(default="", repr=False)
    """A system prompt, if it is not among the messages."""
    results: ToolResultPolicy = field(default_factory=results_policy)
    """Ages, thresholds, the placeholder's template, and priorities by the names of tools."""
    preserve_recent_turns: int = 2
    """The last turns, beside the running one, that are never left out."""
    keep_first: int | Share = 0
    """The first messages, so many or as many as a share of the room holds, that are never left out."""
    pinned: Pinned | None = field(default=None, compare=False)
    """Messages for which this is true are never left out."""
    on_trim: OnTrim | None = field(default=None, compare=False)
    """Is given the figures of each request of which something was cut, so that an application can show it."""
    switch: Switch = field(default_factory=Switch, compare=False)
    """Whether anything may be cut: `rolling.switch.enabled = False` has requests checked and reported only, from then
    on, wherever the recipe is in use."""

    def builder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Give the builder of one request."""
        del question
        policy = HistoryPolicy(
            low_water=self.low_water,
            results=self.results,
            preserve_recent_turns=self.preserve_recent_turns,
            keep_first=self.keep_first,
            pinned=self.pinned,
        )
        builder = (
            ContextBuilder(self.budget, self.counter)
            .provider(self.provider)
            .system(self.system)
            .tools(tools)
            .history(policy)
        )
        return builder.count_original().trimming(on=self.switch.enabled)

    @overload
    def figures(self, result: Context[NativeT]) -> RollingFigures[NativeT]: ...

    @overload
    def figures(self, result: ContextReport) -> RollingFigures[Any]: ...

    def figures(self, result: Context[Any] | ContextReport) -> RollingFigures[Any]:
        """Give the result of a request that was built with this recipe, or of its report."""
        report = report_of(result)
        return RollingFigures(
            messages=result.messages if isinstance(result, Context) else [],
            tokens=report.used,
            within=report.used <= report.limit,
            trimmed=report.trimmed,
            dropped=report.history.omitted,
            original=report.used if report.original is None else report.original,
            final=report.used,
        )

    def on_report(self, report: ContextReport) -> None:
        """Log a request that was built with this recipe's builder, and tell who wants to hear of trims."""
        Recipe.on_report(self, report)
        if self.on_trim is None or not report.trimmed:
            return
        try:
            self.on_trim(self.figures(report))
        except Exception as error:  # noqa: BLE001 - whatever it raises, the request goes out
            _LOG.warning("on_trim failed (%s): the request goes out all the same", type(error).__name__)

    @classmethod
    def counted_for(cls, model: object) -> TokenCounter:
        """Give what counts for a model, with this recipe's framing."""
        return counter_for(model if isinstance(model, str) else model_name(asked_model(model)) or "")

    def with_results(self, **changes: Any) -> Self:
        """Give a copy with other ages, thresholds or templates; the fields are those of `ToolResultPolicy`."""
        return replace(self, results=replace(self.results, **changes))

    @property
    def settings(self) -> RollingSettings:
        """What a user may choose, as it is now, to be stored."""
        return RollingSettings(
            enabled=self.switch.enabled,
            log_usage=self.usage.enabled,
            preserve_recent_turns=self.preserve_recent_turns,
            low_water=self.low_water,
            **{name: getattr(self.results, name) for name in OF_RESULTS},
        )

    def with_settings(self, settings: RollingSettings) -> Self:
        """Give a copy with what a user has chosen; it has a switch and a usage log of its own."""
        results = replace(self.results, **{name: getattr(settings, name) for name in OF_RESULTS})
        return replace(
            self,
            switch=Switch(enabled=settings.enabled),
            usage=UsageLog(enabled=settings.log_usage),
            preserve_recent_turns=settings.preserve_recent_turns,
            low_water=settings.low_water,
            results=results,
        )
