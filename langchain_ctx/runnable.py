"""The step between prompt and model: `prompt | ContextRunnable(8_000, counter="gpt-4o") | model`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from langchain_core.callbacks import (
    AsyncCallbackManagerForChainRun,
    CallbackManagerForChainRun,
    adispatch_custom_event,
    dispatch_custom_event,
)
from langchain_core.messages import BaseMessage, MessageLikeRepresentation
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import RunnableConfig, RunnableSerializable
from pydantic import Field, GetPydanticSchema, PrivateAttr
from pydantic_core import core_schema
from typing_extensions import override

from ctx_core.budget import ContextBudget
from ctx_core.builder import ContextBuilder, OnOverflow
from ctx_core.counting.calibration import Calibration
from ctx_core.counting.counter import CounterLike, TokenCounter
from ctx_core.counting.options import RequestOptions
from ctx_core.history.policy import HistoryPolicy
from ctx_core.history.summary import RollingSummary
from ctx_core.recipes import Recipe
from ctx_core.summarizing import Summarizer, Summarizing, as_summarizing
from ctx_core.usage_log import UsageLog
from langchain_ctx.bills import Bills, learning
from langchain_ctx.budgets import resolve, sent_options, sent_tools
from langchain_ctx.conversations import conversation_of
from langchain_ctx.fitting import Fitting, OnReport
from langchain_ctx.inputs import messages_in, read_messages
from langchain_ctx.recipes import RecipeBuilders, check_recipe
from langchain_ctx.state_cache import StateCache, StateStore
from langchain_ctx.state_memory import StateMemory
from langchain_ctx.summaries import with_layer

if TYPE_CHECKING:
    from langchain_core.language_models import LanguageModelLike

    from ctx_core.context import Context

ContextInput: TypeAlias = PromptValue | str | Sequence[MessageLikeRepresentation] | Mapping[str, Any]
"""What a chat model takes, or a dict that holds it under `messages_key`."""

REPORT_EVENT: Final = "context_report"
"""Name of the custom event that carries each report, as a dict, to callback handlers and `astream_events`."""

_INSTANCE: Final = GetPydanticSchema(lambda source, _: core_schema.is_instance_schema(source))
"""A field of a class that is none of pydantic's business."""

_UNCHECKED: Final = GetPydanticSchema(lambda _, __: core_schema.any_schema())
"""A field of a protocol: what it is shows when it is used."""


