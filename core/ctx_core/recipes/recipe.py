"""What every recipe has: a builder for each request, what to do on overflow, and a log."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, overload

from ctx_core.budget import BudgetCheck, ContextBudget
from ctx_core.builder import ContextBuilder, OnOverflow
from ctx_core.conversation.codecs import as_codec, codec_for, transcript_of
from ctx_core.conversation.transcript import question_of
from ctx_core.counting.counter import as_counter
from ctx_core.engine.context import Context
from ctx_core.errors import BudgetError
from ctx_core.history.policy import ToolResultPolicy
from ctx_core.history.state import WindowState
from ctx_core.providers.asked import ProviderLike, as_provider
from ctx_core.recipes.of_class import ForModel, bind_super
from ctx_core.recipes.request_log import log_trim, log_without_part
from ctx_core.report.usage_log import UsageLog
from ctx_core.session.session import ContextSession

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctx_core.conversation.formats.names import FormatName
    from ctx_core.conversation.message_types import Codec, NativeT
    from ctx_core.conversation.messages import Message
    from ctx_core.counting.counter import TokenCounter, ToolDefinition
    from ctx_core.report.report import ContextReport
    from ctx_core.session.summarizers import Summarizer
    from ctx_core.session.summarizing import Summarizing

WHOLE_MESSAGES: Final = ToolResultPolicy(overflow_share=1.0)
"""For recipes whose histories are filled in whole messages: a result is cut only where nothing else is left to go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe(ABC):
    """A declaration of layers, budget and policies over the one engine; a face asks it for a builder each turn.

    Immutable, so it may be shared by threads and conversations; `dataclasses.replace` gives a changed one.
    """

    on_overflow: OnOverflow = "raise"
    """What happens when what is protected does not fit: `raise`, or `truncate` it."""
    low_water: float = 1.0
    """Share of its part that the history is cut down to where the cut is remembered. 1 fills the part on every
    turn; 0.6 leaves room for the next turns, so that the beginning of the prompt stays in the provider's cache."""
    provider: ProviderLike = None
    """The provider that the requests go to: the name of a row of `ctx_core.providers`, or a row. None: the one that the
    model or the format tells, else any. False: nothing is changed for it."""
    usage: UsageLog = field(default_factory=UsageLog, compare=False)
    """The last 100 requests; `usage.enabled` switches it on and off."""
    _logged: set[str] = field(default_factory=set[str], init=False, repr=False, compare=False)
    """Layers of which the log has said that the budget has no part for them."""

    for_model = ForModel()
    """Gives the recipe with a model's window and counter, of the class or of a recipe.

    Args:
        model: a name, or a model object of LangChain or LlamaIndex.
        reserve: tokens kept for the answer; by default as `ContextBudget.for_model` keeps.
        fields: other fields of the recipe.

    Raises:
        UnknownModelError: if the model's window is not known; give a `budget` then.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Have `super()` work in a dataclass with slots, which is a class made anew."""
        # With its arguments, as this class is itself made anew.
        super(Recipe, cls).__init_subclass__(**options)
        bind_super(cls)

    def __post_init__(self) -> None:
        """Make a budget of a number of tokens of input, and a counter of the name of a model.

        Raises:
            BudgetError: for what is neither.
            OptionError: for a provider that is not known.
        """
        budget, counter = getattr(self, "budget", None), getattr(self, "counter", None)
        if isinstance(budget, int):
            object.__setattr__(self, "budget", self.sized(ContextBudget(budget)))
        elif budget is not None and not isinstance(budget, ContextBudget):
            msg = f"budget must be a ContextBudget or a number of tokens, found {type(budget).__name__}"
            raise BudgetError(msg)
        if counter is not None:
            object.__setattr__(self, "counter", as_counter(counter))
        object.__setattr__(self, "provider", as_provider(self.provider))

    @abstractmethod
    def builder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Give the builder of one request.

        Args:
            question: text of the message that is being answered, for layers that depend on it.
            tools: tool definitions that go with the request, OpenAI-style.
        """

    async def abuilder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Give the builder of one request, as `builder`, without blocking the event loop on files."""
        return self.builder(question, tools=tools)

    @overload
    def build(
        self,
        history: Sequence[NativeT],
        message: NativeT | str | None = ...,
        *,
        tools: Sequence[ToolDefinition] = ...,
        codec: Codec[NativeT] | FormatName | None = ...,
        state: WindowState | None = ...,
        summarizer: Summarizer | Summarizing | None = ...,
    ) -> Context[NativeT]: ...

    @overload
    def build(
        self,
        history: tuple[()] = ...,
        message: str | None = ...,
        *,
        tools: Sequence[ToolDefinition] = ...,
        codec: None = ...,
        state: WindowState | None = ...,
        summarizer: Summarizer | Summarizing | None = ...,
    ) -> Context[Message]: ...

    def build(
        self,
        history: Sequence[Any] = (),
        message: Any = None,
        *,
        tools: Sequence[ToolDefinition] = (),
        codec: Codec[Any] | FormatName | None = None,
        state: WindowState | None = None,
        summarizer: Summarizer | Summarizing | None = None,
    ) -> Context[Any]:
        """Build the context of one request and log it; the arguments are those of `ContextBuilder.build`.

        Args:
            history: the conversation so far.
            message: the current message, if it is not the end of the history.
            tools: definitions of the tools that go with the request.
            codec: the door of another message type, or the name of a provider's.
            state: what the last build of this conversation gave.
            summarizer: writes the summary of what is left out, which is kept in the state: give that back on the
                next turn, or each turn summarizes all of it anew.

        Raises:
            ContextOverflowError: if what is protected does not fit.
            MessageError: for a message that cannot be read.
        """
        if summarizer is not None:
            session = ContextSession(self, codec=codec, summarizer=summarizer)
            return session.fit(history, message, tools=tools, state=state or WindowState())
        history, door = self.read(history, message, codec)
        builder = self.builder(question_of(history, message, door), tools=tools)
        return self._built(builder, history, message, door, state)

    @overload
    async def abuild(
        self,
        history: Sequence[NativeT],
        message: NativeT | str | None = ...,
        *,
        tools: Sequence[ToolDefinition] = ...,
        codec: Codec[NativeT] | FormatName | None = ...,
        state: WindowState | None = ...,
        summarizer: Summarizer | Summarizing | None = ...,
    ) -> Context[NativeT]: ...

    @overload
    async def abuild(
        self,
        history: tuple[()] = ...,
        message: str | None = ...,
        *,
        tools: Sequence[ToolDefinition] = ...,
        codec: None = ...,
        state: WindowState | None = ...,
        summarizer: Summarizer | Summarizing | None = ...,
    ) -> Context[Message]: ...

    async def abuild(
        self,
        history: Sequence[Any] = (),
        message: Any = None,
        *,
        tools: Sequence[ToolDefinition] = (),
        codec: Codec[Any] | FormatName | None = None,
        state: WindowState | None = None,
        summarizer: Summarizer | Summarizing | None = None,
    ) -> Context[Any]:
        """Build the context of one request and log it; as `build`."""
        if summarizer is not None:
            session = ContextSession(self, codec=codec, summarizer=summarizer)
            return await session.afit(history, message, tools=tools, state=state or WindowState())
        history, door = self.read(history, message, codec)
        builder = await self.abuilder(question_of(history, message, door), tools=tools)
        return self._built(builder, history, message, door, state)

    def check(self, messages: Iterable[Any], *, tools: Sequence[ToolDefinition] = ()) -> BudgetCheck:
        """Say how a request with all of these messages stands to the budget, before anything is cut.

        Maximum, current, available, over, within, utilization in %. The recipe's own layers count, whole.

        Args:
            messages: the conversation with the current message at its end: neutral messages or a provider's own.
            tools: definitions of the tools that go with the request.
        """
        history, door = self.read(list(messages), None, None)
        transcript = transcript_of(history, None, door)
        builder = self.builder(transcript.question(), tools=tools).trimming(on=False)
        report = builder.build_transcript(transcript).report
        return BudgetCheck.of(report.used, report.limit)

    def figures(self, result: Context[Any] | ContextReport) -> Any:  # noqa: ANN401 - each recipe has figures of its own
        """Give the result of a request in the recipe's own terms; of a recipe that has none, the report."""
        return report_of(result)

    def on_report(self, report: ContextReport) -> None:
        """Log a request that was built with this recipe's builder: in counts, and one line where something was cut."""
        self.usage.add(report)
        log_trim(type(self).__name__, report)
        log_without_part(report, self.parts_of_nothing(), self._logged)

    def parts_of_nothing(self) -> tuple[str, ...]:
        """Give the names of the budget's parts that are 0, so that nothing of theirs is ever sent."""
        budget: Any = getattr(self, "budget", None)
        return tuple(name for name in budget.parts if budget.size_of(name) == 0) if budget else ()

    @classmethod
    def sized(cls, budget: ContextBudget) -> ContextBudget:
        """Give a budget of so many tokens the parts of the recipe's design."""
        return budget

    @classmethod
    def counted_for(cls, model: object) -> TokenCounter:
        """Give what counts for a model, by its name or of a model object."""
        named: Any = model
        return as_counter(named)

    @classmethod
    def fields_for(cls, model: object, reserve: int | None) -> dict[str, Any]:
        """Give the fields of a recipe that are a model's, as `for_model` sets them."""
        budget = ContextBudget.for_model(model, reserve=reserve)
        return {"budget": cls.sized(budget), "counter": cls.counted_for(model)}

    def read(
        self, history: Sequence[NativeT], message: NativeT | str | None, codec: Codec[NativeT] | FormatName | None
    ) -> tuple[Sequence[NativeT], Codec[NativeT]]:
        """Give the history as this recipe takes it, and its door: as it is, unless it knows how to mend one."""
        return history, as_codec(codec) or codec_for(history, message)

    def _built(
        self,
        builder: ContextBuilder,
        history: Sequence[NativeT],
        message: NativeT | str | None,
        codec: Codec[NativeT],
        state: WindowState | None,
    ) -> Context[NativeT]:
        context = builder.build(history, message, codec=codec, state=state, on_overflow=self.on_overflow)
        self.on_report(context.report)
        return context


def report_of(result: Context[Any] | ContextReport) -> ContextReport:
    """Give the report of a request, by itself or in its context."""
    return result.report if isinstance(result, Context) else result
