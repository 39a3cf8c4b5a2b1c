"""Plain chat: a system prompt, the recent history, and the new message."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, overload

from ctx_core.budget import ContextBudget
from ctx_core.builder import ContextBuilder
from ctx_core.conversation.message_types import NativeT
from ctx_core.counting.counter import TokenCounter, ToolDefinition
from ctx_core.counting.estimators import FourCharacters
from ctx_core.counting.guarded import Guarded
from ctx_core.engine.context import Context
from ctx_core.engine.layers import Layer
from ctx_core.errors import BudgetError
from ctx_core.history.policy import HistoryPolicy
from ctx_core.recipes.framings import CHAT
from ctx_core.recipes.given import BudgetField, CounterField, given
from ctx_core.recipes.recipe import WHOLE_MESSAGES, Recipe, report_of
from ctx_core.recipes.request_log import log_sent
from ctx_core.sizes import Tokens
from ctx_core.truncation import MARKER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.report.report import ContextReport

_CHARACTERS: Final = 4
"""Characters that a token is taken for."""
_MARGIN: Final = 20
"""Characters by which a system prompt that is too long is cut below its part, with room for the marker."""


def chat_budget(*, system: int = 10_000, history: int = 50_000, response: int = 40_000) -> ContextBudget:
    """Give a budget whose total is the sum of the three parts, in tokens."""
    parts = {"system": Tokens(system), "history": Tokens(history)}
    return ContextBudget(system + history + response, parts=parts, reserve=response)


def character_counter(*, guarded: bool = True) -> TokenCounter:
    """Give the counter that estimates four characters a token, and 4 tokens more for a message.

    Args:
        guarded: whether texts that the rule is far too low for (other scripts, data, code) are estimated by their
            characters' kinds. If not, the design's formula counts whatever is written.
    """
    return TokenCounter(Guarded(FourCharacters()) if guarded else FourCharacters(), framing=CHAT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFigures(Generic[NativeT]):
    """The result of one request. Its `repr` holds no content."""

    messages: list[NativeT] = field(repr=False)
    """What was sent without the system prompt, in order, the new message last; empty of a report, which holds none."""
    system_prompt: str = field(repr=False)
    """The system prompt by itself, as some providers take it as a field of its own; empty of a report."""
    tokens: int
    """Estimated tokens: system prompt, history with its framing, new message."""
    left_out: int
    """Messages of the history that were left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat(Recipe):
    """A chat within 100,000 tokens, estimated at four characters each."""

    system: str = field(default="", repr=False)
    """The system prompt; over its part it is cut, with a marker. An empty one is not sent."""
    budget: BudgetField = given(chat_budget)
    """Fixed parts `system` and `history` and the reserve for the answer, which sum to the total. The history's part
    pays for the new message first."""
    counter: CounterField = given(character_counter)
    """Counts: four characters a token, guarded, and 4 tokens more for a message."""

    def __post_init__(self) -> None:
        """Refuse parts that are not fixed, or that do not sum to the total."""
        Recipe.__post_init__(self)
        budget = self.budget
        sizes = [size for name in ("system", "history") if isinstance(size := budget.parts.get(name), Tokens)]
        parts = sum(size.count for size in sizes) + budget.reserve
        if len(sizes) != len(budget.parts) or parts != budget.total:
            msg = (
                f"a chat's budget has the fixed parts system and history, which make {parts:,} tokens with the reserve "
                f"of a total of {budget.total:,}; chat_budget(system=…, history=…, response=…) makes one that adds up"
            )
            raise BudgetError(msg)

    def builder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Give the builder of one request."""
        del question
        system = Layer(name="system", text=self.system, protected=True, cut=cut_to_characters)
        policy = HistoryPolicy(low_water=self.low_water, results=WHOLE_MESSAGES, split_last_run=False)
        return (
            ContextBuilder(self.budget, self.counter).provider(self.provider).layer(system).tools(tools).history(policy)
        )

    @overload
    def figures(self, result: Context[NativeT]) -> ChatFigures[NativeT]: ...

    @overload
    def figures(self, result: ContextReport) -> ChatFigures[Any]: ...

    def figures(self, result: Context[Any] | ContextReport) -> ChatFigures[Any]:
        """Give the result of a request that was built with this recipe, or of its report."""
        report, frame = report_of(result), self.counter.framing.messages.per_message
        messages: list[Any] = result.conversation if isinstance(result, Context) else []
        prompt = result.system_prompt if isinstance(result, Context) else ""
        has_system = bool(prompt) if isinstance(result, Context) else bool(self.system)
        framed = has_system + bool(report.layer("current").used)
        return ChatFigures(
            messages=messages,
            system_prompt=prompt,
            tokens=report.used - framed * frame - self.counter.primer,
            left_out=report.history.omitted,
        )

    def on_report(self, report: ContextReport) -> None:
        """Log a request that was built with this recipe's builder, and each in one line."""
        Recipe.on_report(self, report)
        if not report.trimmed:
            log_sent(type(self).__name__, report)

    @classmethod
    def sized(cls, budget: ContextBudget) -> ContextBudget:
        """Give a budget the design's parts: a sixth of the input is the system prompt's, the rest the history's."""
        system = budget.input_limit // 6
        parts = {"system": Tokens(system), "history": Tokens(budget.input_limit - system)}
        return ContextBudget(budget.total, parts=parts, reserve=budget.reserve, model=budget.model)


def cut_to_characters(text: str, tokens: int) -> str:
    """Give the beginning of a text, 20 characters short of what so many tokens are, with a marker behind it."""
    return text[: max(0, tokens * _CHARACTERS - _MARGIN)] + MARKER
