"""A row of the table of model families."""

from __future__ import annotations

from dataclasses import dataclass

from ctx_core.counting.framing import Framing
from ctx_core.counting.margin import Margin


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """How much a model reads and writes."""

    models: tuple[str, ...]
    """What the names of the models begin with that have it, as in `Family.models`."""
    tokens: int
    """The context window, in tokens: input and answer together, where it is not for the input alone."""
    max_output: int | None = None
    """Tokens that the longest answer may have; None: as its host has it, or as much as the window has left."""
    input_only: bool = False
    """Whether the window is for the input alone, and the answer is not taken from it."""
    is_least: bool = False
    """Whether models of these names with a larger size in the name are published, and have that."""
    source: str = ""
    """Where the figures come from, if not from `Family.windows_source`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownWindow:
    """Says that the window of models is not known, though their prices are."""

    models: tuple[str, ...]
    """What the names of the models begin with, as in `Family.models`."""
    reason: str
    """Why it is not known; an error says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitute:
    """How a family is counted with o200k_base where its own vocabulary is not installed."""

    per_token: float = 1.05
    """Tokens of the model for a token of o200k_base."""
    margin: Margin = Margin(text=1.25, tools=1.25, any_tools=60, per_request=12, per_call=30, media=1.5)
    """What the bound adds then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far the tokens of a substitute may be from those of o200k_base, in any text."""

    least: float
    """Tokens for each of o200k_base, at least; times `MessageFraming.per_token` no less than 1."""
    most: float | None = None
    """Tokens for each of o200k_base, at most, 1 or more; None: as many as there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """How the models of a family are counted, how large their windows are, and how that is known."""

    models: tuple[str, ...]
    """What the names of its models begin with, in whole words: see `ModelName.fit`."""
    api: str | None = None
    """The API that this row is for; None for all others."""
    host: str | None = None
    """The host that this row is for; None for all others."""
    vocabulary: str = "o200k_base"
    """The models' own vocabulary, or a substitute where it is not public; `MessageFraming.per_token` says how dense."""
    limits: Limits | None = None
    """How a substitute is held against o200k_base; None: it is not."""
    framing: Framing = Framing()
    """What is billed beside the texts, and how densely."""
    margin: Margin = Margin()
    """What the bound adds."""
    substitute: Substitute = Substitute()
    """How it is counted without the vocabulary."""
    windows: tuple[Window | UnknownWindow, ...] = ()
    """The windows of its models, by their names. A row for one API or host has none: a window is the model's."""
    windows_source: str = ""
    """Where the windows come from."""
    rows: int = 0
    """Recorded bills that are counted by it, and that its figures were found on."""
    source: str = ""
    """Where the figures come from, and what is special."""
