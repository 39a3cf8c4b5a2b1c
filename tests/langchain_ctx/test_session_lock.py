"""The lock that threads and tasks share."""

from __future__ import annotations

import asyncio
import copy
import gc
import pickle
import threading

import pytest

from langchain_ctx.session_lock import SessionLock, SessionLocks


def test_one_thread_at_a_time() -> None:
    """No two threads are inside at once, and all get in."""
    lock, inside, most = SessionLock(), 0, 0

    def enter() -> None:
        nonlocal inside, most
        for _ in range(50):
            with lock.hold():
                inside += 1
                most = max(most, inside)
                threading.Event().wait(0.0001)
                inside -= 1

    threads = [threading.Thread(target=enter) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (inside, most) == (0, 1)


async def test_one_task_at_a_time_in_order() -> None:
    """Tasks get in one by one, in the order in which they came."""
    lock, order = SessionLock(), list[str]()

    async def enter(name: int) -> None:
        async with lock.ahold():
            order.append(f"in {name}")
            await asyncio.sleep(0)
            order.append(f"out {name}")

    await asyncio.gather(*(enter(name) for name in range(5)))
    assert order == [f"{way} {name}" for name in range(5) for way in ("in", "out")]


def test_threads_and_event_loops_together() -> None:
    """Threads and the tasks of several loops exclude each other."""
    lock, inside, most = SessionLock(), 0, 0

    def thread() -> None:
        nonlocal inside, most
        for _ in range(50):
            with lock.hold():
                inside += 1
                most = max(most, inside)
                threading.Event().wait(0.0001)
                inside -= 1

    async def task() -> None:
        nonlocal inside, most
        for _ in range(50):
            async with lock.ahold():
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0.0001)
                inside -= 1

    async def tasks() -> None:
        await asyncio.gather(task(), task())

    threads = [threading.Thread(target=thread), threading.Thread(target=thread)]
    threads += [threading.Thread(target=asyncio.run, args=(tasks(),)) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (inside, most) == (0, 1)


async def test_a_cancelled_task_lets_the_next_in() -> None:
    """A task that is cancelled while it waits, or just as its turn comes, does not keep the lock."""
    lock = SessionLock()

    async def enter() -> str:
        async with lock.ahold():
            return "in"

    async with lock.ahold():
        early, late, last = (asyncio.create_task(enter()) for _ in range(3))
        await asyncio.sleep(0)
        early.cancel()
        await asyncio.sleep(0)
    late.cancel()  # the lock has just been given to it
    assert await last == "in"
    with pytest.raises(asyncio.CancelledError):
        await early
    with pytest.raises(asyncio.CancelledError):
        await late
    async with lock.ahold():
        pass


async def test_a_call_on_the_loop_itself_never_waits() -> None:
    """A synchronous call on a loop's thread goes ahead: waiting would stop the task that it waits for."""
    lock = SessionLock()
    async with lock.ahold():
        with lock.hold():
            pass
        waiting = asyncio.create_task(lock.ahold().__aenter__())
        await asyncio.sleep(0)
        assert not waiting.done()
    await waiting


def test_an_error_inside_frees_it() -> None:
    """Whatever happens inside, the next one gets in."""
    lock = SessionLock()
    with pytest.raises(ZeroDivisionError), lock.hold():
        _ = 1 / 0
    with lock.hold():
        pass


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda lock: pickle.loads(pickle.dumps(lock))])  # noqa: S301 - our own bytes
def test_copies_are_free(copied: type[SessionLock]) -> None:
    """A copy that was made while the lock was held is not held."""
    lock, entered = SessionLock(), False
    with lock.hold(), copied(lock).hold():  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue] - a function
        entered = True
    assert entered


def test_a_session_has_one_lock_while_anyone_keeps_it() -> None:
    """All who ask get the same lock; when nobody has it any more it is gone."""
    locks = SessionLocks()
    kept = locks.of("s")
    assert locks.of("s") is kept
    assert locks.of("t") is not kept
    del kept
    gc.collect()
    assert len(locks) == 0
