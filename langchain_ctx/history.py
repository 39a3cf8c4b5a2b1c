"""A chat history with a budget, over any store of LangChain's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from ctx_core.builder import ContextBuilder
from ctx_core.errors import BudgetError
from ctx_core.history.policy import HistoryPolicy
from ctx_core.summarizing import as_summarizing
from langchain_ctx.budgets import history_budget, resolve
from langchain_ctx.fitting import Fitting
from langchain_ctx.in_memory import InMemoryHistory
from langchain_ctx.session_lock import SessionLock
from langchain_ctx.state_cache import StateCache
from langchain_ctx.state_memory import StateMemory
from langchain_ctx.summaries import with_layer
from langchain_ctx.view import HistoryView

if TYPE_CHECKING:
    from collections.abc import Iterable

    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.language_models import LanguageModelLike

    from ctx_core.budget import ContextBudget
    from ctx_core.builder import OnOverflow
    from ctx_core.counting.counter import CounterLike
    from ctx_core.history.summary import RollingSummary
    from ctx_core.summarizing import Summarizer, Summarizing
    from ctx_core.usage_log import UsageLog
    from langchain_ctx.fitting import FittingOptions, OnReport
    from langchain_ctx.state_cache import StateStore


class BudgetedChatMessageHistory(HistoryView):
    """A history whose `messages` fit a budget, while its store keeps every message that was ever added.

    For one conversation, and one turn of it at a time. Where turns of a session may run at once, give
    `RunnableWithMessageHistory` a `budgeted_session_history` instead: LangChain reads the history again when a
    turn ends, and would take what another turn has added meanwhile for input of this one.

    A history cannot see what comes next: one that ends in a call without a result leaves it open for the result.
    Where the user may go on without one, put a `ContextRunnable` between prompt and model: it sees both.
    """

    def __init__(
        self,
        backing: BaseChatMessageHistory | None = None,
        budget: ContextBudget | int | None = None,
        *,
        reserve: int = 0,
        session: str = "",
        **options: Unpack[FittingOptions],
    ) -> None:
        """Put a budget over a store.

        Args:
            backing: the store; by default one in memory.
            budget: a budget (its part `history`, if it names one), or tokens; by default that of `model`.
            reserve: tokens that are kept free for what a history cannot see: the prompt's own text, and the
                user's input.
            session: the key of this conversation in the option `states`.
            options: `counter`, `tools`, `model`, `policy`, `on_overflow`, `usage_log`, `on_report`, `states`,
                `summarizer` and `summary`, as for `ContextRunnable`. Every read is recorded and reported, and
                LangChain may read twice in a turn.

        Raises:
            BudgetError: if there is neither a budget nor a model, or something given cannot work.
            UnknownModelError: if the budget is to come from a model whose window nothing knows.
        """
        store = InMemoryHistory() if backing is None else backing
        super().__init__(store, history_fitting(budget, reserve, **options), lock=SessionLock(), key=session)


def history_fitting(  # noqa: PLR0913 - the options by name, so that a misspelt one is an error
    budget: ContextBudget | int | None,
    reserve: int,
    *,
    counter: CounterLike | None = None,
    tools: Iterable[object] | None = None,
    model: LanguageModelLike | None = None,
    policy: HistoryPolicy | None = None,
    on_overflow: OnOverflow = "raise",
    usage_log: UsageLog | None = None,
    on_report: OnReport | None = None,
    states: StateStore | None = None,
    summarizer: Summarizer | Summarizing | None = None,
    summary: RollingSummary | None = None,
    recipe: object = None,
) -> Fitting:
    """Give how histories are fitted; arguments and errors as for `BudgetedChatMessageHistory`."""
    if recipe is not None:
        # A recipe's layers are of the whole request, of which a history is only the middle.
        msg = "a history takes no recipe, as it sees neither prompt nor question: prompt | ContextRunnable(recipe=…)"
        raise BudgetError(msg)
    whole, counts, definitions = resolve(budget, counter, tools, model)
    builder = ContextBuilder(history_budget(whole, reserve), counts).tools(definitions)
    builder = builder.history(HistoryPolicy() if policy is None else policy)
    summarizing = as_summarizing(summarizer)
    return Fitting(
        builder=with_layer(builder, summarizing, summary),
        states=StateMemory(StateCache() if states is None else states),
        on_overflow=on_overflow,
        usage_log=usage_log,
        on_report=on_report,
        summarizing=summarizing,
    )
