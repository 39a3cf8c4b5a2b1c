"""What a memory holds beside its data: a lock, the last report, a log. None of it is copied or stored."""

from __future__ import annotations

import threading
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ctx_core.counting.counter import as_counter

if TYPE_CHECKING:
    from collections.abc import Generator

    from ctx_core import ContextReport, TokenCounter, UsageLog
    from ctx_core.plan import Plan


class Live:
    """The running side of one memory.

    A bare lock among a model's attributes breaks `copy.deepcopy` and is lost on pickling; this holds it,
    and gives every copy of the memory a lock of its own. Equal to any other, so that two memories are
    equal if their data are.
    """

    __slots__ = ("_default", "_summarising", "lock", "plan", "report", "token", "usage_log")

    def __init__(self, usage_log: UsageLog | None = None) -> None:
        """Start without a report."""
        self.lock = threading.RLock()
        self.report: ContextReport | None = None
        self.plan: Plan | None = None
        self.token = uuid.uuid4().hex
        self.usage_log = usage_log
        self._summarising = threading.Lock()
        self._default: tuple[str | None, TokenCounter] | None = None

    def default_counter(self, model: str | None) -> TokenCounter:
        """Give the counter of a model, the same one each time, so that nothing is counted twice."""
        if self._default is None or self._default[0] != model:
            self._default = (model, as_counter(model))
        return self._default[1]

    @contextmanager
    def alone(self) -> Generator[bool]:
        """Say whether a turn is the one that has the conversation summarised, until the summary is remembered."""
        alone = self._summarising.acquire(blocking=False)
        try:
            yield alone
        finally:
            if alone:
                self._summarising.release()

    def note(self, report: ContextReport) -> None:
        """Remember the last report, and tell the log."""
        self.report = report
        if self.usage_log is not None:
            self.usage_log.record(report)

    def __eq__(self, other: object) -> bool:
        """Say that nothing of it makes a difference."""
        return isinstance(other, Live)

    __hash__ = None  # type: ignore[assignment]  # as any object that compares by value and can change

    def __deepcopy__(self, memo: dict[int, object]) -> Live:
        """Give a fresh one that reports to the same log."""
        return Live(self.usage_log)

    def __reduce__(self) -> tuple[object, ...]:
        """Come back as a fresh one."""
        return (Live, ())
