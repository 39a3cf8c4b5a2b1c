"""What a payload says, in one form for all providers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["text", "media", "call", "result", "reasoning", "other"]
Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A block, a part, an item: the smallest thing that is said."""

    kind: Kind
    """What it is; `other` is what no rule speaks of."""
    text: str = ""
    """Of a text or reasoning."""
    id: str = ""
    """What joins a call and its result; empty where the provider has none."""
    name: str = ""
    """Of the tool."""
    raw: Any = field(default=None, repr=False)
    """As it stands in the payload."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A message, a content or an item."""

    role: str
    """A `Role`, or what stands there instead of one."""
    parts: tuple[Part, ...]
    """In the payload's order."""
    at: int
    """Its place in the payload's list; −1 for instructions that stand outside of it."""
    raw: Any = field(default=None, repr=False)
    """As it stands in the payload."""

    def of(self, kind: Kind) -> tuple[Part, ...]:
        """Give the parts of one kind."""
        return tuple(part for part in self.parts if part.kind == kind)

    @property
    def calls(self) -> tuple[Part, ...]:
        """Its tool calls."""
        return self.of("call")

    @property
    def results(self) -> tuple[Part, ...]:
        """Its tool results."""
        return self.of("result")

    @property
    def texts(self) -> tuple[str, ...]:
        """Its texts, empty ones too."""
        return tuple(part.text for part in self.of("text"))

    @property
    def reasoning(self) -> tuple[Part, ...]:
        """What the model has thought."""
        return self.of("reasoning")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A payload that was read."""

    payload: dict[str, Any] = field(repr=False)
    """As it would be sent."""
    model: str
    """The model that is asked; some rules are for some models."""
    turns: tuple[Turn, ...]
    """All of it, instructions first where they stand outside of the list."""
    followers: dict[str, str] = field(default_factory=dict[str, str])
    """Of the Responses API: the id of each stored reasoning item, and of the item that was generated right after it."""

    @property
    def said(self) -> tuple[Turn, ...]:
        """Those that stand in the payload's list."""
        return tuple(turn for turn in self.turns if turn.at >= 0)