class ContextRunnable(RunnableSerializable[ContextInput, Any]):
    """Fits the messages that go to a model into a token budget, so that every request is one the provider accepts.

    Takes what a chat model takes and gives a list of messages; takes a dict with messages and gives the dict with
    the messages replaced. Messages that are not altered are the very objects that came in. For the prompt cache's
    sake a history that overflowed keeps its start for some turns: the cut of each conversation is remembered under
    `session_id`, `thread_id` or `conversation_id` of the config, else by its first messages.
    """

    budget: Annotated[ContextBudget, _INSTANCE] | None = None
    """How many tokens a request may have; None: as the recipe says."""
    counter: Annotated[TokenCounter, _INSTANCE] | None = None
    """Counts them; None: the recipe's does."""
    tools: tuple[dict[str, Any], ...] = ()
    """Definitions of the tools that go with each request; counted, never cut."""
    options: Annotated[RequestOptions, _INSTANCE] | None = None
    """What else each request asks for."""
    policy: Annotated[HistoryPolicy, _INSTANCE] | None = None
    """How the history is cut; None: as the recipe says."""
    on_overflow: OnOverflow | None = None
    """What happens when system messages, question and newest step do not fit: `raise`, or `truncate` them; None: as
    the recipe says."""
    messages_key: str = "messages"
    """Where a dict has its messages."""
    usage_log: Annotated[UsageLog, _INSTANCE] | None = None
    """Records every request, in counts."""
    on_report: Annotated[OnReport, _UNCHECKED] | None = Field(default=None, exclude=True)
    """Is called with each report, in the thread that the request runs in."""
    states: Annotated[StateStore, _UNCHECKED] = Field(default_factory=StateCache, exclude=True)
    """Remembers the cuts; a dict or another mapping of the user's keeps them beyond this process."""
    summarizer: Annotated[Summarizing, _INSTANCE] | None = Field(default=None, exclude=True)
    """Summarises what leaves the window; None: it is left out."""
    summary: Annotated[RollingSummary, _INSTANCE] | None = None
    """Where the summary stands and what it may cost; None: a user message, if there is a summariser."""
    recipe: Annotated[Recipe, _INSTANCE] | None = Field(default=None, exclude=True)
    """Brings budget, counter, layers, policy, what happens on overflow, and a usage log; None: nothing does."""
    calibration: Annotated[Calibration, _INSTANCE] | None = Field(default=None, exclude=True)
    """Learns from what the provider bills; None: nothing does."""

    _fitting: Fitting = PrivateAttr()

    def __init__(  # noqa: PLR0913 - one place for all that can be set, each by its name
        self,
        budget: ContextBudget | int | None = None,
        *,
        counter: CounterLike | None = None,
        tools: Iterable[object] | None = None,
        options: RequestOptions | None = None,
        model: LanguageModelLike | None = None,
        policy: HistoryPolicy | None = None,
        on_overflow: OnOverflow | None = None,
        messages_key: str = "messages",
        usage_log: UsageLog | None = None,
        on_report: OnReport | None = None,
        states: StateStore | None = None,
        summarizer: Summarizer | Summarizing | None = None,
        summary: RollingSummary | None = None,
        recipe: Recipe | None = None,
        calibration: Calibration | bool = True,
        name: str | None = None,
    ) -> None:
        """Make the step.

        Args:
            budget: a budget, or tokens of input; by default that of `model`.
            counter: a counter, a tokenizer, a function from text to tokens, or a model's name; by default that
                of the budget's model or of `model`, else a safe estimate.
            tools: tools, functions, pydantic classes or dicts; by default those that `model` is bound to.
            options: what else each request asks for, as far as it is billed: a tool that must be called, the schema
                of the answer, thinking; by default what `model` is bound to.
            model: the model that the messages go to, bound to its tools or not. It is looked at, not kept.
            policy: how the history is cut.
            on_overflow: what happens when what is protected does not fit: `raise`, the default, or `truncate` it.
            messages_key: where a dict has its messages.
            usage_log: records every request, in counts.
            on_report: is called with each report, in the thread that the request runs in.
            states: where the cuts are remembered, as a JSON dict per conversation; by default in memory, for the
                1,024 conversations used last. Summaries are kept there too.
            summarizer: summarises what leaves the window: a function of the summary so far and the messages that
                leave, sync or async, such as a `ChatModelSummarizer`; a `Summarizing` says its window and its
                patience too.
            summary: where the summary stands and what it may cost; by default a user message, as agents drop
                system messages.
            recipe: brings `budget`, `counter`, `policy` and `on_overflow`, layers of text, and a usage log beside
                `usage_log`. It is asked on every request for what goes with the current question. Its text is the
                first system message; those of the prompt follow.
            calibration: learns from the usage figures in the answers of the history; where they are above what is
                counted, as much is kept free. Several steps may share one. False: nothing is learned.
            name: shown in traces and graphs, instead of the name of the class.

        Raises:
            BudgetError: if there is neither a budget nor a model, or something given cannot work.
            UnknownModelError: if the budget is to come from a model whose window nothing knows.
        """
        fields: dict[str, Any]
        if recipe is None:
            resolved, counts, definitions = resolve(budget, counter, tools, model)
            fields = {
                "budget": resolved,
                "counter": counts,
                "tools": definitions,
                "policy": HistoryPolicy() if policy is None else policy,
                "on_overflow": "raise" if on_overflow is None else on_overflow,
            }
        else:
            brought = {"budget": budget, "counter": counter, "policy": policy, "on_overflow": on_overflow}
            check_recipe(recipe, brought)
            fields = {"tools": sent_tools(tools, model), "recipe": recipe}
        fields |= {
            "messages_key": messages_key,
            "options": sent_options(options, model),
            "usage_log": usage_log,
            "on_report": on_report,
            "states": StateCache() if states is None else states,
            "summarizer": as_summarizing(summarizer),
            "summary": summary,
            "calibration": Calibration() if calibration is True else calibration or None,
            "name": name,
        }
        super().__init__(**fields)

    @override
    def model_post_init(self, context: Any, /) -> None:
        recipe = self.recipe
        self._fitting = Fitting(
            builder=self._builder() if recipe is None else self._builders(recipe),
            states=StateMemory(self.states),
            on_overflow=(self.on_overflow or "raise") if recipe is None else recipe.on_overflow,
            usage_log=self.usage_log,
            on_report=self.on_report,
            summarizing=self.summarizer,
            bills=Bills(),
        )

    def _builder(self) -> ContextBuilder:
        budget, counter, tools = resolve(self.budget, self.counter, self.tools, None)
        builder = ContextBuilder(budget, counter).tools(tools).history(self.policy or HistoryPolicy())
        builder = learning(builder.options(self.options), self.calibration)
        return with_layer(builder, self.summarizer, self.summary)

    def _builders(self, recipe: Recipe) -> RecipeBuilders:
        summarises = self.summarizer is not None
        return RecipeBuilders(
            recipe=recipe,
            tools=self.tools,
            options=self.options,
            summarises=summarises,
            summary=self.summary,
            calibration=self.calibration,
        )

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
        return self._call_with_config(self._traced, input, config, **kwargs)

    @override
    async def ainvoke(self, input: ContextInput, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Give the messages that fit, without holding up the event loop; as `invoke`."""
        return await self._acall_with_config(self._atraced, input, config, **kwargs)

    def preview(self, value: ContextInput, config: RunnableConfig | None = None) -> Context[BaseMessage]:
        """Give what `invoke` would, with its report; nothing is remembered, summarised or reported."""
        messages = self._messages(value)
        return self._fitting.preview(messages, conversation=conversation_of(messages, config))

    def _traced(self, value: ContextInput, run_manager: CallbackManagerForChainRun, config: RunnableConfig) -> object:
        messages = self._messages(value)
        context = self._fitting.fit(messages, conversation=conversation_of(messages, config))
        if run_manager.handlers:
            dispatch_custom_event(REPORT_EVENT, context.report.to_dict(), config=config)
        return self._output(value, context)

    async def _atraced(
        self, value: ContextInput, run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig
    ) -> object:
        messages = self._messages(value)
        context = await self._fitting.afit(messages, conversation=conversation_of(messages, config))
        if run_manager.handlers:
            await adispatch_custom_event(REPORT_EVENT, context.report.to_dict(), config=config)
        return self._output(value, context)

    def _messages(self, value: ContextInput) -> list[BaseMessage]:
        if isinstance(value, Mapping):
            return read_messages(messages_in(value, self.messages_key))
        return read_messages(value)

    def _output(self, value: ContextInput, context: Context[BaseMessage]) -> object:
        return {**value, self.messages_key: context.messages} if isinstance(value, Mapping) else context.messages
