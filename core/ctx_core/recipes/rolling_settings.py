"""What a user of a rolling context may choose: a switch for run time, and settings that can be stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, Self

from ctx_core.errors import BudgetError
from ctx_core.history.policy import ErrorWords, HistoryPolicy, ToolResultPolicy

OF_RESULTS: Final = (
    "max_tokens",
    "clear_after_steps",
    "clear_rest",
    "keep_errors",
    "error_words",
    "superseded",
    "keep",
    "first",
    "min_tokens",
    "placeholder",
    "priorities",
)
"""Settings that are fields of `ToolResultPolicy` of the same names."""


@dataclass(slots=True, kw_only=True)
class Switch:
    """Whether anything may be cut; may be set at any time."""

    enabled: bool = True
    """If not, requests are counted, checked and reported, and go out whole, fit or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollingSettings:
    """What a user may choose of a rolling context; `to_dict` gives JSON types, which `from_dict` takes back.

    Raises:
        BudgetError: for what cannot work; when it is made.
    """

    enabled: bool = True
    """Whether anything may be cut."""
    log_usage: bool = True
    """Whether the usage log is on."""
    max_tokens: int | None = None
    """Tokens over which a single result is cut to its head and tail when it is first seen; None: on overflow only."""
    clear_after_steps: int | None = 5
    """Results older than so many steps give way first; None: no result does for its age."""
    clear_rest: bool = True
    """Whether the remaining results give way too."""
    keep_errors: bool = True
    """Whether results that report an error are not cleared for their age."""
    error_words: ErrorWords = "at_start"
    """Where a word such as `error` tells an error: `at_start` of a result's text, or `anywhere` in it."""
    superseded: bool | None = None
    """Whether results that a later call with equal arguments has a newer one for go first; None: where any may go."""
    keep: tuple[str, ...] = ()
    """Names of tools whose results are never cleared."""
    first: tuple[str, ...] = ()
    """Names of tools whose results are cleared before those of others."""
    min_tokens: int = 100
    """Results under so many tokens are not cleared."""
    placeholder: str = ToolResultPolicy().placeholder
    """Stands in the place of a cleared result: `{age}` in steps, `{tokens}` of the result."""
    priorities: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)
    """By the names of tools, how long their results stay; the lowest go first."""
    preserve_recent_turns: int = 2
    """The last turns, beside the running one, that are never left out."""
    low_water: float = 0.6
    """Share of its room that a cut goes down to, where cuts are remembered."""

    def __post_init__(self) -> None:
        """Refuse what cannot work, as the policies do."""
        for name in ("enabled", "log_usage", "clear_rest", "keep_errors"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                msg = f"{name} must be true or false, found {type(value).__name__}"
                raise BudgetError(msg)
        if isinstance(self.low_water, bool) or not isinstance(self.low_water, int | float):
            msg = f"low_water must be a number, found {type(self.low_water).__name__}"
            raise BudgetError(msg)
        if not isinstance(self.placeholder, str) or not isinstance(self.priorities, Mapping):
            msg = "placeholder must be a text, and priorities numbers by the names of tools"
            raise BudgetError(msg)
        results = ToolResultPolicy(**{name: getattr(self, name) for name in OF_RESULTS})
        HistoryPolicy(low_water=self.low_water, preserve_recent_turns=self.preserve_recent_turns, results=results)
        object.__setattr__(self, "priorities", dict(self.priorities))
        object.__setattr__(self, "keep", results.keep)
        object.__setattr__(self, "first", results.first)

    def to_dict(self) -> dict[str, Any]:
        """Give all of them as JSON types."""
        return {**asdict(self), "keep": list(self.keep), "first": list(self.first)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Take what `to_dict` gave; what is not in it has its default.

        Raises:
            BudgetError: for a setting that there is not, or that cannot work.
        """
        if not isinstance(stored, Mapping):
            msg = f"settings must be a mapping, as to_dict gives and json.loads reads, found {type(stored).__name__}"
            raise BudgetError(msg)
        known = {setting.name for setting in fields(cls)}
        unknown = sorted({str(name) for name in stored} - known)
        if unknown:
            msg = f"no settings are called {', '.join(unknown)}; known are {', '.join(sorted(known))}"
            raise BudgetError(msg)
        return cls(**stored)
