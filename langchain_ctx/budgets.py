"""What a face is told about budget, counter, tools and model, as what the engine needs to know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctx_core.budget import ContextBudget, Tokens
from ctx_core.counting.counter import CounterLike, TokenCounter, as_counter
from ctx_core.errors import BudgetError
from ctx_core.model_windows import model_name
from langchain_ctx.bound_model import bound_model, served_by
from langchain_ctx.tools import tool_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from langchain_core.language_models import LanguageModelLike

    from ctx_core.counting.options import RequestOptions


def resolve(
    budget: ContextBudget | int | None,
    counter: CounterLike | None,
    tools: Iterable[object] | None,
    model: LanguageModelLike | None,
) -> tuple[ContextBudget, TokenCounter, tuple[dict[str, Any], ...]]:
    """Give budget, counter and tool definitions; what is None is taken from the model.

    Raises:
        BudgetError: if there is neither a budget nor a model, or something given is none.
        UnknownModelError: if the budget is to come from a model whose window nothing knows.
    """
    bound = None if model is None else bound_model(model)
    if budget is None:
        if bound is None:
            msg = "give a budget, as in ContextRunnable(8_000, counter='gpt-4o'), or the model that has one"
            raise BudgetError(msg)
        budget = ContextBudget.for_model(bound.model)
    elif not isinstance(budget, ContextBudget):
        budget = ContextBudget(budget)
    if counter is None:
        counter = budget.model or (None if bound is None else model_name(bound.model))
        if counter is not None and bound is not None and counter == model_name(bound.model):
            api, host = served_by(bound.model)
            counter = TokenCounter.for_model(counter, api=api, host=host)
    if tools is not None:
        return budget, as_counter(counter), tool_definitions(tools)
    return budget, as_counter(counter), () if bound is None else bound.tools


def sent_options(options: RequestOptions | None, model: LanguageModelLike | None) -> RequestOptions | None:
    """Give what else is asked for; what is None is taken from the model.

    Raises:
        BudgetError: for something that is no model.
    """
    return options if options is not None or model is None else bound_model(model).options


def sent_tools(tools: Iterable[object] | None, model: LanguageModelLike | None) -> tuple[dict[str, Any], ...]:
    """Give the definitions of the tools alone; what is None is taken from the model.

    Raises:
        BudgetError: for something that is no tool, or no model.
    """
    if tools is not None:
        return tool_definitions(tools)
    return () if model is None else bound_model(model).tools


def history_budget(budget: ContextBudget, reserve: int) -> ContextBudget:
    """Give what a history alone may have: its part of the budget, or all of the input, without a reserve.

    The summary of what left it counts as a part of it.

    Args:
        budget: of whole requests.
        reserve: tokens for what the history cannot see: the prompt's own text and the user's input.

    Raises:
        BudgetError: if nothing is left.
    """
    part = budget.size_of("history")
    most = budget.input_limit if part is None else part
    if reserve < 0 or reserve >= most:
        msg = f"reserve must be from 0 to below the {most:,} tokens that the history may have, found {reserve:,}"
        raise BudgetError(msg)
    summary = budget.size_of("summary")
    parts = None if summary is None else {"summary": Tokens(min(summary, most - reserve))}
    return ContextBudget(most - reserve, parts=parts, model=budget.model)
