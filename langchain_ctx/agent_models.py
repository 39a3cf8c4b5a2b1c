"""For each model that an agent asks: its window, what counts for it, and what its refusals and bills have told."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from langchain_core.runnables.config import ensure_config

from ctx_core.budget import ContextBudget
from ctx_core.counting.calibration import Calibration, Underestimate
from ctx_core.counting.counter import TokenCounter, as_counter
from ctx_core.counting.model_objects import AskedModel
from ctx_core.counting.windows import least_room
from ctx_core.errors import BudgetError, UnknownModelError
from ctx_core.locks import Lock
from ctx_core.session import Declared
from ctx_core.session.targets import provider_for
from langchain_ctx.agent_request import SentAlong, sent_along
from langchain_ctx.bound_model import asked_in
from langchain_ctx.bound_names import with_bound_name
from langchain_ctx.configured import choice
from langchain_ctx.counters import counter_of, model_counter

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from langchain.agents.middleware.types import ModelRequest

    from ctx_core.session import SessionOptions
    from ctx_core.session.too_long import TooLong

ValueT = TypeVar("ValueT")

_MOST: Final = 64
"""Models, with their tools, formats and settings, of which is kept what was made for them."""
_BILLS: Final = 8
"""Bills of a model that are compared with what was counted."""
_UNTOLD: Final = 0.5
"""Share of a request that is sent again where its refusal has no numbers."""
_SHARE: Final = 0.75
"""Share of a limit up to which what nobody sees is kept free; where more would be needed, a count is wrong."""


@dataclass(slots=True)
class Learned:
    """What refusals and bills have told of a model."""

    limit: int | None = None
    """Tokens of input that it takes at most; None where no request was refused."""
    bills: deque[tuple[int, int]] = field(default_factory=lambda: deque[tuple[int, int]](maxlen=_BILLS))
    """What requests counted, and what was billed for them."""

    def uncounted(self, known: Underestimate) -> int:
        """Give the tokens that are billed and that nobody has counted: what a later middleware adds, say.

        Args:
            known: what is kept free anyway, since bills of the model are above what is counted.
        """
        return max((billed - counted - known.of(counted) for counted, billed in self.bills), default=0)

    def refuse(self, counted: int, told: TooLong, reserve: int) -> None:
        """Learn from a request that was refused as too long.

        Args:
            counted: its tokens, as counted here.
            told: what the refusal says.
            reserve: tokens that are kept for the answer.
        """
        limit = None if told.limit is None else told.limit - _answer(told, reserve)
        if limit is None or limit < 1:
            most = int(counted * _UNTOLD)
        elif told.sent is None or told.sent <= counted:
            # Something else counts in: what is known is that so much was too much.
            most = min(limit, int(counted * _SHARE)) if limit >= counted else limit
        elif told.sent - counted <= limit * _SHARE:
            self.bills.append((counted, told.sent))
            most = limit
        else:
            most = counted * limit // told.sent
        self.limit = max(1, most if self.limit is None else min(self.limit, most))


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentModel:
    """What declares the requests to a model, with its tools, its format and its settings."""

    declared: Declared
    along: SentAlong
    counter: TokenCounter
    learned: Learned

    def limited(self) -> Declared:
        """Give the declaration within what refusals have told."""
        return self.declared if self.learned.limit is None else replace(self.declared, budget=self.learned.limit)

    def uncounted(self, calibration: object) -> int:
        """Give the tokens to be kept free for what nobody sees."""
        known = calibration.underestimate(self.counter) if isinstance(calibration, Calibration) else Underestimate()
        return max(0, self.learned.uncounted(known))


class AgentModels:
    """Makes them, each once; bounded, and shareable between threads. Without harm what is kept may be dropped."""

    def __init__(self, options: SessionOptions) -> None:
        """Take the options of the agent's requests, of which the budget may be that of each model."""
        self._options = options
        self._counter = None if options.counter is None else counter_of(options.counter)
        self._models: OrderedDict[Hashable, tuple[AgentModel, object]] = OrderedDict()
        self._learned: OrderedDict[Hashable, tuple[Learned, object]] = OrderedDict()
        self._lock = Lock()

    def of(self, request: ModelRequest[Any]) -> AgentModel:
        """Give what declares a request.

        Raises:
            UnknownModelError: if there is no budget, and nothing knows the model's window.
            BudgetError: for tools, a format or settings that cannot work.
        """
        settings = request.model_settings
        key = (
            id(request.model),
            choice(request.model, ensure_config()),
            tuple(map(id, request.tools)),
            id(request.response_format),
            repr(request.tool_choice),
            repr(settings) if settings else "",
        )
        held = (request.model, tuple(request.tools), request.response_format)
        return self._cached(self._models, key, lambda: self._make(request), held)

    def _make(self, request: ModelRequest[Any]) -> AgentModel:
        found = asked_in(request.model) or AskedModel(model=request.model)
        asked = with_bound_name(replace(found, sent={**found.sent, **request.model_settings}))
        options = self._options
        options = replace(options, provider=provider_for(asked, options.provider, options.recipe))
        if options.recipe is None:
            budget = self._budget(asked)
            counter = self._counter or _counter(asked, budget)
            options = replace(options, budget=budget, counter=counter)
            declared = options.declared()
        else:
            declared = options.declared()
            plan = declared.builder("").plan
            counter, room = plan.counter, _room(asked)
            if room is not None and room < plan.budget.input_limit:
                declared = replace(declared, budget=room)
        along = sent_along(request, counter, options.request_options)
        name = asked.name
        key: Hashable = id(asked.model) if name is None else (type(asked.model), name)
        learned = self._cached(self._learned, key, Learned, asked.model)
        declared = replace(declared, request_options=along.options)
        return AgentModel(declared=declared, along=along, counter=counter, learned=learned)

    def _budget(self, asked: AskedModel) -> ContextBudget:
        """Give the budget of a model: its window, and never more than the caller's, whichever is smaller."""
        given = self._options.budget
        if given is None:
            return ContextBudget.for_model(asked)
        budget = given if isinstance(given, ContextBudget) else ContextBudget(given)
        room = _room(asked)
        return budget.resized(room) if room is not None and room < budget.input_limit else budget

    def _cached(
        self,
        cache: OrderedDict[Hashable, tuple[ValueT, object]],
        key: Hashable,
        make: Callable[[], ValueT],
        held: object,
    ) -> ValueT:
        """Give what is kept under a key, or make it; what the key's ids are of is held, so that they stay its own."""
        with self._lock:
            known = cache.get(key)
            if known is not None:
                cache.move_to_end(key)
                return known[0]
        value = make()
        with self._lock:
            known = cache.setdefault(key, (value, held))
            if len(cache) > _MOST:
                cache.popitem(last=False)
            return known[0]


def _room(asked: AskedModel) -> int | None:
    """Give the tokens of input that a model takes beside its answer; None where nothing knows its window."""
    try:
        room = least_room(asked).input_limit
    except UnknownModelError:
        return None
    return room if room > 0 else None


def _counter(asked: AskedModel, budget: ContextBudget) -> TokenCounter:
    """Give the counter of a model; where it says neither its name nor how it counts, that of the budget's model."""
    try:
        return model_counter(asked.model)
    except BudgetError:
        return as_counter(budget.model)


def _answer(told: TooLong, reserve: int) -> int:
    """Give the tokens of the answer that count with the input, as far as that is known."""
    limit = told.limit or 0
    return min(reserve, limit // 4) if told.answer is None else told.answer
