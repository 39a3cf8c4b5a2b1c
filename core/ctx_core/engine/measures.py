"""What a request is held against: its bill, and all that there was to send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctx_core.conversation.messages import Role
from ctx_core.counting.counts import TokenCount
from ctx_core.engine.layers import message_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.messages import Message
    from ctx_core.conversation.transcript import Transcript
    from ctx_core.engine.plan import Plan


def billed_count(plan: Plan, messages: Sequence[Message], bound: int) -> TokenCount | None:
    """Give what the bill is compared with, where that is done. The price of a picture says nothing of texts.

    Args:
        plan: what the context is made of.
        messages: all that are sent.
        bound: the tokens that they were counted as.
    """
    counter = plan.counter
    if counter.calibration is None or not counter.calibration.enabled or counter.model is None:
        return None
    if any(message.has_media for message in messages):
        return None
    plain = counter.without_margin.measure(messages, tools=plan.definitions, options=plan.options)
    return TokenCount(estimate=plain.estimate, bound=bound)


def tokens_of_all(plan: Plan, transcript: Transcript[Any], once: int) -> int:
    """Give the tokens of everything there is, had nothing been left out.

    Args:
        plan: what the context is made of.
        transcript: the conversation, all of which is read and counted.
        once: tokens of what a request has once.
    """
    layers = message_of(Role.SYSTEM, [layer.body for layer in plan.layers])
    texts = 0 if layers is None else plan.counter.count_message(layers)
    return once + texts + plan.counter.count_sequence(transcript[at] for at in range(len(transcript)))
