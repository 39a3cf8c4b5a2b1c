"""One body, two doors: what happens is written once, as a generator that says where it may have to wait.

    def body() -> Effects[Context]:
        builder = yield Effect(lambda: recipe.builder(question), lambda: recipe.abuilder(question))
        return builder.build(messages)

`run(body())` does each effect at once. `await arun(body())` awaits each effect on the event loop, and runs what stands
between them in a thread, so that neither tokenizing nor a slow store holds up other tasks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import closing
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar, cast

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Effect:
    """Something from outside that a body asks for: done in one way by threads and in another by tasks."""

    run: Callable[[], Any]
    """Does it, and gives what came of it."""
    arun: Callable[[], Awaitable[Any]]
    """Does it without holding up the event loop."""


Effects: TypeAlias = Generator[Effect, Any, ResultT]
"""A body: yields what it may have to wait for, is sent what came of it, and returns its result."""


def run(body: Effects[ResultT]) -> ResultT:
    """Run a body in this thread. What it raises is passed on."""
    value: Any = None
    error: Exception | None = None
    with closing(body):
        while True:
            effect, result = _advanced(body, value, error)
            if effect is None:
                return cast("ResultT", result)
            value = error = None
            try:
                value = effect.run()
            except Exception as raised:  # noqa: BLE001 - the body decides what becomes of it
                error = raised


async def arun(body: Effects[ResultT]) -> ResultT:
    """Run a body in a task. What it raises is passed on; a task that is cancelled leaves nothing claimed behind."""
    value: Any = None
    error: Exception | None = None
    while True:
        effect, result = await _in_thread(body, partial(_advanced, body, value, error))
        if effect is None:
            return cast("ResultT", result)
        value = error = None
        try:
            value = await effect.arun()
        except Exception as raised:  # noqa: BLE001 - the body decides what becomes of it
            error = raised
        except BaseException:  # the task is cancelled
            body.close()
            raise


def _advanced(body: Effects[ResultT], value: object, error: Exception | None) -> tuple[Effect | None, ResultT | None]:
    """Give the next effect, or None and the result."""
    try:
        return (body.send(value) if error is None else body.throw(error)), None
    except StopIteration as end:
        return None, end.value


async def _in_thread(body: Effects[Any], work: Callable[[], tuple[Effect | None, Any]]) -> tuple[Effect | None, Any]:
    """Do something in a thread; if the task is cancelled meanwhile, the body is closed when the thread is done."""
    future = asyncio.get_running_loop().run_in_executor(None, copy_context().run, work)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        future.add_done_callback(partial(_closed, body))
        raise


def _closed(body: Effects[Any], future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()  # nobody is left to hear of it
    body.close()
