"""How large a model's context window is, and how much of it its answer takes.

A model object is asked first, in this order: what its deployment was told (`num_ctx`, `context_window`, …), what its
server does unless it is told (Ollama), its profile, and last the table of families by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.counting.clients import client_of
from ctx_core.counting.family import UnknownWindow, Window
from ctx_core.counting.model_objects import AskedModel, asked_model, attribute
from ctx_core.counting.named_windows import named_window
from ctx_core.counting.settings import asked_answer, asked_thoughts, positive, told_window
from ctx_core.errors import UnknownModelError

if TYPE_CHECKING:
    from collections.abc import Callable

_ANSWER: Final = 4_096
"""Tokens kept for an answer of which nothing says how long it may be."""
_SHARE: Final = 4
"""That is at most one part in so many of a window of input and answer together."""
_OBJECT: Final = "the model object"


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a model's window leaves for the input."""

    asked: AskedModel
    """The model."""
    window: Window
    answer: int
    """Tokens for the answer: as many as are asked for, else as many as the rule keeps."""
    is_asked: bool
    """Whether so many are asked for."""

    @property
    def input_limit(self) -> int:
        """Tokens that the input may have; 0 and less where the answer takes them all."""
        return self.window.tokens if self.window.input_only else self.window.tokens - self.answer


def window_of(model: object) -> Window:
    """Give the window of a model, in tokens.

    A model object is asked first, as this module says; a name is looked up in the table of families, in whatever
    spelling. Of a model with fallbacks it is the window that leaves the least for the input.

    Raises:
        UnknownModelError: if nothing knows it.
    """
    return least_room(model).window


def least_room(model: object, answer: Callable[[Window], int] | None = None) -> Room:
    """Give the room of a model; with fallbacks, that of the model that has the least.

    Args:
        model: a name or a model object.
        answer: gives the tokens that are kept for the answer; None: those that are asked for, else `usual_answer`.

    Raises:
        UnknownModelError: if nothing knows the window of one of them.
    """
    rooms = (_room(asked, answer) for asked in asked_model(model).all)
    return min(rooms, key=lambda room: room.input_limit)


def usual_answer(window: Window) -> int:
    """Give the tokens that are kept for an answer of which nothing says how long it may be.

    They are 4,096, but no more than the longest answer of the model, nor than a quarter of a window of input and
    answer together.
    """
    most = window.max_output or _ANSWER
    return max(1, min(_ANSWER, most if window.input_only else min(most, window.tokens // _SHARE)))


def _room(asked: AskedModel, answer: Callable[[Window], int] | None) -> Room:
    window = _window(asked)
    if answer is not None:
        return Room(asked=asked, window=window, answer=answer(window), is_asked=False)
    told = asked_answer(asked, window)
    reserve = usual_answer(window) + asked_thoughts(asked) if told is None else told
    return Room(asked=asked, window=window, answer=reserve, is_asked=told is not None)


def _window(asked: AskedModel) -> Window:
    name = asked.name
    known = None if name is None else named_window(name)
    row = known if isinstance(known, Window) else None
    told = _told(asked, row) or row
    if told is not None:
        return told
    shown = repr(name[:80]) if name else f"a {type(asked.model).__name__} without a profile or a name"
    why = "" if known is None else f" ({cast('UnknownWindow', known).reason})"
    msg = (
        f"the context window of {shown} is not known{why}: give it in tokens, as ContextBudget(128_000, reserve=4_096)"
    )
    raise UnknownModelError(msg)


def _told(asked: AskedModel, row: Window | None) -> Window | None:
    """Give the window that a model object tells of; None where it tells of none."""
    model = asked.model
    if isinstance(model, str):
        return None
    longest = _longest(model)
    metadata_window = told_window(asked)
    if metadata_window is None:
        metadata_window = positive(attribute(attribute(model, "metadata"), "context_window"))
    if metadata_window is not None:
        return _of_both(metadata_window, longest, row, attribute(attribute(model, "metadata"), "num_output"))
    client = client_of(model)
    if client is not None and client.window is not None:
        return _merged(client.window, longest, row, input_only=False, source=client.source)
    profile = _profile(model)
    tokens = positive(profile.get("max_input_tokens"))
    # A profile has one field for windows of both kinds: of which kind it is stands in the family's row.
    return None if tokens is None else _of_profile(tokens, longest, row)


def _of_both(tokens: int, longest: int | None, row: Window | None, answer: object) -> Window:
    """Give a window of input and answer together; that of a model with a limit for each is its row."""
    if row is not None and row.input_only:
        parts = {row.tokens, row.tokens + (row.max_output or 0), row.tokens + (positive(answer) or 0)}
        if tokens in parts:
            return row
    return _merged(tokens, longest, row, input_only=False, source=_OBJECT)


def _of_profile(tokens: int, longest: int | None, row: Window | None) -> Window:
    if row is None:
        return _merged(tokens, longest, row, input_only=False, source=_OBJECT)
    if row.input_only and tokens == row.tokens + (row.max_output or 0):
        tokens = row.tokens  # told of both together, where each has a limit of its own
    return _merged(tokens, longest, row, input_only=row.input_only, source=_OBJECT)


def _merged(tokens: int, longest: int | None, row: Window | None, *, input_only: bool, source: str) -> Window:
    base = row or Window(models=(), tokens=tokens)
    return replace(base, tokens=tokens, max_output=longest or base.max_output, input_only=input_only, source=source)


def _profile(model: object) -> Mapping[str, Any]:
    told = attribute(model, "profile")
    return cast("Mapping[str, Any]", told) if isinstance(told, Mapping) else {}


def _longest(model: object) -> int | None:
    return positive(_profile(model).get("max_output_tokens"))
