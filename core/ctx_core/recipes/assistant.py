"""The token-aware assistant: shares of a budget, facts inside the system prompt, a summary, a report per section."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ctx_core.budget import ContextBudget
from ctx_core.builder import ContextBuilder, OnOverflow
from ctx_core.counting.counter import CounterLike, TokenCounter, ToolDefinition, as_counter
from ctx_core.counting.estimators import Words
from ctx_core.counting.guarded import Guarded
from ctx_core.engine.layers import Item, Layer
from ctx_core.engine.summary import RollingSummary
from ctx_core.errors import BudgetError
from ctx_core.history.policy import HistoryPolicy
from ctx_core.memory.item import MemoryItem
from ctx_core.recipes.assistant_report import AssistantReport, assistant_report
from ctx_core.recipes.framings import ASSISTANT
from ctx_core.recipes.given import BudgetField, CounterField, given
from ctx_core.recipes.recipe import WHOLE_MESSAGES, Recipe, report_of
from ctx_core.sizes import Share

if TYPE_CHECKING:
    from ctx_core.conversation.messages import Message
    from ctx_core.engine.context import Context
    from ctx_core.report.report import ContextReport

Fact: TypeAlias = str | Item | MemoryItem
"""One fact; a string is of importance 0."""
Facts: TypeAlias = Iterable[Fact] | Callable[[str], Iterable[Fact]]
"""Facts, or what gives them for a question."""


LARGEST_FACT: Final = 0.5
"""Share of the facts' room, where not all fit, to which a larger one is cut, so that it leaves room for others."""


def word_counter(*, guarded: bool = True) -> TokenCounter:
    """Give the counter that estimates by words, 4 tokens more for a message and 3 for a list of them.

    Args:
        guarded: whether texts that the rule is far too low for (other scripts, minified data, code) are estimated by
            their characters' kinds. If not, the design's formula counts whatever is written.
    """
    return TokenCounter(Guarded(Words()) if guarded else Words(), framing=ASSISTANT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant(Recipe):
    """An assistant that knows facts, within a budget of shares; what a section leaves unused the messages get."""

    system: str = field(default="", repr=False)
    """The system prompt; stays whole, at the expense of the facts."""
    facts: Facts = field(default=(), repr=False)
    """What is known, inside the system prompt and within its budget and their own. Over that, a fact larger than half
    of it is cut to half of it, then the least important go; what does not fit is passed over."""
    task: str = field(default="", repr=False)
    """The state of the task at hand; over its part it is cut."""
    summary: str | RollingSummary = field(default="", repr=False)
    """The summary of what was left out: a text, or where the one that is kept in the state is to stand."""
    facts_heading: str = "Known facts:"
    """Stands above the facts."""
    budget: BudgetField = given(ContextBudget.default)
    """The total and the shares: `ContextBudget.default()`, `.medium()`, `.local_small()`, or one of your own with
    the parts system, history, summary, memory and task."""
    counter: CounterField = given(word_counter)
    """Counts: by words, guarded."""
    low_water: float = 0.6
    """As in every recipe; with a state, a cut leaves room for the next turns."""
    on_overflow: OnOverflow = "truncate"
    """A new message that is larger than everything is sent truncated, with a warning: the user needs an answer."""

    def __post_init__(self) -> None:
        """Take the facts once, so that every request has them.

        Raises:
            BudgetError: for facts that are none.
        """
        Recipe.__post_init__(self)
        if callable(self.facts):
            return
        if isinstance(self.facts, str | bytes | Mapping) or not isinstance(self.facts, Iterable):
            msg = f"facts must be a list of facts, or a function that gives one, found {type(self.facts).__name__}"
            raise BudgetError(msg)
        facts = tuple(self.facts)
        if wrong := [type(fact).__name__ for fact in facts if not isinstance(fact, str | Item | MemoryItem)]:
            msg = f"a fact must be a text, an Item or a MemoryItem, found {wrong[0]}"
            raise BudgetError(msg)
        object.__setattr__(self, "facts", facts)

    def builder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Give the builder of one request."""
        facts = self.facts(question) if callable(self.facts) else self.facts
        layers = (
            Layer(name="system", text=self.system, protected=True),
            Layer(
                name="memory",
                items=tuple(map(as_item, facts)),
                heading=self.facts_heading,
                data=True,
                shares_with=("system",),
                largest_item=LARGEST_FACT,
                passes_over=True,
                stable=False,
            ),
            Layer(name="task", text=self.task, heading="Task state:", priority=2, stable=False),
        )
        builder = ContextBuilder(self.budget, self.counter).provider(self.provider).tools(tools)
        for layer in layers:
            builder = builder.layer(layer)
        if isinstance(self.summary, RollingSummary):
            builder = builder.rolling_summary(self.summary)
        else:
            heading = "Summary of the conversation so far:"
            builder = builder.layer(Layer(name="summary", text=self.summary, heading=heading, data=True, priority=1))
        return builder.history(HistoryPolicy(low_water=self.low_water, results=WHOLE_MESSAGES))

    def figures(self, result: Context[Any] | ContextReport) -> AssistantReport:
        """Give the report per section of a request that was built with this recipe, or of its report."""
        return assistant_report(report_of(result), self.budget)

    @classmethod
    def sized(cls, budget: ContextBudget) -> ContextBudget:
        """Give a budget the design's shares of its input."""
        reserve = budget.reserve / budget.total
        usual = ContextBudget.default()
        scale = (1 - reserve) / (usual.input_limit / usual.total)
        parts = {name: Share(size.of_total * scale) for name, size in usual.parts.items() if isinstance(size, Share)}
        return ContextBudget(budget.total, parts=parts, reserve=Share(reserve), model=budget.model)


def as_item(fact: Fact) -> Item:
    """Give a fact as an item of a layer."""
    if isinstance(fact, MemoryItem):
        return Item(fact.rendered(), importance=fact.importance)
    return fact if isinstance(fact, Item) else Item(fact)


def estimate(content: str | Iterable[Message | Mapping[str, Any]], *, counter: CounterLike | None = None) -> int:
    """Estimate the tokens of a text or of messages.

    Args:
        content: a text, or neutral messages or OpenAI-style dicts.
        counter: by default the estimate by words, guarded.
    """
    counts = word_counter() if counter is None else as_counter(counter)
    return counts.count_text(content) if isinstance(content, str) else counts.count_messages(content)


def fits(
    content: str | Iterable[Message | Mapping[str, Any]],
    budget: ContextBudget | int,
    *,
    counter: CounterLike | None = None,
) -> bool:
    """Say whether a text or messages are within a budget.

    Args:
        content: a text, or neutral messages or OpenAI-style dicts.
        budget: a budget, of which the input counts, or tokens.
        counter: by default the estimate by words.
    """
    limit = budget if isinstance(budget, int) else budget.input_limit
    return estimate(content, counter=counter) <= limit
