"""Histories for `RunnableWithMessageHistory` whose turns may run at once."""

from __future__ import annotations

import inspect
import json
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, Unpack, cast

from ctx_core.errors import BudgetError
from langchain_ctx.history import HistorySessions, WindowHistory
from langchain_ctx.session_lock import SessionLocks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.messages import BaseMessage

    from ctx_core.budget import ContextBudget
    from langchain_ctx.options import Keywords


class FrozenHistory(WindowHistory):
    """The history as it was when one turn first looked at it, until that turn has stored its messages.

    LangChain takes the input of a turn to be what follows the history, and reads the history once more to know
    where that is. So a turn must see the same history at both times, whatever other turns do meanwhile. Made
    anew for every turn: one that is kept for a session would show a history that is out of date.
    """

    _seen: list[BaseMessage] | None = None

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # a property, as the base class allows
        """The messages that fit, as they were when they were first asked for."""
        if self._seen is None:
            self._seen = super().messages
        return list(self._seen)

    async def aget_messages(self) -> list[BaseMessage]:
        """Give the messages that fit, as they were when they were first asked for."""
        if self._seen is None:
            self._seen = await super().aget_messages()
        return list(self._seen)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store messages; the next read is a new one."""
        super().add_messages(messages)
        self._seen = None

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store messages; the next read is a new one."""
        await super().aadd_messages(messages)
        self._seen = None

    def clear(self) -> None:
        """Empty the store; the next read is a new one."""
        super().clear()
        self._seen = None

    async def aclear(self) -> None:
        """Empty the store; the next read is a new one."""
        await super().aclear()
        self._seen = None


class SessionHistories(Protocol):
    """Gives the history of one turn: what `RunnableWithMessageHistory` wants."""

    enabled: bool
    """Whether anything may be cut; can be set at any time."""

    def __call__(self, *args: Any, **kwargs: Any) -> BaseChatMessageHistory:
        """Give the history of a session, by the parameters of the store factory."""
        ...


def budgeted_session_history(
    store_factory: Callable[..., BaseChatMessageHistory],
    budget: ContextBudget | int | None = None,
    **options: Unpack[Keywords],
) -> SessionHistories:
    """Give what `RunnableWithMessageHistory` wants as `get_session_history`: budgeted, and safe for turns at once.

    Do not keep the histories that it gives: each is for one turn. The stores may be kept or made anew each time.

    Args:
        store_factory: gives the store of a session, by whatever parameters LangChain allows. Two turns of one
            session never call it at once.
        budget: a budget (its part `history`, if it names one), or tokens; by default that of `model`.
        options: as for `BudgetedChatMessageHistory`. A turn is recorded and reported once.

    Raises:
        OptionError: for an option that it does not take.
        BudgetError: if there is neither a budget nor a model, or something given cannot work.
        UnknownModelError: if the budget is to come from a model whose window nothing knows.
    """
    if not callable(store_factory):
        msg = f"store_factory must give the store of a session, found {type(store_factory).__name__}"
        raise BudgetError(msg)
    given = {**options, "budget": budget}
    sessions = HistorySessions("budgeted_session_history", given, also=("store_factory",))
    locks = SessionLocks()

    # LangChain looks at the names of the parameters: `wraps` shows it those of the store factory.
    @wraps(store_factory)
    def session_history(*args: Any, **kwargs: Any) -> BaseChatMessageHistory:
        key = _session_key(store_factory, args, kwargs)
        lock = locks.of(key)
        with lock.hold():
            store = store_factory(*args, **kwargs)
        frozen = FrozenHistory(store, sessions, lock=lock, key=key)
        frozen.enabled = histories.enabled
        return frozen

    histories = cast("SessionHistories", session_history)
    histories.enabled = sessions.enabled
    return histories


def _session_key(factory: Callable[..., object], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Give the one argument as it is, or several of them by name."""
    named = inspect.signature(factory).bind(*args, **kwargs).arguments
    try:
        if len(named) == 1:
            return str(next(iter(named.values())))
        return json.dumps(named, default=str, sort_keys=True)
    except ValueError as error:
        msg = "the name of a session has a number of more digits than Python writes"
        raise BudgetError(msg) from error
