"""The summary of a conversation: written by one of the turns that run at once, never a reason to fail."""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic

from ctx_core.awaiting import in_thread
from ctx_core.conversation.message_types import NativeT
from ctx_core.effects import Effect, Effects, run
from ctx_core.engine.context import Context
from ctx_core.history.keys import key_at
from ctx_core.history.places import positions
from ctx_core.history.remembered import partly_summarized
from ctx_core.history.state import WindowState
from ctx_core.session.request import Draft, as_cut
from ctx_core.session.states import Recalled, StateMemory

if TYPE_CHECKING:
    from ctx_core.conversation.transcript import Transcript
    from ctx_core.session.summarizing import Summarizing

_LOG: Final = logging.getLogger("ctx_core.session")
_UNKEPT: Final = 1_024
"""Conversations of which is known that their summary was written and could not be shown."""


class Summaries(Generic[NativeT]):
    """Has summaries written for the conversations of one surface."""

    def __init__(self, summarizing: Summarizing, states: StateMemory) -> None:
        """Take what writes them, and where they are shown."""
        self._summarizing = summarizing
        self._states = states
        self._unkept: OrderedDict[str, str] = OrderedDict()

    @property
    def background(self) -> bool:
        """Whether turns go out without waiting for one."""
        return self._summarizing.background

    def is_due(self, draft: Draft[NativeT], context: Context[NativeT]) -> bool:
        """Whether a summary is to be written now, and there is room to show one."""
        return self._summarizing.is_due(context) and draft.within_cap("A summary of a few words.") != ""

    def write(
        self, draft: Draft[NativeT], known: Recalled, context: Context[NativeT], *, beside: bool = False
    ) -> Effects[Context[NativeT]]:
        """Build once more with a summary of what is left out, if this turn is the one to have it written.

        Where it is written in the background, the turn goes on without, and this runs beside it.
        """
        # Where nobody has named the conversation, its first message tells it from others that begin alike.
        named = known.conversation.named and draft.request.state is None
        first = "" if named else (context.state.gone_keys or ("",))[0]
        claim, asking = f"{known.conversation.key}\0{first}", _asking(context.transcript)
        # Claimed in the thread, and not here: a claim lasts until the summary is kept.
        if self._summarizing.background and not beside:
            in_thread(lambda: run(self.write(draft, known, context, beside=True)))
            return context
        with self._states.alone(claim) as alone:
            if not alone:
                return context
            # Asked before the state is read: a late answer is shown first, and only then does its call no longer run.
            runs = self._summarizing.is_running(claim)
            newer = self._states.latest(known)
            if newer.summarized > context.state.summarized:
                # Another turn has had it written while this one was on its way.
                context = as_cut(context, draft.build(newer, "all"))
            if not self._summarizing.is_due(context) or asking in (
                context.state.summary_failed,
                self._unkept.get(claim),
            ):
                return context
            written = _Written(self._states, draft, known, context)
            try:
                if runs:
                    msg = "a call for this conversation was still running"
                    raise TimeoutError(msg)  # noqa: TRY301 - a failure like the others
                summary: str = yield Effect(
                    partial(self._summarizing.write, context, written.partly, conversation=claim),
                    partial(self._summarizing.awrite, context, written.partly, conversation=claim),
                )
                shown = _within(draft, summary)
            except Exception as error:  # noqa: BLE001 - whatever stops the summary must not stop the turn
                state = replace(written.state or context.state, summary_failed=asking)
                self._states.keep(known, state, context.transcript)
                count = len(state.unsummarized())
                _LOG.warning(
                    "no summary this time (%s): %d messages wait for the next turn", type(error).__name__, count
                )
                if written.state is None:
                    return replace(context, state=state)
                return as_cut(context, draft.build(state, "ends"))
            state = context.state.with_summary(shown, at=len(context.transcript))
            # Built before it is kept: the build says what of the summary is shown, and that is what later turns find.
            context = as_cut(context, draft.build(state, "ends"))
            self._states.keep(known, context.state, context.transcript)
            if draft.request.state is None and not known.usable:
                # A store that is down would have it written, and paid for, on every build.
                self._unkept[claim] = asking
                if len(self._unkept) > _UNKEPT:
                    self._unkept.popitem(last=False)
        return context


@dataclass(slots=True)
class _Written(Generic[NativeT]):
    """What a summarizer has written so far: shown at once, so that nothing is asked for twice."""

    states: StateMemory
    draft: Draft[NativeT]
    known: Recalled
    context: Context[NativeT]
    state: WindowState | None = None
    """With the summary of a part of what leaves; None before the first piece."""

    def partly(self, summary: str, given: int) -> None:
        """Keep the summary of so many of the messages that leave."""
        transcript = self.context.transcript
        shown = self.draft.within_cap(summary)
        self.state = partly_summarized(self.context.state, shown, given, transcript)
        self.states.keep(self.known, self.state, transcript)


def _within(draft: Draft[Any], summary: str) -> str:
    shown = draft.within_cap(summary)
    if not shown:
        msg = "nothing of the summary fits into its cap"
        raise ValueError(msg)
    return shown


def _asking(transcript: Transcript[Any]) -> str:
    """Give what tells one turn of the user's from another: the last question, and how many there were.

    Not where it stands: instructions are put in front, and steps come behind it.
    """
    asked = [at for at in positions(0, len(transcript)) if transcript.is_question(at)]
    return f"{len(asked)} {key_at(transcript, asked[-1])}" if asked else ""
