"""The one vocabulary of all surfaces: each option is declared once, and means the same wherever it is taken."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias, TypedDict, get_args

from ctx_core.budget import ContextBudget
from ctx_core.builder import ContextBuilder, OnOverflow
from ctx_core.clean import told
from ctx_core.counting.calibration import Calibration
from ctx_core.counting.counter import CounterLike, ToolDefinition, as_counter
from ctx_core.counting.options import RequestOptions
from ctx_core.engine.layers import Layer
from ctx_core.engine.summary import RollingSummary
from ctx_core.errors import BudgetError, OptionError
from ctx_core.history.policy import HistoryPolicy
from ctx_core.providers.asked import ProviderLike, as_provider
from ctx_core.report.report import ContextReport
from ctx_core.report.usage_log import UsageLog
from ctx_core.session.declaration import Declaration, Declared, tokens_in
from ctx_core.session.layers import LayerLike, as_layers
from ctx_core.session.stores import StateStore
from ctx_core.session.summarizers import Summarizer
from ctx_core.session.summarizing import Summarizing, as_summarizing
from ctx_core.sizes import Share, Size, Tokens, is_count

if TYPE_CHECKING:
    from collections.abc import Collection

OnReport: TypeAlias = Callable[[ContextReport], object | Awaitable[object]]
"""Is given the report of each request; the async doors await a coroutine function."""


class SessionKeywords(TypedDict, total=False):
    """The options as keywords, beside the budget or the recipe; `SessionOptions` says what each means."""

    reserve: int | Size | None
    counter: CounterLike | None
    tools: Iterable[Any] | None
    request_options: RequestOptions | None
    policy: HistoryPolicy | None
    on_overflow: OnOverflow | None
    layers: Iterable[LayerLike]
    usage_log: UsageLog | None
    on_report: OnReport | None
    states: StateStore | None
    summarizer: Summarizer | Summarizing | None
    summary: RollingSummary | None
    calibration: Calibration | bool | None
    provider: ProviderLike
    enabled: bool


class SurfaceKeywords(SessionKeywords, total=False):
    """The same with a recipe, for surfaces whose first argument is a budget."""

    recipe: Declaration | None


NAMES: Final = ("budget", *SurfaceKeywords.__annotations__)
"""All options."""
_BUDGET: Final = (ContextBudget | int | None, "a ContextBudget or a number of tokens")
BROUGHT: Final = ("budget", "counter", "policy")
"""Options in whose place a recipe or a builder stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """How requests are fitted: the same words on every surface.

    Raises:
        BudgetError: for an option that cannot work, or two that contradict each other; when it is made.
    """

    budget: ContextBudget | int | None = None
    """The budget, or tokens of input."""
    reserve: int | Size | None = None
    """Tokens, or a share of the budget's total, that are kept free beside the budget's own reserve: for the answer, or
    for what the surface cannot see."""
    counter: CounterLike | None = None
    """A counter, a tokenizer, a function from text to tokens, or a model's name; by default that of the budget's
    model, else a safe estimate."""
    tools: tuple[ToolDefinition, ...] = field(default=(), repr=False)
    """Definitions of the tools that go with each request, OpenAI-style; counted, never cut."""
    request_options: RequestOptions | None = None
    """What else each request asks for, as far as it is billed: a forced tool, the schema of the answer, thinking."""
    policy: HistoryPolicy | None = None
    """How the history is cut."""
    on_overflow: OnOverflow | None = None
    """What happens when what is protected does not fit: `raise`, the default, or `truncate` it."""
    layers: tuple[LayerLike, ...] = ()
    """Layers of text, or what gives them for each request: facts, a retriever, memory blocks, the turns that were
    cut."""
    recipe: Declaration | None = None
    """A recipe or a `ContextBuilder`, in the place of `budget`, `counter` and `policy`."""
    usage_log: UsageLog | None = None
    """Records every request, in counts; a recipe's own log does so beside it."""
    on_report: OnReport | None = None
    """Is called with each report."""
    states: StateStore | None = field(default=None, repr=False)
    """Where is remembered what was cut, with the summaries, as a JSON dict by the key of each conversation; by default
    in memory, for the 1,024 conversations used last."""
    summarizer: Summarizer | Summarizing | None = None
    """Summarizes what leaves the window: a function of the summary so far and the messages that leave, sync or async;
    a `Summarizing` says its window and its patience too."""
    summary: RollingSummary | None = None
    """Where the summary stands and what it may cost; by default a user message."""
    calibration: Calibration | bool | None = None
    """Learns from the usage figures in the answers of the history; where they are above what is counted, as much is
    kept free. True: one of its own. None: as the surface finds right."""
    provider: ProviderLike = None
    """The provider that the requests go to: the name of a row of `ctx_core.providers`, or a row. What it would refuse
    is changed. None: the one that the model tells, else any. False: nothing is changed for it."""
    enabled: bool = True
    """Whether anything may be cut. If not, everything is counted and reported, and nothing altered."""

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        _check("budget", self.budget, *_BUDGET)
        _check("request_options", self.request_options, RequestOptions | None, "RequestOptions")
        _check("policy", self.policy, HistoryPolicy | None, "a HistoryPolicy")
        _check("summary", self.summary, RollingSummary | None, "a RollingSummary")
        _check("calibration", self.calibration, Calibration | bool | None, "a Calibration, True or False")
        _check("enabled", self.enabled, bool, "True or False")
        _check("recipe", self.recipe, Declaration | None, "a Recipe, a subclass of it, or a ContextBuilder")
        if not (self.reserve is None or isinstance(self.reserve, Share | Tokens) or is_count(self.reserve)):
            _refuse("reserve", "a whole number of tokens from 0 up, or a share", self.reserve)
        if self.on_overflow not in (None, *get_args(OnOverflow)):
            _refuse("on_overflow", "'raise' or 'truncate'", self.on_overflow)
        if self.on_report is not None and not callable(self.on_report):
            _refuse("on_report", "a function of a report", self.on_report)
        if self.usage_log is not None and not hasattr(self.usage_log, "add"):
            _refuse("usage_log", "a UsageLog", self.usage_log)
        if self.states is not None and not (hasattr(self.states, "get") and hasattr(self.states, "__setitem__")):
            _refuse("states", "a mapping with get and __setitem__", self.states)
        if inspect.iscoroutinefunction(getattr(self.states, "get", None)):
            _refuse("states", "a mapping whose methods are not coroutines", self.states)
        object.__setattr__(self, "provider", as_provider(self.provider))
        object.__setattr__(self, "layers", as_layers(self.layers))
        object.__setattr__(self, "summarizer", as_summarizing(self.summarizer))
        if self.calibration is True:
            object.__setattr__(self, "calibration", Calibration())
        if self.recipe is not None:
            self._check_brought()

    @classmethod
    def read(cls, caller: str, keywords: Mapping[str, Any], *, refused: Mapping[str, str] | None = None) -> Self:
        """Give the options that a function was called with.

        Args:
            caller: name of the function, for its errors.
            keywords: what it was called with; None stands for the default.
            refused: options that make no sense there, with what to do instead.

        Raises:
            OptionError: for an option that is not known, or that makes no sense there.
            BudgetError: for one that cannot work.
        """
        check_names(caller, keywords, NAMES, refused or {})
        given = {name: value for name, value in keywords.items() if value is not None}
        if "tools" in given:
            given["tools"] = tuple(given["tools"])
        return cls(**given)

    def keywords(self) -> dict[str, Any]:
        """Give all options by name."""
        return {option.name: getattr(self, option.name) for option in fields(self)}

    def declared(self) -> Declared:
        """Give what declares the context of each request.

        Raises:
            BudgetError: if neither a budget nor a recipe was given, or the reserve leaves nothing.
        """
        return Declared(
            source=self._source() if self.recipe is None else self.recipe,
            tools=self.tools,
            request_options=self.request_options,
            reserve=self.reserve or 0,
            layers=tuple(layer for layer in self.layers if isinstance(layer, Layer)),
            open_parts=not all(isinstance(layer, Layer) for layer in self.layers),
            summary=self.summary,
            summarizes=self.summarizer is not None,
            calibration=self.calibration if isinstance(self.calibration, Calibration) else None,
            on_overflow=self.on_overflow,
            provider=self.provider,
        )

    def declared_with(self, *, budget: ContextBudget | int | None, counter: CounterLike | None) -> Declared:
        """Give what declares a request that has a budget or a counter of its own; None: those of all requests.

        Tokens of input leave the budget its parts and its reserve; a budget takes the place of the other, and its
        model's counter that of the other's model.

        Raises:
            BudgetError: for what is neither.
        """
        _check("budget", budget, *_BUDGET)
        return replace(self.declared(), budget=budget, counter=None if counter is None else as_counter(counter))

    def _source(self) -> ContextBuilder:
        if self.budget is None:
            msg = "give a budget, such as 8_000 tokens or ContextBudget.for_model('gpt-4o'), or a recipe that has one"
            raise BudgetError(msg)
        builder = ContextBuilder(self.budget, self.counter).history(self.policy or HistoryPolicy())
        if self.reserve:
            builder.reserve(tokens_in(self.reserve, builder.plan.budget))  # refused here where it leaves nothing
        return builder

    def _check_brought(self) -> None:
        brought = BROUGHT if isinstance(self.recipe, ContextBuilder) else (*BROUGHT, "on_overflow")
        both = [name for name in brought if getattr(self, name) is not None]
        if both:
            msg = (
                f"both recipe and {', '.join(both)} are given: the recipe brings {', '.join(brought)}; "
                "dataclasses.replace(recipe, …) changes what it brings"
            )
            raise BudgetError(msg)


