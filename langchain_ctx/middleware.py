"""`create_agent` in one line: `middleware=[…, ContextMiddleware()]`, and every request to the model fits."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Annotated, Any, Final, NotRequired, TypedDict, Unpack, cast

from langchain.agents.middleware.internal_call_transformer import InternalCallTransformer
from langchain.agents.middleware.types import (
    AgentMiddleware,
    AgentState,
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
    PrivateStateAttr,
)
from langchain_core.messages import AIMessage
from langgraph.types import Command
from typing_extensions import override

from ctx_core.budget import ContextBudget
from ctx_core.effects import arun, run
from ctx_core.errors import BudgetError
from ctx_core.history.state import WindowState
from ctx_core.memory import ContextSearch, recalling
from ctx_core.session import SessionOptions
from ctx_core.session.options import NAMES, check_names
from ctx_core.session.summarizing import Summarizing
from langchain_ctx.agent_call import AgentCall, Unwritten
from langchain_ctx.agent_models import AgentModels
from langchain_ctx.agent_request import attempts
from langchain_ctx.convert import CODEC
from langchain_ctx.counters import counter_of
from langchain_ctx.overflow import MessageSessions
from langchain_ctx.search_tool import held, search_tool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from langchain_core.tools import BaseTool
    from langgraph.prebuilt import ToolRuntime

    from ctx_core.session import SurfaceKeywords

_CHANNEL: Final = "ctx_layers"
"""Where the agent's state has that of the window; with a name of its own behind it for a middleware that has one."""
_REFUSED: Final = {
    "states": "the agent's state keeps it: give create_agent a checkpointer",
    "model": "each request has its own",
    "tools": "those of each request are counted: give them to create_agent",
}
_LOG: Final = logging.getLogger("langchain_ctx")


