"""One look at a memory: the view, the summary that may have to be made for it, and what is remembered of both."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ctx_core import BudgetError
from llamaindex_ctx.recipes import beside
from llamaindex_ctx.record import copied
from llamaindex_ctx.summaries import DEFAULT
from llamaindex_ctx.view import Viewer

if TYPE_CHECKING:
    from collections.abc import Callable

    from llama_index.core.base.llms.types import ChatMessage

    from ctx_core import Context, ContextBuilder, TokenCounter, WindowState
    from llamaindex_ctx.live import Live
    from llamaindex_ctx.record import MemoryRecord
    from llamaindex_ctx.view import View


class Viewing:
    """One look at a memory, with what is remembered kept up to date."""

    def __init__(self, memory: MemoryRecord, live: Live, view: Callable[[WindowState], View]) -> None:
        """Look once.

        Args:
            memory: whose state it is.
            live: the memory's lock and what hears of views.
            view: gives the view for a state.
        """
        self._memory = memory
        self._live = live
        self._look = view
        self._cut = self.look().report.history.cut

    @property
    def unsummarised(self) -> bool:
        """Whether something is left out of which no summary speaks."""
        return bool(self._view.context.unsummarised())

    def look(self, state: WindowState | None = None) -> Context[ChatMessage]:
        """Look with a state; or with the memory's, which then remembers the cut for turns that run meanwhile."""
        if state is not None:
            self._view = self._look(state)
        else:
            memory = self._memory
            with self._live.lock:
                self._view = self._look(memory.state)
                memory.state = self._view.context.state
        return self._view.context

    def keep(self) -> None:
        """Remember the summary, if one was made and the memory still has the cut that it belongs to."""
        memory = self._memory
        with self._live.lock:
            memory.state = memory.state.with_newer_summary(self._view.context.state)

    def finished(self) -> list[ChatMessage]:
        """Tell who hears of views, and give the messages, free to be changed."""
        report = self._view.report
        if self._cut:  # when it was looked at first
            report = replace(report, history=replace(report.history, cut=True))
        with self._live.lock:
            self._live.note(report)
        if self._memory.recipe is not None:
            self._memory.recipe.record(report)
        return copied(self._view.messages)


def viewer_of(memory: MemoryRecord, counter: TokenCounter, declared: ContextBuilder | None, taken: int) -> Viewer:
    """Give the settings of a view.

    Args:
        memory: whose view it is.
        counter: what counts, if no recipe says otherwise.
        declared: the builder of its recipe, if it has one.
        taken: tokens that the engine sends beside the conversation, as it told.

    Raises:
        BudgetError: if they are no number of tokens.
    """
    if not isinstance(taken, int) or taken < 0:
        msg = f"initial_token_count must be a whole number from 0 up, found {taken!r}"
        raise BudgetError(msg)
    summary = memory.summary or (None if memory.summarizer is None else DEFAULT)
    plain = Viewer(
        budget=memory.budget,
        counter=counter,
        policy=memory.policy,
        tools=memory.tools,
        on_overflow=memory.on_overflow,
        summary=summary,
    )
    if declared is None or memory.recipe is None:
        return plain
    plan = declared.plan
    summary = summary if plan.rolling is None else memory.summary
    return replace(
        plain,
        budget=plan.budget,
        counter=plan.counter,
        on_overflow=memory.recipe.on_overflow,
        declared=beside(declared, taken, summary=summary, role=memory.recipe_role),
        front=memory.recipe_role,
    )
