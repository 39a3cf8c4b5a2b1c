"""How the requests of an LLM are made to fit: shared by the LLM and its copies."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, cast

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, MessageRole

from ctx_core.conversation.transcript import Transcript
from ctx_core.counting.usage import input_tokens
from ctx_core.errors import ContextOverflowError, MessageError
from ctx_core.session import Request, Sessions
from ctx_core.session.conversation_id import nameless
from llamaindex_ctx.asked import Asked, asked_with
from llamaindex_ctx.convert import CODEC
from llamaindex_ctx.events import tell, telling_overflow
from llamaindex_ctx.packing import Density

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping, Sequence

    from ctx_core import Context, ContextBudget, ContextReport, WindowState
    from ctx_core.effects import Effects
    from ctx_core.engine.plan import Plan
    from ctx_core.history.policy import HistoryPolicy
    from ctx_core.session import SessionOptions

Response: TypeAlias = ChatResponse | CompletionResponse
ResponseT = TypeVar("ResponseT", ChatResponse, CompletionResponse)

_RUNNING: Final = ContextVar[frozenset[int]]("llamaindex_ctx_running", default=frozenset())
"""The fittings whose LLMs are being called: their methods call one another, and only the outermost call fits."""
_PREPARED: Final = 64
"""Requests that were prepared and may not have been sent yet."""


def any_running() -> bool:
    """Whether this is within a call of an LLM whose requests fit."""
    return bool(_RUNNING.get())


class LLMFitting:
    """Makes requests fit, and learns from their bills; shareable between threads, tasks and event loops."""

    def __init__(self, options: SessionOptions) -> None:
        """Take the options.

        Raises:
            BudgetError: for options that cannot work together.
        """
        self.options = options
        self.enabled = options.enabled
        self.report: ContextReport | None = None
        self._sessions: Sessions[ChatMessage] = Sessions(options, CODEC)
        self._known_plan: Plan | None = None
        self._density: Density | None = None
        self._prepared: OrderedDict[tuple[int, ...], list[ChatMessage]] = OrderedDict()

    @property
    def budget(self) -> ContextBudget:
        """That of each request."""
        return self._plan.budget

    @property
    def packed_input(self) -> int:
        """Tokens of input, as LlamaIndex counts what it packs, that fit by the count of this one."""
        return self._dense.of(self.budget.input_limit)

    @property
    def _dense(self) -> Density:
        if self._density is None:
            self._density = Density(self._plan.counter)
        return self._density

    @property
    def _plan(self) -> Plan:
        """What is declared for no question yet, asked for once: a recipe may read files."""
        if self._known_plan is None:
            self._known_plan = self._sessions.declared.builder("").plan
        return self._known_plan

    @property
    def running(self) -> bool:
        """Whether this is within a call that fits already."""
        return id(self) in _RUNNING.get()

    @contextmanager
    def call(self) -> Generator[None]:
        """Mark what runs within as a call that fits already."""
        token = _RUNNING.set(_RUNNING.get() | {id(self)})
        try:
            yield
        finally:
            _RUNNING.reset(token)

    def is_fitted(self, messages: Sequence[ChatMessage]) -> bool:
        """Whether messages need no fitting: none at all, those of a call within a call, or made to fit before."""
        return self.running or not messages or tuple(map(id, messages)) in self._prepared

    def prepared(self, context: Context[ChatMessage]) -> list[ChatMessage]:
        """Give messages that fit to who sends them in another call; an integration may put them into another list."""
        messages = list(context.messages)
        self._prepared[tuple(map(id, messages))] = messages  # which is held, so that their ids stay theirs
        while len(self._prepared) > _PREPARED:
            self._prepared.popitem(last=False)
        return messages

    def fit(
        self, messages: Sequence[ChatMessage], sent: Mapping[str, Any], tools: object = None
    ) -> Effects[Context[ChatMessage]]:
        """Give the context of a request.

        Args:
            messages: all of them; never changed.
            sent: keywords of the call, and what the LLM adds to each.
            tools: its tools, where the call takes them apart.

        Raises:
            ContextOverflowError: if what is protected does not fit.
            MessageError: for something that is no message.
        """
        asked = asked_with(sent, tools)
        try:
            with telling_overflow("llm"):
                context = yield from self._sessions.fit(self._request(messages, asked))
        except ContextOverflowError as error:
            self._dense.learn(messages, error.needed, error.limit)
            raise
        self.report = context.report
        tell("llm", context)
        return context

    def known(self, messages: Sequence[ChatMessage]) -> WindowState:
        """Give what is remembered of the window of a conversation; fresh where nothing is."""
        transcript = Transcript(messages, (), CODEC)
        return self._sessions.states.read(nameless(transcript), transcript, quiet=True).state

    def learn(self, context: Context[ChatMessage] | None, response: Response | None) -> None:
        """Learn from the bill of an answer, where it says one and the counter learns; None: of nothing."""
        if context is None or context.count is None or response is None:
            return
        counter = self._plan.counter
        if counter.calibration is None or counter.model is None:
            return
        billed = _billed(response)
        if billed is not None:
            counter.calibration.observe(counter.model, context.count, billed=billed)

    def streamed(
        self, context: Context[ChatMessage] | None, stream: Iterator[ResponseT]
    ) -> Generator[ResponseT, None, None]:
        """Pass a stream on: what is called while it runs is within the call too, and its last bill is learned from."""
        last: ResponseT | None = None
        try:
            while True:
                with self.call():
                    response = next(stream, None)
                if response is None:
                    break
                last = response if last is None or _billed(response) is not None else last
                yield response
        finally:
            close = getattr(stream, "close", None)
            if close is not None:
                close()
        self.learn(context, last)

    async def astreamed(
        self, context: Context[ChatMessage] | None, stream: AsyncIterator[ResponseT]
    ) -> AsyncGenerator[ResponseT, None]:
        """Pass a stream on, as `streamed` does."""
        last: ResponseT | None = None
        try:
            while True:
                with self.call():
                    response = await anext(stream, None)
                if response is None:
                    break
                last = response if last is None or _billed(response) is not None else last
                yield response
        finally:
            close = getattr(stream, "aclose", None)
            if close is not None:
                await close()
        self.learn(context, last)

    def _request(self, messages: Sequence[ChatMessage], asked: Asked) -> Request[ChatMessage]:
        declared = None
        if asked.options is not None:
            declared = replace(self._sessions.declared, request_options=asked.options)
        history = _closed(messages, self._plan.policy) if self.enabled else messages
        return Request(history=history, declared=declared, tools=asked.tools, enabled=self.enabled)

    def __deepcopy__(self, memo: dict[int, object]) -> LLMFitting:
        """Give itself: copies of an LLM have the same budget, remember together and learn together."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the options; what is remembered stays where it is."""
        return (LLMFitting, (replace(self.options, enabled=self.enabled),))


def _closed(messages: Sequence[ChatMessage], policy: HistoryPolicy) -> Sequence[ChatMessage]:
    """Give messages behind which a model can be asked: calls at the very end have a result.

    An agent that was stopped early leaves them behind, and sends them with its next request.
    """
    last = messages[-1]
    try:
        read = CODEC.read(last)
    except MessageError:
        return messages  # whoever reads all of them says which one it is
    calls = read.tool_calls
    if not calls:
        return messages
    if policy.unanswered == "drop":
        without = read.without_calls(frozenset(range(len(calls))))
        return [*messages[:-1], *([CODEC.write(without)] if without.text.strip() else ())]
    stubs = (
        ChatMessage(policy.stub, role=MessageRole.TOOL, additional_kwargs=_named(call.id, call.name)) for call in calls
    )
    return [*messages, *stubs]


def _named(call_id: str | None, name: str) -> dict[str, Any]:
    return {"tool_call_id": call_id} if call_id else {"name": name}


def _billed(response: Response) -> int | None:
    extra = cast("object", response.additional_kwargs)  # pyright: ignore[reportUnknownMemberType]
    return input_tokens(response.raw) or input_tokens(extra)
