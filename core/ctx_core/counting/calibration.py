"""What a model's bills say about the counts for it: learned as a conversation goes on."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, Self, cast

from ctx_core.clean import told
from ctx_core.counting.counts import TokenCount
from ctx_core.errors import BudgetError
from ctx_core.locks import Lock

if TYPE_CHECKING:
    from ctx_core.counting.margin import Margin

_FARTHEST: Final = 2
"""A bill so many times the estimate, or so small a part of it, is another request's: it is not learned from."""
_ENOUGH: Final = 3
"""Bills after which they are leant on."""
_RESERVE: Final = 1.05
"""What is kept over bills that have been seen."""
_LEAST_MARGIN: Final = 0.5
"""Share of a margin that is kept whatever the bills say: the next text may be of another kind."""
_SMALL: Final = 50
"""Requests under this many tokens say little: hidden prompts weigh too much in them."""


class Calibrated(Protocol):
    """What a calibration needs to know of a counter."""

    @property
    def model(self) -> str | None:
        """The model it counts for."""
        ...

    @property
    def margin(self) -> Margin:
        """What its bound adds."""
        ...

    @property
    def exact(self) -> bool:
        """Whether it counts with the model's own vocabulary."""
        ...


class Bill(NamedTuple):
    """What a request counted, and what it was billed."""

    estimate: int
    bound: int
    billed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Underestimate:
    """By how much bills are above the bound of their requests. There is none until bills show one."""

    offset: int = 0
    """Tokens that a host adds to every request without showing them."""
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
    """Counts and bills of the last requests, by model.

    With a model's own vocabulary, what all bills are above their estimates is what a host adds and hides. Without it,
    the ratio of bill and estimate is how much denser the model's tokens are.

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
            msg = f"a calibration keeps at least one bill of one model, found size={told(size)}, models={told(models)}"
            raise BudgetError(msg)
        self.enabled = enabled
        self._size = size
        self._models = models
        self._bills: dict[str, deque[Bill]] = {}
        self._lock = Lock()

    def observe(self, model: str, count: TokenCount, *, billed: int) -> bool:
        """Learn from a bill, and say whether it was learned from.

        Args:
            model: the model's name, as the counter has it.
            count: what the request counted before any calibration, as `Context.count` or `TokenCounter.uncalibrated`
                have it.
            billed: input tokens of the provider's usage figure, cached ones included.
        """
        bill = Bill(count.estimate, count.bound, billed)
        if not self.enabled or not _plausible(bill):
            return False
        with self._lock:
            known = self._bills.pop(model, None) or deque(maxlen=self._size)
            known.append(bill)
            self._bills[model] = known
            while len(self._bills) > self._models:
                del self._bills[next(iter(self._bills))]
        return True

    def ratio(self, model: str) -> float:
        """Give the ratio of bill to estimate that three bills in four reach or exceed, to whichever side of 1.

        1 where they are on both sides of it, or where too little is known to lean on.
        """
        return _agreed(self._known(model))

    def offset(self, model: str) -> int:
        """Give the tokens by which every bill is above its estimate; 0 where too little is known to lean on."""
        return _hidden(self._known(model))

    def corrected(self, counter: Calibrated, count: TokenCount) -> TokenCount:
        """Give the figures of a request by what is known of the counter's model.

        The bound comes nearer to the estimate, and is wider than without only if a bill was above its own.
        """
        known = self._known(counter.model)
        if not self.enabled or not known or not count.estimate:
            return count
        above = max(0, *(bill.billed - bill.bound for bill in known))
        if counter.exact:
            estimate = count.estimate + _hidden(known)
            return TokenCount(estimate=estimate, bound=max(estimate, count.bound + above))
        estimate, margin = round(count.estimate * _agreed(known)), counter.margin.text
        density = max(max(map(_ratio, known)) * _RESERVE, 1 + (margin - 1) * _LEAST_MARGIN)
        # Only the margin for texts: ratios say nothing of what is added once, or for a call.
        bound = count.bound + math.ceil(count.estimate * (density - margin))
        return TokenCount(estimate=estimate, bound=max(estimate, bound if above else min(bound, count.bound)))

    def underestimate(self, counter: Calibrated) -> Underestimate:
        """Give by how much bills of the counter's model are above what it counts, for budgets to keep that free.

        With the model's own vocabulary it is what all bills are above it; without, the ratio of the middle one of the
        three largest requests and a reserve: what is hidden once weighs little in them, and a single bill may be of
        something else.
        """
        known = self._known(counter.model)
        if not self.enabled or not known:
            return Underestimate()
        if counter.exact:
            return Underestimate(offset=max(0, min(bill.billed - bill.bound for bill in known)))
        largest = sorted(known, key=lambda bill: bill.bound)[-_ENOUGH:]
        density = median(bill.billed / bill.bound for bill in largest)
        return Underestimate(factor=density * _RESERVE) if density > 1 else Underestimate()

    def to_dict(self) -> dict[str, list[list[int]]]:
        """Give what is known, as plain JSON types: for each model the estimate, the bound and the bill of requests."""
        with self._lock:
            return {model: [list(bill) for bill in known] for model, known in self._bills.items()}

    @classmethod
    def from_dict(cls, known: object, *, size: int = 32, models: int = 64, enabled: bool = True) -> Self:
        """Make one of what `to_dict` gave; whatever else is in it is left out."""
        calibration = cls(size=size, models=models, enabled=enabled)
        read: Mapping[str, object] = cast("Mapping[str, object]", known) if isinstance(known, Mapping) else {}
        for model, bills in list(read.items())[-models:]:
            billed = list(_read(bills))
            if billed:
                calibration._bills[model] = deque(billed, maxlen=size)
        return calibration

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        """Give itself: copies of what learns learn together."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle what is known, without the lock."""
        return (_restored, (type(self), self.to_dict(), self._size, self._models, self.enabled))

    def _known(self, model: str | None) -> list[Bill]:
        """Give the bills of a model where there are enough to lean on, else none."""
        with self._lock:
            known = [] if model is None else list(self._bills.get(model, ()))
        return known if len(known) >= _ENOUGH else []


def _ratio(bill: Bill) -> float:
    return bill.billed / bill.estimate


def _hidden(bills: list[Bill]) -> int:
    return max(0, min((bill.billed - bill.estimate for bill in bills), default=0))


def _agreed(bills: list[Bill]) -> float:
    ratios, quarter = sorted(map(_ratio, bills)), len(bills) // 4
    return max(1.0, ratios[quarter]) * min(1.0, ratios[-1 - quarter]) if ratios else 1.0


def _plausible(bill: Bill) -> bool:
    """Whether a bill may be that of a request; whatever a provider sends, it is no error."""
    for figure in cast("tuple[object, ...]", bill):
        if not isinstance(figure, int) or isinstance(figure, bool) or figure < _SMALL // _FARTHEST:
            return False
    near = bill.estimate <= bill.billed * _FARTHEST and bill.billed <= bill.estimate * _FARTHEST
    return _SMALL <= bill.estimate <= bill.bound and near


def _read(bills: object) -> Iterator[Bill]:
    for each in cast("list[object]", bills) if isinstance(bills, list) else ():
        match each:
            case [int(estimate), int(bound), int(billed)] if _plausible(bill := Bill(estimate, bound, billed)):
                yield bill
            case _:
                continue


def _restored(kind: type[Calibration], known: Mapping[str, object], *bounds: int) -> Calibration:
    size, models, enabled = bounds
    return kind.from_dict(known, size=size, models=models, enabled=bool(enabled))
