"""`ContextMemoryBuffer`: a memory for LlamaIndex's chat engines and agents that keeps all and shows what fits."""

from __future__ import annotations

import uuid
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from llama_index.core.memory.types import DEFAULT_CHAT_STORE_KEY
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore

from ctx_core import HistoryPolicy, Message, Role, WindowState
from ctx_core.recipes import question_of
from ctx_core.summarizing import as_summarizing
from llamaindex_ctx import settings
from llamaindex_ctx.recipes import refuse_beside_recipe
from llamaindex_ctx.record import MemoryRecord, copied, owned
from llamaindex_ctx.stores import as_store
from llamaindex_ctx.summaries import DEFAULT
from llamaindex_ctx.view import CODEC, as_question
from llamaindex_ctx.viewing import Viewing, viewer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence, Sized

    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.llms.llm import LLM

    from ctx_core import ContextBudget, ContextBuilder, ContextReport, RollingSummary, Summarizing, UsageLog
    from ctx_core.budget import Size
    from ctx_core.builder import OnOverflow
    from ctx_core.counting.counter import CounterLike
    from ctx_core.recipes import Recipe
    from ctx_core.summarizing import Summarizer
    from llamaindex_ctx.settings import ToolLike
    from llamaindex_ctx.stores import ChatStore


