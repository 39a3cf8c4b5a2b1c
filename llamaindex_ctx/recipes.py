"""A recipe in a memory: it brings what is otherwise set by hand, and text that goes before the conversation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from ctx_core import BudgetError, ContextBudget, Role, TokenCounter
from ctx_core.recipes import Recipe

if TYPE_CHECKING:
    from ctx_core import Context, ContextBuilder, RollingSummary

BROUGHT: Final = ("budget", "counter", "policy", "on_overflow")
"""Fields of a memory in whose place a recipe stands."""


def as_recipe(recipe: object) -> Recipe | None:
    """Give the recipe as it is; None for none.

    Raises:
        BudgetError: for anything else.
    """
    if recipe is None or isinstance(recipe, Recipe):
        return recipe
    msg = f"recipe must be a Recipe of ctx_core.recipes or a subclass, found {type(recipe).__name__}"
    raise BudgetError(msg)


def refuse_beside_recipe(**given: object) -> None:
    """Refuse what is given beside a recipe that brings it; None is nothing.

    Raises:
        BudgetError: if there is anything; it names each.
    """
    names = ", ".join(name for name, value in given.items() if value is not None)
    if names:
        msg = (
            f"both recipe and {names} are given: the recipe brings {', '.join(BROUGHT)}; "
            "dataclasses.replace(recipe, …) changes what it brings"
        )
        raise BudgetError(msg)


def read_role(role: object) -> Role:
    """Give the role in which a recipe's text goes before the conversation.

    Raises:
        BudgetError: for one that gives no instructions to a model.
    """
    if role in (Role.SYSTEM, Role.DEVELOPER, Role.USER):
        return Role(str(role))
    msg = f"recipe_role must be 'system', 'developer' or 'user', found {str(role)[:40]!r}"
    raise BudgetError(msg)


def without_parts(budget: ContextBudget) -> ContextBudget:
    """Give the budget of a memory that was restored without its recipe: its parts are the recipe's layers."""
    return ContextBudget(budget.total, reserve=budget.reserve, model=budget.model)


def beside(builder: ContextBuilder, taken: int, *, summary: RollingSummary | None, role: Role) -> ContextBuilder:
    """Give a recipe's builder for what goes beside other things.

    Args:
        builder: the recipe's.
        taken: tokens that the engine sends of its own.
        summary: where the summary stands, if not where the recipe says.
        role: whose text the system message becomes.
    """
    if summary is not None:
        builder = builder.rolling_summary(summary)
    counter = builder.plan.counter
    framing = counter.framing
    if role is Role.USER and framing.per_system is not None:
        taken += max(0, framing.per_message - framing.per_system)
    if not taken:
        return builder
    # As a cost of the request it takes room from what may give way, and leaves every part its size.
    framing = replace(framing, per_request=framing.per_request + taken)
    counter = TokenCounter(counter.tokenizer, framing=framing, model=counter.model, margin=counter.margin)
    return _counted(builder, counter)


def _counted(builder: ContextBuilder, counter: TokenCounter) -> ContextBuilder:
    """Give the same builder with another counter."""
    plan = builder.plan
    new = type(builder)(plan.budget, counter).tools(plan.definitions).history(plan.policy)
    new = new.place_volatile_last(last=plan.volatile_last).count_original(count=plan.count_original)
    for layer in plan.layers:
        new = new.layer(layer)
    return new if plan.rolling is None else new.rolling_summary(plan.rolling)


def fronted(context: Context[ChatMessage], role: Role) -> list[ChatMessage]:
    """Give the messages of a context, its own system message in the role that it is to have."""
    if role is Role.SYSTEM or not context.system_prompt:
        return context.messages
    return [ChatMessage(context.system_prompt, role=MessageRole(str(role))), *context.conversation]
