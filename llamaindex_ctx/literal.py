"""Messages that stay as they are in a prompt's template, whatever stands between braces in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llama_index.core.base.llms.types import ChatMessage, TextBlock
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Iterable


class LiteralMessage(ChatMessage):
    """A message in which nothing is filled in; for everybody else it is the message that it says.

    Context engines put the conversation into the template that their question goes into.
    """

    @override
    def get_template_vars(self) -> list[str]:
        """Name nothing to be filled in."""
        return []

    @override
    def format_vars(self, **kwargs: Any) -> ChatMessage:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride] - a plain one is sent
        """Give it as a plain message, as it is."""
        return ChatMessage.model_construct(**dict(self))

    @override
    def __eq__(self, other: object) -> bool:
        """Compare what is said, with plain messages too."""
        return isinstance(other, ChatMessage) and dict(self) == dict(other)

    __hash__ = None  # type: ignore[assignment]  # as of any message


def literal(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """Give messages of which those stay as they are that a template would fill something into."""
    return [LiteralMessage.model_construct(**dict(one)) if _has_braces(one) else one for one in messages]


def _has_braces(message: ChatMessage) -> bool:
    return any(isinstance(block, TextBlock) and "{" in block.text for block in message.blocks)
