"""What is remembered of a cut from one turn to the next: a few positions and keys, as plain JSON types.

The state is a hint, never a truth: if it doesn't match the history, it is looked up again or forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from ctx_core.messages import Message

_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowState:
    """Where the window of a conversation begins, and what was done to the messages in it.

    Holds no content of messages but their summary, where there is one. `WindowState()` is that of a conversation
    that was never cut.
    """

    start: int = 0
    """Position of the first message of the stretch that is kept up to the present."""
    start_key: str | None = None
    """Key of that message, by which the position is checked; None while nothing was cut."""
    kept: tuple[int, ...] = ()
    """Positions before `start` that are kept: system messages, the pinned, the question of a cut turn."""
    kept_keys: tuple[str, ...] = ()
    """Their keys, in the same order."""
    head_end: int | None = None
    """Position behind the first messages that stay, as `keep_first` has it; None while nothing was cut."""
    gone_key: str | None = None
    """Key of the first message that is left out, by which one that was put in its place is noticed."""
    cleared: Mapping[int, tuple[str, str]] = field(default_factory=dict[int, tuple[str, str]], hash=False)
    """Position of each cleared tool result: its key, and the placeholder that stands for it."""
    shortened: Mapping[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]], hash=False)
    """Position of each tool result that was cut to head and tail: its key, and the tokens it was cut to."""
    reasoning_from: int = 0
    """Messages before this position have lost their reasoning."""
    summary: str = field(default="", repr=False)
    """What a model said of the messages that are left out; the only text in here."""
    summarised: int = 0
    """Messages before this position are in the summary, if they are left out at all."""
    spared: tuple[int, ...] = ()
    """Positions before `summarised` that were kept then, and so are not in the summary."""

    @property
    def first_gone(self) -> int | None:
        """Position of the first message that is left out."""
        return next((at for at in range(self.start) if at not in self.kept), None)

    def unsummarised(self) -> tuple[int, ...]:
        """Give the positions of what is left out and is not in the summary."""
        kept = {*self.kept}
        gone = (at for at in (*self.spared, *range(self.summarised, self.start)) if at not in kept)
        return tuple(sorted(gone))

    def with_summary(self, summary: str) -> Self:
        """Give the state with a summary of everything that is left out."""
        return replace(self, summary=summary, summarised=self.start, spared=self.kept)

    def with_newer_summary(self, other: Self) -> Self:
        """Give the state with the summary of another one of the same conversation, where that covers more."""
        same = self.summarised < other.summarised <= self.start
        return replace(self, summary=other.summary, summarised=other.summarised, spared=other.spared) if same else self

    def to_dict(self) -> dict[str, Any]:
        """Give the state as JSON types."""
        return {
            "version": _VERSION,
            "start": self.start,
            "start_key": self.start_key,
            "kept": list(self.kept),
            "kept_keys": list(self.kept_keys),
            "head_end": self.head_end,
            "gone_key": self.gone_key,
            "cleared": {str(at): list(pair) for at, pair in self.cleared.items()},
            "shortened": {str(at): list(pair) for at, pair in self.shortened.items()},
            "reasoning_from": self.reasoning_from,
            "summary": self.summary,
            "summarised": self.summarised,
            "spared": list(self.spared),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave. What is damaged or of another version gives a fresh state, as it is only a hint."""
        try:
            if data["version"] != _VERSION:
                return cls()
            start_key = data["start_key"]
            return cls(
                start=int(data["start"]),
                start_key=None if start_key is None else str(start_key),
                kept=tuple(int(at) for at in data["kept"]),
                kept_keys=tuple(str(key) for key in data["kept_keys"]),
                head_end=None if data["head_end"] is None else int(data["head_end"]),
                gone_key=None if data["gone_key"] is None else str(data["gone_key"]),
                cleared={int(at): (str(key), str(text)) for at, (key, text) in dict(data["cleared"]).items()},
                shortened={int(at): (str(key), int(limit)) for at, (key, limit) in dict(data["shortened"]).items()},
                reasoning_from=int(data["reasoning_from"]),
                summary=str(data["summary"]),
                summarised=int(data["summarised"]),
                spared=tuple(int(at) for at in data["spared"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            return cls()


def message_key(message: Message) -> str:
    """Give what a message is recognised by: its id, else a digest of what it says."""
    if message.role.instructs:
        return str(message.role)  # instructions may say something else on every turn and stay the same layer
    if message.id is not None:
        return f"id:{message.id}"
    digest = blake2b(digest_size=12)
    calls = [text for call in message.tool_calls for text in (call.name, call.arguments, call.id or "")]
    for text in (message.role, message.text, message.tool_call_id or "", *calls):
        digest.update(text.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()
