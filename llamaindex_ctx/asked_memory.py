"""How a memory makes a request: what is being asked, the room that it needs, and what is given of the conversation."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from pydantic import PrivateAttr

from ctx_core import BudgetError, ContextOverflowError, Role
from ctx_core.clean import told
from ctx_core.effects import Effect, Effects
from ctx_core.session import ConversationId, Request
from ctx_core.session.declaration import tokens_in
from ctx_core.sizes import is_count
from llamaindex_ctx.convert import CODEC
from llamaindex_ctx.copies import copied
from llamaindex_ctx.events import tell
from llamaindex_ctx.exceeding import first_key, given
from llamaindex_ctx.feeding import feed
from llamaindex_ctx.literal import literal
from llamaindex_ctx.questions import as_question, closing_answers, is_asked, was_asked
from llamaindex_ctx.stored_memory import StoredMemory
from llamaindex_ctx.stores import DatabaseAccess
from llamaindex_ctx.tail import NotReadError, PartlyRead, known_state, read_end, read_tail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core import Context
    from llamaindex_ctx.packing import Packing

_FOUND: Final = 1_024
"""Tokens of a retrieved context that there is room for; a quarter of small windows."""
_TRIES: Final = 8
"""How often less of a conversation is tried, where LlamaIndex counts more tokens in it than its model does."""
_SMALLEST: Final = 512
"""Of smaller budgets nothing is kept: no LLM has such a window."""


class AskedMemory(StoredMemory):
    """A memory that is asked for the messages of a request."""

    _asked_at: int = PrivateAttr(default=-1)
    """How long the conversation was when a request was made without a question, as agents do once they stored it."""

    @property
    def _conversation(self) -> ConversationId:
        return ConversationId(key=self.chat_store_key)

    def _window(self, asked: object, taken: int) -> Effects[list[ChatMessage]]:
        """Choose what the engine gets; of a conversation in a database only the end is read, where that is enough."""
        for read in (self._tail, self._end):
            before = self.state
            part = yield from read()
            if part is not None:
                try:
                    return (yield from self._window_of(part, asked, taken))
                except NotReadError:  # a summary is due, which speaks of more: as if nothing had been decided yet
                    self.state = before
        messages: list[ChatMessage] = yield Effect(self._door.read, self._door.aread)
        return (yield from self._window_of(messages, asked, taken))

    @property
    def _database(self) -> DatabaseAccess | None:
        """Where the conversation is, if that can be read in parts, and nothing here needs all of it."""
        access = self._door
        elsewhere = self.states is not None and self.summarizer is not None
        whole = self.recipe is not None or self.layers or not self.enabled or elsewhere
        return access if isinstance(access, DatabaseAccess) and not whole else None

    def _tail(self) -> Effects[PartlyRead | None]:
        """Read what follows the last cut; None where nothing was cut."""
        if self._database is None:
            return None
        state = self.state
        if self.states is not None:
            known = partial(known_state, self.states, self.chat_store_key)
            state = yield Effect(known, partial(asyncio.to_thread, known))
        if not state.decided:
            return None
        return (yield from read_tail(self._database, state, summarizes=self.summarizer is not None))

    def _end(self) -> Effects[PartlyRead | None]:
        """Read the end of what was never cut, or is to be cut anew, and begin there."""
        keeps_more = self.policy.keep_first or self.policy.pinned is not None or self.summarizer is not None
        if self._database is None or self.states is not None or self.state.summary or keeps_more:
            return None
        found = yield from read_end(self._database, self._plan)
        if found is None:
            return None
        part, self.state = found
        return part

    def _window_of(self, messages: Sequence[ChatMessage], asked: object, taken: int) -> Effects[list[ChatMessage]]:
        """Choose what the engine gets; a question that it will add itself has room kept for it."""
        question = as_question(asked)
        if question is None:
            self._asked_at = len(messages)
        elif self._asked_at != len(messages) and is_asked(question, messages):
            # No agent has asked for it since it was stored: an engine whose stream broke off sends it once more.
            again = self._plan.counter.count_message(CODEC.read(question))
            try:
                context = yield from self._packable(self._request(messages, None, taken + again), question)
            except ContextOverflowError:
                pass
            else:
                return self._given(context, None)
        if question is not None and not is_asked(question, messages):
            request = self._request(messages, question, taken)
            # Asked before, or stored by an agent whose turn has an answer already: it must not be lost where nothing
            # but the question is left.
            alone = was_asked(question, messages) and (yield from self._is_alone(request))
            if not alone:
                context = yield from self._before_question(request)
                yield from feed(self, context, messages)
                return self._given(context, question)
        try:
            context = yield from self._sessions.fit(self._request(messages, None, taken))
        except ContextOverflowError:
            # Agents ask once more when their answer is stored. Nothing is asked then, so an answer that does not fit
            # behind its question is left out instead of ending the run with an error.
            answers = closing_answers(messages)
            if answers in (0, len(messages)):
                raise
            request = self._request(messages[: len(messages) - answers], None, taken)
            request = replace(request, left_out=answers, why="no room for the answer")
            context = yield from self._sessions.fit(request)
        yield from feed(self, context, messages)
        return self._given(context, None)

    def _before_question(self, request: Request[ChatMessage]) -> Effects[Context[ChatMessage]]:
        """Fit a request whose question the engine sends itself, whole: one that was truncated here is of no use."""
        try:
            asked = cast("ChatMessage", request.message)
            return (yield from self._packable(replace(request, on_overflow="raise"), asked))
        except ContextOverflowError:
            tried = yield from self._sessions.fit(replace(request, keeps=False))  # which raises unless all may truncate
            if tried.messages[-1] is not request.message:
                raise
            return (yield from self._sessions.fit(request))

    def _packable(self, request: Request[ChatMessage], asked: ChatMessage) -> Effects[Context[ChatMessage]]:
        """Fit a request with room for what an engine has found, as LlamaIndex reckons that."""
        kept = self._room_beside()
        if self.enabled and self.recipe is None and self.packing is not None:
            kept += yield from self._kept_for_helper(request, asked, self.packing, kept)
        with suppress(ContextOverflowError):
            return (yield from self._sessions.fit(self._with_kept(request, kept)))
        return (yield from self._sessions.fit(request))

    def _kept_for_helper(
        self, request: Request[ChatMessage], asked: ChatMessage, packing: Packing, kept: int
    ) -> Effects[int]:
        """Give what more is kept, so that the prompt helper, which counts otherwise, has room for what was found."""
        packed, counter = self._running.packed, self._plan.counter
        room = self._plan.limit - kept - counter.count_tools(self.tools) - request.taken
        before = more = min(packed.kept, max(0, room - 1))
        for _ in range(_TRIES):
            try:
                tried = replace(self._with_kept(request, kept + more), keeps=False)
                context = yield from self._sessions.fit(tried)
            except ContextOverflowError as error:
                if more and more == before:  # what was right for other questions
                    before = more = 0
                    continue
                # No more is left out than can be: then there is an answer at least where little was found.
                return max(0, more - (error.needed - error.limit))
            sent = context.messages if request.message is asked else [*context.messages, asked]
            tokens, allowed = packed.count(sent), packed.allowed(packing)
            fitting = allowed * counter.count_messages(map(CODEC.read, sent)) // max(1, tokens)
            roomier = min(max(more + 1, room - fitting), room - 1)
            if tokens <= allowed or len(context.messages) == 1 or roomier <= more:
                packed.note(packing, asked, tokens=tokens, kept=more)
                break
            more = roomier
        return more

    def _with_kept(self, request: Request[ChatMessage], tokens: int) -> Request[ChatMessage]:
        if not tokens:
            return request
        declared = self._sessions.declared
        reserve = tokens_in(declared.reserve, self.budget) + tokens
        return replace(request, declared=replace(declared, reserve=reserve))

    def _room_beside(self) -> int:
        """Give what is kept free for what an engine that asks by itself has found, where no reserve is as large.

        LlamaIndex packs it into what a prompt leaves of the window, and raises an error where that is nothing.
        """
        total = self.budget.total
        if self.recipe is not None or total < _SMALLEST:
            return 0
        return max(0, min(total // 4, _FOUND) - (total - self._plan.limit))

    def _is_alone(self, request: Request[ChatMessage]) -> Effects[bool]:
        context = yield from self._sessions.fit(replace(request, keeps=False))
        return context.report.history.messages == 1

    def _request(
        self, messages: Sequence[ChatMessage], question: ChatMessage | None, taken: object
    ) -> Request[ChatMessage]:
        if not is_count(taken):
            msg = f"initial_token_count must be a whole number from 0 up, found {told(taken)}"
            raise BudgetError(msg)
        return Request(
            history=messages,
            message=question,
            conversation=self._conversation,
            whole=False,
            taken=cast("int", taken) + self._frame_of_front(),
            verify="ends" if isinstance(messages, PartlyRead) else "all",
            enabled=self.enabled,
        )

    def _frame_of_front(self) -> int:
        """Give what a recipe's text costs more as a user message than it does as a system message."""
        if self.recipe_role is not Role.USER or (self.recipe is None and not self.layers):
            return 0
        framing = self._plan.counter.framing.messages
        return 0 if framing.per_system is None else max(0, framing.per_message - framing.per_system)

    def _given(self, context: Context[ChatMessage], question: ChatMessage | None) -> list[ChatMessage]:
        """Give copies, free to be changed, of what goes before the question; a recipe's text in the role it has."""
        counter = self._plan.counter if self.recipe is None else None  # which would be asked once more for it
        self._running.note(context.report, counter, f"{self.chat_store_key} {first_key(context.transcript)}")
        tell("memory", context)
        messages = context.messages
        if self.recipe_role is not Role.SYSTEM and context.system_prompt:
            front = ChatMessage(context.system_prompt, role=MessageRole(str(self.recipe_role)))
            messages = [front, *context.conversation]
        # An engine that brings the question itself puts the conversation into its prompt's template.
        messages = copied(messages) if question is None else literal(copied(messages[:-1]))
        given(messages, self._running)
        return messages
