"""What was sent and what was not: every decision of a build, in numbers. Holds no content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerReport:
    """One layer."""

    name: str
    asked: int | None
    """Tokens of everything it had to say. None for a history that was cut: what goes is not counted."""
    budget: int | None
    """Tokens of its part; None if the budget doesn't name it."""
    used: int
    """Tokens that went out."""
    items: int = 0
    """Number of items that went out, where it is made of items."""
    left_out: int = 0
    """Number of items or messages that did not."""
    why: str = ""
    """Why something did not go out whole; empty if all did."""

    @property
    def over(self) -> bool:
        """Whether it used more than its part: a protected layer may."""
        return self.budget is not None and self.used > self.budget


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryReport:
    """What happened to the history."""

    messages: int = 0
    """Messages that went out, instructions in it and the current one included."""
    omitted: int = 0
    """Messages that were left out: older than the window."""
    cut: bool = False
    """Whether something was cut on this turn; if not, the beginning of the prompt is that of the turn before."""
    cleared: int = 0
    """Tool results that a placeholder stands for."""
    shortened: int = 0
    """Tool results of which only head and tail went out."""
    cleared_calls: int = 0
    """Calls with placeholders in their arguments."""
    shortened_calls: int = 0
    """Calls of which only head and tail of the arguments went out."""
    media: int = 0
    """Pictures, recordings and films that words stand for, beside those in cleared results."""
    truncated: int = 0
    """Protected messages whose text was cut, because the caller allowed it."""
    truncated_answers: int = 0
    """Messages of the assistant whose text was cut, because the caller allowed it."""
    repairs: Mapping[str, int] = field(default_factory=dict[str, int])
    """What was broken in the part that was looked at, by kind."""

    @property
    def altered(self) -> int:
        """Number of results, calls, media and answers that did not go out whole, though their messages went."""
        calls = self.cleared_calls + self.shortened_calls
        return self.cleared + self.shortened + calls + self.media + self.truncated_answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One request: who used how much of it, and what was left out."""

    total: int
    """The window, in tokens."""
    reserve: int
    """Tokens kept for the answer."""
    used: int
    """Tokens of the input, counted anew at the end."""
    layers: tuple[LayerReport, ...]
    """In the order in which they are sent; the last, `framing`, is what the request costs beside them. `underestimate`,
    where there is one, is what the model's bills are above what is counted, and `provider` what the request costs more,
    or less, since its provider takes it only so."""
    history: HistoryReport
    counter: str
    """The tokenizer that counted."""
    model: str | None = None
    label: str = ""
    """What the request was for, such as the phase of a workflow."""
    original: int | None = None
    """Tokens of everything there was, had nothing been left out; None unless the builder was told to count it."""
    provider: str | None = None
    """Whose rules the request meets; None where they were not looked at."""
    changes: Mapping[str, int] = field(default_factory=dict[str, int])
    """What was changed so that this provider takes it, by kind, and how often."""
    estimated: bool = False
    """Whether an estimate counted: without the model's own vocabulary, or for a model that nothing names."""

    @property
    def limit(self) -> int:
        """Tokens that the input may have."""
        return self.total - self.reserve

    @property
    def available(self) -> int:
        """Tokens that are left."""
        return self.limit - self.used

    @property
    def utilization(self) -> int:
        """What is used of the limit, in whole percent."""
        return (200 * self.used + self.limit) // (2 * self.limit)

    @property
    def counted_with(self) -> str:
        """What counted, in words."""
        return f"{'estimated' if self.estimated else 'counted'} with {self.counter}"

    @property
    def changed_for(self) -> str:
        """For whom what was changed, in words; empty where nothing was."""
        done = ", ".join(f"{name} ({count})" for name, count in self.changes.items())
        return f"changed for {self.provider}: {done}" if done else ""

    @property
    def trimmed(self) -> bool:
        """Whether anything did not go out whole."""
        return any(layer.why for layer in self.layers)

    def layer(self, name: str) -> LayerReport:
        """Give the row of a layer.

        Raises:
            KeyError: if there is no layer of that name.
        """
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise KeyError(name)

    def with_left_out(self, messages: int, why: str) -> Self:
        """Give the report of a request from which somebody has left out messages before it was built."""

        def told(row: LayerReport) -> LayerReport:
            whys = f"{row.why}; {why}" if row.why else why
            return replace(row, asked=None, left_out=row.left_out + messages, why=whys)

        return replace(self, layers=tuple(told(row) if row.name == "history" else row for row in self.layers))

    def to_dict(self) -> dict[str, Any]:
        """Give all of it as JSON types."""
        return {
            "total": self.total,
            "reserve": self.reserve,
            "limit": self.limit,
            "used": self.used,
            "original": self.original,
            "available": self.available,
            "utilization": self.utilization,
            "trimmed": self.trimmed,
            "model": self.model,
            "label": self.label,
            "counter": self.counter,
            "estimated": self.estimated,
            "provider": self.provider,
            "changes": dict(self.changes),
            "layers": [{**asdict(layer), "over": layer.over} for layer in self.layers],
            "history": {**asdict(self.history), "repairs": dict(self.history.repairs)},
        }