class ContextMiddleware(AgentMiddleware[Any, Any, Any]):
    """Fits every request of an agent into the window of the model that it goes to.

    The model is sent a trimmed copy; the messages in the agent's state are never touched. What was cut, and its
    summary, are kept in a private channel of that state: a checkpointer stores it with the messages, and neither input
    nor output shows it. Put it last: then it sees prompt, tools and model as they are sent.

    Counted are the system message, the tools, the schema of a structured answer whichever way it goes, a forced tool
    and the messages. Without a budget each model has its own window, with room for the answer that its settings, the
    model or its family ask for; with one, or with a recipe, a model whose window is smaller has its own all the same.
    Where a provider refuses a request as too long, it is fitted once more under what the refusal says, and sent once
    more.
    """

    tools: Sequence[BaseTool]

    def __init__(
        self,
        budget: ContextBudget | int | None = None,
        *,
        name: str | None = None,
        recall: bool = False,
        **options: Unpack[SurfaceKeywords],
    ) -> None:
        """Take the options.

        Args:
            budget: a budget, or tokens of input; by default the window of the model of each request.
            name: of the middleware, by default that of the class: two in one agent need two.
            recall: whether the agent has a tool `search_context`, which finds again what was cut or cleared of its
                conversation. Placeholders then name what they stand for.
            options: those of `ctx_core.session.SessionOptions`, but for `states` and `tools`. Bills are learned from,
                unless `calibration=False` is said.

        Raises:
            OptionError: for an option that it does not take.
            BudgetError: for one that cannot work.
        """
        super().__init__()
        self._options = _read(options, budget, recall=recall)
        self.enabled = self._options.enabled
        """Whether anything may be cut; can be set at any time."""
        self._name = name or type(self).__name__
        self._channel = _CHANNEL if name is None else f"{_CHANNEL}_{re.sub(r'[^0-9A-Za-z]', '_', name)}"
        self.state_schema = _schema(self._channel)
        # What a summarizer's model says is nobody's answer; agents without one need not look for it.
        self.transformers = () if self._options.summarizer is None else (InternalCallTransformer,)
        self._sessions: MessageSessions = MessageSessions(self._options, declares=False)
        self._models = AgentModels(self._options)
        self._unwritten = Unwritten()
        self._warned = False
        self.tools = self._search_tools() if recall else []

    def __getstate__(self) -> dict[str, Any]:
        """Give what is pickled: no models, which may hold connections, nor schemas, classes that no module has."""
        kept = {name: value for name, value in vars(self).items() if name not in ("state_schema", "tools", "_models")}
        return {**kept, "recall": bool(self.tools)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Begin with what was pickled, and a tool that searches for this one."""
        kept = dict(state)
        recall = kept.pop("recall")
        vars(self).update(kept)
        self._models = AgentModels(self._options)
        self.state_schema = _schema(self._channel)
        self.tools = self._search_tools() if recall else []

    def _search_tools(self) -> list[BaseTool]:
        search = ContextSearch(codec=CODEC, counter=counter_of(self._options.counter))
        return [search_tool(search, self._known)]

    @property
    @override
    def name(self) -> str:
        """Its name in the agent."""
        return self._name

    @override
    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Send what fits.

        Raises:
            ContextOverflowError: if what is protected does not fit.
            UnknownModelError: if there is no budget, and nothing knows the model's window.
        """
        failed: BaseException | None = None
        for attempt, handled in attempts(request):
            try:
                return self._sent(attempt, handler)
            except handled as error:
                failed = failed or error
        raise cast("BaseException", failed)

    @override
    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Send what fits, without holding up the event loop; as `wrap_model_call`."""
        failed: BaseException | None = None
        for attempt, handled in attempts(request):
            try:
                return await self._asent(attempt, handler)
            except handled as error:
                failed = failed or error
        raise cast("BaseException", failed)

    def _sent(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        call = self._call(request)
        fitted = run(call.fitted())
        try:
            response = handler(fitted)
        except Exception as error:
            again = run(call.fitted_after(error))
            if again is None:
                raise
            response = handler(again)
        return self._answered(call, response)

    async def _asent(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        call = self._call(request)
        fitted = await arun(call.fitted())
        try:
            response = await handler(fitted)
        except Exception as error:
            again = await arun(call.fitted_after(error))
            if again is None:
                raise
            response = await handler(again)
        return self._answered(call, response)

    def _call(self, request: ModelRequest[Any]) -> AgentCall:
        state: Mapping[str, Any] = cast("Mapping[str, Any]", request.state)
        return AgentCall(
            request=request,
            sessions=self._sessions,
            models=self._models,
            unwritten=self._unwritten,
            calibration=self._options.calibration,
            stored=state.get(self._channel),
            enabled=self.enabled,
        )

    def _known(self, runtime: ToolRuntime[Any, Any]) -> WindowState | None:
        """Give the state of the window of the agent in which a tool runs."""
        stored = held(runtime.state, self._channel)
        return WindowState.from_dict(stored) if stored else None

    def _answered(
        self, call: AgentCall, response: ModelResponse[Any] | AIMessage
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Give the response, with the new state of the window where it has changed."""
        answer = ModelResponse[Any](result=[response]) if isinstance(response, AIMessage) else response
        uncounted = call.learn(answer)
        if uncounted and not self._warned:
            self._warned = True
            _LOG.warning(
                "a request was billed %d tokens more than were counted: something behind %s changes requests, such as "
                "a prompt of a later middleware. So much is kept free from now on; put %s last in the list",
                uncounted,
                self._name,
                self._name,
            )
        state = call.changed_state()
        if state is None:
            return answer
        return ExtendedModelResponse(model_response=answer, command=Command(update={self._channel: state}))


def _schema(channel: str) -> type[AgentState[Any]]:
    """Give a schema of a state with a channel that neither goes in nor comes out."""
    private: Any = NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]
    make: Any = TypedDict  # its key is the instance's, which no type checker can know
    return cast("type[AgentState[Any]]", make("ContextState", {channel: private}))


def _read(given: SurfaceKeywords, budget: ContextBudget | int | None, *, recall: bool) -> SessionOptions:
    caller = "ContextMiddleware"
    check_names(caller, given, NAMES, _REFUSED, also=("name", "recall"))
    keywords: dict[str, Any] = {**given, "budget": ContextBudget(budget) if type(budget) is int else budget}
    if keywords.get("calibration") is None:
        keywords["calibration"] = True
    if recall and keywords.get("recipe") is None:
        keywords["policy"] = recalling(keywords.get("policy"))
    keywords = {name: value for name, value in keywords.items() if value is not None}
    if keywords.get("counter") is not None:
        keywords["counter"] = counter_of(keywords["counter"])
    read = SessionOptions.read(caller, keywords)
    if isinstance(read.summarizer, Summarizing) and read.summarizer.background:
        msg = "a summary that is written in the background has no place in an agent's state: leave out background=True"
        raise BudgetError(msg)
    return read
