"""One call of an agent's model: fitted, fitted once more where it was refused, and learned from."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from langchain.agents.middleware.types import ModelRequest
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, SystemMessage
from langgraph.config import get_config

from ctx_core.counting.registry import counted_alike
from ctx_core.engine.context import Context
from ctx_core.errors import ContextOverflowError
from ctx_core.history.state import WindowState
from ctx_core.locks import Lock
from ctx_core.session import Request, Sessions
from ctx_core.session.too_long import too_long
from langchain_ctx.agent_models import AgentModel, AgentModels
from langchain_ctx.conversations import conversation_of
from langchain_ctx.convert import CODEC
from langchain_ctx.inputs import read_messages

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from langchain.agents.middleware.types import ModelResponse

    from ctx_core.effects import Effects
    from ctx_core.session import ConversationId

_MOST_UNWRITTEN: Final = 256
_NOTICED: Final = 100
_SHARE_NOTICED: Final = 20
"""A bill is odd where it is above what was counted by so many tokens, and one part in so many."""


class Unwritten:
    """States of requests that were not answered yet: who tries again goes on from there, without a second summary.

    Only hints, as all states are; shareable between threads.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._states: OrderedDict[Hashable, WindowState] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> WindowState | None:
        """Give the state of a request that was made before."""
        return self._states.get(key)

    def keep(self, key: Hashable, state: WindowState) -> None:
        """Keep the state of a request."""
        with self._lock:
            self._states[key] = state
            self._states.move_to_end(key)
            if len(self._states) > _MOST_UNWRITTEN:
                self._states.popitem(last=False)


@dataclass(slots=True, kw_only=True)
class AgentCall:
    """What one request is fitted with, and what came of it."""

    request: ModelRequest[Any]
    sessions: Sessions[BaseMessage]
    models: AgentModels
    unwritten: Unwritten
    calibration: object
    stored: object
    """What the agent's state has in the middleware's channel."""
    enabled: bool
    _model: AgentModel | None = field(default=None, init=False)
    _context: Context[BaseMessage] | None = field(default=None, init=False)
    _taken: int = field(default=0, init=False)

    def fitted(self) -> Effects[ModelRequest[Any]]:
        """Give the request to send.

        Raises:
            ContextOverflowError: if what is protected does not fit.
        """
        if not self.request.messages:
            return self.request
        self._model = self.models.of(self.request)
        return (yield from self._fit(self._model, self._model.uncounted(self.calibration)))

    def fitted_after(self, error: Exception) -> Effects[ModelRequest[Any] | None]:
        """Give the request to send once more, smaller, after it was refused; None where that would not help."""
        model, refused = self._model, self._context
        told = too_long(error)
        if told is None or model is None or refused is None or not self.enabled:
            return None
        counted = refused.tokens - self._taken
        model.learned.refuse(counted, told, refused.report.reserve)
        try:
            again = yield from self._fit(model, model.uncounted(self.calibration))
        except ContextOverflowError:
            return None
        return again if self._context is not None and self._context.tokens - self._taken < counted else None

    def learn(self, response: ModelResponse[Any]) -> int:
        """Learn from the bill; give the tokens that nobody has counted, where they are too many for a slip."""
        context, model = self._context, self._model
        answer = next((one for one in response.result if isinstance(one, AIMessage)), None)
        if context is None or model is None or answer is None or not self.calibration:
            return 0
        read = CODEC.read(answer)
        if read.billed is None or not _asked(read.model, model):
            return 0
        counted = context.tokens - self._taken
        model.learned.bills.append((counted, read.billed))
        above = read.billed - counted
        return above if above > max(_NOTICED, counted // _SHARE_NOTICED) else 0

    def changed_state(self) -> dict[str, Any] | None:
        """Give the state of the window to be written; None where it is as it was."""
        if self._context is None:
            return None
        state = self._context.state.to_dict()
        return None if state == (self.stored or WindowState().to_dict()) else state

    def _fit(self, model: AgentModel, taken: int) -> Effects[ModelRequest[Any]]:
        known = WindowState.from_dict(self.stored) if self.stored else WindowState()
        own = self.request.system_message
        given = read_messages(self.request.messages)
        messages: list[BaseMessage] = [*([] if own is None else [own]), *given]
        conversation = _conversation()
        key = self._key(conversation, given)
        request = Request(
            history=messages,
            conversation=conversation,
            state=self.unwritten.get(key) or known,
            declared=model.limited(),
            tools=model.along.tools,
            taken=taken,
            enabled=self.enabled,
        )
        try:
            context = yield from self.sessions.fit(request)
        except ContextOverflowError:
            if not taken:
                raise
            return (yield from self._fit(model, 0))  # a bill may have been of something else
        self._context, self._taken = context, taken
        if context.state.to_dict() != known.to_dict():
            self.unwritten.keep(key, context.state)
        return _with(self.request, context)

    def _key(self, conversation: ConversationId | None, messages: Sequence[BaseMessage]) -> Hashable:
        """Give what tells this request from others: that of a retry is the same."""
        ends = (_said(messages[0]), _said(messages[-1]))
        known = WindowState.from_dict(self.stored) if self.stored else WindowState()
        at = (known.start, known.gone_digest, known.summary_at, known.limit)
        return ("" if conversation is None else conversation.key, len(messages), ends, at)


def _said(message: BaseMessage) -> str:
    """Give what a message is known by: its id, else its text."""
    told: object = message.id
    return told if isinstance(told, str) and told else CODEC.read(message).text


def _with(request: ModelRequest[Any], context: Context[BaseMessage]) -> ModelRequest[Any]:
    """Give the request with what fits. The agent's own instructions stay in their field, layers stand behind them."""
    messages, own = cast("list[AnyMessage]", list(context.messages)), request.system_message
    layered = bool(context.system_prompt)
    if own is None and not layered:
        return request.override(messages=messages)
    # Of layers and the agent's own instructions the layers come first.
    at = int(own is not None and layered and len(messages) > 1 and isinstance(messages[1], SystemMessage))
    first = messages[at] if messages else None
    if not isinstance(first, SystemMessage):
        return request.override(messages=messages)
    del messages[at]
    return request.override(messages=messages, system_message=first)


def _conversation() -> ConversationId | None:
    """Give the conversation that the run of the graph names: its thread and its namespace."""
    try:
        return conversation_of(get_config())
    except RuntimeError:  # outside of a graph
        return None


def _asked(answered: str | None, model: AgentModel) -> bool:
    """Whether an answer is that of the model, as far as it says: a later middleware may have asked another."""
    return answered is None or model.counter.model is None or counted_alike(answered, model.counter.model)
