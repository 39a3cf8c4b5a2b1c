"""Our counts where LangChain takes a function that counts, and the provider's own figures for ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ctx_core.conversation.transcript import read_natives
from ctx_core.counting import anchored
from langchain_ctx.convert import CODEC
from langchain_ctx.counters import counter_of
from langchain_ctx.inputs import read_messages
from langchain_ctx.request_options import request_options
from langchain_ctx.tools import tool_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from langchain_core.messages import BaseMessage, MessageLikeRepresentation

    from ctx_core.counting.anchored import Anchor
    from ctx_core.counting.counter import CounterLike


class CountsMessages(Protocol):
    """Counts a request."""

    def __call__(self, messages: Iterable[MessageLikeRepresentation], /, *, tools: Iterable[object] = ()) -> int:
        """Give its tokens."""
        ...


def token_counter(
    counter: CounterLike | None = None, *, tools: Iterable[object] = (), response_format: object = None
) -> CountsMessages:
    """Give a function that counts messages as a whole request, for whatever of LangChain's takes one.

    For `trim_messages`, `SummarizationMiddleware` and `ContextEditingMiddleware`, each as `token_counter=`. It gives
    the bound, which a bill does not exceed; `as_counter(model).without_margin` in the place of the model gives
    the estimate.

    Args:
        counter: a counter, a tokenizer, a function from text to tokens, or a model's name; by default a safe
            estimate.
        tools: tools that go with every request: `BaseTool`, functions, pydantic classes, dicts.
        response_format: what the answer must be like: a provider's dict, a JSON schema, a pydantic class or a
            `TypedDict`.

    Raises:
        BudgetError: for something that doesn't count, or a tool without a definition.
    """
    counts, always = counter_of(counter), tool_definitions(tools)
    options = request_options(response_format=response_format)

    def count(messages: Iterable[MessageLikeRepresentation], /, *, tools: Iterable[object] = ()) -> int:
        definitions = (*always, *tool_definitions(tools))
        asked = counts.count_options(options, tools=bool(definitions))
        return asked + counts.count_messages(read_natives(read_messages(list(messages)), CODEC), tools=definitions)

    return count


def latest_anchor(messages: Sequence[BaseMessage], *, tools: Iterable[object] = ()) -> Anchor | None:
    """Give the latest usage figure in a conversation, for `ctx_core.counting.count_anchored`; None if it has none.

    An `AIMessage`'s `usage_metadata` is taken to be the bill for all the messages before it.

    Args:
        messages: the conversation as it was sent.
        tools: the tools that went along.
    """
    return anchored.latest_anchor(list(read_natives(messages, CODEC)), tools=tool_definitions(tools))
