"""What gives way where not everything fits, in order, and to how much of the conversation.

The order is by what the model can best do without. What a recipe calls an extra goes before the history loses a message
that its part has room for. Other layers of text (memories, skills) are background: the question and the work on it go
before them. A summary is worth more than facts, as nothing else tells what was said. The texts of messages are cut only
where the caller allows it, the question before the instructions; then what is protected, and the marks of cuts last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from ctx_core.engine.texts import Texts
from ctx_core.history.truncating import Truncation

if TYPE_CHECKING:
    from ctx_core.history.window import Selection


class Needs(Protocol):
    """What a conversation needs."""

    @property
    def window(self) -> Selection:
        """What of it goes out as things are."""
        ...

    def yielded_to(self) -> int:
        """Give the tokens of the history to which layers yield; 0 where none does."""
        ...

    def history_part(self) -> int:
        """Give the tokens of the history within its part, where parts count only now; 0 where no layer can go."""
        ...

    def staying(self) -> int:
        """Give the tokens of the running turn and of what stays before it; 0 where no layer can give way to them.

        Where parts count only now, those of the question and the newest step: older messages go before layers.
        """
        ...


def _nothing(_texts: Texts, _needed: int) -> None:
    """Leave the layers as they are: it is the messages that are cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Concession:
    """One kind of thing that gives way."""

    needs: Callable[[Needs], int]
    """Tokens of the conversation to which it gives way."""
    give: Callable[[Texts, int], None]
    """Makes room, so that the conversation has so many tokens, or as many as can be had."""
    truncation: Truncation = "no"
    """How texts of messages that would stay whole are cut too, where the caller allows it."""


CONCESSIONS: Final = (
    # Layers that yield: to the history, as far as it is within its part, or to so many of its last messages.
    Concession(
        needs=lambda conversation: conversation.yielded_to(),
        give=lambda texts, needed: texts.shrink(needed, lambda layer: layer.yields),
    ),
    # Where parts count only once the request is over its budget: what is over its part, to a history within its own.
    Concession(
        needs=lambda conversation: conversation.history_part(),
        give=lambda texts, needed: texts.shrink(needed, lambda layer: not layer.protected, to_parts=True),
    ),
    # Layers that are not protected: to the running turn, and to what stays of the history whatever else goes.
    Concession(
        needs=lambda conversation: conversation.staying(),
        give=lambda texts, needed: texts.shrink(needed, lambda layer: not layer.protected),
    ),
    # The summary: to what cannot go.
    Concession(
        needs=lambda conversation: conversation.window.tokens,
        give=lambda texts, needed: texts.shrink_summary(needed),
    ),
    # The texts of the question and of the instructions.
    Concession(
        needs=lambda conversation: conversation.window.tokens,
        give=_nothing,
        truncation="marked",
    ),
    # Protected layers: to the last words of the question.
    Concession(
        needs=lambda conversation: conversation.window.tokens,
        give=lambda texts, needed: texts.shrink(needed, lambda layer: layer.protected),
        truncation="marked",
    ),
    # The marks of what is missing: to the last word of the question.
    Concession(
        needs=lambda conversation: conversation.window.tokens,
        give=_nothing,
        truncation="bare",
    ),
)
