"""What a model's bills say about the counts for it: learned as a conversation goes on."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self, TypeAlias, cast

from ctx_core.counting.counts import TokenCount
from ctx_core.errors import BudgetError

if TYPE_CHECKING:
    from ctx_core.counting.counter import TokenCounter

_FARTHEST: Final = 2
"""A bill so many times the estimate, or so small a part of it, is another request's: it is not learned from."""
_ENOUGH: Final = 3
"""Bills after which they are leant on."""
_RESERVE: Final = 1.05
"""What a narrowed bound keeps over the highest bill."""
_KEPT: Final = 0.5
"""Share of a margin that is kept whatever the bills say: the next text may be of another kind."""
_SMALL: Final = 50
"""Requests under this many tokens say little: hidden prompts weigh too much in them."""

Pair: TypeAlias = tuple[int, int]
"""The estimate for a request, and its bill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excess:
    """By how much bills are above the bound of their requests. There is none until bills show one."""

    offset: int = 0
    """Tokens that a host adds unseen to every request."""
    factor: float = 1.0
    """Tokens that are billed for one of the bound's."""

    def of(self, tokens: int) -> int:
        """Give the tokens by which the bill of a request is above so many."""
        return self.offset + math.ceil(tokens * (self.factor - 1))

    def room(self, limit: int) -> int:
        """Give the most tokens that a request may count, so that its bill is within a limit."""
        room = max(0, int((limit - self.offset) / self.factor))
        return room - 1 if room and room + self.of(room) > limit else room


class Calibration:
    """Estimates and bills of the last requests, by model.

    With a model's own vocabulary, what all bills are above their estimates is what a host adds unseen. Without it, the
    ratio of bill and estimate is how much denser the model's tokens are.

    `measure` gives figures by it, narrower as bills agree. Builds are only made stricter by it, where bills are above
    the bound, and never wider: what they count, and so where they cut, is the same with it and without.

    Robust: three bills in four have to agree, single ones that stand out move nothing but the bound of `measure`, and
    what is out of bounds is left out. Bounded: `size` bills a model and `models` models, the longest unused model
    forgotten first. Threads may share it. Off while `enabled` is False: then nothing is learned and counts stay as
    they are.
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
        """Give the ratio of bill to estimate that three bills in four reach or exceed, to whichever side of 1.

        1 where they are on both sides of it, or where too little is known to lean on.
        """
        return _agreed(self._ratios(model))

    def offset(self, model: str) -> int:
        """Give the tokens by which every bill is above its estimate; 0 where too little is known to lean on."""
        known = self._known(model)
        return max(0, min(billed - estimate for estimate, billed in known)) if len(known) >= _ENOUGH else 0

    def corrected(self, counter: TokenCounter, count: TokenCount) -> TokenCount:
        """Give the figures of a request by what is known of the counter's model."""
        if not self.enabled or counter.model is None or not count.estimate:
            return count
        if counter.exact:
            offset = self.offset(counter.model)
            return TokenCount(estimate=count.estimate + offset, bound=count.bound + offset)
        ratios = self._ratios(counter.model)
        if len(ratios) < _ENOUGH:
            return count
        estimate = round(count.estimate * _agreed(ratios))
        once = counter.margin.per_request  # ratios say nothing of what does not grow with the request
        margin = (count.bound - once) / count.estimate
        highest = max(max(ratios) * _RESERVE, 1 + (margin - 1) * _KEPT)
        return TokenCount(estimate=estimate, bound=max(estimate, math.ceil(count.estimate * highest) + once))

    def excess(self, counter: TokenCounter) -> Excess:
        """Give by how much bills of the counter's model are above what it counts, for budgets to keep that free."""
        if not self.enabled or counter.model is None:
            return Excess()
        if counter.exact:
            return Excess(offset=self.offset(counter.model))
        ratios = sorted(self._ratios(counter.model))
        if len(ratios) < _ENOUGH:
            return Excess()
        # The highest may be a single bill that stands out: of a request that a server ran again, say.
        return Excess(factor=max(1.0, ratios[-2] / counter.margin.text))

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

    def _ratios(self, model: str) -> list[float]:
        return [billed / estimate for estimate, billed in self._known(model)]


def _agreed(ratios: list[float]) -> float:
    if len(ratios) < _ENOUGH:
        return 1.0
    ordered, quarter = sorted(ratios), len(ratios) // 4
    return max(1.0, ordered[quarter]) * min(1.0, ordered[-1 - quarter])


def _plausible(estimate: object, billed: object) -> bool:
    """Whether a bill may be that of a request; whatever a provider sends, it is no error."""
    for figure in (estimate, billed):
        if not isinstance(figure, int) or isinstance(figure, bool) or figure < _SMALL // _FARTHEST:
            return False
    a, b = cast("int", estimate), cast("int", billed)
    return a >= _SMALL and a <= b * _FARTHEST and b <= a * _FARTHEST


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
