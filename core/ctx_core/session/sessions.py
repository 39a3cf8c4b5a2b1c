"""What happens to a conversation from turn to turn, once, for every surface.

A turn reads what is remembered, builds, remembers the cut, has what left summarized if nobody else is at it, builds
once more with the summary, and tells who wants to hear.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, cast

from ctx_core.awaiting import in_thread
from ctx_core.builder import ContextBuilder, OnOverflow
from ctx_core.conversation.codecs import transcript_of
from ctx_core.conversation.messages import Role
from ctx_core.conversation.transcript import Codec, NativeT, Transcript
from ctx_core.counting.counter import ToolDefinition
from ctx_core.engine.context import Context
from ctx_core.engine.layers import Layer
from ctx_core.errors import BudgetError
from ctx_core.history.keys import key_at
from ctx_core.history.remembered import Verify, partly_summarized
from ctx_core.history.state import WindowState
from ctx_core.report.request_log import log_request
from ctx_core.session.bills import Bills
from ctx_core.session.conversation import Conversation, nameless
from ctx_core.session.declaration import Declared
from ctx_core.session.layers import LayerRequest, asked
from ctx_core.session.listeners import Listeners
from ctx_core.session.states import Recalled, StateMemory, memory_of
from ctx_core.session.stores import StateCache
from ctx_core.steps import Step, Steps, run

if TYPE_CHECKING:
    from ctx_core.session.options import SessionOptions
    from ctx_core.session.summarizing import Summarizing

_LOG: Final = logging.getLogger("ctx_core.session")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Generic[NativeT]):
    """One request, as a surface puts it."""

    history: Sequence[NativeT] = field(repr=False)
    """The conversation so far."""
    message: NativeT | str | None = field(default=None, repr=False)
    """The current message, if it is not the end of the history; a string is a user message."""
    conversation: Conversation | None = None
    """Whose turn it is; None: that of whoever begins alike."""
    state: WindowState | None = None
    """What is remembered, for those who keep it themselves; None: what the store has."""
    declared: Declared | None = None
    """What declares this request; None: what declares all of them."""
    tools: tuple[ToolDefinition, ...] | None = field(default=None, repr=False)
    """Tools of this request; None: those of all of them."""
    taken: int = 0
    """Tokens of the request that somebody else sends along."""
    on_overflow: OnOverflow | None = None
    """None: as declared."""
    enabled: bool = True
    """Whether anything may be cut."""
    verify: Verify = "all"
    """How a `state` is held against the history."""
    keeps: bool = True
    """Whether anything is remembered, summarized and told."""
    left_out: int = 0
    """Messages of the conversation that the surface has left out of the history itself; told in the report."""
    why: str = ""
    """Why it has."""


class Sessions(Generic[NativeT]):
    """What the conversations of one surface share; shareable between threads, tasks and event loops."""

    def __init__(self, options: SessionOptions, codec: Codec[NativeT] | None = None) -> None:
        """Take the options, and the door of the message type.

        Args:
            options: how requests are fitted.
            codec: by default the one for neutral messages or OpenAI-style dicts, found by the first message.

        Raises:
            BudgetError: for options that cannot work together.
        """
        self.declared = options.declared()
        self.states = memory_of(StateCache() if options.states is None else options.states)
        self._layers = tuple(layer for layer in options.layers if not isinstance(layer, Layer))
        self._listeners = Listeners(usage_log=options.usage_log, on_report=options.on_report)
        self._summarizing = cast("Summarizing | None", options.summarizer)
        self._codec = codec
        self._bills = Bills()

    def turn(self, turn: Turn[NativeT]) -> Steps[Context[NativeT]]:
        """Give the context of a request, step by step.

        Raises:
            ContextOverflowError: if what is protected does not fit.
            MessageError: for a message that cannot be read.
        """
        declared = turn.declared or self.declared
        transcript = self._read(turn, declared)
        question = transcript.question()
        builder: ContextBuilder = yield Step(
            partial(declared.builder, question, tools=turn.tools),
            partial(declared.abuilder, question, tools=turn.tools),
        )
        builder = builder.taken(turn.taken).trimming(on=turn.enabled)
        request = _Request(turn, builder, declared, transcript)
        known = self._known(request)
        context = yield from self._laid_out(request, known, question)
        if turn.keeps:
            if turn.enabled:
                self._remember(request, known, context)
            if turn.enabled and self._summarizing is not None and self._is_due(self._summarizing, request, context):
                context = yield from self._summarized(self._summarizing, request, known, context)
        if turn.left_out:
            context = replace(context, report=context.report.with_left_out(turn.left_out, turn.why))
        if turn.keeps:
            log_request(context.report)
            yield from self._listeners.tell(context.report, declared.record)
        return context

    def forget(self, conversation: Conversation) -> None:
        """Delete what is kept of a conversation: its state, its summary, and what its last request was."""
        self.states.forget(conversation)
        self._bills.forget(conversation)

    def renew(self, conversation: Conversation, messages: Sequence[NativeT]) -> None:
        """Delete what is kept of a conversation unless it matches these messages, which are all there are now."""
        known = self.states.read(conversation, transcript_of(messages, None, self._codec), quiet=True)
        if known.state == WindowState():
            self.forget(conversation)

    def _read(self, turn: Turn[NativeT], declared: Declared) -> Transcript[NativeT]:
        """Give the conversation, with its history as the recipe takes it, which may know how to mend one."""
        history, message, codec = turn.history, turn.message, self._codec
        read = getattr(declared.source, "read", None)
        if codec is None and read is not None:
            history, codec = cast("tuple[Sequence[NativeT], Codec[NativeT]]", read(history, message, None))
        return transcript_of(history, message, codec)

    def _known(self, request: _Request[NativeT]) -> Recalled:
        """Give what is remembered of the conversation."""
        turn, transcript = request.turn, request.transcript
        conversation = turn.conversation or nameless(transcript)
        if turn.keeps:
            self._bills.learn(conversation, transcript)
        if turn.state is not None:
            if self._summarizing is not None and self._summarizing.background:
                msg = "a summary that is written in the background needs a session that keeps its states"
                raise BudgetError(msg)
            return Recalled(conversation, turn.state, turn.verify, usable=False)
        return self.states.read(conversation, transcript, quiet=not turn.keeps)

    def _laid_out(self, request: _Request[NativeT], known: Recalled, question: str) -> Steps[Context[NativeT]]:
        """Build with the layers that depend on the request, and once more with those that depend on the cut."""
        about = LayerRequest(
            question=question,
            history=request.turn.history,
            conversation=known.conversation.key if known.conversation.named else "",
            codec=request.transcript.codec,
        )
        layers = yield from asked(self._layers, about, after_cut=False)
        request.add(layers)
        context = request.build(known.state, known.verify)
        waiting = any(getattr(source, "after_cut", False) for source in self._layers)
        gone = context.left_out() if waiting and request.turn.enabled else ()
        if not gone:
            return context
        layers = yield from asked(self._layers, replace(about, left_out=gone), after_cut=True)
        request.add(layers)
        return _as_cut(context, request.build(known.state, known.verify)) if layers else context

    def _remember(self, request: _Request[NativeT], known: Recalled, context: Context[NativeT]) -> None:
        """Remember the cut at once: turns that run while it is summarized begin where it begins."""
        self.states.keep(known, context.state, context.transcript)
        self._bills.note(known.conversation, context, request.builder.plan.counter)

    def _is_due(self, summarizing: Summarizing, request: _Request[NativeT], context: Context[NativeT]) -> bool:
        """Whether a summary is to be written now, and there is room to show one."""
        return summarizing.is_due(context) and request.within_cap("A summary of a few words.") != ""

    def _summarized(
        self,
        summarizing: Summarizing,
        request: _Request[NativeT],
        known: Recalled,
        context: Context[NativeT],
        *,
        beside: bool = False,
    ) -> Steps[Context[NativeT]]:
        """Build once more with a summary of what is left out, if this turn is the one to have it written.

        Where it is written in the background, the turn goes on without, and this runs beside it.
        """
        # Where nobody has named the conversation, its first message tells it from others that begin alike.
        named = known.conversation.named and request.turn.state is None
        first = "" if named else (context.state.gone_keys or ("",))[0]
        claim, asking = f"{known.conversation.key}\0{first}", _asking(context.transcript)
        if summarizing.background and not beside:
            in_thread(lambda: run(self._summarized(summarizing, request, known, context, beside=True)))
            return context
        with self.states.alone(claim) as alone:
            if not alone:
                return context
            newer = self.states.latest(known)
            if newer.summarized > context.state.summarized:
                # Another turn has had it written while this one was on its way.
                context = _as_cut(context, request.build(newer, "all"))
            if not summarizing.is_due(context) or context.state.summary_failed == asking:
                return context
            written = _Written(self.states, request, known, context)
            try:
                summary: str = yield Step(
                    partial(summarizing.write, context, written.partly, conversation=claim),
                    partial(summarizing.awrite, context, written.partly, conversation=claim),
                )
                kept = _within(request, summary)
            except Exception as error:  # noqa: BLE001 - whatever stops the summary must not stop the turn
                state = replace(written.state or context.state, summary_failed=asking)
                self.states.keep(known, state, context.transcript)
                count = len(state.unsummarized())
                _LOG.warning(
                    "no summary this time (%s): %d messages wait for the next turn", type(error).__name__, count
                )
                if written.state is None:
                    return replace(context, state=state)
                return _as_cut(context, request.build(state, "ends"))
            state = context.state.with_summary(kept, at=len(context.transcript))
            context = _as_cut(context, request.build(state, "ends"))
            self.states.keep(known, context.state, context.transcript)
        return context


@dataclass(slots=True)
class _Request(Generic[NativeT]):
    """A request in the making."""

    turn: Turn[NativeT]
    builder: ContextBuilder
    declared: Declared
    transcript: Transcript[NativeT]

    def add(self, layers: Iterable[Any]) -> None:
        """Add layers to what is built."""
        for layer in layers:
            self.builder = self.builder.layer(layer)

    def build(self, state: WindowState, verify: Verify) -> Context[NativeT]:
        """Build from a state."""
        on_overflow = self.turn.on_overflow or self.declared.overflow
        return self.builder.build_transcript(self.transcript, state=state, on_overflow=on_overflow, verify=verify)

    def within_cap(self, summary: str) -> str:
        """Give as much of a summary as can ever be shown, whatever a model has answered and this turn holds."""
        plan = self.builder.plan
        return summary if plan.rolling is None else plan.rolling.within(summary, plan.summary_cap, plan.counter)


@dataclass(slots=True)
class _Written(Generic[NativeT]):
    """What a summarizer has written so far: kept at once, so that nothing is asked for twice."""

    states: StateMemory
    request: _Request[NativeT]
    known: Recalled
    context: Context[NativeT]
    state: WindowState | None = None
    """With the summary of a part of what leaves; None before the first piece."""

    def partly(self, summary: str, given: int) -> None:
        """Keep the summary of so many of the messages that leave."""
        transcript = self.context.transcript
        kept = self.request.within_cap(summary)
        self.state = partly_summarized(self.context.state, kept, given, transcript)
        self.states.keep(self.known, self.state, transcript)


def _within(request: _Request[Any], summary: str) -> str:
    kept = request.within_cap(summary)
    if not kept:
        msg = "nothing of the summary fits into its cap"
        raise ValueError(msg)
    return kept


def _as_cut(first: Context[NativeT], second: Context[NativeT]) -> Context[NativeT]:
    """Give the second build of a turn, which was cut on this turn if the first was."""
    history = second.report.history
    cut = replace(history, cut=history.cut or first.report.history.cut)
    return replace(second, report=replace(second.report, history=cut))


def _asking(transcript: Transcript[Any]) -> str:
    """Give what tells one turn of the user's from another: the last question, and how many there were.

    Not where it stands: instructions are put in front, and steps come behind it.
    """
    asked = [at for at in range(len(transcript)) if transcript.role(at) is Role.USER]
    return f"{len(asked)} {key_at(transcript, asked[-1])}" if asked else ""
