"""What becomes of requests, as events of LlamaIndex's instrumentation. Counts only: no event holds what was said."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

from llama_index.core.instrumentation.events import BaseEvent
from llama_index_instrumentation import get_dispatcher
from typing_extensions import override

from ctx_core.errors import ContextOverflowError

if TYPE_CHECKING:
    from collections.abc import Generator

    from llama_index.core.base.llms.types import ChatMessage

    from ctx_core import Context

Surface: TypeAlias = Literal["llm", "memory"]

_DISPATCHER = get_dispatcher(__name__)


class ContextCutEvent(BaseEvent):
    """Something was cut on this turn; until the next one the beginning of the prompt stays the same."""

    surface: str
    """Whose request it is: of an `llm`, or what a `memory` gave for one."""
    tokens: int
    """Tokens that are sent."""
    limit: int
    """Tokens that may be sent."""
    omitted: int
    """Messages that are left out, those of earlier cuts included."""
    cleared: int
    """Tool results that a placeholder stands for."""
    shortened: int
    """Tool results of which only head and tail are sent."""
    cleared_calls: int
    """Calls with placeholders in their arguments."""
    shortened_calls: int
    """Calls of which only head and tail of the arguments are sent."""
    media: int
    """Pictures, recordings and films that words stand for."""

    @classmethod
    @override
    def class_name(cls) -> str:
        return "ContextCutEvent"


class ContextSummaryEvent(BaseEvent):
    """A summary was written of what is left out."""

    surface: str
    """Whose it is: of an `llm` or a `memory`."""
    messages: int
    """Messages before this position are in the summary, where they are left out."""

    @classmethod
    @override
    def class_name(cls) -> str:
        return "ContextSummaryEvent"


class ContextOverflowEvent(BaseEvent):
    """What is protected does not fit: the request is not sent, and `ContextOverflowError` is raised."""

    surface: str
    """Whose request it is: of an `llm`, or what a `memory` gave for one."""
    needed: int
    """Tokens that would be enough."""
    limit: int
    """Tokens that may be sent."""
    layers: dict[str, int]
    """Tokens that each layer needs."""

    @classmethod
    @override
    def class_name(cls) -> str:
        return "ContextOverflowEvent"


class ContextExceededEvent(BaseEvent):
    """A request went out that is larger than its memory was told that requests may be."""

    tokens: int
    """Tokens of the request."""
    limit: int
    """Tokens that its memory was made for, the answer included."""
    remembered: int
    """Messages of the request that came from the memory."""
    others: int
    """Messages that did not: prompts, and the steps of the running turn."""

    @classmethod
    @override
    def class_name(cls) -> str:
        return "ContextExceededEvent"


def exceeded(*, tokens: int, limit: int, remembered: int, others: int) -> None:
    """Tell of a request that is larger than its memory assumed."""
    _DISPATCHER.event(ContextExceededEvent(tokens=tokens, limit=limit, remembered=remembered, others=others))


@contextmanager
def telling_overflow(surface: Surface) -> Generator[None]:
    """Tell of a request that does not fit, and pass the error on."""
    try:
        yield
    except ContextOverflowError as error:
        _DISPATCHER.event(
            ContextOverflowEvent(surface=surface, needed=error.needed, limit=error.limit, layers=error.layers)
        )
        raise


def tell(surface: Surface, context: Context[ChatMessage]) -> None:
    """Tell of what was cut of a request, and of what was summarized."""
    report, history, state = context.report, context.report.history, context.state
    if not history.cut:
        return
    _DISPATCHER.event(
        ContextCutEvent(
            surface=surface,
            tokens=report.used,
            limit=report.limit,
            omitted=history.omitted,
            cleared=history.cleared,
            shortened=history.shortened,
            cleared_calls=history.cleared_calls,
            shortened_calls=history.shortened_calls,
            media=history.media,
        )
    )
    if state.summary and state.summary_at == len(context.transcript):
        _DISPATCHER.event(ContextSummaryEvent(surface=surface, messages=state.summarized))
