"""What happens to a conversation from turn to turn, once, for every surface.

A turn reads what is remembered, builds, remembers the cut, has what left summarized if nobody else is at it, builds
once more with the summary, and tells who wants to hear.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Generic, cast

from ctx_core.conversation.codecs import as_codec, transcript_of
from ctx_core.conversation.transcript import Codec, NativeT, Transcript
from ctx_core.engine.layers import Layer
from ctx_core.errors import BudgetError
from ctx_core.history.state import WindowState
from ctx_core.report.request_log import log_request
from ctx_core.session.bills import Bills
from ctx_core.session.conversation import Conversation, nameless
from ctx_core.session.layers import LayerRequest, asked
from ctx_core.session.listeners import Listeners
from ctx_core.session.reads import ReadMessages
from ctx_core.session.states import Recalled, memory_of
from ctx_core.session.stores import StateCache
from ctx_core.session.summaries import Summaries
from ctx_core.session.turn import Request, Turn, as_cut
from ctx_core.steps import Step, Steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.builder import ContextBuilder
    from ctx_core.conversation.formats.names import FormatName
    from ctx_core.conversation.held import Reading
    from ctx_core.engine.context import Context
    from ctx_core.session.declaration import Declared
    from ctx_core.session.options import SessionOptions
    from ctx_core.session.summarizing import Summarizing


class Sessions(Generic[NativeT]):
    """What the conversations of one surface share; shareable between threads, tasks and event loops."""

    def __init__(
        self,
        options: SessionOptions,
        codec: Codec[NativeT] | FormatName | None = None,
        *,
        declares: bool = True,
    ) -> None:
        """Take the options, and the door of the message type.

        Args:
            options: how requests are fitted.
            codec: by default the one for neutral messages or a provider's own, found by the messages.
            declares: whether the options say what a context is; if not, each turn brings what declares it.

        Raises:
            BudgetError: for options that cannot work together.
        """
        self._declared = options.declared() if declares else None
        self.states = memory_of(StateCache() if options.states is None else options.states)
        self._layers = tuple(layer for layer in options.layers if not isinstance(layer, Layer))
        self._listeners = Listeners(usage_log=options.usage_log, on_report=options.on_report)
        summarizing = cast("Summarizing | None", options.summarizer)
        self._summaries = None if summarizing is None else Summaries[NativeT](summarizing, self.states)
        self._codec = as_codec(codec)
        self._bills = Bills()
        self._reads = ReadMessages()

    @property
    def declared(self) -> Declared:
        """What declares the context of a request whose turn brings nothing that does.

        Raises:
            BudgetError: if the options declare none.
        """
        if self._declared is None:
            msg = "neither the options nor the turn say what the context is: give a budget, a builder or a recipe"
            raise BudgetError(msg)
        return self._declared

    def turn(self, turn: Turn[NativeT]) -> Steps[Context[NativeT]]:
        """Give the context of a request, step by step.

        Raises:
            ContextOverflowError: if what is protected does not fit.
            MessageError: for a message that cannot be read.
        """
        declared = turn.declared or self.declared
        reading = self._reads.reading()
        transcript = self._read(turn, declared, reading)
        conversation = turn.conversation or nameless(transcript)
        question = transcript.question()
        builder: ContextBuilder = yield Step(
            partial(declared.builder, question, tools=turn.tools),
            partial(declared.abuilder, question, tools=turn.tools),
        )
        enabled = turn.enabled and builder.plan.trims
        builder = builder.taken(turn.taken).trimming(on=enabled)
        request = Request(turn, builder, declared, transcript)
        known = self._known(request, conversation)
        context = yield from self._laid_out(request, known, question)
        if turn.keeps:
            self._reads.hold(conversation.key, reading)
            if enabled:
                self._remember(request, known, context)
            if enabled and self._summaries is not None and self._summaries.is_due(request, context):
                context = yield from self._summaries.write(request, known, context)
        if turn.left_out:
            context = replace(context, report=context.report.with_left_out(turn.left_out, turn.why))
        if turn.keeps:
            log_request(context.report)
            yield from self._listeners.tell(context.report, declared.on_report)
        return context

    def remembered(self, conversation: Conversation | None, messages: Sequence[NativeT]) -> WindowState:
        """Give what is kept of a conversation, as far as it matches these messages; None: of whoever begins alike."""
        transcript = transcript_of(messages, None, self._codec)
        return self.states.read(conversation or nameless(transcript), transcript, quiet=True).state

    def forget(self, conversation: Conversation) -> None:
        """Delete what is kept of a conversation: its state, its summary, and what its last request was."""
        self.states.forget(conversation)
        self._bills.forget(conversation)
        self._reads.forget(conversation.key)

    def renew(self, conversation: Conversation, messages: Sequence[NativeT]) -> None:
        """Delete what is kept of a conversation unless it matches these messages, which are all there are now."""
        known = self.states.read(conversation, transcript_of(messages, None, self._codec), quiet=True)
        if known.state == WindowState():
            self.forget(conversation)

    def _read(self, turn: Turn[NativeT], declared: Declared, reading: Reading) -> Transcript[NativeT]:
        """Give the conversation, with its history as the recipe takes it, which may know how to mend one."""
        history, message, codec = turn.history, turn.message, self._codec
        read = getattr(declared.source, "read", None)
        if codec is None and read is not None:
            history, codec = cast("tuple[Sequence[NativeT], Codec[NativeT]]", read(history, message, None))
        return transcript_of(history, message, codec, reading)

    def _known(self, request: Request[NativeT], conversation: Conversation) -> Recalled:
        """Give what is remembered of the conversation."""
        turn, transcript = request.turn, request.transcript
        if turn.keeps:
            self._bills.learn(conversation, transcript)
        if turn.state is not None:
            if self._summaries is not None and self._summaries.background:
                msg = "a summary that is written in the background needs a session that keeps its states"
                raise BudgetError(msg)
            verify = self.states.verifying(conversation, turn.state, transcript, turn.verify)
            return Recalled(conversation, turn.state, verify, usable=False)
        return self.states.read(conversation, transcript, quiet=not turn.keeps)

    def _laid_out(self, request: Request[NativeT], known: Recalled, question: str) -> Steps[Context[NativeT]]:
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
        gone = context.left_out() if waiting and request.builder.plan.trims else ()
        if not gone:
            return context
        layers = yield from asked(self._layers, replace(about, left_out=gone), after_cut=True)
        request.add(layers)
        return as_cut(context, request.build(known.state, known.verify)) if layers else context

    def _remember(self, request: Request[NativeT], known: Recalled, context: Context[NativeT]) -> None:
        """Remember the cut at once: turns that run while it is summarized begin where it begins."""
        self.states.keep(known, context.state, context.transcript)
        self._bills.note(known.conversation, context, request.builder.plan.counter)