def check_names(
    caller: str, given: Iterable[str], known: Collection[str], refused: Mapping[str, str], *, also: Iterable[str] = ()
) -> None:
    """Refuse names that a function does not take, as Python refuses those that it does not know.

    Args:
        caller: name of the function.
        given: the names.
        known: options that there are.
        refused: options that make no sense there, or names from elsewhere, with what to do instead.
        also: names of its other arguments.

    Raises:
        OptionError: naming each, and the likely one.
    """
    taken = [*also, *(name for name in known if name not in refused)]
    wrong = sorted(name for name in given if name not in taken)
    if not wrong:
        return
    words: list[str] = []
    for name in wrong:
        near = get_close_matches(name, taken, n=1)
        hint = refused.get(name) or (f"did you mean {near[0]!r}?" if near else "")
        words.append(f"{told(name)} ({hint})" if hint else told(name))
    msg = f"{caller}() takes no {', '.join(words)}; it takes {', '.join(taken)}"
    raise OptionError(msg)


def _check(name: str, value: object, kind: Any, wanted: str) -> None:  # noqa: ANN401 - a type or a union
    if not isinstance(value, kind) or (name == "budget" and isinstance(value, bool)):
        msg = f"{name} must be {wanted}, found {type(value).__name__}"
        raise BudgetError(msg)


def _refuse(name: str, wanted: str, found: object) -> None:
    msg = f"{name} must be {wanted}, found {told(found)}"
    raise BudgetError(msg)
