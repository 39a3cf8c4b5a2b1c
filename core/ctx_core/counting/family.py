"""A row of the table of model families."""

from __future__ import annotations

from dataclasses import dataclass

from ctx_core.counting.framing import Framing, Margin


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """How a family is counted with o200k_base where its own vocabulary is not installed."""

    per_token: float = 1.05
    """Tokens of the model for a token of o200k_base."""
    margin: Margin = Margin(text=1.25, tools=1.25, any_tools=60, per_request=12, per_call=30, media=1.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """How the models of a family are counted, and how that is known."""

    models: tuple[str, ...]
    """What the names of its models begin with, in lower case."""
    api: str | None = None
    """The API that this row is for; None for all others."""
    host: str | None = None
    """The host that this row is for; None for all others."""
    vocabulary: str = "o200k_base"
    """The models' own vocabulary; o200k_base stands in where nobody has theirs (`Framing.per_token` says how)."""
    framing: Framing = Framing()
    """What is billed beside the texts, and how densely."""
    margin: Margin = Margin()
    """What the bound adds."""
    stand_in: StandIn = StandIn()
    """What is used without the vocabulary."""
    rows: int = 0
    """Recorded bills that are counted by it, and that its figures were found on."""
    source: str = ""
    """Where the figures come from, and what is special."""
