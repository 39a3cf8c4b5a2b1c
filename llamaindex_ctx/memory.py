"""`ContextMemoryBuffer`: a memory for LlamaIndex's chat engines and agents that keeps all and gives what fits."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self, Unpack

from pydantic import ValidationError

from ctx_core import BudgetError, ContextBudget, Message
from ctx_core.effects import arun, run
from ctx_core.sizes import is_count
from llamaindex_ctx import settings
from llamaindex_ctx.asked_memory import AskedMemory
from llamaindex_ctx.copies import copied, owned
from llamaindex_ctx.events import telling_overflow
from llamaindex_ctx.invalid_fields import told_by
from llamaindex_ctx.sent_beside import SentBeside, beside_in_agent, beside_in_engine
from llamaindex_ctx.stores import as_status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence, Sized

    from llama_index.core.agent.workflow import AgentWorkflow, BaseWorkflowAgent
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.chat_engine.types import BaseChatEngine
    from llama_index.core.llms.llm import LLM
    from llama_index.core.storage.chat_store.base_db import MessageStatus

    from ctx_core import ContextReport
    from llamaindex_ctx.stores import ChatStore


class ContextMemoryBuffer(AskedMemory):
    """Keeps the whole conversation, and gives engines and agents as much of it as fits a token budget.

    Takes the place of `ChatMemoryBuffer` and `Memory`. `get` gives a request that providers accept: within the
    budget, no call without its result, beginning with a user message. `get_all` gives everything. Where the
    history begins is decided when the budget overflows, and stays so until it overflows again, so that the
    provider's cache stays warm.

    What an engine sends beside the conversation is known as far as the engine tells: a `SimpleChatEngine`
    tells the text of its prefix messages, the others and agents tell nothing. For that keep a `reserve`, and
    name the `tools`.

    Messages are copied on their way in and out. Threads and tasks may share a memory. It is stored with
    `to_dict`, `to_string` and pickle, and as part of a workflow's `Context`. Code is not stored: a counter
    that is not known by its model's name, a policy's `pinned`, a chat store, layers, a summarizer and whoever hears
    of requests are given again to `from_dict`; until then the default counts, nothing is pinned or summarized anew, and
    the messages that came along are kept in the memory itself.

    With a `summarizer`, what is cut is summarized, once, before the request is given. The summary stands
    where the messages stood, in a user message, and is a part of the stored state. If it cannot be had, a marker
    stands there and the next request tries again.

    A `recipe` brings budget, counter, policy and what happens on overflow, and is asked on every request for what goes
    with the current question. Its text stands before the conversation, in a system message. A `CodeActAgent`
    overwrites that, and a `ReActAgent` without a system prompt of its own drops it: for them `recipe_role="user"`
    makes it a user message, which every engine and agent sends on as it is.

    A workflow stores and restores its context from run to run. The memory given to the first run goes on in its `ctx`:
    it has what later runs with that `ctx` have said, and a `reset` of it is one for them. A copy, a pickle, and a
    context that somebody has restored from a dump are conversations of their own.
    """

    @classmethod
    def class_name(cls) -> str:
        """Give the name under which LlamaIndex knows it."""
        return "ContextMemoryBuffer"

    def __init__(self, **arguments: Any) -> None:
        """Make a memory; the arguments are those of `from_defaults`, and the fields of a stored memory."""
        fields = settings.fields_of(type(self).__name__, arguments, type(self).model_fields)
        chat_history = fields.pop("chat_history", None)
        wrong: Exception | None = None
        try:
            super().__init__(**fields)
        except ValidationError as error:
            wrong = told_by(error)
        if wrong is not None:  # outside of the handler, as pydantic's own error goes on and on
            raise wrong
        if chat_history:
            self.set(chat_history)

    @classmethod
    def from_defaults(  # type: ignore[override]  # the framework's takes anything; a misspelt option is an error here
        cls,
        chat_history: Sequence[ChatMessage] | None = None,
        llm: LLM | None = None,
        chat_store: ChatStore | None = None,
        chat_store_key: str | None = None,
        token_limit: int | None = None,
        tokenizer_fn: Callable[[str], Sized] | None = None,
        **options: Unpack[settings.MemoryKeywords],
    ) -> Self:
        """Make a memory.

        Args:
            chat_history: the conversation so far. It takes the place of what a chat store has; none, or an
                empty one, leaves the store as it is.
            llm: the model, for its window, the length of its answer, and its tokenizer.
            chat_store: holds the conversation: a `BaseChatStore` or an `AsyncDBChatStore`.
            chat_store_key: name of the conversation in the store, by default `chat_history` (in an
                `AsyncDBChatStore` a new name each time); `session_id` is another name for it, as `Memory` has it.
            token_limit: tokens of the whole request. Wins over the window of `llm`.
            tokenizer_fn: function from a text to the list of its tokens.
            options: those of `ctx_core.session.SessionOptions`. Without a `budget` and a `token_limit` it is the
                window of `llm`, else that of `Settings.llm` if it is set, else 30,000; `reserve` is then the larger of
                what the LLM will ask for and a quarter of the window. Without a counter
                `Settings.tokenizer` counts, if it is set. `tools` are the agent's, functions or definitions.
                `recipe_role` says whose text that of a recipe or of layers is: `system`, `developer` or `user`.
                `states` hold cut and summary outside of the memory, for applications that make a memory anew for each
                request.

        Raises:
            OptionError: for arguments that mean nothing here, those of LlamaIndex's memories among them.
            BudgetError: for settings that cannot work. Both are `ValueError`s.
            MessageError: for something in `chat_history` that is no message.
        """
        given = {
            "chat_history": chat_history, "llm": llm, "chat_store": chat_store, "chat_store_key": chat_store_key,
            "token_limit": token_limit, "tokenizer_fn": tokenizer_fn, **options,
        }  # fmt: skip
        return cls(**settings.fields_of(f"{cls.__name__}.from_defaults", given, cls.model_fields))

    @classmethod
    def from_engine(cls, engine: BaseChatEngine, **options: Unpack[settings.BesideKeywords]) -> Self:
        """Make a memory for engines like this one, which keeps room for what it sends beside the conversation.

        That are its prompts, and `similarity_top_k` pieces as large as its index makes them. Engines are given their
        memory when they are made: `index.as_chat_engine(llm=llm, memory=memory)`.

        Args:
            engine: any chat engine of LlamaIndex; it is only read.
            options: as in `from_defaults`; a `reserve` takes the place of what is read.

        Raises:
            OptionError: for arguments that mean nothing here.
            BudgetError: for something else than a chat engine, or settings that cannot work.
        """
        return cls._keeping((beside_in_engine(engine),), options)

    @classmethod
    def from_agent(cls, agent: BaseWorkflowAgent | AgentWorkflow, **options: Unpack[settings.BesideKeywords]) -> Self:
        """Make a memory for an agent, which keeps room for its prompt, its tools and the steps of its running turn.

        For the steps it is a quarter of the window, and no memory knows if they take more: `with_context_budget` bounds
        what is really sent. Of an agent that has that already nothing is kept for steps.

        Args:
            agent: an agent, or an `AgentWorkflow`, of which the agent that leaves the least room counts.
            options: as in `from_defaults`; a `reserve` and `tools` take the place of what is read.

        Raises:
            OptionError: for arguments that mean nothing here.
            BudgetError: for something that is no agent, or settings that cannot work.
        """
        return cls._keeping(beside_in_agent(agent), options)

    @classmethod
    def _keeping(cls, sent: Sequence[SentBeside], options: settings.BesideKeywords) -> Self:
        """Make the memory of the one that leaves the least room."""
        memories: list[Self] = []
        for beside in sent:
            given: dict[str, Any] = {"tools": beside.tools, **options}
            if given.get("budget") is None and given.get("token_limit") is None and given.get("recipe") is None:
                given["budget"] = beside.budget
            memories.append(cls.from_defaults(llm=beside.llm, **given))
            if given.get("reserve") is None:
                cls._keep(memories[-1], beside)
        return min(memories, key=cls._left)

    def _keep(self, beside: SentBeside) -> None:
        self.reserve = beside.tokens(self._plan.counter, self._plan.budget)

    def _left(self) -> int:
        return self._plan.limit - self._plan.counter.count_tools(self.tools)

    @property
    def token_limit(self) -> int:
        """Tokens that the whole request may have, without the reserve; can be set."""
        return self._plan.limit

    @token_limit.setter
    def token_limit(self, tokens: int) -> None:
        if self.recipe is not None:
            msg = "the recipe says how much there is: dataclasses.replace(recipe, budget=…) changes it"
            raise BudgetError(msg)
        if not is_count(tokens) or not tokens:
            msg = f"token_limit must be a whole number of tokens above 0, found {type(tokens).__name__}"
            raise BudgetError(msg)
        reserve = self._plan.reserve
        self.budget = ContextBudget(tokens + reserve, parts=self.budget.parts, reserve=reserve, model=self.budget.model)
        self.reserve = 0

    @property
    def session_id(self) -> str:
        """Name of the conversation."""
        return self.chat_store_key

    @property
    def last_report(self) -> ContextReport | None:
        """The report of the latest request, whichever thread asked for it; None before the first."""
        return self._running.report

    def tokenizer_fn(self, text: str) -> list[int]:
        """Give a list as long as a system message with this text costs; empty for no text.

        A `SimpleChatEngine` takes its length for the tokens of all its prefix messages together.
        """
        return list(range(self._plan.counter.count_message(Message.system(text)))) if text else []

    def get(
        self,
        input: str | ChatMessage | None = None,  # noqa: A002 - LlamaIndex's name for it
        initial_token_count: int = 0,
        **kwargs: Any,  # noqa: ARG002 - LlamaIndex's signature
    ) -> list[ChatMessage]:
        """Give what of the conversation fits.

        Args:
            input: what the engine is going to ask. Where it is not stored yet, room is kept for it.
            initial_token_count: tokens that the engine sends beside the conversation.
            kwargs: what other memories take; it means nothing here.

        Returns:
            Copies, free to be changed, behind the text of a recipe. Empty only if nothing was ever put, or if a
            new question in `input` leaves no room for the turns before it.

        Raises:
            ContextOverflowError: if what cannot be left out doesn't fit. It is a `ValueError`.
        """
        with telling_overflow("memory"):
            return run(self._window(input, initial_token_count))

    async def aget(
        self,
        input: str | ChatMessage | None = None,  # noqa: A002 - LlamaIndex's name for it
        initial_token_count: int = 0,
        **kwargs: Any,  # noqa: ARG002 - LlamaIndex's signature
    ) -> list[ChatMessage]:
        """Give what of the conversation fits, as `get` does."""
        with telling_overflow("memory"):
            return await arun(self._window(input, initial_token_count))

    def get_all(self, status: MessageStatus | None = None) -> list[ChatMessage]:
        """Give a copy of the whole conversation.

        Args:
            status: as `Memory` has it; only an `AsyncDBChatStore` has archived messages.
        """
        return copied(self._door.read(as_status(status)))

    async def aget_all(self, status: MessageStatus | None = None) -> list[ChatMessage]:
        """Give a copy of the whole conversation, as `get_all` does."""
        return copied(await self._door.aread(as_status(status)))

    def put(self, message: ChatMessage) -> None:
        """Append a message.

        Raises:
            MessageError: for what is no message, or cannot be read as one.
        """
        self._door.add(owned([message]))

    async def aput(self, message: ChatMessage) -> None:
        """Append a message, as `put` does."""
        await self._door.aadd(owned([message]))

    def put_messages(self, messages: Sequence[ChatMessage]) -> None:
        """Append all of these, or none if something is wrong with one of them."""
        self._door.add(owned(messages))

    async def aput_messages(self, messages: Sequence[ChatMessage]) -> None:
        """Append all of these, or none if something is wrong with one of them."""
        await self._door.aadd(owned(messages))

    def set(self, messages: Sequence[ChatMessage]) -> None:
        """Put these in the place of the whole conversation, or leave it if something is wrong with one of them.

        What is remembered of the cut is held against them: where they go on from what there was, it stays.
        """
        self._door.replace(owned(messages))
        self.fed = 0
        self._sessions.renew(self._conversation, messages)

    async def aset(self, messages: Sequence[ChatMessage]) -> None:
        """Put these in the place of the whole conversation, as `set` does."""
        await self._door.areplace(owned(messages))
        self.fed = 0
        await asyncio.to_thread(self._sessions.renew, self._conversation, messages)

    def reset(self) -> None:
        """Forget the conversation, in the chat store too, and all that is remembered of it."""
        self._door.delete()
        self.fed = 0
        self._sessions.forget(self._conversation)

    async def areset(self) -> None:
        """Forget the conversation, as `reset` does."""
        await self._door.adelete()
        self.fed = 0
        await asyncio.to_thread(self._sessions.forget, self._conversation)
