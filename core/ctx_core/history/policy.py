"""What may happen to a history that does not fit, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from ctx_core.budget import Share
from ctx_core.conversation.messages import Message, Role
from ctx_core.errors import BudgetError
from ctx_core.truncation import MIDDLE_MARKER

Pinned: TypeAlias = Callable[[Message], bool]
ReasoningPolicy: TypeAlias = Literal["keep", "drop_at_cut", "drop_old_turns"]
UnansweredPolicy: TypeAlias = Literal["stub", "drop"]

ERROR_WORDS: Final = ("error", "exception", "failed", "fatal", "cannot", "unable to")
"""Words that mark a tool result as an error, in any case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultPolicy:
    """What may happen to the results of tools, before whole turns are left out."""

    max_tokens: int | None = None
    """A result over this many tokens is cut to its head and tail when it is first seen, and stays so.
    None: results are cut only on overflow, when one alone takes more than `overflow_share`."""
    overflow_share: float = 0.5
    """On overflow, a single result over this share of the history's tokens is cut to its head and tail."""
    clear_after_steps: int | None = None
    """On overflow, results older than this many steps give way to `placeholder` first, all but errors and
    those under `min_tokens`. A step is an assistant message with calls and their results; None: never."""
    clear_rest: bool = False
    """Whether on overflow the remaining results give way too, oldest first, all but those of the newest step."""
    keep_errors: bool = True
    """Whether results that report an error are kept by `clear_after_steps`."""
    min_tokens: int = 100
    """Results under this many tokens are not worth clearing."""
    placeholder: str = "[content truncated - {age} steps ago, {tokens} tokens]"
    """Stands in the place of a cleared result: `{age}` in steps, `{tokens}` of the result, `{id}`: the
    name by which `search_context` gives it back."""
    cut_marker: str = MIDDLE_MARKER
    """Stands where the middle of a result is left out: `{tokens}` of what is missing, `{id}` as above."""

    @property
    def clears(self) -> bool:
        """Whether any result gives way to a placeholder on overflow."""
        return self.clear_rest or self.clear_after_steps is not None

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        _need_positive("max_tokens", self.max_tokens)
        _need_from_zero("clear_after_steps", self.clear_after_steps)
        _need_from_zero("min_tokens", self.min_tokens)
        if not 0 < self.overflow_share <= 1:
            msg = f"overflow_share must be above 0 and at most 1, found {self.overflow_share!r}"
            raise BudgetError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPolicy:
    """How a history is cut when it overflows.

    Whole turns go, oldest first; a turn is a user message and all up to the next one. Of the turn that is
    running, the question stays and the oldest steps go.
    """

    max_messages: int | None = None
    """At most this many messages of the history are kept, system messages and the current one aside.
    None: as many as fit."""
    keep_first: int | Share = 0
    """The first messages, from the first user message on, stay through every cut: so many, or as many as
    fit into this share of the history's tokens."""
    pinned: Pinned | None = field(default=None, compare=False)
    """Messages for which this is true stay through every cut, with the calls and results that belong to
    them and the question of their turn."""
    preserve_recent_turns: int = 0
    """The last turns, beside the running one, that are never left out."""
    low_water: float = 0.6
    """Where a cut is remembered, it goes down to this share of the history's tokens (and of
    `max_messages`), so that the next turns fit without another cut and the provider's cache stays warm."""
    results: ToolResultPolicy = field(default_factory=ToolResultPolicy)
    """What may happen to tool results."""
    omission_marker: str | None = None
    """A message at the gap, such as `[{count} earlier messages omitted for brevity]`; None: no message."""
    marker_role: Role = Role.SYSTEM
    """Whose message the marker is. Some providers take system messages at the beginning only: `Role.USER`."""
    reasoning: ReasoningPolicy = "keep"
    """`keep`: untouched. `drop_at_cut`: messages that were there when a cut is made lose their reasoning, for
    models that bind it to what stood before. `drop_old_turns`: only the running turn keeps it."""
    unanswered: UnansweredPolicy = "stub"
    """A call in mid-history that was never answered gets a `stub` result, or is taken out (`drop`)."""
    stub: str = "[no result: the call was not answered]"
    """The stub's text."""
    split_last_run: bool = True
    """Whether the newest finished turn with calls, where it does not fit, loses its oldest steps and not all of it: its
    question and its last answer stay, with as many of its newest steps as fit. Turns before it go whole."""
    start_with_user: bool = False
    """Whether a history that begins with an assistant's greeting loses it even where nothing has to go."""

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        _need_positive("max_messages", self.max_messages)
        _need_from_zero("preserve_recent_turns", self.preserve_recent_turns)
        if not isinstance(self.keep_first, Share):
            _need_from_zero("keep_first", self.keep_first)
        _need_one_of("reasoning", self.reasoning, get_args(ReasoningPolicy))
        _need_one_of("unanswered", self.unanswered, get_args(UnansweredPolicy))
        if not 0 < self.low_water <= 1:
            msg = f"low_water must be above 0 and at most 1, found {self.low_water!r}"
            raise BudgetError(msg)


def _need_positive(name: str, value: int | None) -> None:
    if value is not None and (not _is_whole(value) or value < 1):
        msg = f"{name} must be 1 or more, or None, found {value!r}"
        raise BudgetError(msg)


def _need_from_zero(name: str, value: int | None) -> None:
    if value is not None and (not _is_whole(value) or value < 0):
        msg = f"{name} must be 0 or more, found {value!r}"
        raise BudgetError(msg)


def _need_one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        msg = f"{name} must be one of {', '.join(known)}, found {value!r}"
        raise BudgetError(msg)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
