"""One request fitted: the engine's call, what it remembers of the conversation, and who hears about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from langchain_core.messages import BaseMessage
from langchain_core.runnables.config import run_in_executor

from ctx_core.builder import ContextBuilder, OnOverflow
from ctx_core.report import ContextReport
from ctx_core.summarizing import Summarizing
from ctx_core.usage_log import UsageLog
from langchain_ctx.bills import Bills
from langchain_ctx.conversations import Conversation
from langchain_ctx.convert import CODEC
from langchain_ctx.recipes import RecipeBuilders
from langchain_ctx.state_memory import StateMemory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from langchain_core.language_models import LanguageModelLike

    from ctx_core.context import Context
    from ctx_core.counting.counter import CounterLike
    from ctx_core.history.policy import HistoryPolicy
    from ctx_core.history.state import WindowState
    from ctx_core.history.summary import RollingSummary
    from ctx_core.summarizing import Summarizer
    from langchain_ctx.state_cache import StateStore

OnReport: TypeAlias = Callable[[ContextReport], object]
"""Is given the report of each request, in the thread that the request runs in."""


class FittingOptions(TypedDict, total=False):
    """What can be set beside the budget, wherever requests are fitted."""

    counter: CounterLike | None
    """A counter, a tokenizer, a function from text to tokens, or a model's name; by default that of the budget's
    model or of `model`, else a safe estimate."""
    tools: Iterable[object] | None
    """Tools, functions, pydantic classes or dicts that go with the request; by default those `model` is bound to."""
    model: LanguageModelLike | None
    """The model that the messages go to, bound to its tools or not. It is looked at, not kept."""
    policy: HistoryPolicy | None
    """How the history is cut."""
    on_overflow: OnOverflow
    """What happens when what is protected does not fit: `raise`, the default, or `truncate` it."""
    usage_log: UsageLog | None
    """Records every request, in counts."""
    on_report: OnReport | None
    """Is called with each report, in the thread that the request runs in."""
    states: StateStore | None
    """Where the cuts are remembered, as a JSON dict per conversation; by default in memory, for the 1,024
    conversations used last."""
    summarizer: Summarizer | Summarizing | None
    """Summarises what leaves the window: a function of the summary so far and the messages that leave, sync or
    async, such as a `ChatModelSummarizer`; a `Summarizing` says its window and its patience too."""
    summary: RollingSummary | None
    """Where the summary stands and what it may cost; by default a user message, as agents drop system messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """All by which requests are fitted; one for many conversations, shareable between threads."""

    builder: ContextBuilder | RecipeBuilders
    """Budget, counter, tools and policy, for all requests or from a recipe for each."""
    states: StateMemory
    """Remembers the cut of each conversation."""
    on_overflow: OnOverflow
    """What happens when what is protected does not fit."""
    usage_log: UsageLog | None = None
    """Records every request; None: nothing does."""
    on_report: OnReport | None = None
    """Hears of every request; None: nobody does."""
    summarizing: Summarizing | None = None
    """Has what leaves the window summarised; None: nothing is."""
    bills: Bills | None = None
    """Learns from what was billed; None: nothing does."""

    def fit(
        self, history: Sequence[BaseMessage], message: BaseMessage | None = None, *, conversation: Conversation
    ) -> Context[BaseMessage]:
        """Fit a request, remember its cut, have what it leaves out summarised, and report it.

        Raises:
            ContextOverflowError: if what is protected does not fit.
            MessageError: for a message that cannot be read.
        """
        return self._fitted(_Request(self, history, message, conversation, self._builder(history, message)))

    def _fitted(self, request: _Request) -> Context[BaseMessage]:
        conversation = request.conversation
        first = context = request.cut()
        if self.summarizing is not None and first.unsummarised():
            with self.states.alone(conversation) as alone:
                if alone:
                    context = self.summarizing.run(request.cut, key=self.states.turn(conversation))
                    request.keep(context)
        return self._told(first, context)

    async def afit(
        self, history: Sequence[BaseMessage], message: BaseMessage | None = None, *, conversation: Conversation
    ) -> Context[BaseMessage]:
        """Fit a request without holding up the event loop; as `fit`."""
        source = self.builder
        builder = source if isinstance(source, ContextBuilder) else await source.aof(history, message)
        request = _Request(self, history, message, conversation, builder)
        if self.summarizing is None:
            return await run_in_executor(None, self._fitted, request)
        first = context = await run_in_executor(None, request.cut)
        if first.unsummarised():
            with self.states.alone(conversation) as alone:
                if alone:
                    context = await self.summarizing.arun(request.cut, key=self.states.turn(conversation))
                    await run_in_executor(None, request.keep, context)
        return await run_in_executor(None, self._told, first, context)

    def preview(
        self, history: Sequence[BaseMessage], message: BaseMessage | None = None, *, conversation: Conversation
    ) -> Context[BaseMessage]:
        """Fit a request without remembering, summarising or reporting anything."""
        return _Request(self, history, message, conversation, self._builder(history, message)).build()

    def _builder(self, history: Sequence[BaseMessage], message: BaseMessage | None) -> ContextBuilder:
        return self.builder if isinstance(self.builder, ContextBuilder) else self.builder.of(history, message)

    def _told(self, first: Context[BaseMessage], context: Context[BaseMessage]) -> Context[BaseMessage]:
        """Tell those who want to hear of requests; the cut of one was made when it was built first."""
        if first.report.history.cut and context is not first:
            history = replace(context.report.history, cut=True)
            context = replace(context, report=replace(context.report, history=history))
        if self.usage_log is not None:
            self.usage_log.record(context.report)
        if isinstance(self.builder, RecipeBuilders):
            self.builder.record(context.report)
        if self.on_report is not None:
            self.on_report(context.report)
        return context


@dataclass(frozen=True, slots=True)
class _Request:
    """One request, step by step."""

    fitting: Fitting
    history: Sequence[BaseMessage]
    message: BaseMessage | None
    conversation: Conversation
    builder: ContextBuilder

    def build(self, state: WindowState | None = None) -> Context[BaseMessage]:
        """Build it from a state, or from what is remembered."""
        fitting = self.fitting
        if state is None:
            state = fitting.states.read(self.conversation, self.history)
        return self.builder.build(self.history, self.message, codec=CODEC, state=state, on_overflow=fitting.on_overflow)

    def cut(self, state: WindowState | None = None) -> Context[BaseMessage]:
        """Build it, and remember the cut at once: turns that run while it is summarised begin where it begins."""
        bills = self.fitting.bills
        if bills is not None and state is None:
            bills.learn(self.conversation, self.history)
        context = self.build(state)
        if bills is not None:
            messages = self.history if self.message is None else [*self.history, self.message]
            bills.note(self.conversation, messages, context, self.builder.plan.counter)
        if state is None:
            self.fitting.states.note(self.conversation, self.history, context.state)
        return context

    def keep(self, context: Context[BaseMessage]) -> None:
        """Remember the summary, if one was made."""
        self.fitting.states.add_summary(self.conversation, self.history, context.state)
