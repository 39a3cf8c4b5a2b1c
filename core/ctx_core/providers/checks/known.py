"""What is known of a request beside what stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a server knows of a request; what is left out is taken to be unknown, and nothing is refused for it."""

    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Headers that are sent, by name."""
    account_created: date | None = None
    """When the account was; some rules are for newer ones. None: taken to be new."""
    window: int | None = None
    """Tokens of the context window; None: as the model's name says."""
    longest_answer: int | None = None
    """Tokens of the model's longest answer; None: as the model's name says."""
    followers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of the Responses API: the id of each stored reasoning item, and of the item that was generated behind it."""
    stored: frozenset[str] | None = None
    """Of the Responses API: ids of the items that the server keeps; None: unknown."""
    responses: Mapping[str, tuple[str, ...]] | None = None
    """Of the Responses API: ids of the responses that the server keeps, and of the calls in each that are still
    open; None: unknown."""
    thinking: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Signatures, and the thinking that each was given with."""
    invalid: frozenset[str] = field(default=frozenset(), repr=False)
    """Signatures and sealed contents that the provider did not give, or gave to another."""
    bound_elsewhere: frozenset[str] = field(default=frozenset(), repr=False)
    """Signatures that were given behind something else than what they stand behind now."""
