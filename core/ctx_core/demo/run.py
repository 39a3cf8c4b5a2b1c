"""Runs a recorded conversation through the engine alone, to show what a model would be sent."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from ctx_core.builder import ContextBuilder
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.history.state import WindowState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx_core.budget import ContextBudget
    from ctx_core.conversation.openai_messages import OpenAIMessage
    from ctx_core.counting.counter import CounterLike
    from ctx_core.report.report import ContextReport


def run(
    conversation: Sequence[OpenAIMessage], budget: ContextBudget | int, counter: CounterLike | None = None
) -> Iterator[tuple[list[OpenAIMessage], ContextReport]]:
    """Run a conversation turn by turn: a request for every assistant message in it.

    Args:
        conversation: OpenAI-style dicts.
        budget: a budget, or tokens of input.
        counter: a counter, a tokenizer, a function from text to tokens, or a model's name.

    Yields:
        For every request, the messages that are sent, and the report.
    """
    builder, codec, state = ContextBuilder(budget, counter), OpenAICodec(), WindowState()
    start = len(list(takewhile(lambda message: message["role"] == "system", conversation)))
    replies = [at for at in range(start + 1, len(conversation)) if conversation[at]["role"] == "assistant"]
    if len(conversation) > start and conversation[-1]["role"] != "assistant":
        replies.append(len(conversation))  # the last question is asked too, and has no recorded answer
    for at in replies:
        context = builder.build(conversation[:at], codec=codec, state=state)
        state = context.state
        yield context.messages, context.report
