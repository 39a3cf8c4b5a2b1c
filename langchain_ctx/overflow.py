"""What is raised where a request cannot fit, for those who catch LangChain's error and those who catch the core's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_core.exceptions import ContextOverflowError as LangChainOverflowError
from langchain_core.messages import BaseMessage

import ctx_core
from ctx_core.session import SessionOptions, Sessions
from langchain_ctx.convert import CODEC

if TYPE_CHECKING:
    from ctx_core.effects import Effects
    from ctx_core.engine.context import Context
    from ctx_core.session import Request


class ContextOverflowError(ctx_core.ContextOverflowError, LangChainOverflowError):
    """What must be sent does not fit, however much else is left out; nothing was sent to a model."""

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling, as errors that cross a process boundary must."""
        return (_overflow, (self.needed, self.limit, self.layers))


def _overflow(needed: int, limit: int, layers: dict[str, int]) -> ContextOverflowError:
    return ContextOverflowError(needed=needed, limit=limit, layers=layers)


class MessageSessions(Sessions[BaseMessage]):
    """Conversations of LangChain's messages, with LangChain's error where one does not fit."""

    def __init__(self, options: SessionOptions, *, declares: bool = True) -> None:
        """Take the options; `declares` as in the core."""
        super().__init__(options, CODEC, declares=declares)

    def fit(self, request: Request[BaseMessage]) -> Effects[Context[BaseMessage]]:
        """Give the context of a request, step by step; as in the core."""
        try:
            return (yield from super().fit(request))
        except ctx_core.ContextOverflowError as error:
            overflow = _overflow(error.needed, error.limit, error.layers)
        raise overflow
