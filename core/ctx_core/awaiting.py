"""What users' functions give, be they sync or async, to callers that are sync."""

from __future__ import annotations

import inspect
from contextvars import copy_context
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
    return in_thread(lambda: asyncio.run(awaited), None)


def in_thread(work: Callable[[], ResultT], timeout: float | None) -> ResultT:
    """Do something in a thread, with the context variables of this one: traces and callbacks live in them.

    Raises:
        TimeoutError: after so many seconds; None: never.
    """
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(1, thread_name_prefix="ctx-layers")
    try:
        return pool.submit(copy_context().run, work).result(timeout)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # what comes too late comes to nobody


async def _awaited(answer: Awaitable[ResultT]) -> ResultT:
    return await answer
