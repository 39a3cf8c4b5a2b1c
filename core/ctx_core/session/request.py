"""One request: as a surface puts it, and in the making."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic

from ctx_core.builder import ContextBuilder, OnOverflow
from ctx_core.conversation.message_types import NativeT
from ctx_core.conversation.transcript import Transcript
from ctx_core.counting.counter import ToolDefinition
from ctx_core.history.remembered import Verify
from ctx_core.history.state import WindowState
from ctx_core.session.conversation_id import ConversationId
from ctx_core.session.declaration import Declared

if TYPE_CHECKING:
    from ctx_core.engine.context import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[NativeT]):
    """One request, as a surface puts it."""

    history: Sequence[NativeT] = field(repr=False)
    """The conversation so far."""
    message: NativeT | str | None = field(default=None, repr=False)
    """The current message, if it is not the end of the history; a string is a user message."""
    conversation: ConversationId | None = None
    """Whose turn it is; None: that of whoever begins alike."""
    state: WindowState | None = None
    """What is remembered, for those who keep it themselves; None: what the store has."""
    declared: Declared | None = None
    """What declares this request; None: what declares all of them."""
    tools: tuple[ToolDefinition, ...] | None = field(default=None, repr=False)
    """Tools of this request; None: those of all of them."""
    whole: bool = True
    """Whether the messages are all of the request; if not, somebody adds the question, which `message` may be."""
    results_follow: bool = False
    """Whether what somebody adds may be results of the last calls: those that have none stay open."""
    taken: int = 0
    """Tokens of the request that somebody else sends along."""
    on_overflow: OnOverflow | None = None
    """None: as declared."""
    enabled: bool = True
    """Whether anything may be cut."""
    verify: Verify = "all"
    """How what is remembered is held against the history: by all that it leaves out, or by its ends."""
    keeps: bool = True
    """Whether anything is remembered, summarized and told."""
    left_out: int = 0
    """Messages of the conversation that the surface has left out of the history itself; told in the report."""
    why: str = ""
    """Why it has."""


@dataclass(slots=True)
class Draft(Generic[NativeT]):
    """A request in the making."""

    request: Request[NativeT]
    builder: ContextBuilder
    declared: Declared
    transcript: Transcript[NativeT]

    def add(self, layers: Iterable[Any]) -> None:
        """Add layers to what is built."""
        for layer in layers:
            self.builder = self.builder.layer(layer)

    def build(self, state: WindowState, verify: Verify) -> Context[NativeT]:
        """Build from a state."""
        on_overflow = self.request.on_overflow or self.declared.overflow
        return self.builder.build_transcript(self.transcript, state=state, on_overflow=on_overflow, verify=verify)

    def within_cap(self, summary: str) -> str:
        """Give as much of a summary as can ever be shown, whatever a model has answered and this turn holds."""
        plan = self.builder.plan
        return summary if plan.rolling is None else plan.rolling.within(summary, plan.summary_cap, plan.counter)


def as_cut(first: Context[NativeT], second: Context[NativeT]) -> Context[NativeT]:
    """Give the second build of a turn, which was cut on this turn if the first was."""
    history = second.report.history
    cut = replace(history, cut=history.cut or first.report.history.cut)
    return replace(second, report=replace(second.report, history=cut))
