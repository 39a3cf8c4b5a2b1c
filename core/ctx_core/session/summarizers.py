"""What a summarizer is, how much it takes at once, and what counts as an answer of one."""

from __future__ import annotations

import unicodedata
from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Final, TypeAlias

from ctx_core.conversation.messages import Message
from ctx_core.counting.windows import least_room
from ctx_core.errors import UnknownModelError
from ctx_core.sizes import is_count

Summarizer: TypeAlias = Callable[[str, Sequence[Message]], str | Awaitable[str]]
"""Gives the new summary from the one so far (empty at first) and the messages that leave. May be a coroutine
function; an object may have both `__call__` and, for the async doors, `acall`."""

FEWEST_TOKENS: Final = 100
"""Tokens of a window; less holds no message and no summary."""
_FRAME: Final = 300
"""Tokens of what it is told to do, rounded up."""
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")
"""Letters and signs that show nothing: fillers of Hangul, the empty sign of Braille."""
_SAMPLE: Final = 10_000
"""Characters in which something has to be shown."""


def summarizer_window(model: object) -> int | None:
    """Give the tokens that a model takes at once as a summarizer: its window less the answer and the prompt's frame.

    None where the window of the model is not known.
    """
    try:
        room = least_room(model)
    except UnknownModelError:
        return None
    return max(FEWEST_TOKENS, room.input_limit - _FRAME)


def told_window(summarizer: object) -> int | None:
    """Give what a summarizer says of itself in its attribute `window`; None where it says nothing."""
    told = getattr(summarizer, "window", None)
    return told if is_count(told) and told else None


def text_of(answer: object) -> str:
    """Give the text of an answer, if it says something."""
    if isinstance(answer, str):
        text = answer.strip()
        if _is_blank(text):
            msg = "the summarizer gave an empty summary"
            raise ValueError(msg)
        return text
    msg = f"the summarizer gave {type(answer).__name__} instead of a text"
    raise TypeError(msg)


@contextmanager
def as_failures() -> Generator[None]:
    """Take whatever a summarizer raises for a failure of its own, which ends no turn; but for an interrupt."""
    try:
        yield
    except (Exception, KeyboardInterrupt, CancelledError):  # `called` has seen whose cancellation it is
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is that of the summarizer
        msg = f"the summarizer raised {type(error).__name__}"
        raise RuntimeError(msg) from None


def _is_blank(text: str) -> bool:
    """Whether a text shows nothing: spaces, control characters, characters of no width, marks upon nothing."""
    return all(
        char.isspace() or char in _BLANK or unicodedata.category(char) in ("Cf", "Cc", "Mn", "Me", "Cn")
        for char in text[:_SAMPLE]
    )
