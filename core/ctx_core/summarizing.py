"""Has a model write the rolling summary of what leaves the window: once, piece by piece, never in the way of a turn."""

from __future__ import annotations

import inspect
import logging
import threading
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeAlias, TypeVar, cast

from ctx_core.context import Context
from ctx_core.counting.counter import CounterLike, as_counter
from ctx_core.errors import BudgetError
from ctx_core.history.state import WindowState
from ctx_core.messages import Message, Role
from ctx_core.summary_prompts import pieces
from ctx_core.truncation import cut_end

_LOG: Final = logging.getLogger("ctx_core")
_REMEMBERED: Final = 1_024
"""Conversations whose last failure is remembered."""
_T = TypeVar("_T")

Summarizer: TypeAlias = Callable[[str, Sequence[Message]], str | Awaitable[str]]
"""Gives the new summary from the one so far (empty at first) and the messages that leave. May be a coroutine
function; an object may have both `__call__` and, for the async doors, `acall`."""


Build: TypeAlias = Callable[[WindowState | None], Context[_T]]
Rounds: TypeAlias = Generator[tuple[str, list[Message]], str, str]
"""Asks for the summary of one piece after the other, each with the summary so far; ends with the last."""


class Summarizing:
    """Has a model summarise what a cut leaves out, before the request goes out; shareable between threads and tasks.

    If the model fails or takes too long, the request goes out with the marker instead, and the next turn tries
    again. Of turns of one conversation that run at once, one has it summarised; the others do not wait.
    """

    def __init__(
        self,
        summarizer: Summarizer,
        *,
        window: int = 16_000,
        timeout: float | None = 60.0,
        counter: CounterLike | None = None,
    ) -> None:
        """Take the summariser.

        Args:
            summarizer: gives the new summary from the one so far and the messages that leave.
            window: tokens that the summariser is given at once; more goes to it piece by piece.
            timeout: seconds after which the turn goes on without; None: never.
            counter: counts for the window; by default the safe estimate.

        Raises:
            BudgetError: if the window is below 100 tokens, or the timeout is not above 0.
        """
        if window < 100:  # noqa: PLR2004 - less holds no message and no summary
            msg = f"the summariser's window must be 100 tokens or more, found {window}"
            raise BudgetError(msg)
        if timeout is not None and timeout <= 0:
            msg = f"the timeout must be above 0 seconds, or None, found {timeout}"
            raise BudgetError(msg)
        self._summarizer = summarizer
        self._window = window
        self._timeout = timeout
        self._counter = as_counter(counter)
        self._busy: set[str] = set()
        self._failed: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()

    def run(self, build: Build[_T], *, key: str, keep: Callable[[Context[_T]], object] | None = None) -> Context[_T]:
        """Build a context, with what it leaves out summarised.

        Args:
            build: builds it from a state; from the one that is known for None.
            key: names the conversation.
            keep: is given a context with a new summary before another turn may ask for one: stores its state.
        """
        opened = self._open(build, key)
        rounds = opened.rounds
        if rounds is None:
            return opened.context
        try:
            summary = self._in_time(lambda: _drive(rounds, self._ask))
            return self._close(build, opened.context, summary, keep)
        except Exception as error:  # noqa: BLE001 - whatever stops the summary must not stop the turn
            return self._without(opened.context, error, key)
        finally:
            self._release(key)

    async def arun(
        self, build: Build[_T], *, key: str, keep: Callable[[Context[_T]], object] | None = None
    ) -> Context[_T]:
        """Build a context, with what it leaves out summarised; as `run`."""
        import asyncio

        opened = self._open(build, key)
        rounds = opened.rounds
        if rounds is None:
            return opened.context
        try:
            async with asyncio.timeout(self._timeout):
                summary = await _adrive(rounds, self._aask)
            return self._close(build, opened.context, summary, keep)
        except Exception as error:  # noqa: BLE001 - as above
            return self._without(opened.context, error, key)
        finally:
            self._release(key)

    def _open(self, build: Build[_T], key: str) -> _Opened[_T]:
        """Build the context, and claim its conversation if there is something to summarise."""
        context = build(None)
        if not context.state.unsummarised() or self._failed.get(key) == _turn(context) or not self._claim(key):
            return _Opened(context, None)
        try:
            context = build(None)  # another turn may have had it summarised while this one was on its way
            leaving = context.unsummarised()
        except BaseException:
            self._release(key)
            raise
        if not leaving:
            self._release(key)
            return _Opened(context, None)
        return _Opened(context, self._rounds(context.state.summary, leaving))

    def _close(
        self, build: Build[_T], context: Context[_T], summary: str, keep: Callable[[Context[_T]], object] | None
    ) -> Context[_T]:
        """Build the context with its summary. It was cut on this turn if the one without was."""
        summarised = build(context.state.with_summary(summary))
        history = replace(summarised.report.history, cut=summarised.report.history.cut or context.report.history.cut)
        summarised = replace(summarised, report=replace(summarised.report, history=history))
        if keep is not None:
            keep(summarised)
        return summarised

    def _rounds(self, summary: str, leaving: Sequence[Message]) -> Rounds:
        """Go through what leaves; half of the summariser's window is for it, half for the summary so far."""
        half = self._window // 2
        for piece in pieces(leaving, half, self._counter):
            summary = yield cut_end(summary, half, self._counter), piece
            if not summary.strip():
                msg = "the summariser gave an empty summary"
                raise ValueError(msg)
        return summary

    def _ask(self, summary: str, piece: Sequence[Message]) -> str:
        answer = _asked(self._summarizer, summary, piece)
        if not inspect.isawaitable(answer):
            return _text(answer)
        import asyncio

        awaited = _awaited(cast("Awaitable[str]", answer))
        if not _loop_runs():
            return _text(asyncio.run(awaited))
        return _text(_in_thread(lambda: asyncio.run(awaited), None))

    async def _aask(self, summary: str, piece: Sequence[Message]) -> str:
        ask = getattr(self._summarizer, "acall", None)
        if ask is None and not _is_async(self._summarizer):
            import asyncio

            return await asyncio.to_thread(self._ask, summary, piece)
        answer = _asked(ask or self._summarizer, summary, piece)
        return _text(await _awaited(cast("Awaitable[str]", answer)))

    def _in_time(self, work: Callable[[], str]) -> str:
        return work() if self._timeout is None else _in_thread(work, self._timeout)

    def _claim(self, key: str) -> bool:
        with self._lock:
            free = key not in self._busy
            self._busy.add(key)
            return free

    def _release(self, key: str) -> None:
        with self._lock:
            self._busy.discard(key)

    def _without(self, context: Context[_T], error: Exception, key: str) -> Context[_T]:
        """Go on without a summary; the same turn does not try again, however often it builds."""
        with self._lock:
            self._failed.pop(key, None)
            self._failed[key] = _turn(context)
            if len(self._failed) > _REMEMBERED:
                self._failed.pop(next(iter(self._failed)))
        count = len(context.state.unsummarised())
        _LOG.warning("no summary this time (%s): %d messages wait for the next turn", type(error).__name__, count)
        return context

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the lock and without what runs."""
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_busy", "_failed")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Unpickle with a lock of its own."""
        vars(self).update(state, _lock=threading.Lock(), _busy=set[str](), _failed=dict[str, tuple[int, int]]())