class ContextMemoryBuffer(MemoryRecord):
    """Keeps the whole conversation, and gives engines and agents as much of it as fits a token budget.

    Takes the place of `ChatMemoryBuffer` and `Memory`. `get` gives a view that providers accept: within the
    budget, no call without its result, beginning with a user message. `get_all` gives everything. Where the
    view begins is decided when the budget overflows, and stays so until it overflows again, so that the
    provider's cache stays warm.

    What an engine sends beside the conversation is known as far as the engine tells: a `SimpleChatEngine`
    tells the text of its prefix messages, the others and agents tell nothing. For that keep a `reserve`, and
    name the `tools`.

    Messages are copied on their way in and out. Threads and tasks may share a memory. It is stored with
    `to_dict`, `to_string` and pickle, and as part of a workflow's `Context`. Code is not stored: a counter
    that is not known by its model's name, a policy's `pinned`, a chat store, a usage log and a summariser are
    given again to `from_dict`; until then the default counts, nothing is pinned or summarised anew, and the
    messages that came along are kept in the memory itself.

    With a `summarizer`, what leaves the view is summarised, once, before the view is given. The summary stands
    where the messages stood, in a user message, and is a part of the stored state. If it cannot be had, a marker
    stands there and the next view tries again.

    A `recipe` brings budget, counter, policy and what happens on overflow, and is asked on every view for what goes
    with the current question. Its text stands before the conversation, in a system message. A `CodeActAgent`
    overwrites that, and a `ReActAgent` without a system prompt of its own drops it: for them `recipe_role="user"`
    makes it a user message, which every engine and agent sends on as it is.

    A workflow stores and restores its context from run to run: after a second run with the same `ctx`, the
    memory that goes on is `await ctx.store.get("memory")`. What it was made with that is not stored, a chat
    store among it, it shares with the one given to the first run.
    """

    @classmethod
    def class_name(cls) -> str:
        """Give the name under which LlamaIndex knows it."""
        return "ContextMemoryBuffer"

    @classmethod
    def from_defaults(  # noqa: PLR0913 - the arguments of both of LlamaIndex's memories
        cls,
        chat_history: Sequence[ChatMessage] | None = None,
        llm: LLM | None = None,
        chat_store: ChatStore | None = None,
        chat_store_key: str | None = None,
        token_limit: int | None = None,
        tokenizer_fn: Callable[[str], Sized] | None = None,
        *,
        session_id: str | None = None,
        budget: ContextBudget | None = None,
        reserve: int | Size | None = None,
        counter: CounterLike | None = None,
        policy: HistoryPolicy | None = None,
        tools: Iterable[ToolLike] = (),
        on_overflow: OnOverflow | None = None,
        usage_log: UsageLog | None = None,
        summarizer: Summarizer | Summarizing | None = None,
        summary: RollingSummary | None = None,
        recipe: Recipe | None = None,
        recipe_role: Role | str = Role.SYSTEM,
        **unknown: Any,
    ) -> Self:
        """Make a memory.

        Args:
            chat_history: the conversation so far. It takes the place of what a chat store has; none, or an
                empty one, leaves the store as it is.
            llm: the model, for its window, the length of its answer, and its tokenizer.
            chat_store: holds the conversation: a `BaseChatStore` or an `AsyncDBChatStore`.
            chat_store_key: name of the conversation in the store, by default `chat_history` (in an
                `AsyncDBChatStore` a new name each time).
            token_limit: tokens of the whole request. Wins over the window of `llm`.
            tokenizer_fn: function from a text to the list of its tokens.
            session_id: another name for `chat_store_key`, as `Memory` has it.
            budget: in the place of `token_limit` and `reserve`. By default the window of `llm`, else 30,000.
            reserve: tokens kept free for the answer, and for what the engine sends and doesn't tell. By
                default what `llm` says its answer takes, else 4,096, but no more than a quarter of its window;
                0 beside a `token_limit`.
            counter: a counter, a tokenizer, a function from text to number of tokens, or a model's name. By
                default that of `llm` or of the budget's model, else a safe estimate.
            policy: how the conversation is cut.
            tools: the agent's tools, which go along with every request.
            on_overflow: `raise` a `ContextOverflowError`, the default, or `truncate` the current message.
            usage_log: is told of every view.
            summarizer: summarises what leaves the view: a function of the summary so far and the messages that
                leave, sync or async, such as an `LLMSummarizer`; a `Summarizing` says its window and its patience
                too.
            summary: where the summary stands and what it may cost; by default a user message, as a `ReActAgent`
                drops the system message that a conversation begins with.
            recipe: in the place of `budget`, `token_limit`, `reserve`, `llm`, `counter`, `tokenizer_fn`, `policy` and
                `on_overflow`. It logs every view in its own usage log, beside `usage_log`.
            recipe_role: whose text the recipe's is: `system`, `developer` or `user`.
            unknown: nothing else is taken.

        Raises:
            BudgetError: for settings that cannot work, unknown arguments, and those of LlamaIndex's memories
                that mean nothing here. It is a `ValueError`.
            MessageError: for something in `chat_history` that is no message.
        """
        settings.refuse(unknown)
        key = settings.resolve_key(session_id, chat_store_key)
        if key is None:
            key = str(uuid.uuid4()) if isinstance(chat_store, AsyncDBChatStore) else DEFAULT_CHAT_STORE_KEY
        if recipe is not None:
            refuse_beside_recipe(
                budget=budget, token_limit=token_limit, reserve=reserve, llm=llm, counter=counter,
                tokenizer_fn=tokenizer_fn, policy=policy, on_overflow=on_overflow,
            )  # fmt: skip
            fields: dict[str, Any] = {"recipe": recipe, "recipe_role": recipe_role, "summary": summary}
        else:
            fields = {
                "budget": settings.resolve_budget(budget, token_limit, llm, reserve),
                "policy": HistoryPolicy() if policy is None else policy,
                "counter": settings.resolve_counter(counter, tokenizer_fn),
                "on_overflow": settings.resolve_overflow(on_overflow),
                "summary": summary or (None if summarizer is None else DEFAULT),
            }
        memory = cls(
            tools=settings.tool_definitions(tools),
            chat_store=as_store(chat_store),
            chat_store_key=key,
            summarizer=as_summarizing(summarizer),
            **fields,
        )
        memory._live.usage_log = usage_log
        if chat_history:
            memory.set(chat_history)
        return memory

    @property
    def token_limit(self) -> int:
        """Tokens that the whole request may have, without the reserve."""
        return (self.budget if self.recipe is None else self._plan(self.recipe).budget).input_limit

    @property
    def session_id(self) -> str:
        """Name of the conversation."""
        return self.chat_store_key

    @property
    def last_report(self) -> ContextReport | None:
        """The report of the latest view, whichever thread asked for it; None before the first."""
        return self._live.report

    @property
    def usage_log(self) -> UsageLog | None:
        """What is told of every view."""
        return self._live.usage_log

    def tokenizer_fn(self, text: str) -> list[int]:
        """Give a list as long as a system message with this text costs; empty for no text.

        A `SimpleChatEngine` takes its length for the tokens of all its prefix messages together.
        """
        return list(range(self._count.count_message(Message.system(text)))) if text else []

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
        messages, question = self._door.read(), as_question(input)
        recipe = self.recipe
        declared = recipe.builder(question_of(messages, question, CODEC), tools=self.tools) if recipe else None
        viewing = self._viewing(messages, question, initial_token_count, declared)
        if self.summarizer is not None and viewing.unsummarised:
            with self._live.alone() as alone:
                if alone:
                    self.summarizer.run(viewing.look, key=self._live.token)
                    viewing.keep()
        return viewing.finished()

    async def aget(
        self,
        input: str | ChatMessage | None = None,  # noqa: A002 - LlamaIndex's name for it
        initial_token_count: int = 0,
        **kwargs: Any,  # noqa: ARG002 - LlamaIndex's signature
    ) -> list[ChatMessage]:
        """Give what of the conversation fits, as `get` does."""
        messages, question = await self._door.aread(), as_question(input)
        recipe = self.recipe
        declared = await recipe.abuilder(question_of(messages, question, CODEC), tools=self.tools) if recipe else None
        viewing = self._viewing(messages, question, initial_token_count, declared)
        if self.summarizer is not None and viewing.unsummarised:
            with self._live.alone() as alone:
                if alone:
                    await self.summarizer.arun(viewing.look, key=self._live.token)
                    viewing.keep()
        return viewing.finished()

    def get_all(self) -> list[ChatMessage]:
        """Give a copy of the whole conversation."""
        return copied(self._door.read())

    async def aget_all(self) -> list[ChatMessage]:
        """Give a copy of the whole conversation."""
        return copied(await self._door.aread())

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
        """Put these in the place of the whole conversation, or leave it if something is wrong with one of them."""
        self._door.replace(owned(messages))
        self.state = WindowState()

    async def aset(self, messages: Sequence[ChatMessage]) -> None:
        """Put these in the place of the whole conversation, or leave it if something is wrong with one of them."""
        await self._door.areplace(owned(messages))
        self.state = WindowState()

    def reset(self) -> None:
        """Forget the conversation, in the chat store too."""
        self._door.delete()
        self.state = WindowState()

    async def areset(self) -> None:
        """Forget the conversation, in the chat store too."""
        await self._door.adelete()
        self.state = WindowState()

    def _viewing(
        self, messages: list[ChatMessage], question: ChatMessage | None, taken: int, declared: ContextBuilder | None
    ) -> Viewing:
        if declared is not None:
            self._live.plan = declared.plan
        viewer = viewer_of(self, self._count, declared, taken)
        return Viewing(self, self._live, partial(viewer.view, messages, question=question, taken=taken))
