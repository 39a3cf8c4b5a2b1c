"""A log of the last requests: how full they were and how often something had to go. Counts only."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ctx_core.errors import BudgetError
from ctx_core.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx_core.report.report import ContextReport


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageEntry:
    """One request."""

    time: datetime
    used: int
    """Tokens of the input."""
    limit: int
    """Tokens that it could have had."""
    trimmed: bool
    """Whether anything did not go out whole."""
    omitted: int
    """Messages of the history that were left out."""
    original: int | None = None
    """Tokens of everything there was; None where they were not counted."""
    layers: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)
    """Tokens of each layer that went out, `framing` being the rest of `used`."""
    label: str = ""
    """What the request was for, such as the phase of a workflow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageStats:
    """All requests that the log remembers."""

    requests: int
    trimmed: int
    """Requests in which something did not go out whole."""
    average_utilization: float
    """Mean of used ÷ limit, from 0 to 1."""


class UsageLog:
    """The last requests, as many as `maxlen`; may be shared by threads, and switched off and on."""

    def __init__(self, maxlen: int = 100, *, enabled: bool = True, clock: Callable[[], datetime] = _now) -> None:
        """Make an empty log.

        Args:
            maxlen: how many requests are remembered.
            enabled: whether it is on; can be set at any time.
            clock: gives the time of a request.

        Raises:
            BudgetError: if `maxlen` is below 1.
        """
        if maxlen < 1:
            msg = f"maxlen must be 1 or more, found {maxlen}"
            raise BudgetError(msg)
        self.enabled = enabled
        self._clock = clock
        self._entries: deque[UsageEntry] = deque(maxlen=maxlen)
        self._lock = Lock()

    def add(self, report: ContextReport, *, label: str | None = None) -> None:
        """Remember a request, if the log is on.

        Args:
            report: what was sent.
            label: what it was for; by default what the report says.
        """
        if not self.enabled:
            return
        entry = UsageEntry(
            time=self._clock(),
            used=report.used,
            limit=report.limit,
            trimmed=report.trimmed,
            omitted=report.history.omitted,
            original=report.original,
            layers={layer.name: layer.used for layer in report.layers},
            label=report.label if label is None else label,
        )
        with self._lock:
            self._entries.append(entry)

    @property
    def entries(self) -> tuple[UsageEntry, ...]:
        """The remembered requests, oldest first."""
        with self._lock:
            return tuple(self._entries)

    def latest(self) -> dict[str, UsageEntry]:
        """Give the last remembered request of each label, those of the labels first seen first."""
        return {entry.label: entry for entry in self.entries}

    def stats(self) -> UsageStats:
        """Sum up the remembered requests."""
        entries = self.entries
        return UsageStats(
            requests=len(entries),
            trimmed=sum(entry.trimmed for entry in entries),
            average_utilization=sum(r.used / r.limit for r in entries) / len(entries) if entries else 0.0,
        )

    def clear(self) -> None:
        """Forget all requests."""
        with self._lock:
            self._entries.clear()

    def __deepcopy__(self, memo: dict[int, Any]) -> UsageLog:
        """Give itself: copies of what reports to a log report to the same one."""
        return self
