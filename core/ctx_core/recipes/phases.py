"""The phases of a workflow, as data: what each is told, which parts of the work it is sent, and how much of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from ctx_core.engine.layers import Rest
from ctx_core.errors import BudgetError
from ctx_core.sizes import Share, Size, Tokens

PARTS: Final = ("types", "unit", "tests", "previous", "failures", "implicated")
"""Parts of the work that a phase may be sent beside the design document: the existing types; the current unit; the
tests that matter for it; the last approved units; failing tests; the units whose names appear in those of failing
tests."""


class Phase(StrEnum):
    """The names of the four phases that there are by default."""

    PLANNING = "planning"
    INTERFACE = "interface"
    IMPLEMENTATION = "implementation"
    TESTING = "testing"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseDefinition:
    """One phase of a workflow."""

    name: str
    """By which the work refers to it, and under which its requests are logged."""
    system: str = field(default="", repr=False)
    """Its system prompt, where the recipe has no other for it."""
    parts: tuple[str, ...] = ()
    """Which parts of the work it is sent behind the design document, in this order, of `PARTS`."""
    caps: Mapping[str, Size | Rest] = field(default_factory=dict[str, Size | Rest], hash=False)
    """The most that a part may cost in this phase, even where there is room: tokens, a share of the window, or a `Rest`
    of what the parts before it leave. The current unit is always whole."""
    previous_units: int = 3
    """How many of the last approved units it is sent, where it is sent any."""

    def __post_init__(self) -> None:
        """Refuse what there is not.

        Raises:
            BudgetError: for a phase without a name, or parts that are not known.
        """
        if not isinstance(self.name, str) or not self.name.strip():
            msg = "a phase needs a name"
            raise BudgetError(msg)
        if isinstance(self.parts, str):
            msg = f"phase {self.name!r}: parts are a tuple of names, found a text; write parts=({self.parts[:20]!r},)"
            raise BudgetError(msg)
        object.__setattr__(self, "name", str(self.name).strip())
        object.__setattr__(self, "parts", tuple(dict.fromkeys(self.parts)))
        object.__setattr__(self, "caps", dict(self.caps))
        unknown = [part for part in (*self.parts, *self.caps) if part not in PARTS]
        if unknown:
            msg = f"phase {self.name!r} names parts that work has not: {', '.join(unknown)}; it has {', '.join(PARTS)}"
            raise BudgetError(msg)
        wrong = [name for name, size in self.caps.items() if not isinstance(size, Share | Tokens | Rest)]
        if wrong or "unit" in self.caps:
            msg = f"phase {self.name!r}: a cap is Tokens(…), Share(…) or Rest(…), and the current unit has none"
            raise BudgetError(msg)
        if isinstance(self.previous_units, bool) or not isinstance(self.previous_units, int) or self.previous_units < 0:
            msg = f"previous_units must be a whole number, 0 or more, found {self.previous_units!r:.20}"
            raise BudgetError(msg)


PHASES: Final = (
    PhaseDefinition(name=Phase.PLANNING.value),
    PhaseDefinition(name=Phase.INTERFACE.value, parts=("types",)),
    PhaseDefinition(
        name=Phase.IMPLEMENTATION.value,
        parts=("types", "unit", "tests", "previous"),
        caps={"previous": Rest(0.5)},
    ),
    PhaseDefinition(name=Phase.TESTING.value, parts=("types", "failures", "implicated")),
)
"""The four phases of the design."""
