"""The one-call form: messages in, messages that fit out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.budget import ContextBudget
from ctx_core.builder import ContextBuilder, OnOverflow
from ctx_core.history.policy import HistoryPolicy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctx_core.conversation.transcript import NativeT
    from ctx_core.counting.counter import CounterLike, ToolDefinition
    from ctx_core.engine.context import Context
    from ctx_core.history.remembered import Verify
    from ctx_core.history.state import WindowState


def fit(
    messages: Sequence[NativeT],
    max_tokens: int,
    *,
    counter: CounterLike | None = None,
    tools: Iterable[ToolDefinition] = (),
    policy: HistoryPolicy | None = None,
    state: WindowState | None = None,
    on_overflow: OnOverflow = "raise",
    verify: Verify = "all",
) -> Context[NativeT]:
    """Give the messages that fit, and nothing that a provider would refuse.

    Args:
        messages: the conversation with its system messages and the current one, as neutral messages or
            OpenAI-style dicts; never changed.
        max_tokens: tokens that the whole input may have, tools and framing included.
        counter: a counter, a tokenizer, a function from text to tokens, or a model's name; by default a
            safe estimate.
        tools: tool definitions that go with the request, OpenAI-style.
        policy: how the history is cut.
        state: what the last call for this conversation gave, or `WindowState()` for its first.
        on_overflow: what happens when what is protected does not fit: `raise`, or `truncate` it.
        verify: how a state is held against the conversation, as for `ContextBuilder.build`.

    Returns:
        A context whose `messages` are of the kind that came in; those that were not altered are the same objects.

    Raises:
        ContextOverflowError: if the system messages, the question and the newest step do not fit.
        MessageError: for a message that cannot be read.
        BudgetError: for a number that is no budget.
    """
    builder = ContextBuilder(ContextBudget(max_tokens), counter).tools(tools).history(policy or HistoryPolicy())
    return builder.build(messages, state=state, on_overflow=on_overflow, verify=verify)
