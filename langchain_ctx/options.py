"""The options of this package's surfaces: those of every session, and the model that the messages go to."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from ctx_core.budget import ContextBudget
from ctx_core.counting.counter import TokenCounter, as_counter
from ctx_core.errors import BudgetError
from ctx_core.session import SessionOptions, SurfaceKeywords
from ctx_core.session.options import NAMES, check_names
from ctx_core.session.targets import provider_for
from langchain_ctx.bound_model import BoundModel, bound_model, is_made_by_config
from langchain_ctx.counters import counter_of, model_counter
from langchain_ctx.tools import tool_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from langchain_core.language_models import LanguageModelLike

    from ctx_core.counting.counter import CounterLike


MODEL_OPTIONS: Final = ("budget", "counter", "tools", "request_options", "provider", "recipe")
"""Options that are taken from a model, and what is said in the place of all of them."""


class Keywords(SurfaceKeywords, total=False):
    """The options of a session, and the model."""

    model: LanguageModelLike | None
    """The model that the messages go to, bound to its tools or not. What is not given of budget, counter, tools and
    request options is taken from it: from the one that the config of a request chooses, where one may. Others are
    looked at, not kept."""


def read_options(
    caller: str,
    keywords: Mapping[str, Any],
    *,
    refused: Mapping[str, str] | None = None,
    also: Iterable[str] = (),
) -> SessionOptions:
    """Give the options that a surface was called with; budget, counter and tools are what the engine needs.

    Args:
        caller: name of the function that was called.
        keywords: what it was called with; None stands for the default.
        refused: options that make no sense there, with what to do instead.
        also: names of its other arguments.

    Raises:
        OptionError: for a name that it does not take.
        BudgetError: if there is neither a budget nor a model, or something given cannot work.
        UnknownModelError: if the budget is to come from a model whose window nothing knows.
    """
    check_names(caller, keywords, NAMES, refused or {}, also=("model", *also))
    given = {name: value for name, value in keywords.items() if value is not None}
    model: LanguageModelLike | None = given.pop("model", None)
    bound = None if model is None else _bound(model, given)
    return SessionOptions(**{**given, **model_options(caller, given, bound)})


def model_options(caller: str, given: Mapping[str, Any], bound: BoundModel | None) -> dict[str, Any]:
    """Give the options that depend on the model, as far as what is given does not say them itself.

    Args:
        caller: name of the function that was called.
        given: what it was called with, without None and without the model.
        bound: the model; None where none is known.

    Raises:
        BudgetError: if there is neither a budget nor a model, or something given cannot work.
        UnknownModelError: if the budget is to come from a model whose window nothing knows.
    """
    told: dict[str, Any] = {}
    if "tools" in given:
        told["tools"] = tool_definitions(given["tools"])
    elif bound is not None:
        told["tools"] = bound.tools
    if bound is not None:
        told["provider"] = provider_for(bound.asked, given.get("provider"), given.get("recipe"))
        told["request_options"] = given.get("request_options", bound.options)
    if given.get("recipe") is None:
        told["budget"] = budget = _budget(caller, given.get("budget"), bound)
        told["counter"] = _counter(given.get("counter"), budget, bound)
    return told


def _bound(model: LanguageModelLike, given: Mapping[str, Any]) -> BoundModel | None:
    """Give the model; None where only a config can say which it is, and nothing else is needed of it."""
    if is_made_by_config(model) and ("recipe" in given or {"budget", "counter"} <= given.keys()):
        with suppress(BudgetError):
            return bound_model(model)
        return None
    return bound_model(model)


def _budget(caller: str, budget: object, bound: BoundModel | None) -> ContextBudget:
    if isinstance(budget, ContextBudget):
        return budget
    if budget is None and bound is None:
        msg = f"give a budget, as in {caller}(budget=8_000, counter='gpt-4o'), or the model that has one"
        raise BudgetError(msg)
    if budget is None and bound is not None:
        return ContextBudget.for_model(bound.asked)
    return ContextBudget(budget)  # type: ignore[arg-type]  # which says what is wrong with it


def _counter(counter: CounterLike | None, budget: ContextBudget, bound: BoundModel | None) -> TokenCounter:
    if counter is not None:
        return counter_of(counter)
    models = [] if bound is None else [asked for asked in bound.asked.all if asked.name is not None]
    # Of several models that one counts whose window the budget is.
    meant = next((asked for asked in models if budget.model in (None, asked.name)), None)
    return as_counter(budget.model) if meant is None else model_counter(meant.model)


def told_options(options: SessionOptions, *, enabled: bool) -> Iterator[tuple[str, object]]:
    """Give what is worth telling of options on one line, by name; no content."""
    budget, counter = options.budget, options.counter
    if budget is not None:
        yield "budget", budget if isinstance(budget, int) else budget.total
    if isinstance(budget, ContextBudget) and budget.reserve:
        yield "reserve", budget.reserve
    if isinstance(counter, TokenCounter):
        yield "counter", counter.model or counter.tokenizer.name
    if options.tools:
        yield "tools", len(options.tools)
    for name in ("recipe", "summarizer"):
        if getattr(options, name) is not None:
            yield name, type(getattr(options, name)).__name__
    if not enabled:
        yield "enabled", False
