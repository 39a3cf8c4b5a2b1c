"""What is remembered of a cut from one turn to the next: a few positions and digests, as plain JSON types.

The state is a hint, never a truth. Everything in it is bound to what it was made from: the cut to the limit it was made
under and to the messages that it leaves out, decisions about results to the results, a summary to the first and last
message that it speaks of. What does not match the conversation is forgotten.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final, Self

from ctx_core.history.places import Position, positions
from ctx_core.history.runs import compact, packed, packed_pairs, unpacked, unpacked_pairs
from ctx_core.history.stored_fields import (
    count_of,
    digest_in,
    digests_in,
    mapping_of,
    number_of,
    optional,
    position_of,
    text_of,
    two_positions,
    two_texts,
)

_LOG: Final = logging.getLogger("ctx_core")
_VERSION: Final = 2
_MOST_RUNS: Final = 64
"""Numbers in which the places of system messages are stored; if there are more, they are looked up by their roles."""


_MOST_PLACES: Final = 3_000
"""Characters in which the places of messages are stored. With more of them, thousands of pinned ones in no pattern, the
cut is decided anew each time: a small state is worth more than a warm cache."""

_PLACES: Final = (
    "kept_before", "kept_at_summary", "cleared", "shortened", "cleared_calls", "shortened_calls", "media",
    "seconds", "repeated_ids",
)  # fmt: skip
"""Fields of places, and of ids."""

_BEGIN: Final = Position(0)


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)
class WindowState:
    """Where the window of a conversation begins, and what was done to the messages in it.

    Holds no content of messages but their summary, where there is one. `WindowState()` is that of a conversation
    that was never cut. As JSON it takes less than 4 KB beside the summary.
    """

    start: Position = _BEGIN
    """Position of the first message of the stretch that is kept up to the present."""
    start_key: str | None = None
    """Key of that message, by which the position is checked; None while nothing was cut."""
    limit: int | None = None
    """Tokens that the budget granted when this was decided: where it grants more it is decided anew."""
    kept_before: tuple[Position, ...] = ()
    """Positions before `start` that are kept: the pinned, the first messages, the question of a cut turn."""
    instructions: tuple[Position, ...] | None = ()
    """Positions of the system messages before `start`, which are kept too; None: their roles tell."""
    head_end: Position | None = None
    """Position behind the first messages that stay, as `keep_first` has it; None while nothing was cut."""
    gone_keys: tuple[str, str] | None = None
    """Keys of the first and of the last message that is left out."""
    gone_digest: str | None = None
    """Digest of all that stands before `start` but the system messages: what is edited there is noticed by it."""
    forgotten: int = 0
    """Messages that are left out and that the store has dropped since: the omission marker still counts them."""
    cleared: Mapping[Position, int] = field(default_factory=dict[Position, int], hash=False)
    """Position of each cleared tool result, and its age in steps when it was cleared, which its placeholder tells."""
    shortened: Mapping[Position, int] = field(default_factory=dict[Position, int], hash=False)
    """Position of each tool result that was cut to head and tail on overflow, and the tokens it was cut to."""
    results_digest: str | None = None
    """Digest of those results."""
    seconds: tuple[Position, ...] = ()
    """Positions of second results of calls, which were joined to results about which something is decided."""
    cleared_calls: Mapping[Position, int] = field(default_factory=dict[Position, int], hash=False)
    """Position of each message with calls whose arguments were cleared, and its age in steps then."""
    shortened_calls: Mapping[Position, int] = field(default_factory=dict[Position, int], hash=False)
    """Position of each message of the assistant that was cut on overflow, with the arguments of its calls, and the
    tokens it was cut to."""
    media: Mapping[Position, int] = field(default_factory=dict[Position, int], hash=False)
    """Position of each message of which media are named, and how many of them."""
    altered_digest: str | None = None
    """Digest of the messages of these three kinds."""
    reasoning_from: Position = _BEGIN
    """Messages before this position have lost their reasoning."""
    sent: int = 0
    """Messages of the last request, where a model holds its reasoning to them; 0 where nothing tells."""
    sent_digest: str | None = None
    """Digest of those, with the tools: where a request begins otherwise, the reasoning behind it goes."""
    repeated_ids: tuple[str, ...] = ()
    """Digests of ids of calls that an older call had first, which is left out: these are made anew."""
    moved: int = 0
    """By how much the positions were greater when the first cut was decided: a store has dropped so many messages."""
    summary: str = field(default="", repr=False)
    """What a model said of the messages that are left out; the only text in here."""
    summarized: Position = _BEGIN
    """Messages before this position are in the summary, if they are left out at all."""
    kept_at_summary: tuple[Position, ...] = ()
    """Positions before `summarized` that were kept then, and so are not in the summary."""
    summary_ends: tuple[Position, Position] | None = None
    """Positions of the first and of the last message that the summary speaks of."""
    summary_keys: tuple[str, str] | None = None
    """Their keys: a summary is shown only where both are there."""
    summary_digest: str | None = None
    """Digest of all before `summarized` but the system messages, as they were then."""
    summary_at: int | None = None
    """Messages that the conversation had when the summary was finished; None while it is not."""
    summary_failed: str | None = None
    """What tells the user's turn in which no summary could be had: it does not try again."""

    @property
    def staying(self) -> frozenset[Position]:
        """Positions before `start` that go out."""
        return frozenset(chain(self.kept_before, self.instructions or ()))

    @property
    def decided(self) -> bool:
        """Whether anything is remembered of a cut."""
        return self.start_key is not None

    def gone(self) -> Iterator[Position]:
        """Give the positions of what is left out, oldest first."""
        staying = self.staying
        return (at for at in positions(0, self.start) if at not in staying)

    def last_gone(self) -> Position | None:
        """Give the position of the last message that is left out."""
        staying = self.staying
        return next((at for at in reversed(positions(0, self.start)) if at not in staying), None)

    def unsummarized(self) -> tuple[Position, ...]:
        """Give the positions of what is left out and is not in the summary."""
        staying = self.staying
        late = (at for at in (*self.kept_at_summary, *positions(self.summarized, self.start)) if at not in staying)
        return tuple(sorted(at for at in late if at < self.start))

    def with_summary(self, summary: str, *, at: int | None = None) -> Self:
        """Give the state with a summary of everything that is left out.

        Args:
            summary: its text.
            at: messages that the conversation has now, by which a `Summarizing` knows when the next one is due.
        """
        first, last = next(self.gone(), None), self.last_gone()
        if first is None or last is None:
            return self.without_summary()
        return replace(
            self,
            summary=summary,
            summarized=self.start,
            kept_at_summary=self.kept_before,
            summary_ends=(first, last),
            summary_keys=self.gone_keys,
            summary_digest=self.gone_digest,
            summary_at=at,
            summary_failed=None,
        )

    def without_summary(self) -> Self:
        """Give the state without its summary."""
        return self.summary_of(type(self)())

    def summary_only(self) -> Self:
        """Give the state of a conversation whose cut is to be decided anew; its summary stays at hand.

        Reasoning that has gone does not come back: models refuse it.
        """
        anew = type(self)(
            reasoning_from=self.reasoning_from,
            sent=self.sent,
            sent_digest=self.sent_digest,
            repeated_ids=self.repeated_ids,
            moved=self.moved,
        )
        return replace(anew.summary_of(self), limit=None, summary_failed=self.summary_failed)

    def summary_of(self, other: Self) -> Self:
        """Give the state with the summary of another one."""
        return replace(
            self,
            summary=other.summary,
            summarized=other.summarized,
            kept_at_summary=other.kept_at_summary,
            summary_ends=other.summary_ends,
            summary_keys=other.summary_keys,
            summary_digest=other.summary_digest,
            summary_at=other.summary_at,
        )

    def with_newer_summary(self, other: Self) -> Self:
        """Give the state with the summary of another one of the same conversation, where that covers more."""
        return self.summary_of(other) if self.summarized < other.summarized <= self.start else self

    def to_dict(self) -> dict[str, Any]:
        """Give the state as JSON types; what is empty is left out."""
        data: dict[str, Any]
        places = packed(self.instructions or ())
        roles_tell = self.instructions is None or len(places) > _MOST_RUNS
        data = {
            "start": self.start,
            "start_key": self.start_key,
            "limit": self.limit,
            "kept_before": compact(packed(self.kept_before)),
            "instructions": None if roles_tell else places,
            "roles_tell": roles_tell,
            "head_end": self.head_end,
            "gone_keys": self.gone_keys and list(self.gone_keys),
            "gone_digest": self.gone_digest,
            "forgotten": self.forgotten,
            "cleared": compact(packed_pairs(self.cleared)),
            "shortened": compact(packed_pairs(self.shortened)),
            "results_digest": self.results_digest,
            "seconds": compact(packed(self.seconds)),
            "cleared_calls": compact(packed_pairs(self.cleared_calls)),
            "shortened_calls": compact(packed_pairs(self.shortened_calls)),
            "media": compact(packed_pairs(self.media)),
            "altered_digest": self.altered_digest,
            "reasoning_from": self.reasoning_from,
            "sent": self.sent,
            "sent_digest": self.sent_digest,
            "repeated_ids": " ".join(self.repeated_ids),
            "moved": self.moved,
            "summary": self.summary,
            "summarized": self.summarized,
            "kept_at_summary": compact(packed(self.kept_at_summary)),
            "summary_ends": self.summary_ends and list(self.summary_ends),
            "summary_keys": self.summary_keys and list(self.summary_keys),
            "summary_digest": self.summary_digest,
            "summary_at": self.summary_at,
            "summary_failed": self.summary_failed,
        }
        if sum(len(str(data[name])) for name in _PLACES) > _MOST_PLACES:
            return {"version": _VERSION}
        told = {name: value for name, value in data.items() if value or (name == "head_end" and value is not None)}
        return {"version": _VERSION, **told}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Read what `to_dict` gave.

        What is damaged or of another version gives a fresh state, as it is only a hint, and a line in the debug log.
        """
        try:
            return cls._read(mapping_of(data))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            _LOG.debug("a stored state cannot be read (%s): the cut is decided anew", type(error).__name__)
            return cls()

    @classmethod
    def _read(cls, data: Mapping[str, Any]) -> Self:
        if data["version"] != _VERSION:
            msg = "another version"
            raise ValueError(msg)
        places = None if data.get("roles_tell") is True else unpacked(data.get("instructions", []))
        return cls(
            start=position_of(data.get("start", 0)),
            start_key=optional(data, "start_key", text_of),
            limit=optional(data, "limit", count_of),
            kept_before=unpacked(data.get("kept_before", [])),
            instructions=places,
            head_end=optional(data, "head_end", position_of),
            gone_keys=optional(data, "gone_keys", two_texts),
            gone_digest=optional(data, "gone_digest", digest_in),
            forgotten=count_of(data.get("forgotten", 0)),
            cleared=unpacked_pairs(data.get("cleared", [])),
            shortened=unpacked_pairs(data.get("shortened", [])),
            results_digest=optional(data, "results_digest", digest_in),
            seconds=unpacked(data.get("seconds", [])),
            cleared_calls=unpacked_pairs(data.get("cleared_calls", [])),
            shortened_calls=unpacked_pairs(data.get("shortened_calls", [])),
            media=unpacked_pairs(data.get("media", [])),
            altered_digest=optional(data, "altered_digest", digest_in),
            reasoning_from=position_of(data.get("reasoning_from", 0)),
            sent=count_of(data.get("sent", 0)),
            sent_digest=optional(data, "sent_digest", digest_in),
            repeated_ids=digests_in(data.get("repeated_ids", "")),
            moved=number_of(data.get("moved", 0)),
            summary=text_of(data.get("summary", "")),
            summarized=position_of(data.get("summarized", 0)),
            kept_at_summary=unpacked(data.get("kept_at_summary", [])),
            summary_ends=optional(data, "summary_ends", two_positions),
            summary_keys=optional(data, "summary_keys", two_texts),
            summary_digest=optional(data, "summary_digest", digest_in),
            summary_at=optional(data, "summary_at", count_of),
            summary_failed=optional(data, "summary_failed", text_of),
        )
