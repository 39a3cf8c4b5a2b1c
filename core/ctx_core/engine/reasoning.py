"""What becomes of the model's thoughts: some models hold them to everything that stood before."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import ReasoningPart
from ctx_core.history.keys import sent_digest
from ctx_core.providers.rules import Kind
from ctx_core.providers.table import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.transcript import Transcript
    from ctx_core.engine.plan import Plan
    from ctx_core.history.state import WindowState
    from ctx_core.history.window import Selection
    from ctx_core.providers.asked import Asked


class Reasoning:
    """The rule for the reasoning of one request, and what is remembered for it."""

    def __init__(
        self,
        plan: Plan,
        asked: Asked | None,
        transcript: Transcript[Any],
        *,
        state: WindowState | None,
        known: WindowState,
    ) -> None:
        """Take what the policy says, or the model asks.

        Args:
            plan: what was declared.
            asked: what the provider asks; None: nothing is looked at.
            transcript: the conversation.
            state: what is remembered; None: nothing may be.
            known: that of it which matches the conversation.
        """
        said = plan.policy.reasoning
        if said == "by_model":
            bound = asked is not None and asked.target.asks(Kind.THINKING_BOUND) is not None
            said = "bound" if bound else "keep"
        policy = plan.cut_policy
        self.policy = policy if said == policy.reasoning else replace(policy, reasoning=said)
        """The policy, with what becomes of reasoning."""
        self._bound = said == "bound"
        self._moves = plan.volatile_last and any(layer.body for layer in plan.layers if not layer.stable)
        self._state = state
        self._system_apart = transcript.system_apart
        # Where nothing tells the model, a state that changes on every turn would cost more than it helps.
        named = asked is not None and asked.target.provider is not UNKNOWN
        self._compares = self._bound and state is not None and (named or plan.policy.reasoning == "bound")
        self._tools = json.dumps(plan.definitions, sort_keys=True, default=str) if self._compares else ""
        self.waits = self._bound and _runs_a_loop(transcript, known)
        """Whether a cut is to wait for the end of the tool loop that is running."""

    def has_lost_its_place(self, sent: Sequence[Message], window: Selection, system: Message | None) -> bool:
        """Whether there is reasoning whose model does not find before it what stood there.

        Args:
            sent: the messages as they would go out.
            window: what of the conversation is among them.
            system: the system text, which leads them or goes apart; None: there is none.
        """
        if not self._bound or not any(map(_signed, sent)):
            return False
        state, cut = self._state, window.cut
        if state is None:
            # Nothing is remembered: what is not all there may have been so before, or not.
            return bool(cut.omitted or cut.decisions.count) or self._moves
        if not self._compares:
            return False
        if not state.sent:
            return state.decided
        prefix, spoken = self._parted(sent, system)
        return len(spoken) < state.sent or sent_digest(prefix, spoken[: state.sent]) != state.sent_digest

    def remembered(self, state: WindowState, sent: Sequence[Message], system: Message | None) -> WindowState:
        """Give the state with what the next request is compared with."""
        if not self._compares:
            return state
        prefix, spoken = self._parted(sent, system)
        return replace(state, sent=len(spoken), sent_digest=sent_digest(prefix, spoken))

    def _parted(self, sent: Sequence[Message], system: Message | None) -> tuple[str, Sequence[Message]]:
        """Give what is sent before the messages, the system text and the tools, and the messages without that text.

        The same whether the text leads the list or goes apart: a list of Anthropic's is read as one of OpenAI's while
        nothing in it tells them apart.
        """
        if system is None:
            return self._tools, sent
        leads = not self._system_apart and bool(sent) and sent[0].role.instructs
        return f"{(sent[0] if leads else system).text}\n{self._tools}", sent[leads:]

    def gone(self, window: Selection) -> int:
        """Count the answers in a window that lost their reasoning."""
        if not self._bound:
            return 0
        stretch = window.cut.stretch
        return sum(_signed(stretch.entries[at].message) and not _signed(stretch.form(at)) for at in window.cut.kept)


def _signed(message: Message) -> bool:
    """Whether it has reasoning that its provider can hold to its place."""
    return any(isinstance(part, ReasoningPart) and part.encrypted for part in message.parts)


def _runs_a_loop(transcript: Transcript[Any], known: WindowState) -> bool:
    """Whether the model is to go on with results, after thoughts of its own that it is still shown.

    Those that an earlier cut took are not looked for: a turn costs its window, however long the loop has been running.
    """
    last = len(transcript) - 1
    if last < 0 or transcript.role(last) is not Role.TOOL:
        return False
    begun = max(transcript.question_at() or 0, known.reasoning_from)
    staying = (at for at in known.staying if begun <= at < known.start)
    return any(_signed(transcript[at]) for at in chain(range(max(begun, known.start), last), staying))
