"""What a bound adds to an estimate."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """What a budget adds to the estimate, so that a bill is not above it."""

    text: float = 1.0
    """Factor on the tokens of texts."""
    tools: float = 1.0
    """Factor on the tokens of tool definitions, and of calls and their frame."""
    any_tools: int = 0
    """Tokens once a request that has tools."""
    per_call: int = 0
    """Tokens for every call: an opaque signature of the reasoning before it may be billed with it."""
    per_request: int = 0
    """Tokens once a request."""
    media: float = 1.0
    """Factor on the price of pictures, recordings, films and documents."""

    @property
    def none(self) -> bool:
        """Whether nothing is added."""
        return self == Margin()
