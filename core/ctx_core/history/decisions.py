"""What was decided about single messages: a cut adds to it, and later turns keep it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from ctx_core.history.places import Position

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from ctx_core.history.state import WindowState


@dataclass(slots=True, kw_only=True)
class Decisions:
    """Decisions of each kind, by the positions of messages: the fields of `WindowState` of the same names."""

    cleared: dict[Position, int]
    """Results that a placeholder stands for, and their age in steps when they were cleared."""
    shortened: dict[Position, int]
    """Results that were cut on overflow, and the tokens that they were cut to."""
    cleared_calls: dict[Position, int]
    """Messages with calls whose arguments a placeholder stands for, and their age in steps then."""
    shortened_calls: dict[Position, int]
    """Messages of the assistant of which arguments and text were cut on overflow, and the tokens they were cut to."""
    media: dict[Position, int]
    """Messages of which media are named, and how many of them, the first ones."""

    @classmethod
    def of(cls, state: WindowState) -> Self:
        """Give those that are remembered."""
        return cls(**{field.name: dict(getattr(state, field.name)) for field in fields(cls)})

    def within(self, positions: Container[Position]) -> dict[str, Any]:
        """Give those about messages at some positions, by the names of the fields."""
        return {
            field.name: {at: value for at, value in getattr(self, field.name).items() if at in positions}
            for field in fields(self)
        }

    def forget(self, positions: Iterable[Position]) -> None:
        """Decide nothing about the results at some positions any more."""
        for at in positions:
            for kind in (self.cleared, self.shortened, self.media):
                kind.pop(at, None)

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(len(getattr(self, field.name)) for field in fields(self))
