"""What users' functions give, be they sync or async, to callers that are sync."""

from __future__ import annotations

import inspect
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

ResultT = TypeVar("ResultT")


def awaited_here(answer: object) -> Any:  # noqa: ANN401 - what the function gives
    """Give what a function gave, or what the coroutine that it gave ends with.

    Where an event loop runs in this thread, the coroutine runs on one of its own, in another thread.
    """
    if not inspect.isawaitable(answer):
        return answer
    import asyncio

    awaited = _awaited(cast("Awaitable[object]", answer))
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(awaited)
    return in_thread(lambda: asyncio.run(awaited)).result()


def is_async(function: object) -> bool:
    """Whether a function, or an object that is called, is a coroutine function."""
    call = getattr(function, "__call__", None)  # noqa: B004 - it is looked at, not asked for
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


async def called(function: Callable[..., object], *arguments: object) -> Any:  # noqa: ANN401 - what the function gives
    """Call a user's function on an event loop: a coroutine function there, any other in a thread.

    Raises:
        RuntimeError: if it ran out of answers, or was cancelled though this task was not.
        Exception: whatever else it raises.
    """
    import asyncio

    task = asyncio.current_task()
    before = 0 if task is None else task.cancelling()
    try:
        answer = (
            function(*arguments) if is_async(function) else await asyncio.to_thread(_without_stop, function, *arguments)
        )
        return await answer if inspect.isawaitable(answer) else answer
    except asyncio.CancelledError:
        # A cancellation that was caught earlier is still counted.
        if task is None or task.cancelling() > before:
            raise
    # Outside of the handler, as whoever stopped it may have said why with somebody's words.
    msg = f"{_name(function)} was cancelled"
    raise RuntimeError(msg)


def called_here(function: Callable[..., object], *arguments: object) -> Any:  # noqa: ANN401 - what the function gives
    """Call a user's function, and where it gives a coroutine, run that to its end; raises as `called` does."""
    import asyncio

    try:
        return awaited_here(_without_stop(function, *arguments))
    except asyncio.CancelledError:
        msg = f"{_name(function)} was cancelled"
    raise RuntimeError(msg)


def _without_stop(function: Callable[..., object], *arguments: object) -> object:
    """Call a function whose `StopIteration` would be taken for the end of something else, or for no answer at all."""
    try:
        return function(*arguments)
    except StopIteration:
        msg = f"{_name(function)} has run out of answers"
    raise RuntimeError(msg)


def _name(function: object) -> str:
    return getattr(function, "__qualname__", type(function).__name__)


def in_thread(work: Callable[[], ResultT]) -> Future[ResultT]:
    """Do something in a thread of its own, with the context variables of this one: traces and callbacks live in them.

    The thread is a daemon: if it hangs, the process can end all the same, and no pool of others' is a thread short.
    """
    future: Future[ResultT] = Future()
    variables = copy_context()

    def worked() -> None:
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(variables.run(work))
            except BaseException as error:  # noqa: BLE001 - it is raised where the result is asked for
                future.set_exception(error)

    Thread(target=worked, name="ctx-layers", daemon=True).start()
    return future


async def _awaited(answer: Awaitable[ResultT]) -> ResultT:
    return await answer
