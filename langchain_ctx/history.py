"""A chat history with a budget, over any store of LangChain's."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Unpack

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import HumanMessage
from langchain_core.runnables.config import ensure_config

from ctx_core.budget import ContextBudget
from ctx_core.conversation.messages import Role
from ctx_core.conversation.transcript import Transcript
from ctx_core.effects import Effect, Effects, arun, run
from ctx_core.errors import BudgetError
from ctx_core.session import ConversationId, Request
from ctx_core.sizes import Tokens
from langchain_ctx.configured import ConfiguredOptions
from langchain_ctx.convert import CODEC
from langchain_ctx.in_memory import InMemoryHistory
from langchain_ctx.overflow import MessageSessions
from langchain_ctx.session_lock import SessionLock
from langchain_ctx.turn_reads import read_of_turn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from langchain_core.messages import BaseMessage

    from ctx_core.conversation.held import Reading
    from ctx_core.session import Declared, SessionOptions
    from langchain_ctx.options import Keywords

_REFUSED: Final = {
    name: f"a history sees neither prompt nor question; use prompt | ContextRunnable({name}=…) | model"
    for name in ("recipe", "layers", "request_options")
}
"""Options that are of the whole request, of which a history is only the middle."""


class WindowHistory(BaseChatMessageHistory):
    """Reads through a budget and writes through to the store, whole."""

    def __init__(
        self, backing: BaseChatMessageHistory, sessions: HistorySessions, *, lock: SessionLock, key: str
    ) -> None:
        """Take the store, how it is fitted, the lock of its session, and the key of its conversation."""
        self._backing = backing
        self._sessions = sessions
        self._lock = lock
        self._conversation = ConversationId(key=key)
        self._given: list[BaseMessage] | None = None  # to LangChain, before the model of a turn
        self.enabled = True
        """Whether anything may be cut; can be set at any time."""

    @property
    def backing(self) -> BaseChatMessageHistory:
        """The store, with every message that was ever added."""
        return self._backing

    @property
    def conversation_key(self) -> str:
        """Under which the cut is remembered."""
        return self._conversation.key

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # a property, as the base class allows
        """The messages that fit, in a list of the caller's own.

        Where LangChain reads again at the end of a turn it is given what it was given before the model: what would be
        raised then is swallowed, and the turn lost.

        Raises:
            ContextOverflowError: if system messages or what the policy pins do not fit, or what an answer is still due
                to: a question at the end, or the last results of tools.
        """
        read = read_of_turn()
        if read == "behind" and self._given is not None:
            return list(self._given)
        return self._noted(run(self._window()), read)

    async def aget_messages(self) -> list[BaseMessage]:
        """Give the messages that fit; as `messages`."""
        read = read_of_turn()
        if read == "behind" and self._given is not None:
            return list(self._given)
        return self._noted(await arun(self._window()), read)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store messages, whatever their size. What the store raises is passed on."""
        if messages:
            with self._lock.hold():
                self._backing.add_messages(messages)

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store messages, whatever their size. What the store raises is passed on."""
        if messages:
            async with self._lock.ahold():
                await self._backing.aadd_messages(messages)

    def clear(self) -> None:
        """Empty the store, and forget all that is kept of the conversation."""
        with self._lock.hold():
            self._backing.clear()
        self._sessions.forget(self._conversation)

    async def aclear(self) -> None:
        """Empty the store, and forget all that is kept of the conversation."""
        async with self._lock.ahold():
            await self._backing.aclear()
        await asyncio.to_thread(self._sessions.forget, self._conversation)

    def _noted(self, messages: list[BaseMessage], read: str | None) -> list[BaseMessage]:
        if read == "before":
            self._given = list(messages)
        return messages

    def _window(self) -> Effects[list[BaseMessage]]:
        stored: list[BaseMessage] = yield Effect(self._stored, self._astored)
        waiting = _input_to_come(stored, self._sessions.reading())
        request = Request(
            history=stored,
            message=waiting,
            conversation=self._conversation,
            declared=self._sessions.declared_now(),
            enabled=self.enabled,
            whole=False,
            results_follow=True,
        )
        context = yield from self._sessions.fit(request)
        return context.messages if waiting is None else context.messages[:-1]

    def _stored(self) -> list[BaseMessage]:
        with self._lock.hold():
            return self._backing.messages

    async def _astored(self) -> list[BaseMessage]:
        async with self._lock.ahold():
            return await self._backing.aget_messages()


class BudgetedChatMessageHistory(WindowHistory):
    """A history whose `messages` fit a budget, while its store keeps every message that was ever added.

    For one conversation, and one turn of it at a time. Where turns of a session may run at once, give
    `RunnableWithMessageHistory` a `budgeted_session_history` instead: LangChain reads the history again when a
    turn ends, and would take what another turn has added meanwhile for input of this one.

    A history cannot see what comes next. One that ends in an answer may be left out as a whole. One that ends in a
    question or in results is what the model is to answer: it is there, or the read raises. One that ends in a call
    without a result, or in the results of some parallel calls, leaves open what has none, for the input. Where the user
    may go on instead, put a `ContextRunnable` between prompt and model: it sees both.
    """

    def __init__(
        self,
        backing: BaseChatMessageHistory | None = None,
        budget: ContextBudget | int | None = None,
        *,
        session: str = "",
        **options: Unpack[Keywords],
    ) -> None:
        """Put a budget over a store.

        Args:
            backing: the store; by default one in memory.
            budget: a budget (its part `history`, if it names one), or tokens; by default that of `model`.
            session: the key of this conversation in the option `states`.
            options: those of `ctx_core.session.SessionOptions` but for recipe, layers and request options, and
                `model`. `reserve` is kept free for what a history cannot see: the prompt's own text, and the user's
                input. Every read is recorded and reported, and LangChain may read twice in a turn.

        Raises:
            OptionError: for an option that it does not take.
            BudgetError: if there is neither a budget nor a model, or something given cannot work.
            UnknownModelError: if the budget is to come from a model whose window nothing knows.
        """
        store: object = InMemoryHistory() if backing is None else backing
        if not isinstance(store, BaseChatMessageHistory):
            msg = f"backing must be a BaseChatMessageHistory, found {type(store).__name__}: a number goes to budget="
            raise BudgetError(msg)
        given = {**options, "budget": budget}
        sessions = HistorySessions(type(self).__name__, given, also=("backing", "session"))
        super().__init__(store, sessions, lock=SessionLock(), key=session)
        self.enabled = sessions.enabled


class HistorySessions(MessageSessions):
    """How histories are fitted: by the options of the model that the config of the running chain chooses."""

    def __init__(self, caller: str, given: Mapping[str, Any], *, also: tuple[str, ...]) -> None:
        """Read the options; errors as for `BudgetedChatMessageHistory`."""
        self._configured = ConfiguredOptions(caller, given, refused=_REFUSED, also=also, change=_of_history)
        self.enabled = self._configured.default.enabled
        """Whether anything may be cut, as it was said."""
        super().__init__(self._configured.default)

    def declared_now(self) -> Declared | None:
        """Give what declares a request of the running chain; None where it is as without a config."""
        return self._configured.declared(ensure_config())


def _of_history(options: SessionOptions) -> SessionOptions:
    """Give the options with the budget of a history alone."""
    budget = options.budget
    return replace(options, budget=_history_budget(budget)) if isinstance(budget, ContextBudget) else options


def _history_budget(budget: ContextBudget) -> ContextBudget:
    """Give what a history alone may have: its part of the budget, or all of the input; its summary is a part of it."""
    part, summary = budget.size_of("history"), budget.size_of("summary")
    most = budget.input_limit if part is None else part
    parts = None if summary is None else {"summary": Tokens(min(summary, most))}
    return ContextBudget(most, parts=parts, model=budget.model)


def _input_to_come(stored: Sequence[BaseMessage], reading: Reading) -> HumanMessage | None:
    """Give what stands in for the input that nobody has shown us yet: what is stored comes before it.

    Every turn of the past may then be left out. A turn that has no answer yet is itself the one to be answered: it ends
    in a question, in results, of which more may come, or in a call that waits for one.
    """
    # It says where it stands: where nothing else fits, the window begins with it, and the next turn's is another one.
    return HumanMessage("", id=f"after {len(stored)}") if _is_answered(stored, reading) else None


def _is_answered(stored: Sequence[BaseMessage], reading: Reading) -> bool:
    """Whether the last turn has its answer; nothing at all has nothing to be answered."""
    told = Transcript(stored, (), CODEC, reading)
    last = next((at for at in reversed(range(len(told))) if not told.role(at).instructs), None)
    return last is None or (told.role(last) is Role.ASSISTANT and not told[last].tool_calls)
