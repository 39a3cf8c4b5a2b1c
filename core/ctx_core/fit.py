"""The one-call form: messages in, messages that fit out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctx_core.budget import ContextBudget
from ctx_core.builder import ContextBuilder, OnOverflow
from ctx_core.conversation.cache_marks import lives_of
from ctx_core.conversation.formats.names import system_text
from ctx_core.history.policy import HistoryPolicy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctx_core.conversation.formats.names import FormatName
    from ctx_core.conversation.message_types import NativeT
    from ctx_core.counting.counter import CounterLike, ToolDefinition
    from ctx_core.engine.context import Context
    from ctx_core.history.remembered import Verify
    from ctx_core.history.state import WindowState
    from ctx_core.providers.asked import ProviderLike


def fit(  # noqa: PLR0913 - the whole of a request in one call
    messages: Sequence[NativeT],
    max_tokens: int,
    *,
    counter: CounterLike | None = None,
    tools: Iterable[ToolDefinition] | None = None,
    policy: HistoryPolicy | None = None,
    state: WindowState | None = None,
    on_overflow: OnOverflow = "raise",
    verify: Verify = "all",
    provider: ProviderLike = None,
    format: FormatName | None = None,  # noqa: A002 - what it is
    system: str | Sequence[Any] | Mapping[str, Any] | None = None,
) -> Context[NativeT]:
    """Give the messages that fit, and nothing that a provider would refuse.

    Args:
        messages: the conversation with its system messages and the current one, as neutral messages or a provider's
            own: dicts of OpenAI's chat completions, Anthropic's, Gemini's or Bedrock's messages, Responses items; never
            changed.
        max_tokens: tokens that the whole input may have, tools and framing included.
        counter: a counter, a tokenizer, a function from text to tokens, or a model's name; by default a
            safe estimate.
        tools: tool definitions that go with the request, OpenAI-style; an empty list says that it has none.
        policy: how the history is cut.
        state: what the last call for this conversation gave, or `WindowState()` for its first.
        on_overflow: what happens when what is protected does not fit: `raise`, or `truncate` it.
        verify: how a state is held against the conversation, as for `ContextBuilder.build`.
        provider: whose rules the request has to meet, as for `ContextBuilder.provider`.
        format: whose messages they are; by default what the first says that only one format can have, else OpenAI's.
        system: the system text that some formats have outside of the list, as a text or in their blocks: never cut.

    Returns:
        A context whose `messages` are of the kind that came in; those that were not altered are the same objects. The
        system text is its `system_prompt`, and only in OpenAI's format the first of its messages as well.

    Raises:
        ContextOverflowError: if the system messages, the question and the newest step do not fit.
        MessageError: for a message that cannot be read.
        BudgetError: for a number that is no budget.
    """
    builder = ContextBuilder(ContextBudget(max_tokens), counter).history(policy or HistoryPolicy()).provider(provider)
    if tools is not None:
        builder = builder.tools(tools)
        builder = builder if builder.plan.definitions else builder.without_tools()
    if system:
        builder = builder.system(system_text(system)).marked_beside(
            lives_of(system) if isinstance(system, list) else ()
        )
    return builder.build(messages, codec=format, state=state, on_overflow=on_overflow, verify=verify)