@dataclass(frozen=True, slots=True)
class _Opened(Generic[_T]):
    """A context, and the rounds of its summary where this turn is the one to have it written."""

    context: Context[_T]
    rounds: Rounds | None


def as_summarizing(summarizer: Summarizer | Summarizing | None) -> Summarizing | None:
    """Give what runs a summariser; None for none.

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
    return Summarizing(summarizer)


def _turn(context: Context[Any]) -> tuple[int, int]:
    """Give what tells one turn of a conversation from another: where its window begins, and its question."""
    transcript = context.transcript
    asked = (at for at in range(len(transcript) - 1, -1, -1) if transcript.role(at) is Role.USER)
    return context.state.start, next(asked, -1)


def _drive(rounds: Rounds, ask: Callable[[str, Sequence[Message]], str]) -> str:
    try:
        question = next(rounds)
        while True:
            question = rounds.send(ask(*question))
    except StopIteration as done:
        return cast("str", done.value)


async def _adrive(rounds: Rounds, ask: Callable[[str, Sequence[Message]], Awaitable[str]]) -> str:
    try:
        question = next(rounds)
        while True:
            question = rounds.send(await ask(*question))
    except StopIteration as done:
        return cast("str", done.value)


def _asked(summarizer: Callable[..., object], summary: str, piece: Sequence[Message]) -> object:
    try:
        return summarizer(summary, piece)
    except StopIteration as error:  # which would end the rounds as if all were summarised
        msg = "the summariser has run out of answers"
        raise RuntimeError(msg) from error


def _in_thread(work: Callable[[], str], timeout: float | None) -> str:
    """Do something in a thread, with the context variables of this one: traces and callbacks live in them."""
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(1, thread_name_prefix="ctx-layers summary")
    try:
        return pool.submit(copy_context().run, work).result(timeout)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # a model that answers too late answers nobody


def _loop_runs() -> bool:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _awaited(answer: Awaitable[str]) -> str:
    return await answer


def _is_async(summarizer: Summarizer) -> bool:
    return inspect.iscoroutinefunction(summarizer) or inspect.iscoroutinefunction(getattr(summarizer, "__call__", None))  # noqa: B004


def _text(answer: object) -> str:
    if isinstance(answer, str):
        return answer
    msg = f"the summariser gave {type(answer).__name__} instead of a text"
    raise TypeError(msg)
