"""The step between prompt and model: `prompt | ContextRunnable(8_000, counter="gpt-4o") | model`."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias, Unpack

from langchain_core.callbacks import (
    AsyncCallbackManagerForChainRun,
    CallbackManagerForChainRun,
    adispatch_custom_event,
    dispatch_custom_event,
)
from langchain_core.messages import BaseMessage, MessageLikeRepresentation
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import RunnableConfig, RunnableSerializable
from pydantic import Field, PrivateAttr
from typing_extensions import override

from ctx_core.effects import Effect, Effects, arun, run
from ctx_core.errors import BudgetError
from ctx_core.session import Declared, Request, SessionOptions, StateCache
from langchain_ctx.configured import ConfiguredOptions
from langchain_ctx.conversations import conversation_of
from langchain_ctx.counters import counter_of, trimming_counter
from langchain_ctx.inputs import messages_in, read_messages
from langchain_ctx.options import Keywords, told_options
from langchain_ctx.overflow import MessageSessions
from langchain_ctx.stored import as_given, written_fields
from langchain_ctx.tools import tool_definitions
from langchain_ctx.trim_messages import MessageKinds, check_arguments

if TYPE_CHECKING:
    from langchain_core.load.serializable import SerializedConstructor, SerializedNotImplemented

    from ctx_core.budget import ContextBudget
    from ctx_core.counting.counter import CounterLike
    from ctx_core.engine.context import Context

ContextInput: TypeAlias = PromptValue | str | Sequence[MessageLikeRepresentation] | Mapping[str, Any]
"""What a chat model takes, or a dict that holds it under `messages_key`."""

REPORT_EVENT: Final = "context_report"
"""Name of the custom event that carries each report, as a dict, to callback handlers and `astream_events`."""

_LOG: Final = logging.getLogger("ctx_core.langchain")
_DECLARED: Final = 32
"""Budgets and counters from configs whose counts are kept."""


class ContextRunnable(RunnableSerializable[ContextInput, Any]):
    """Fits the messages that go to a model into a token budget, so that every request is one the provider accepts.

    Takes what a chat model takes and gives a list of messages; takes a dict with messages and gives the dict with
    the messages replaced. Messages that are not altered are the very objects that came in. For the prompt cache's
    sake a history that overflowed keeps its start for some turns: the cut of each conversation is remembered under
    all that the config tells of it (thread, checkpoint namespace, user, session, conversation, what a history factory
    asked for), else under its first messages.

    The fields are the options of `ctx_core.session.SessionOptions`. `enabled` may be set at any time. `budget`,
    `counter` and `tools` may come with the config of a request, as `{"configurable": {"budget": 4_000}}`, which holds
    for that request.
    """

    budget: Any = None
    reserve: Any = None
    counter: Any = None
    tools: Any = ()
    request_options: Any = None
    policy: Any = None
    on_overflow: Any = None
    layers: Any = Field(default=(), exclude=True)
    recipe: Any = Field(default=None, exclude=True)
    usage_log: Any = None
    on_report: Any = Field(default=None, exclude=True)
    states: Any = Field(default=None, exclude=True)
    summarizer: Any = Field(default=None, exclude=True)
    summary: Any = None
    calibration: Any = Field(default=None, exclude=True)
    provider: Any = None
    enabled: bool = True
    messages_key: str = "messages"
    """Where a dict has its messages."""

    _options: SessionOptions = PrivateAttr()
    _sessions: MessageSessions = PrivateAttr()
    _configured: ConfiguredOptions = PrivateAttr()
    _told: bool = PrivateAttr(default=False)
    _declared: OrderedDict[Any, tuple[Declared, Any, Any, Any]] = PrivateAttr(default_factory=OrderedDict)

    def __init__(
        self,
        budget: ContextBudget | int | None = None,
        *,
        messages_key: str = "messages",
        name: str | None = None,
        **options: Unpack[Keywords],
    ) -> None:
        """Make the step.

        Args:
            budget: a budget, or tokens of input; by default that of `model`.
            messages_key: where a dict has its messages.
            name: shown in traces and graphs, instead of the name of the class.
            options: those of `ctx_core.session.SessionOptions`, and `model`: the model that the messages go to, bound
                to its tools or not. Budget, counter, tools and request options are taken from it by default; where
                the config of a request chooses another model or other parameters, from that, but for a copy that was
                pickled. Tools are tools, functions, pydantic classes or dicts. A recipe is asked on every request for
                what goes with the current question; its text is the first system message, and those of the prompt
                follow. Bills are learned from, unless `calibration=False` is said.

        Raises:
            OptionError: for an option that it does not take.
            BudgetError: if there is neither a budget nor a model, or something given cannot work.
            UnknownModelError: if the budget is to come from a model whose window nothing knows.
        """
        learns = options.get("calibration")
        given = as_given({**options, "calibration": True if learns is None else learns, "budget": budget})
        configured = ConfiguredOptions("ContextRunnable", given, also=("messages_key", "name"))
        read = configured.default
        fields: dict[str, Any] = {**read.keywords(), "messages_key": messages_key, "name": name}
        fields["states"] = StateCache() if read.states is None else read.states
        super().__init__(**fields)
        self._configured = configured

    @override
    def model_post_init(self, context: Any, /) -> None:
        self._options = SessionOptions(**{name: getattr(self, name) for name in _OPTIONS})
        self._sessions = MessageSessions(self._options)

    @classmethod
    def from_trim_messages(
        cls,
        *,
        max_tokens: int,
        token_counter: Any,  # noqa: ANN401 - whatever LangChain takes, functions of its messages among it
        strategy: str = "last",
        start_on: MessageKinds = None,
        end_on: MessageKinds = None,
        include_system: bool = True,
        allow_partial: bool = False,
        text_splitter: object = None,
        **options: Unpack[Keywords],
    ) -> Self:
        """Make the step with the arguments of LangChain's `trim_messages`.

        System messages always stay, what is sent begins with a message of the user and ends with what is being
        answered, and no message is cut in two: arguments that ask for something else are refused.

        Args:
            max_tokens: tokens of input.
            token_counter: what LangChain takes as one, or a model's name.
            strategy: `last`.
            start_on: None, or kinds of messages with `human` among them.
            end_on: None, or kinds of messages with `human` among them.
            include_system: True.
            allow_partial: False.
            text_splitter: None.
            options: as for the class.

        Raises:
            BudgetError: for what the engine does not do; it says what to do instead.
        """
        check_arguments(
            max_tokens=max_tokens,
            strategy=strategy,
            token_counter=token_counter,
            start_on=start_on,
            end_on=end_on,
            include_system=include_system,
            allow_partial=allow_partial,
            text_splitter=text_splitter,
        )
        return cls(max_tokens, **{**options, "counter": trimming_counter(token_counter)})

    @classmethod
    @override
    def is_lc_serializable(cls) -> bool:
        """Whether `dumpd` and `dumps` give it as data: they do where no code is among its options."""
        return True

    @override
    def to_json(self) -> SerializedConstructor | SerializedNotImplemented:
        """Give it as data, for `langchain_core.load`; what holds code is described only."""
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        written = written_fields(fields)
        if written is None:
            return self.to_json_not_implemented()
        return {"lc": 1, "type": "constructor", "id": self.lc_id(), "kwargs": written}

    @override
    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Show on one line how much it may send and what counts."""
        yield from told_options(self._options, enabled=self.enabled)

    @property
    @override
    def OutputType(self) -> type[Any]:
        """A list of messages; for a dict it is a dict."""
        return list[BaseMessage]

    @override
    def invoke(self, input: ContextInput, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Give the messages that fit, or the dict with the messages that fit.

        Raises:
            ContextOverflowError: if what is protected does not fit.
            MessageError: for an input that is or holds no messages.
        """
        self._tell_node(input, config)
        return self._call_with_config(self._traced, input, config, **kwargs)

    @override
    async def ainvoke(self, input: ContextInput, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Give the messages that fit, without holding up the event loop; as `invoke`."""
        self._tell_node(input, config)
        return await self._acall_with_config(self._atraced, input, config, **kwargs)

    def preview(self, value: ContextInput, config: RunnableConfig | None = None) -> Context[BaseMessage]:
        """Give what `invoke` would, with its report; nothing is remembered, summarized or reported."""
        return run(self._sessions.fit(self._request(value, config, keeps=False)))

    def forget(self, config: RunnableConfig) -> None:
        """Delete what is kept of the conversation that a config names: its cut, its summary, and what its bills told.

        Raises:
            BudgetError: if the config names none.
        """
        conversation = conversation_of(config)
        if conversation is None:
            msg = "the config names no conversation: give its thread_id, session_id, conversation_id or user_id"
            raise BudgetError(msg)
        self._sessions.forget(conversation)

    def _traced(self, value: ContextInput, run_manager: CallbackManagerForChainRun, config: RunnableConfig) -> object:
        return run(self._fitted(value, config, heard=bool(run_manager.handlers)))

    async def _atraced(
        self, value: ContextInput, run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig
    ) -> object:
        return await arun(self._fitted(value, config, heard=bool(run_manager.handlers)))

    def _tell_node(self, value: ContextInput, config: RunnableConfig | None) -> None:
        """Say once that a node of a graph whose result is merged back takes nothing out of the state."""
        # LangGraph hands its nodes the config; a function that calls this step inside of a node need not.
        if self._told or config is None or not isinstance(value, Mapping):
            return
        if "langgraph_node" in (config.get("metadata") or {}):
            self._told = True
            _LOG.warning(
                "a ContextRunnable gets the state of a graph: where what it gives is merged back into the state, that "
                "keeps all messages, and nothing is trimmed; use langchain_ctx.ContextNode as the node, or this step "
                "between the state's messages and the model"
            )

    def _fitted(self, value: ContextInput, config: RunnableConfig, *, heard: bool) -> Effects[object]:
        context = yield from self._sessions.fit(self._request(value, config, keeps=True))
        if heard:
            report = context.report.to_dict()
            yield Effect(
                lambda: dispatch_custom_event(REPORT_EVENT, report, config=config),
                lambda: adispatch_custom_event(REPORT_EVENT, report, config=config),
            )
        return {**value, self.messages_key: context.messages} if isinstance(value, Mapping) else context.messages

    def _request(self, value: ContextInput, config: RunnableConfig | None, *, keeps: bool) -> Request[BaseMessage]:
        held = messages_in(value, self.messages_key) if isinstance(value, Mapping) else value
        configured: Mapping[str, Any] = (config or {}).get("configurable") or {}
        tools = configured.get("tools")
        return Request(
            history=read_messages(held),
            conversation=conversation_of(config),
            declared=self._declared_by(config, configured.get("budget"), configured.get("counter")),
            tools=None if tools is None else tool_definitions(tools),
            enabled=self.enabled,
            keeps=keeps,
        )

    def _declared_by(
        self, config: RunnableConfig | None, budget: ContextBudget | int | None, counter: CounterLike | None
    ) -> Declared | None:
        """Give what declares a request that has a model, a budget or a counter of its own; one keeps its counts."""
        declared = self._configured.declared(config)
        if budget is None and counter is None:
            return declared
        options = self._options if declared is None else self._configured.of(config)
        key = (
            id(options),
            budget if isinstance(budget, int) else id(budget),
            counter if isinstance(counter, str) else id(counter),
        )
        known, *_ = self._declared.get(key, (None,))
        if known is None:
            known = options.declared_with(budget=budget, counter=None if counter is None else counter_of(counter))
            self._declared[key] = (known, options, budget, counter)  # which are held, so that their ids stay theirs
            if len(self._declared) > _DECLARED:
                self._declared.popitem(last=False)
        return known


_OPTIONS: Final = tuple(SessionOptions.__dataclass_fields__)
