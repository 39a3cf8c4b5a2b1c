"""What happens to a conversation from turn to turn, once, for every surface.

A turn reads what is remembered, builds, remembers the cut, has what left summarized if nobody else is at it, builds
once more with the summary, and tells who wants to hear.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Generic, cast

from ctx_core.conversation.codecs import as_codec, transcript_of
from ctx_core.conversation.message_types import Codec, NativeT
from ctx_core.effects import Effect, Effects
from ctx_core.engine.layers import Layer
from ctx_core.errors import BudgetError
from ctx_core.history.state import WindowState
from ctx_core.report.request_log import log_request
from ctx_core.session.bills import Bills
from ctx_core.session.conversation_id import ConversationId, nameless
from ctx_core.session.layers import LayerRequest, asked
from ctx_core.session.listeners import Listeners
from ctx_core.session.reads import ReadMessages
from ctx_core.session.request import Draft, Request, as_cut
from ctx_core.session.states import Recalled, memory_of
from ctx_core.session.stores import StateCache
from ctx_core.session.summaries import Summaries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.builder import ContextBuilder
    from ctx_core.conversation.formats.names import FormatName
    from ctx_core.conversation.held import Reading
    from ctx_core.conversation.transcript import Transcript
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

    def fit(self, request: Request[NativeT]) -> Effects[Context[NativeT]]:
        """Give the context of a request, step by step.

        Raises:
            ContextOverflowError: if what is protected does not fit.
            MessageError: for a message that cannot be read.
        """
        declared = request.declared or self.declared
        reading = self.reading()
        transcript = self._read(request, declared, reading)
        conversation = request.conversation or nameless(transcript)
        question = transcript.question()
        builder: ContextBuilder = yield Effect(
            partial(declared.builder, question, tools=request.tools),
            partial(declared.abuilder, question, tools=request.tools),
        )
        enabled = request.enabled and builder.plan.trims
        builder = builder.taken(request.taken).trimming(on=enabled)
        if request.tools is not None and not request.tools:
            builder = builder.without_tools()
        if not request.whole:
            builder = builder.part_of_request(
                question_follows=request.message is not None, results_follow=request.results_follow
            )
        draft = Draft(request, builder, declared, transcript)
        known = self._known(draft, conversation)
        context = yield from self._laid_out(draft, known, question)
        if request.keeps:
            self._reads.hold(conversation.key, reading)
            # The cut is remembered before a summary is waited for: other turns of the conversation go on meanwhile.
            if enabled:
                self._remember(draft, known, context)
            if enabled and self._summaries is not None and self._summaries.is_due(draft, context):
                context = yield from self._summaries.write(draft, known, context)
        if request.left_out:
            context = replace(context, report=context.report.with_left_out(request.left_out, request.why))
        if request.keeps:
            log_request(context.report)
            yield from self._listeners.tell(context.report, declared.on_report)
        return context

    def reading(self) -> Reading:
        """Give what reads a conversation: what its last turn has read is taken as it is."""
        return self._reads.reading()

    def remembered(self, conversation: ConversationId | None, messages: Sequence[NativeT]) -> WindowState:
        """Give what is kept of a conversation, as far as it matches these messages; None: of whoever begins alike."""
        transcript = transcript_of(messages, None, self._codec, self.reading())
        return self.states.read(conversation or nameless(transcript), transcript, quiet=True).state

    def forget(self, conversation: ConversationId) -> None:
        """Delete what is kept of a conversation: its state, its summary, and what its last request was."""
        self.states.forget(conversation)
        self._bills.forget(conversation)
        self._reads.forget(conversation.key)

    def renew(self, conversation: ConversationId, messages: Sequence[NativeT]) -> None:
        """Delete what is kept of a conversation unless it matches these messages, which are all there are now."""
        known = self.states.read(conversation, transcript_of(messages, None, self._codec, self.reading()), quiet=True)
        if known.state == WindowState():
            self.forget(conversation)

    def _read(self, request: Request[NativeT], declared: Declared, reading: Reading) -> Transcript[NativeT]:
        """Give the conversation, with its history as the recipe takes it, which may know how to mend one."""
        history, message, codec = request.history, request.message, self._codec
        read = getattr(declared.source, "read", None)
        if codec is None and read is not None:
            history, codec = cast("tuple[Sequence[NativeT], Codec[NativeT]]", read(history, message, None))
        return transcript_of(history, message, codec, reading)

    def _known(self, draft: Draft[NativeT], conversation: ConversationId) -> Recalled:
        """Give what is remembered of the conversation."""
        request, transcript = draft.request, draft.transcript
        if request.keeps:
            # First, so that what a bill has shown holds for this request already.
            self._bills.learn(conversation, transcript)
        if request.state is not None:
            if self._summaries is not None and self._summaries.background:
                msg = "a summary that is written in the background needs a session that keeps its states"
                raise BudgetError(msg)
            verify = self.states.verifying(conversation, request.state, transcript, request.verify)
            return Recalled(conversation, request.state, verify, usable=False, asked=request.verify)
        return self.states.read(conversation, transcript, quiet=not request.keeps, verify=request.verify)

    def _laid_out(self, draft: Draft[NativeT], known: Recalled, question: str) -> Effects[Context[NativeT]]:
        """Build with the layers that depend on the request, and once more with those that depend on the cut."""
        about = LayerRequest(
            question=question,
            history=draft.request.history,
            conversation=known.conversation.key if known.conversation.named else "",
            codec=draft.transcript.codec,
        )
        layers = yield from asked(self._layers, about, after_cut=False)
        draft.add(layers)
        context = draft.build(known.state, known.verify)
        waiting = any(getattr(source, "after_cut", False) for source in self._layers)
        # Recalled turns are of what is left out, and take room themselves: so it is built once more, and no third time.
        gone = context.left_out() if waiting and draft.builder.plan.trims else ()
        if not gone:
            return context
        layers = yield from asked(self._layers, replace(about, left_out=gone), after_cut=True)
        draft.add(layers)
        return as_cut(context, draft.build(known.state, known.verify)) if layers else context

    def _remember(self, draft: Draft[NativeT], known: Recalled, context: Context[NativeT]) -> None:
        """Remember the cut at once: turns that run while it is summarized begin where it begins."""
        self.states.keep(known, context.state, context.transcript)
        self._bills.note(known.conversation, context, draft.builder.plan.counter)
