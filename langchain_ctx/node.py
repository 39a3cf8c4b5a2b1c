"""Graphs: a node, a `pre_model_hook` or a `prompt=` that gives the model what fits, and leaves the state as it is."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Unpack, cast

from langchain_core.messages import BaseMessage, RemoveMessage
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.config import get_stream_writer
from typing_extensions import override

from ctx_core.counting.counter import as_counter
from ctx_core.effects import arun, run
from ctx_core.errors import BudgetError, MessageError
from ctx_core.history.state import WindowState
from ctx_core.memory import ContextSearch, recalling
from ctx_core.session import Request
from ctx_core.session.summarizing import Summarizing
from langchain_ctx.configured import ConfiguredOptions
from langchain_ctx.conversations import conversation_of
from langchain_ctx.convert import CODEC
from langchain_ctx.inputs import read_messages
from langchain_ctx.overflow import MessageSessions
from langchain_ctx.pieces import REMOVE_ALL
from langchain_ctx.search_tool import held, search_tool, with_search_tool
from langchain_ctx.writing import NOTIFICATION_SOURCE

if TYPE_CHECKING:
    from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
    from langchain_core.tools import BaseTool
    from langgraph.prebuilt import ToolRuntime

    from ctx_core.budget import ContextBudget
    from ctx_core.engine.context import Context
    from ctx_core.session import ConversationId
    from langchain_ctx.options import Keywords

REPORT_KEY: Final = "context_report"
"""Where a chunk of `stream_mode="custom"` has a report, as a dict."""

_THREADS: Final = 1_024
"""Threads of which is known which conversation a node has cut, for the search tool."""


class ContextNode(Runnable[Any, Any]):
    """Gives the model of a graph what fits, from a state whose messages stay as they are.

    As a node before the model, or as `pre_model_hook=` of `create_react_agent`: it takes the state, a dict or an object
    with any key for its messages, and gives the update `{"llm_input_messages": […]}`. `node.prompt` gives the messages
    themselves, for `prompt=` and for nodes that call their model. In the functional API it takes a list and gives one.

    What was cut is remembered for each thread and namespace, as in a `ContextRunnable`; with `state_key` in the graph's
    own state, which a checkpointer stores. Reports reach `stream_mode="custom"` as `{"context_report": {…}}`.
    """

    def __init__(
        self,
        budget: ContextBudget | int | None = None,
        *,
        messages_key: str = "messages",
        output_key: str = "llm_input_messages",
        state_key: str | None = None,
        remove: bool = False,
        recall: bool = False,
        name: str | None = None,
        **options: Unpack[Keywords],
    ) -> None:
        """Make the node.

        Args:
            budget: a budget, or tokens of input; by default that of `model`.
            messages_key: where the state has its messages.
            output_key: where the update has those that fit. It is stored with every checkpoint, in `create_react_agent`
                too, as nothing is that goes through `node.prompt`.
            state_key: where the state has what is remembered of the cut: a key of type dict of yours, which no other
                node writes. None: it is remembered in `states`.
            remove: whether what is left out is removed from the stored messages too, for good. A summary of it then is
                a message among them.
            recall: whether `tools` has a tool `search_context`, which finds again what was cut; bind it to the model.
                It is counted with the other tools.
            name: shown in traces, instead of the name of the class.
            options: those of `ctx_core.session.SessionOptions`, and `model`, as a `ContextRunnable` takes them.

        Raises:
            OptionError: for an option that it does not take.
            BudgetError: if there is neither a budget nor a model, or something given cannot work.
            UnknownModelError: if the budget is to come from a model whose window nothing knows.
        """
        given: dict[str, Any] = {**options, "budget": budget}
        if given.get("calibration") is None:
            given["calibration"] = True
        if recall and given.get("recipe") is None:
            given["policy"] = recalling(given.get("policy"))
        refused = {} if state_key is None else {"states": "the graph's state keeps it under state_key"}
        names = ("messages_key", "output_key", "state_key", "remove", "recall", "name")
        change = with_search_tool if recall else None
        self._configured = ConfiguredOptions("ContextNode", given, refused=refused, also=names, change=change)
        read = self._configured.default
        background = isinstance(read.summarizer, Summarizing) and read.summarizer.background
        if background and state_key is not None:
            msg = "a summary that is written in the background has no place in a graph's state: leave out state_key"
            raise BudgetError(msg)
        self.name = name or type(self).__name__
        self.enabled = read.enabled
        """Whether anything may be cut; can be set at any time."""
        self._messages_key, self._output_key, self._state_key = messages_key, output_key, state_key
        self._remove = remove
        self._sessions: MessageSessions = MessageSessions(read)
        self._conversations: OrderedDict[str, ConversationId] = OrderedDict()
        search = ContextSearch(codec=CODEC, counter=as_counter(read.counter)) if recall else None
        self.tools: list[BaseTool] = (
            [] if search is None else [search_tool(search, self._known, messages_key=messages_key)]
        )
        """The tool `search_context`, with `recall=True`."""

    @property
    def prompt(self) -> Runnable[Any, list[BaseMessage]]:
        """What gives the messages that fit, from a state or from a list: for `prompt=`, or before the model."""
        return RunnableLambda(self._prompted, afunc=self._aprompted, name=self.name)

    @override
    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Give the update of a state, or the messages that fit of a list.

        Raises:
            ContextOverflowError: if what is protected does not fit.
            MessageError: for a state without messages, or one that cannot be read.
        """
        return self._call_with_config(self._traced, input, config, **kwargs)

    @override
    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Give the update of a state without holding up the event loop; as `invoke`."""
        return await self._acall_with_config(self._atraced, input, config, **kwargs)

    def _traced(self, state: object, run_manager: CallbackManagerForChainRun, config: RunnableConfig) -> object:
        del run_manager
        return self._update(state, self._told(run(self._sessions.fit(self._request(state, config, keyed=True)))))

    async def _atraced(
        self, state: object, run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig
    ) -> object:
        del run_manager
        return self._update(state, self._told(await arun(self._sessions.fit(self._request(state, config, keyed=True)))))

    def _prompted(self, state: object, config: RunnableConfig) -> list[BaseMessage]:
        return self._told(run(self._sessions.fit(self._request(state, config, keyed=False)))).messages

    async def _aprompted(self, state: object, config: RunnableConfig) -> list[BaseMessage]:
        return self._told(await arun(self._sessions.fit(self._request(state, config, keyed=False)))).messages

    def _told(self, context: Context[BaseMessage]) -> Context[BaseMessage]:
        """Give the report to who streams custom chunks of the graph; outside of one there is nobody."""
        with suppress(RuntimeError, KeyError):
            get_stream_writer()({REPORT_KEY: context.report.to_dict()})
        return context

    def _request(self, state: object, config: RunnableConfig, *, keyed: bool) -> Request[BaseMessage]:
        """Give the turn; the state of the window is the graph's where there is an update that can hold the new one."""
        known = None
        if keyed and self._state_key is not None and not _is_list(state):
            known = _window(held(state, self._state_key))
        conversation = conversation_of(config)
        if self.tools and conversation is not None and self._state_key is None:
            self._conversations[_around(config)] = conversation
            self._conversations.move_to_end(_around(config))
            if len(self._conversations) > _THREADS:
                self._conversations.popitem(last=False)
        return Request(
            history=self._messages(state),
            conversation=conversation,
            state=known,
            declared=self._configured.declared(config),
            enabled=self.enabled,
        )

    def _messages(self, state: object) -> list[BaseMessage]:
        return read_messages(state if _is_list(state) else _held_messages(state, self._messages_key))

    def _update(self, state: object, context: Context[BaseMessage]) -> object:
        if _is_list(state):
            return context.messages
        update: dict[str, Any] = {self._output_key: context.messages}
        new = context.state.to_dict()
        if self._state_key is not None and new != (held(state, self._state_key) or WindowState().to_dict()):
            update[self._state_key] = new
        removed = _removed(self._messages(state), context) if self._remove and self.enabled else []
        return {**update, self._messages_key: removed} if removed else update

    def _known(self, runtime: ToolRuntime[Any, Any]) -> WindowState:
        """Give what is remembered of the conversation in which a tool runs."""
        if self._state_key is not None:
            return _window(held(runtime.state, self._state_key))
        conversation = self._conversations.get(_around(runtime.config))
        return self._sessions.remembered(conversation, self._messages(runtime.state))


