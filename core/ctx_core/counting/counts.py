"""The two figures of a request."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCount:
    """What a request is likely to be billed, and what it will not exceed."""

    estimate: int
    """The figure that the bill is expected to be closest to, in tokens."""
    bound: int
    """The figure that budgets use, in tokens: the bill is not above it. Never below `estimate`."""
    anchored: bool = False
    """Whether the provider's own figure for an earlier request is in it."""
