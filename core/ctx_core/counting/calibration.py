"""What a model's bills say about the estimates for it: learned as a conversation goes on."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Self, cast

from ctx_core.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx_core.counting.counter import TokenCounter

_LEAST: Final = 0.5
_MOST: Final = 2.0
"""Ratios outside are no estimate gone wrong but another request: they are not learned from."""
_ENOUGH: Final = 3
"""Ratios after which the highest of them narrows the bound."""
_SMALL: Final = 50
"""Requests under this many tokens say little about the ratio: hidden prompts weigh too much in them."""


class Calibration:
    """Ratios of bill to estimate, by model, from the last requests to it.

    Robust: the median counts, and what is out of bounds is left out. Bounded: `size` ratios a model and
    `models` models, the longest unused model forgotten first. Threads may share it. Off while `enabled` is
    False: then nothing is learned and counters stay as they are.
    """

    def __init__(self, *, size: int = 32, models: int = 64, enabled: bool = True) -> None:
        """Take the number of ratios that are kept for a model, and of models."""
        if size < 1 or models < 1:
            msg = f"a calibration keeps at least one ratio of one model, found size={size!r}, models={models!r}"
            raise BudgetError(msg)
        self.enabled = enabled
        self._size = size
        self._models = models
        self._ratios: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def observe(self, model: str, *, estimate: int, billed: int) -> bool:
        """Learn from a bill, and say whether it was learned from.

        Args:
            model: the model's name.
            estimate: the nearest figure for the request, in tokens, before any calibration.
            billed: input tokens of the provider's usage figure, cached ones included.
        """
        if not self.enabled or estimate < _SMALL or not _LEAST <= billed / estimate <= _MOST:
            return False
        with self._lock:
            known = self._ratios.pop(model, None) or deque(maxlen=self._size)
            known.append(billed / estimate)
            self._ratios[model] = known
            while len(self._ratios) > self._models:
                del self._ratios[next(iter(self._ratios))]
        return True

    def ratio(self, model: str) -> float:
        """Give what the nearest figure is to be multiplied by: the median; 1 where nothing is known."""
        known = self._known(model)
        if not known:
            return 1.0
        known.sort()
        return (known[(len(known) - 1) // 2] + known[len(known) // 2]) / 2

    def ceiling(self, model: str) -> float | None:
        """Give the highest ratio that was seen; None where too little is known to lean on."""
        known = self._known(model)
        return max(known) if len(known) >= _ENOUGH else None

    def applied(self, counter: TokenCounter) -> TokenCounter:
        """Give a counter whose estimate and bound are narrowed by what is known of its model."""
        if not self.enabled or counter.model is None:
            return counter
        ratio, ceiling = self.ratio(counter.model), self.ceiling(counter.model)
        framing = replace(
            counter.framing,
            per_token=counter.framing.per_token * ratio,
            per_tool_token=counter.framing.per_tool_token * ratio,
            per_call_token=counter.framing.per_call_token * ratio,
        )
        margin = counter.margin
        if ceiling is not None and not margin.none:
            # Never wider than without it, and never without a reserve of 2 %.
            factor = max(1.02, ceiling / ratio * 1.02)
            margin = replace(margin, text=min(margin.text, factor), tools=min(margin.tools, factor))
        return type(counter)(counter.tokenizer, framing=framing, model=counter.model, margin=margin)

    def to_dict(self) -> dict[str, list[float]]:
        """Give what is known, as plain JSON types."""
        with self._lock:
            return {model: list(known) for model, known in self._ratios.items()}

    @classmethod
    def from_dict(cls, known: Mapping[str, object], *, size: int = 32, models: int = 64, enabled: bool = True) -> Self:
        """Make one of what `to_dict` gave; whatever else is in it is left out."""
        made = cls(size=size, models=models, enabled=enabled)
        for model, ratios in list(known.items())[-models:]:
            if isinstance(ratios, list):
                given = cast("list[object]", ratios)
                kept = [float(r) for r in given if isinstance(r, int | float) and _LEAST <= r <= _MOST]
                if kept:
                    made._ratios[model] = deque(kept, maxlen=size)
        return made

    def _known(self, model: str) -> list[float]:
        with self._lock:
            return list(self._ratios.get(model, ()))
