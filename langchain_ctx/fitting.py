"""One request fitted: the engine's call, what it remembers of the conversation, and who hears about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from ctx_core.builder import ContextBuilder, OnOverflow
from ctx_core.history.state import WindowState
from ctx_core.report import ContextReport
from ctx_core.usage_log import UsageLog
from langchain_ctx.convert import CODEC
from langchain_ctx.state_cache import StateStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from langchain_core.language_models import LanguageModelLike
    from langchain_core.messages import BaseMessage

    from ctx_core.context import Context
    from ctx_core.counting.counter import CounterLike
    from ctx_core.history.policy import HistoryPolicy

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """All by which requests are fitted; one for many conversations, shareable between threads."""

    builder: ContextBuilder
    """Budget, counter, tools and policy."""
    states: StateStore
    """Remembers the cut of each conversation."""
    on_overflow: OnOverflow
    """What happens when what is protected does not fit."""
    usage_log: UsageLog | None = None
    """Records every request; None: nothing does."""
    on_report: OnReport | None = None
    """Hears of every request; None: nobody does."""

    def fit(
        self, history: Sequence[BaseMessage], message: BaseMessage | None = None, *, key: str
    ) -> Context[BaseMessage]:
        """Fit a request, remember its cut under the key of its conversation, and report it.

        Raises:
            ContextOverflowError: if what is protected does not fit.
            MessageError: for a message that cannot be read.
        """
        context = self.preview(history, message, key=key)
        after = context.state.to_dict()
        if after != (self.states.get(key) or WindowState().to_dict()):
            self.states[key] = after
        if self.usage_log is not None:
            self.usage_log.record(context.report)
        if self.on_report is not None:
            self.on_report(context.report)
        return context

    def preview(
        self, history: Sequence[BaseMessage], message: BaseMessage | None = None, *, key: str
    ) -> Context[BaseMessage]:
        """Fit a request without remembering or reporting anything."""
        state = WindowState.from_dict(self.states.get(key) or {})
        return self.builder.build(history, message, codec=CODEC, state=state, on_overflow=self.on_overflow)