def _around(config: RunnableConfig) -> str:
    """Give what the nodes of a graph have in common in a thread: a tool runs in another one than that which cuts."""
    configurable: Mapping[str, Any] = config.get("configurable") or {}
    around = str(configurable.get("checkpoint_ns") or "").rpartition("|")[0]
    conversation = conversation_of({"configurable": {**configurable, "checkpoint_ns": around}})
    return "" if conversation is None else conversation.key


def _window(stored: object) -> WindowState:
    return WindowState.from_dict(stored) if stored else WindowState()


def _is_list(state: object) -> bool:
    return isinstance(state, PromptValue | str) or (isinstance(state, Sequence) and not isinstance(state, Mapping))


def _held_messages(state: object, key: str) -> object:
    found = held(state, key)
    if found is not None:
        return found
    keys = ", ".join(map(repr, cast("Mapping[str, Any]", state))) if isinstance(state, Mapping) else ""
    shown = f"the state has no {key!r}, only {keys or 'other fields'}" if state else "the state is empty"
    msg = f"{shown}: give messages_key= the name of what holds its messages"
    raise MessageError(msg)


def _removed(messages: Sequence[BaseMessage], context: Context[BaseMessage]) -> list[BaseMessage]:
    """Give the update that removes what is left out; nothing where nothing is.

    Raises:
        MessageError: for messages without ids, by which they are removed.
    """
    gone = set(context.left_out())
    if not gone:
        return []
    nameless = sum(messages[at].id is None for at in gone)
    if nameless:
        msg = f"{nameless} of {len(gone)} messages to be removed have no id: use the reducer add_messages for them"
        raise MessageError(msg)
    stored = set(map(id, messages))
    summaries = [one for one in context.messages if id(one) not in stored and _is_summary(one)]
    if not summaries or not context.state.summary:
        return [RemoveMessage(id=str(messages[at].id)) for at in sorted(gone)]
    # Only a whole new list has a message anywhere but at its end. It stands before the question that is being answered:
    # behind it, a stored message of a user's would be the question itself.
    left = [one for at, one in enumerate(messages) if at not in gone]
    first = next((at for at, one in enumerate(left) if not CODEC.role(one).instructs), len(left))
    return [RemoveMessage(id=REMOVE_ALL), *left[:first], *summaries, *left[first:]]


def _is_summary(message: BaseMessage) -> bool:
    return message.additional_kwargs.get("lc_source") == NOTIFICATION_SOURCE
