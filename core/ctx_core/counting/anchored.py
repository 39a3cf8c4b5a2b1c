"""Counting from the provider's own figure: what was billed is known, only what came after is estimated."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.messages import Message, ToolCall
from ctx_core.conversation.parts import ReasoningPart
from ctx_core.counting.counts import TokenCount
from ctx_core.counting.options import RequestOptions
from ctx_core.counting.tool_schemas import ToolDefinition

if TYPE_CHECKING:
    from ctx_core.counting.counter import TokenCounter
    from ctx_core.counting.framing import Framing

_LEAST: Final = 0.75
_MOST: Final = 2.5
"""Ratios of bill to estimate outside show that the figure is of another request; it is then not used. A bill well
below the estimate is that of a shorter one: the history was cut before it was sent."""
_DENSEST: Final = 1.3
"""The most by which the ratio of a bill scales what came after it."""
_SLACK: Final = 5
"""Tokens by which the same request is billed differently from one time to the next; the bound adds them."""
_RESERVE: Final = 1.1
"""The bound takes that much less off for what was removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A usage figure of the provider, and the request that it is for."""

    billed: int
    """Input tokens of that request, cached ones included."""
    sent: Sequence[Message]
    """The messages of that request. An answer's figure is for what stood before the answer, as it was sent."""
    tools: Sequence[ToolDefinition] = ()
    """The tools of that request."""
    options: RequestOptions | None = None
    """What else that request asked for."""


def latest_anchor(
    messages: Sequence[Message], *, tools: Sequence[ToolDefinition] = (), options: RequestOptions | None = None
) -> Anchor | None:
    """Give the latest usage figure in a conversation; None if it has none.

    The figure of an answer is taken to be the bill for all the messages before it.

    Args:
        messages: the conversation as it was sent.
        tools: the tools that went along.
        options: what else was asked for.
    """
    for at in range(len(messages) - 1, -1, -1):
        billed = messages[at].billed
        if billed is not None and billed > 0:
            return Anchor(billed=billed, sent=messages[:at], tools=tools, options=options)
    return None


def count_anchored(
    counter: TokenCounter,
    messages: Sequence[Message],
    anchor: Anchor | None,
    *,
    tools: Sequence[ToolDefinition] = (),
    options: RequestOptions | None = None,
    enabled: bool = True,
) -> TokenCount:
    """Give both figures of a request, from the bill of an earlier one.

    What both requests have in common is known. What is new is estimated and scaled by the ratio of that
    bill to its own estimate; what was cut since is subtracted likewise.

    Args:
        counter: prices what is not known.
        messages: the messages to send.
        anchor: the latest usage figure; None counts without one.
        tools: the tools to send.
        options: what else the request asks for.
        enabled: the switch: False counts without the anchor.
    """
    learning, counter = counter, counter.uncalibrated  # this bill says more than those of others
    then = 0 if anchor is None or not enabled else _estimate_of(anchor, counter)
    if anchor is None or not then or not _LEAST * then <= anchor.billed <= _MOST * then:
        return learning.measure(messages, tools=tools, options=options)
    plain = counter.measure(messages, tools=tools, options=options)
    ratio = anchor.billed / then
    # With the model's own vocabulary a ratio other than 1 is a hidden prompt, not a matter of density.
    density = 1.0 if counter.exact else min(_DENSEST, max(1 / _DENSEST, ratio))
    added, removed = _difference(messages, anchor.sent)
    estimate = round(anchor.billed + (plain.estimate - then) * density)
    more = counter.count_sequence(added)
    more += max(0, counter.count_tools(tools) - counter.count_tools(anchor.tools))
    asked = counter.count_options(options, tools=bool(tools))
    more += max(0, asked - counter.count_options(anchor.options, tools=bool(anchor.tools)))
    less = sum(map(counter.without_margin.count_message, removed)) * density / _RESERVE
    slack = min(_SLACK, counter.margin.per_request)
    bound = max(estimate, anchor.billed + math.ceil(more * max(1.0, density)) - math.floor(less)) + slack
    return TokenCount(estimate=max(0, estimate), bound=max(0, bound), anchored=True)


def _estimate_of(anchor: Anchor, counter: TokenCounter) -> int:
    """Give the estimate for an anchor's request, with or without encrypted reasoning: what is closer to the bill."""

    def estimate(framing: Framing) -> int:
        reading = counter.with_framing(framing)
        return reading.measure(anchor.sent, tools=anchor.tools, options=anchor.options).estimate

    framing, copies = counter.framing, counter.framing.encrypted_reasoning
    if not copies.characters_per_token:
        return estimate(framing)
    free = estimate(replace(framing, encrypted_reasoning=replace(copies, characters_per_token=0)))
    billed = replace(framing, encrypted_reasoning=replace(copies, always_billed=True))
    count = counter.without_margin.with_framing(billed).count_encrypted_reasoning
    holders = [holder for message in anchor.sent for holder in (*message.parts, *message.tool_calls)]
    every = free + sum(count(one.encrypted) for one in holders if isinstance(one, ReasoningPart | ToolCall))
    return min((estimate(billed), free, every), key=lambda reading: abs(anchor.billed - reading))


def _difference(now: Sequence[Message], then: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """Give the messages that are only in one of two requests; equal content is the same message."""
    left = Counter(_bare(message) for message in then)
    added: list[Message] = []
    for message in now:
        bare = _bare(message)
        if left[bare] > 0:
            left[bare] -= 1
        else:
            added.append(message)
    return added, list(left.elements())


def _bare(message: Message) -> Message:
    return replace(message, id=None)
