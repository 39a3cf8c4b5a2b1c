"""What every recipe has: a builder for each request, what to do on overflow, and a log."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, overload

from ctx_core.builder import ContextBuilder, OnOverflow
from ctx_core.conversation.codecs import as_codec, codec_for
from ctx_core.conversation.transcript import question_of
from ctx_core.history.policy import ToolResultPolicy
from ctx_core.history.state import WindowState
from ctx_core.report.usage_log import UsageLog
from ctx_core.session.session import ContextSession

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.formats.names import FormatName
    from ctx_core.conversation.messages import Message
    from ctx_core.conversation.transcript import Codec, NativeT
    from ctx_core.counting.counter import ToolDefinition
    from ctx_core.engine.context import Context
    from ctx_core.report.report import ContextReport
    from ctx_core.session.summarizers import Summarizer
    from ctx_core.session.summarizing import Summarizing

WHOLE_MESSAGES: Final = ToolResultPolicy(overflow_share=1.0)
"""For recipes whose histories are filled in whole messages: a result is cut only where nothing else is left to go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe(ABC):
    """A declaration of layers, budget and policies over the one engine; a face asks it for a builder each turn.

    Immutable, so it may be shared by threads and conversations; `dataclasses.replace` gives a changed one.
    """

    on_overflow: OnOverflow = "raise"
    """What happens when what is protected does not fit: `raise`, or `truncate` it."""
    low_water: float = 1.0
    """Share of its part that the history is cut down to where the cut is remembered. 1 fills the part on every
    turn; 0.6 leaves room for the next turns, so that the beginning of the prompt stays in the provider's cache."""
    usage: UsageLog = field(default_factory=UsageLog, compare=False)
    """The last 100 requests; `usage.enabled` switches it on and off."""

    @abstractmethod
    def builder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Give the builder of one request.

        Args:
            question: text of the message that is being answered, for layers that depend on it.
            tools: tool definitions that go with the request, OpenAI-style.
        """

    async def abuilder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Give the builder of one request, as `builder`, without blocking the event loop on files."""
        return self.builder(question, tools=tools)

    @overload
    def build(
        self,
        history: Sequence[NativeT],
        message: NativeT | str | None = ...,
        *,
        tools: Sequence[ToolDefinition] = ...,
        codec: Codec[NativeT] | FormatName | None = ...,
        state: WindowState | None = ...,
        summarizer: Summarizer | Summarizing | None = ...,
    ) -> Context[NativeT]: ...

    @overload
    def build(
        self,
        history: tuple[()] = ...,
        message: str | None = ...,
        *,
        tools: Sequence[ToolDefinition] = ...,
        codec: None = ...,
        state: WindowState | None = ...,
        summarizer: Summarizer | Summarizing | None = ...,
    ) -> Context[Message]: ...

    def build(
        self,
        history: Sequence[Any] = (),
        message: Any = None,
        *,
        tools: Sequence[ToolDefinition] = (),
        codec: Codec[Any] | FormatName | None = None,
        state: WindowState | None = None,
        summarizer: Summarizer | Summarizing | None = None,
    ) -> Context[Any]:
        """Build the context of one request and log it; the arguments are those of `ContextBuilder.build`.

        Args:
            history: the conversation so far.
            message: the current message, if it is not the end of the history.
            tools: definitions of the tools that go with the request.
            codec: the door of another message type, or the name of a provider's.
            state: what the last build of this conversation gave.
            summarizer: writes the summary of what is left out, which is kept in the state: give that back on the
                next turn, or each turn summarizes all of it anew.

        Raises:
            ContextOverflowError: if what is protected does not fit.
            MessageError: for a message that cannot be read.
        """
        if summarizer is not None:
            session = ContextSession(self, codec=codec, summarizer=summarizer)
            return session.fit(history, message, tools=tools, state=state or WindowState())
        history, door = self.read(history, message, codec)
        builder = self.builder(question_of(history, message, door), tools=tools)
        return self._built(builder, history, message, door, state)

    @overload
    async def abuild(
        self,
        history: Sequence[NativeT],
        message: NativeT | str | None = ...,
        *,
        tools: Sequence[ToolDefinition] = ...,
        codec: Codec[NativeT] | FormatName | None = ...,
        state: WindowState | None = ...,
        summarizer: Summarizer | Summarizing | None = ...,
    ) -> Context[NativeT]: ...

    @overload
    async def abuild(
        self,
        history: tuple[()] = ...,
        message: str | None = ...,
        *,
        tools: Sequence[ToolDefinition] = ...,
        codec: None = ...,
        state: WindowState | None = ...,
        summarizer: Summarizer | Summarizing | None = ...,
    ) -> Context[Message]: ...

    async def abuild(
        self,
        history: Sequence[Any] = (),
        message: Any = None,
        *,
        tools: Sequence[ToolDefinition] = (),
        codec: Codec[Any] | FormatName | None = None,
        state: WindowState | None = None,
        summarizer: Summarizer | Summarizing | None = None,
    ) -> Context[Any]:
        """Build the context of one request and log it; as `build`."""
        if summarizer is not None:
            session = ContextSession(self, codec=codec, summarizer=summarizer)
            return await session.afit(history, message, tools=tools, state=state or WindowState())
        history, door = self.read(history, message, codec)
        builder = await self.abuilder(question_of(history, message, door), tools=tools)
        return self._built(builder, history, message, door, state)

    def on_report(self, report: ContextReport) -> None:
        """Log a request that was built with this recipe's builder."""
        self.usage.record(report, label=self.label)

    @property
    def label(self) -> str:
        """What a request is logged as."""
        return ""

    def read(
        self, history: Sequence[NativeT], message: NativeT | str | None, codec: Codec[NativeT] | FormatName | None
    ) -> tuple[Sequence[NativeT], Codec[NativeT]]:
        """Give the history as this recipe takes it, and its door: as it is, unless it knows how to mend one."""
        return history, as_codec(codec) or codec_for(history, message)

    def _built(
        self,
        builder: ContextBuilder,
        history: Sequence[NativeT],
        message: NativeT | str | None,
        codec: Codec[NativeT],
        state: WindowState | None,
    ) -> Context[NativeT]:
        context = builder.build(history, message, codec=codec, state=state, on_overflow=self.on_overflow)
        self.on_report(context.report)
        return context
