"""What a model's bills say about the estimates for it: learned as a conversation goes on."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Final, Self, TypeAlias, cast

from ctx_core.errors import BudgetError

if TYPE_CHECKING:
    from ctx_core.counting.counter import TokenCounter

_LEAST: Final = 0.5
_MOST: Final = 2.0
"""Ratios of bill to estimate outside are no estimate gone wrong but another request: they are not learned from."""
_ENOUGH: Final = 3
"""Bills after which their highest ratio narrows the bound, and their least excess is taken to be a hidden prompt."""
_KEPT: Final = 0.5
"""Share of a margin that is kept whatever the bills say: the next text may be of another kind."""
_SMALL: Final = 50
"""Requests under this many tokens say little about the ratio: hidden prompts weigh too much in them."""

Pair: TypeAlias = tuple[int, int]
"""The estimate for a request, and its bill."""


class Calibration:
    """Estimates and bills of the last requests, by model.

    With a model's own vocabulary, what all bills are above their estimates is what a host adds unseen, and is added
    again; bills below say nothing of the next request. Without it, their ratio is how much denser the model's tokens
    are, and scales texts, tools and calls.

    Robust: the median ratio counts, and what is out of bounds is left out. Bounded: `size` bills a model and `models`
    models, the longest unused model forgotten first. Threads may share it. Off while `enabled` is False: then nothing
    is learned and counters stay as they are.
    """

    def __init__(self, *, size: int = 32, models: int = 64, enabled: bool = True) -> None:
        """Take the number of bills that are kept for a model, and of models."""
        if size < 1 or models < 1:
            msg = f"a calibration keeps at least one bill of one model, found size={size!r}, models={models!r}"
            raise BudgetError(msg)
        self.enabled = enabled
        self._size = size
        self._models = models
        self._pairs: dict[str, deque[Pair]] = {}
        self._lock = threading.Lock()

    def observe(self, model: str, *, estimate: int, billed: int) -> bool:
        """Learn from a bill, and say whether it was learned from.

        Args:
            model: the model's name, as the counter has it.
            estimate: the nearest figure for the request, in tokens, before any calibration, as `Context.estimate`.
            billed: input tokens of the provider's usage figure, cached ones included.
        """
        if not self.enabled or not _plausible(estimate, billed):
            return False
        with self._lock:
            known = self._pairs.pop(model, None) or deque(maxlen=self._size)
            known.append((estimate, billed))
            self._pairs[model] = known
            while len(self._pairs) > self._models:
                del self._pairs[next(iter(self._pairs))]
        return True

    def ratio(self, model: str) -> float:
        """Give the median of bill ÷ estimate; 1 where nothing is known."""
        return median([billed / estimate for estimate, billed in self._known(model)] or [1.0])

    def offset(self, model: str) -> int:
        """Give the tokens by which every bill is above its estimate; 0 where too little is known to lean on."""
        known = self._known(model)
        return max(0, min(billed - estimate for estimate, billed in known)) if len(known) >= _ENOUGH else 0

    def ceiling(self, model: str) -> float | None:
        """Give the highest bill ÷ estimate; None where too little is known to lean on."""
        known = self._known(model)
        return max(billed / estimate for estimate, billed in known) if len(known) >= _ENOUGH else None

    def applied(self, counter: TokenCounter) -> TokenCounter:
        """Give a counter whose estimate and bound are narrowed by what is known of its model."""
        model, framing, margin = counter.model, counter.framing, counter.margin
        if not self.enabled or model is None or not self._known(model):
            return counter
        if counter.exact:
            return counter.with_framing(replace(framing, per_request=framing.per_request + self.offset(model)))
        ratio, ceiling = self.ratio(model), self.ceiling(model)
        scaled = replace(
            framing,
            per_token=framing.per_token * ratio,
            per_tool_token=framing.per_tool_token * ratio,
            per_call_token=framing.per_call_token * ratio,
        )
        if ceiling is not None and not margin.none:
            spread = ceiling / ratio
            margin = replace(margin, text=_narrowed(margin.text, spread), tools=_narrowed(margin.tools, spread))
        return counter.with_framing(scaled, margin=margin)

    def to_dict(self) -> dict[str, list[list[int]]]:
        """Give what is known, as plain JSON types: for each model its estimates and bills."""
        with self._lock:
            return {model: [list(pair) for pair in known] for model, known in self._pairs.items()}

    @classmethod
    def from_dict(cls, known: object, *, size: int = 32, models: int = 64, enabled: bool = True) -> Self:
        """Make one of what `to_dict` gave; whatever else is in it is left out."""
        made = cls(size=size, models=models, enabled=enabled)
        read: Mapping[str, object] = cast("Mapping[str, object]", known) if isinstance(known, Mapping) else {}
        for model, pairs in list(read.items())[-models:]:
            kept = list(_read(pairs))
            if kept:
                made._pairs[model] = deque(kept, maxlen=size)
        return made

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        """Give itself: copies of what learns learn together."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle what is known, without the lock."""
        return (_restored, (type(self), self.to_dict(), self._size, self._models, self.enabled))

    def _known(self, model: str) -> list[Pair]:
        with self._lock:
            return list(self._pairs.get(model, ()))


def _narrowed(margin: float, spread: float) -> float:
    return min(margin, max(spread, 1 + (margin - 1) * _KEPT))


def _plausible(estimate: int, billed: int) -> bool:
    return estimate >= _SMALL and _LEAST <= billed / estimate <= _MOST


def _read(pairs: object) -> Iterator[Pair]:
    for pair in cast("list[object]", pairs) if isinstance(pairs, list) else ():
        match pair:
            case [int(estimate), int(billed)] if _plausible(estimate, billed):
                yield estimate, billed
            case _:
                continue


def _restored(kind: type[Calibration], known: Mapping[str, object], *bounds: int) -> Calibration:
    size, models, enabled = bounds
    return kind.from_dict(known, size=size, models=models, enabled=bool(enabled))
