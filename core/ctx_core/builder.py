"""Assembles a context: layers in order, the history in what they leave, all under one budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias, get_args, overload

from ctx_core.budget import ContextBudget
from ctx_core.clean import told
from ctx_core.conversation.codecs import as_codec, transcript_of
from ctx_core.counting.counter import CounterLike, ToolDefinition, as_counter
from ctx_core.engine.assembly import Assembly
from ctx_core.engine.description import Description
from ctx_core.engine.plan import Plan
from ctx_core.engine.unaltered import unaltered
from ctx_core.errors import BudgetError
from ctx_core.history.made_from import STATES_MADE, reading_for
from ctx_core.history.remembered import Verify
from ctx_core.history.state import WindowState
from ctx_core.report.request_log import log_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.formats.names import FormatName
    from ctx_core.conversation.message_types import Codec, NativeT
    from ctx_core.conversation.messages import Message
    from ctx_core.conversation.transcript import Transcript
    from ctx_core.engine.context import Context

OnOverflow: TypeAlias = Literal["raise", "truncate"]

LAYERS: Final = ("system", "bootstrap", "memory", "skills", "tools", "task", "summary", "history", "current")
"""Names of layers that a budget may name whether or not a context has them."""


@dataclass(frozen=True, slots=True, init=False)
class ContextBuilder(Description):
    """A context in the making. Every call gives a new builder; one may be kept and built from many times."""

    def __init__(self, budget: ContextBudget | int, counter: CounterLike | None = None) -> None:
        """Take the budget (a number is that many tokens of input), and what counts.

        Args:
            budget: the budget.
            counter: a counter, a tokenizer, a function, or a model's name; by default that of the model
                the budget was made for, else the safe estimate.
        """
        budget = ContextBudget(budget) if isinstance(budget, int) else budget
        counter = as_counter(counter if counter is not None else budget.model)
        object.__setattr__(self, "plan", Plan(budget=budget, counter=counter))

    def builder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> Self:
        """Give itself, with the tools of a request: what a recipe gives, the same for every question."""
        del question
        return self.tools(tools) if tools else self

    async def abuilder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> Self:
        """Give itself, with the tools of a request."""
        return self.builder(question, tools=tools)

    @overload
    def build(
        self,
        history: Sequence[NativeT],
        message: NativeT | str | None = ...,
        *,
        codec: Codec[NativeT] | FormatName | None = ...,
        state: WindowState | None = ...,
        on_overflow: OnOverflow = ...,
        verify: Verify = ...,
    ) -> Context[NativeT]: ...

    @overload
    def build(
        self,
        history: tuple[()] = ...,
        message: NativeT | str | None = ...,
        *,
        codec: Codec[NativeT] | FormatName,
        state: WindowState | None = ...,
        on_overflow: OnOverflow = ...,
        verify: Verify = ...,
    ) -> Context[NativeT]: ...

    @overload
    def build(
        self,
        history: tuple[()] = ...,
        message: str | None = ...,
        *,
        codec: None = ...,
        state: WindowState | None = ...,
        on_overflow: OnOverflow = ...,
        verify: Verify = ...,
    ) -> Context[Message]: ...

    def build(
        self,
        history: Sequence[Any] = (),
        message: Any = None,
        *,
        codec: Codec[Any] | FormatName | None = None,
        state: WindowState | None = None,
        on_overflow: OnOverflow = "raise",
        verify: Verify = "all",
    ) -> Context[Any]:
        """Build the context of one request.

        Args:
            history: the conversation so far, of neutral messages, a provider's own, or what `codec` reads.
                System messages in it stay in their places.
            message: the current message, if it is not the end of the history; a string is a user message.
            codec: the door of another message type, or the name of a provider's: `openai`, `anthropic`, `gemini`,
                `bedrock` or `responses`. By default what the messages say.
            state: what the last build of this conversation gave, or `WindowState()` for its first. Without
                one, nothing is remembered: the window is filled to the limit, and moves on every turn.
            on_overflow: what happens when what is protected does not fit: `raise`, or `truncate` it.
            verify: how the part that a state leaves out is held against the conversation: `all` of it, which reads it
                (and tokenizes nothing) unless the state is the very object that a build of this process gave, or its
                first and last message, `ends`, which an edit between them escapes.

        Returns:
            The messages within the budget, the report and the state.

        Raises:
            ContextOverflowError: if what is protected does not fit.
            MessageError: for a message that cannot be read.
            BudgetError: if the budget names a part that no layer has.
        """
        transcript = transcript_of(history, message, as_codec(codec), reading_for(state))
        context = self.build_transcript(transcript, state=state, on_overflow=on_overflow, verify=verify)
        if state is not None:
            STATES_MADE.hold(context.state, transcript)
        log_request(context.report)
        return context

    def build_transcript(
        self,
        transcript: Transcript[NativeT],
        *,
        state: WindowState | None = None,
        on_overflow: OnOverflow = "raise",
        verify: Verify = "all",
    ) -> Context[NativeT]:
        """Build from a conversation that is read already, as far as it is, and log nothing: a turn may build twice."""
        if on_overflow not in ("raise", "truncate"):
            msg = f"on_overflow must be 'raise' or 'truncate', found {told(on_overflow)}"
            raise BudgetError(msg)
        if verify not in get_args(Verify):
            msg = f"verify must be 'all' or 'ends', found {told(verify)}"
            raise BudgetError(msg)
        if not (state is None or isinstance(state, WindowState)):
            msg = f"state must be a WindowState, found {type(state).__name__}: WindowState.from_dict(…) reads a dict"
            raise BudgetError(msg)
        self._check_parts()
        if self.plan.trims:
            return Assembly(self.plan, transcript, state, truncate=on_overflow == "truncate", verify=verify).context()
        return unaltered(self.plan, transcript, state or WindowState())

    def _check_parts(self) -> None:
        if self.plan.open_parts:
            return
        known = tuple(dict.fromkeys((*LAYERS, *(layer.name for layer in self.plan.layers))))
        unknown = sorted(set(self.plan.budget.parts) - set(known))
        if unknown:
            msg = f"the budget has parts that no layer has: {', '.join(unknown)}; the layers are {', '.join(known)}"
            raise BudgetError(msg)
