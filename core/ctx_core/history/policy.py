"""What may happen to a history that does not fit, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from ctx_core.conversation.messages import Message, Role
from ctx_core.errors import BudgetError
from ctx_core.history.call_policy import ToolCallPolicy
from ctx_core.history.checks import (
    names_in,
    need_from_zero,
    need_kind,
    need_one_of,
    need_positive,
    need_share,
    need_words,
)
from ctx_core.history.media_policy import MediaPolicy
from ctx_core.sizes import Share
from ctx_core.truncation import MIDDLE_MARKER

Pinned: TypeAlias = Callable[[Message], bool]
ReasoningPolicy: TypeAlias = Literal["by_model", "keep", "bound", "drop_at_cut", "drop_old_turns"]
UnansweredPolicy: TypeAlias = Literal["stub", "drop"]

ErrorWords: TypeAlias = Literal["at_start", "anywhere"]

_MARKER_ROLES: Final = tuple(str(role) for role in (Role.SYSTEM, Role.DEVELOPER, Role.USER))
"""Whose message a marker may be: an assistant's would be words of the model, and a tool's would answer no call."""
GAP_MARKER: Final = "[{count} earlier messages left out]"
"""The omission marker by default, which stands only at the gaps that what `keep_first` and `pinned` keep leaves."""
ERROR_WORDS: Final = ("error", "exception", "failed", "fatal", "cannot", "unable to")
"""Words that mark a tool result as an error, in any case of letters."""


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
    """Whether results that report an error are kept by `clear_after_steps` and `superseded`."""
    error_words: ErrorWords = "at_start"
    """Where a word such as `error` or `failed` tells an error, in a result that does not say itself that it is one: at
    the beginning of its text, or `anywhere` in it."""
    superseded: bool | None = None
    """Whether on overflow a result gives way before all others where a later call of the same tool with equal arguments
    has a newer one: a file that was read again, a page that was reloaded. None: wherever results may be cleared, but
    not of calls without arguments, as `next_page()` gives another page each time."""
    keep: tuple[str, ...] = ()
    """Names of tools whose results are never cleared."""
    first: tuple[str, ...] = ()
    """Names of tools whose results are cleared before those of others."""
    priorities: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)
    """By the names of tools, how long their results stay: of those that may be cleared, the ones of the lowest number
    go first, of equals the oldest. A tool that is not named has 0."""
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
        return self.clear_rest or self.clear_after_steps is not None or self.superseded is True

    def __post_init__(self) -> None:
        """Refuse what cannot work."""
        need_positive("max_tokens", self.max_tokens)
        need_share("overflow_share", self.overflow_share)
        need_from_zero("clear_after_steps", self.clear_after_steps)
        need_kind("clear_rest", self.clear_rest, bool)
        need_kind("keep_errors", self.keep_errors, bool)
        need_one_of("error_words", self.error_words, get_args(ErrorWords))
        if self.superseded is not None:
            need_kind("superseded", self.superseded, bool)
        for name in ("keep", "first"):
            object.__setattr__(self, name, names_in(name, getattr(self, name)))
        if both := {*self.keep} & {*self.first}:
            msg = f"results of {', '.join(sorted(both))} cannot be kept and cleared first"
            raise BudgetError(msg)
        need_kind("priorities", self.priorities, Mapping)
        object.__setattr__(self, "priorities", dict(self.priorities))
        need_from_zero("min_tokens", self.min_tokens)
        need_words("placeholder", self.placeholder)
        need_words("cut_marker", self.cut_marker)


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
    layers_yield_to: int | None = None
    """The last messages, so many, to which layers of text that yield give way, and that no low-water mark takes. None:
    such layers give way to all that the history's part holds."""
    low_water: float = 0.6
    """Where a cut is remembered, it goes down to this share of the history's tokens (and of
    `max_messages`), so that the next turns fit without another cut and the provider's cache stays warm."""
    results: ToolResultPolicy = field(default_factory=ToolResultPolicy)
    """What may happen to tool results."""
    calls: ToolCallPolicy = field(default_factory=ToolCallPolicy)
    """What may happen to the arguments of calls."""
    media: MediaPolicy | None = None
    """What may happen to pictures and recordings; None: they stay in their messages."""
    omission_marker: str | None = GAP_MARKER
    """A message at each gap where messages are left out. By default (`GAP_MARKER`) it stands where the model would
    otherwise read on over a gap: behind what `keep_first` or `pinned` keeps, between turns or before what is pinned in
    a finished one, and not where a summary says it; a plain cut from the beginning has none, nor have the steps that
    are left out before the newest ones of a turn. Any other text, such as `[{count} earlier messages omitted for
    brevity]`, stands at every gap; None: no message. `{count}`, of those left out since the marker before, stays as it
    is as long as the cut does."""
    marker_role: Role = Role.SYSTEM
    """Whose message the marker is: an instruction, or the user's, as some providers take system messages at the
    beginning only. A text such as `"user"` is taken for the role."""
    reasoning: ReasoningPolicy = "by_model"
    """`keep`: untouched. `bound`: once anything before it is not what it was (a cut, a shortened result, a summary,
    another system prompt or tool), all signed reasoning that is there goes, and never comes back; while a tool loop
    runs, a cut waits for its end if the budget allows. `by_model`: `bound` for models that hold reasoning to what
    stood before, and where nothing tells the model; else `keep`. `drop_at_cut`: messages that were there when a cut is
    made lose their reasoning, but for a running turn that is whole. `drop_old_turns`: only the running turn keeps
    it."""
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
        need_positive("max_messages", self.max_messages)
        need_from_zero("preserve_recent_turns", self.preserve_recent_turns)
        need_from_zero("layers_yield_to", self.layers_yield_to)
        if not isinstance(self.keep_first, Share):
            need_from_zero("keep_first", self.keep_first)
        need_one_of("reasoning", self.reasoning, get_args(ReasoningPolicy))
        need_one_of("unanswered", self.unanswered, get_args(UnansweredPolicy))
        need_share("low_water", self.low_water)
        need_kind("results", self.results, ToolResultPolicy)
        need_kind("calls", self.calls, ToolCallPolicy)
        if self.media is not None:
            need_kind("media", self.media, MediaPolicy)
        need_one_of("marker_role", self.marker_role, _MARKER_ROLES)
        object.__setattr__(self, "marker_role", Role(self.marker_role))
        need_words("stub", self.stub)
        if self.omission_marker is not None:
            need_words("omission_marker", self.omission_marker)
        if self.pinned is not None and not callable(self.pinned):
            msg = f"pinned must be a function of a message, found {type(self.pinned).__name__}"
            raise BudgetError(msg)
        for name in ("split_last_run", "start_with_user"):
            need_kind(name, getattr(self, name), bool)
