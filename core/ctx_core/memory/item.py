"""One thing that is remembered, and the text that it becomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from ctx_core.errors import BudgetError

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """A fact, an entry of a file, a turn of a conversation. Its `repr` holds no content."""

    text: str = field(repr=False)
    """What is remembered."""
    importance: float = field(default=0.0, kw_only=True)
    """Higher is more important; compared with the other items only, so any scale will do."""
    time: datetime | None = field(default=None, kw_only=True)
    """When it was said or learned; without a time zone it counts as UTC."""
    tags: tuple[str, ...] = field(default=(), kw_only=True, repr=False)
    """Words by which it can be found besides its own."""
    source: str = field(default="", kw_only=True)
    """Where it comes from: a file, a speaker, a document."""

    timestamp: float | None = field(default=None, init=False, repr=False, compare=False)
    """The time in seconds since 1970."""

    def __post_init__(self) -> None:
        """Refuse an importance that cannot be compared."""
        if self.time is not None:
            aware = self.time if self.time.tzinfo else self.time.replace(tzinfo=UTC)
            object.__setattr__(self, "timestamp", aware.timestamp())
        if self.importance != self.importance:
            msg = "the importance of a memory is NaN; give a number"
            raise BudgetError(msg)

    @property
    def searchable(self) -> str:
        """Everything by which it can be found: source, text, tags, and the day as people write it."""
        day = f"{self.time.day} {_MONTHS[self.time.month - 1]} {self.time.year}" if self.time else ""
        return " ".join(part for part in (self.source, self.text, *self.tags, day) if part)

    def rendered(self, time_format: str = "%Y-%m-%d") -> str:
        """Give the text on one line, with its time and source in brackets before it.

        Args:
            time_format: as for `strftime`; an empty one leaves the time out.
        """
        time = self.time.strftime(time_format) if self.time and time_format else ""
        label = ", ".join(part for part in (time, " ".join(self.source.split())) if part)
        text = " ".join(self.text.split())
        return f"[{label}] {text}" if label else text
