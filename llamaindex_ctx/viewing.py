"""One look at a memory: the view, the summary that may have to be made for it, and what is remembered of both."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from llamaindex_ctx.record import copied

if TYPE_CHECKING:
    from collections.abc import Callable

    from llama_index.core.base.llms.types import ChatMessage

    from ctx_core import Context, WindowState
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
        return copied(self._view.messages)
