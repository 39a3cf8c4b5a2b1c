"""One body, two doors: what happens is written once, as a generator that says where it may have to wait.

    def body() -> Steps[Context]:
        builder = yield Step(lambda: recipe.builder(question), lambda: recipe.abuilder(question))
        return builder.build(messages)

`run(body())` does each step at once. `await arun(body())` awaits each step on the event loop, and runs what stands
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
class Step:
    """Something that is done in one way by threads and in another by tasks."""

    run: Callable[[], Any]
    """Does it, and gives what came of it."""
    arun: Callable[[], Awaitable[Any]]
    """Does it without holding up the event loop."""


Steps: TypeAlias = Generator[Step, Any, ResultT]
"""A body: yields what it may have to wait for, is sent what came of it, and returns its result."""


def run(steps: Steps[ResultT]) -> ResultT:
    """Run a body in this thread. What it raises is passed on."""
    value: Any = None
    error: Exception | None = None
    with closing(steps):
        while True:
            step, result = _advanced(steps, value, error)
            if step is None:
                return cast("ResultT", result)
            value = error = None
            try:
                value = step.run()
            except Exception as raised:  # noqa: BLE001 - the body decides what becomes of it
                error = raised


async def arun(steps: Steps[ResultT]) -> ResultT:
    """Run a body in a task. What it raises is passed on; a task that is cancelled leaves nothing claimed behind."""
    value: Any = None
    error: Exception | None = None
    while True:
        step, result = await _in_thread(steps, partial(_advanced, steps, value, error))
        if step is None:
            return cast("ResultT", result)
        value = error = None
        try:
            value = await step.arun()
        except Exception as raised:  # noqa: BLE001 - the body decides what becomes of it
            error = raised
        except BaseException:  # the task is cancelled
            steps.close()
            raise


def _advanced(steps: Steps[ResultT], value: object, error: Exception | None) -> tuple[Step | None, ResultT | None]:
    """Give the next step, or None and the result."""
    try:
        return (steps.send(value) if error is None else steps.throw(error)), None
    except StopIteration as end:
        return None, end.value


async def _in_thread(steps: Steps[Any], work: Callable[[], tuple[Step | None, Any]]) -> tuple[Step | None, Any]:
    """Do something in a thread; if the task is cancelled meanwhile, the body is closed when the thread is done."""
    future = asyncio.get_running_loop().run_in_executor(None, copy_context().run, work)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        future.add_done_callback(partial(_closed, steps))
        raise


def _closed(steps: Steps[Any], future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()  # nobody is left to hear of it
    steps.close()
