"""Has a model write the rolling summary of what leaves the window: once, piece by piece, never in the way of a turn."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from weakref import WeakValueDictionary

from ctx_core.awaiting import called, called_here, in_thread, is_async
from ctx_core.clean import told
from ctx_core.conversation.messages import Message, Role
from ctx_core.counting.counter import CounterLike, as_counter
from ctx_core.effects import Effect, Effects, arun, run
from ctx_core.errors import BudgetError
from ctx_core.session.summarizers import FEWEST_TOKENS, Summarizer, as_failures, text_of, told_window
from ctx_core.session.summary_prompts import next_piece
from ctx_core.sizes import is_count
from ctx_core.truncation import cut_end

if TYPE_CHECKING:
    import asyncio

    from ctx_core.engine.context import Context

Progress: TypeAlias = Callable[[str, int], object]
"""Is told of a summary that is not finished, and of how many of the messages that leave are in it."""

_WINDOW: Final = 64_000
"""Tokens that a summarizer is given at once, at least, where neither it nor the caller says: half of what small models
take today. If the context's own window is larger, that: five turns of most of it are a few pieces at most."""


class Summarizing:
    """How a model summarizes what a cut leaves out: piece by piece, within its window and a time.

    Shareable between threads and tasks. When it is asked, and what becomes of its answer or its failure, is the
    session's business: a `ContextSession` or a face takes one as its `summarizer`.
    """

    def __init__(
        self,
        summarizer: Summarizer,
        *,
        window: int | None = None,
        timeout: float | None = 60.0,
        every: int = 5,
        counter: CounterLike | None = None,
        max_hanging: int = 4,
        background: bool = False,
    ) -> None:
        """Take the summarizer.

        Args:
            summarizer: gives the new summary from the one so far and the messages that leave.
            window: tokens that the summarizer is given at once, the summary so far included; more goes to it piece by
                piece. By default what the summarizer says of itself in an attribute `window`, which those with a
                model of a known window do, else 64,000, or the window of the context if that is larger.
            timeout: seconds after which the turn goes on without; None: never.
            every: a summary is written when so many answers of the model, at least, have come since the last one:
                where turns are large, each of them makes a cut, and what leaves waits behind the marker until then.
            counter: counts for the window; by default the safe estimate.
            max_hanging: calls that may still be running after their time, each in a thread of its own, one for each
                conversation; with more of them nothing is asked, and turns go out with the marker.
            background: whether a turn goes out at once, with the marker, and the summary is written beside it, for a
                later turn. It needs a session that keeps its states.

        Raises:
            BudgetError: if the window is below 100 tokens, the timeout is not above 0, `every` is below 1, or no call
                may hang.
        """
        window = told_window(summarizer) if window is None else window
        if window is not None and not (is_count(window) and window >= FEWEST_TOKENS):
            msg = f"the summarizer's window must be {FEWEST_TOKENS} tokens or more, found {told(window)}"
            raise BudgetError(msg)
        if not (is_count(every) and every):
            msg = f"every must be 1 or more answers, found {told(every)}"
            raise BudgetError(msg)
        if timeout is not None and not (_is_number(timeout) and timeout > 0):
            msg = f"the timeout must be above 0 seconds, or None, found {told(timeout)}"
            raise BudgetError(msg)
        if not (is_count(max_hanging) and max_hanging):
            msg = f"max_hanging must be 1 or more calls, found {told(max_hanging)}"
            raise BudgetError(msg)
        self.background = background
        self._max_hanging = max_hanging
        self._running: dict[object, str] = {}
        self._summarizer = summarizer
        self._window = window
        self._timeout = timeout
        self._every = every
        self._counter = as_counter(counter)

    def is_due(self, context: Context[Any]) -> bool:
        """Whether a summary is to be written now of what a context leaves out."""
        if not context.state.unsummarized():
            return False
        transcript, written = context.transcript, context.state.summary_at
        if written is None or written > len(transcript):
            return True
        new = Counter[Role]()
        for at in range(written, len(transcript)):
            new[transcript.role(at)] += 1
            # Answers, or messages of users where nobody answers.
            if max(new[Role.ASSISTANT], new[Role.USER]) >= self._every:
                return True
        return False

    def is_running(self, conversation: str) -> bool:
        """Whether a call for this conversation runs, or hangs."""
        return conversation in tuple(self._running.values())

    def write(self, context: Context[Any], progress: Progress | None = None, *, conversation: str = "") -> str:
        """Give the summary of what a context leaves out, which goes on from the one it has.

        Args:
            context: what leaves, and the summary so far.
            progress: is told of the summary after each piece but the last, and of how many messages are in it, so that
                a failure loses nothing. After a timeout nothing more is asked, and nothing told.
            conversation: whose turn it is: while a call for it hangs, no other is made.

        Raises:
            TimeoutError: if it takes too long, or calls hang.
            ValueError: if the summarizer gives an empty one.
            Exception: whatever the summarizer raises.
        """
        stopped, begun = threading.Event(), self._begin(conversation)
        rounds = self._rounds(context, progress, stopped, conversation)
        if self._timeout is None:
            try:
                return run(rounds)
            finally:
                self._running.pop(begun, None)
        working = in_thread(lambda: run(rounds))
        working.add_done_callback(lambda _: self._running.pop(begun, None))
        try:
            return working.result(self._timeout)
        finally:
            stopped.set()

    async def awrite(self, context: Context[Any], progress: Progress | None = None, *, conversation: str = "") -> str:
        """Give the summary of what a context leaves out; as `write`."""
        import asyncio

        stopped, begun = threading.Event(), self._begin(conversation)
        working = asyncio.ensure_future(arun(self._rounds(context, progress, stopped, conversation)))
        working.add_done_callback(lambda _: self._running.pop(begun, None))
        try:
            # Not `asyncio.timeout`: who catches its cancellation, or is in a thread, would hold the turn.
            done, _ = await asyncio.wait((working,), timeout=self._timeout)
        finally:
            stopped.set()
            if not working.done():
                working.cancel()
                working.add_done_callback(_ignored)
        if not done:
            raise TimeoutError
        return working.result()

    def _begin(self, conversation: str) -> object:
        """Take one of the places of those that may run, and hang, at once.

        Raises:
            TimeoutError: if all are taken, or one by this conversation.
        """
        begun = object()
        self._running[begun] = conversation
        others = [name for other, name in tuple(self._running.items()) if other is not begun]
        if len(others) >= self._max_hanging or conversation in others:
            del self._running[begun]
            msg = f"{len(others)} calls of the summarizer are still running"
            raise TimeoutError(msg)
        return begun

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle without what runs."""
        return {**vars(self), "_running": {}}

    def _rounds(
        self,
        context: Context[Any],
        progress: Progress | None,
        stopped: threading.Event,
        conversation: str,
    ) -> Effects[str]:
        """Go through what leaves; at most half of the summarizer's window is for the summary so far."""
        summary, leaving, given = context.state.summary, context.unsummarized(), 0
        window = self._window or max(_WINDOW, context.report.total)
        while given < len(leaving):
            so_far = cut_end(summary, window // 2, self._counter)
            room = window - self._counter.count_text(so_far)
            piece = next_piece(leaving[given:], room, self._counter)
            given += len(piece)
            late = partial(_tell, progress, given)
            summary = yield Effect(
                partial(self._ask, so_far, piece), partial(self._aask, so_far, piece, conversation, late)
            )
            if given < len(leaving) or stopped.is_set():
                _tell(progress, given, summary)
            if stopped.is_set():
                msg = "the turn has gone on without"
                raise TimeoutError(msg)
        return summary

    def _ask(self, summary: str, piece: Sequence[Message]) -> str:
        with as_failures():
            return text_of(called_here(self._summarizer, summary, piece))

    async def _aask(
        self, summary: str, piece: Sequence[Message], conversation: str, late: Callable[[str], None]
    ) -> str:
        import asyncio

        ask = getattr(self._summarizer, "acall", self._summarizer)
        if is_async(ask):
            with as_failures():
                return text_of(await called(ask, summary, piece))
        # Never in the loop's own pool: a few that hang would stop all else that runs there.
        call = in_thread(partial(self._ask, summary, piece))
        try:
            return await asyncio.wrap_future(call)
        finally:
            if not call.done():
                self._running[call] = conversation
                # First it is kept, then another turn may ask: it would be given the same messages once more.
                call.add_done_callback(lambda ended: None if ended.exception() else late(ended.result()))
                call.add_done_callback(lambda ended: self._running.pop(ended, None))


def as_summarizing(summarizer: Summarizer | Summarizing | None) -> Summarizing | None:
    """Give what runs a summarizer; None for none.

    Raises:
        BudgetError: for what cannot be called.
    """
    if summarizer is None or isinstance(summarizer, Summarizing):
        return summarizer
    if not callable(summarizer):
        msg = (
            "summarizer must be a function of the summary so far and the messages that leave, or a Summarizing, "
            f"found {type(summarizer).__name__}: a model goes into langchain_ctx.ChatModelSummarizer or "
            "llamaindex_ctx.LLMSummarizer"
        )
        raise BudgetError(msg)
    # One for each function, as long as it is in use or hangs: where a surface is made anew for each request, a function
    # that hangs costs one thread all the same.
    summarizing = _IN_USE.get(id(summarizer))
    if summarizing is None:
        summarizing = _IN_USE[id(summarizer)] = Summarizing(summarizer)
    return summarizing


_IN_USE: Final[WeakValueDictionary[int, Summarizing]] = WeakValueDictionary()
"""By the identity of the function, which each of them holds."""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _ignored(task: asyncio.Future[Any]) -> None:
    """Look at what a task ended with that nobody waits for any more, or it is called a failure nobody has seen."""
    if not task.cancelled():
        task.exception()


def _tell(progress: Progress | None, given: int, summary: str) -> None:
    if progress is not None:
        progress(summary, given)
