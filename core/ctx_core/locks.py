"""A lock that copies, pickles and forked processes have anew: what it guards is theirs alone."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Final, Protocol, Self
from weakref import WeakSet

if TYPE_CHECKING:
    from types import TracebackType


class Lock:
    """`threading.Lock` as a context manager.

    A plain one breaks `copy.deepcopy` and pickling of what holds it, and stays locked for ever in a process that was
    forked while another thread had it.
    """

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        """Begin free."""
        self._lock = threading.Lock()
        renew_after_fork(self)

    def renew(self) -> None:
        """Begin free once more, in a process where nobody is left to release it."""
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        """Take it."""
        self._lock.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Give it back."""
        self._lock.release()

    def __reduce__(self) -> tuple[type[Lock], tuple[()]]:
        """Copy and pickle as a free one."""
        return (Lock, ())


class Renewable(Protocol):
    """What must begin anew in a forked process."""

    def renew(self) -> None:
        """Begin anew."""
        ...


_RENEWED: Final[WeakSet[Renewable]] = WeakSet()


def renew_after_fork(one: Renewable) -> None:
    """Have something begin anew in every process that is forked from this one."""
    _RENEWED.add(one)


def _renew_all() -> None:
    for one in list(_RENEWED):
        one.renew()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_renew_all)
