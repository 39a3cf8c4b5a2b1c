"""One at a time, whether they are threads or tasks."""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from ctx_core.locks import Lock, renew_after_fork

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator


class SessionLock:
    """Lets one thread or task at a time at the store of a session, in the order in which they came.

    A store may be used by threads and by several event loops at once. `threading.Lock` would stop a loop
    with the task that is to release it, and `asyncio.Lock` belongs to one loop.
    """

    __slots__ = ("__weakref__", "_guard", "_held", "_waiting")

    def __init__(self) -> None:
        """Begin free."""
        self.renew()
        renew_after_fork(self)

    def renew(self) -> None:
        """Begin free once more, in a process where nobody is left to release it."""
        self._guard = Lock()
        self._held = False
        self._waiting: deque[Future[None]] = deque()

    @contextmanager
    def hold(self) -> Generator[None]:
        """Hold it in a thread.

        On an event loop's own thread this never waits: what it would wait for may be a task of that very
        loop. If the lock is held, such a call goes ahead beside its holder.
        """
        waiter = self._enter()
        if waiter is not None and _on_event_loop():
            self._give_up(waiter)
            yield
            return
        if waiter is not None:
            try:
                waiter.result()
            except BaseException:  # KeyboardInterrupt, while waiting
                self._give_up(waiter)
                raise
        try:
            yield
        finally:
            self._leave()

    @asynccontextmanager
    async def ahold(self) -> AsyncGenerator[None]:
        """Hold it in a task."""
        waiter = self._enter()
        if waiter is not None:
            try:
                await asyncio.wrap_future(waiter)
            except BaseException:  # the task is cancelled, while waiting
                self._give_up(waiter)
                raise
        try:
            yield
        finally:
            self._leave()

    def __reduce__(self) -> tuple[type[SessionLock], tuple[()]]:
        """Copy and pickle as a free one."""
        return (SessionLock, ())

    def _enter(self) -> Future[None] | None:
        """Take the lock and give None, or give what is done when it is ours."""
        with self._guard:
            if not self._held:
                self._held = True
                return None
            waiter: Future[None] = Future()
            self._waiting.append(waiter)
            return waiter

    def _give_up(self, waiter: Future[None]) -> None:
        """Leave the queue; a lock that was given in this moment passes to the next."""
        if not waiter.cancel():
            self._leave()

    def _leave(self) -> None:
        with self._guard:
            while self._waiting:
                waiter = self._waiting.popleft()
                if waiter.set_running_or_notify_cancel():
                    break
            else:
                self._held = False
                return
        waiter.set_result(None)


class SessionLocks:
    """The lock of each session, for as long as somebody has it."""

    def __init__(self) -> None:
        """Begin with none."""
        self._guard = Lock()
        self._locks: WeakValueDictionary[str, SessionLock] = WeakValueDictionary()

    def of(self, session: str) -> SessionLock:
        """Give the lock of a session: the same one to all who ask while anyone keeps it."""
        with self._guard:
            lock = self._locks.get(session)
            if lock is None:
                self._locks[session] = lock = SessionLock()
            return lock

    def __len__(self) -> int:
        """Count the locks that somebody has."""
        return len(self._locks)


def _on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
