"""What a phased workflow works on: its phase, units of code, and failing tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

_FENCE: Final = "```"


class Phase(StrEnum):
    """Where the work stands."""

    PLANNING = "planning"
    INTERFACE = "interface"
    IMPLEMENTATION = "implementation"
    TESTING = "testing"


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of code: a function, a class, a file of tests. Its `repr` holds no code."""

    name: str
    """By which failing tests refer to it."""
    code: str = field(repr=False)
    language: str = field(default="", kw_only=True)
    """Written behind the fence, such as `python`."""

    @property
    def text(self) -> str:
        """The unit as the model reads it: its name, and its code between fences that are not in it."""
        fence = _FENCE
        while fence in self.code:
            fence += "`"
        return f"### {self.name}\n{fence}{self.language}\n{self.code.rstrip()}\n{fence}"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failing test. Its `repr` holds no output."""

    name: str
    """Name of the test."""
    error: str = field(default="", repr=False)
    """What went wrong."""
    expected: str = field(default="", repr=False)
    received: str = field(default="", repr=False)
    stack: str = field(default="", repr=False)

    @property
    def text(self) -> str:
        """The failure as the model reads it, a line for each thing that is known."""
        facts = (("Error", self.error), ("Expected", self.expected), ("Received", self.received))
        lines = [f"Test: {self.name}", *(f"{label}: {value}" for label, value in facts if value)]
        return "\n".join([*lines, f"Stack:\n{self.stack.rstrip()}"] if self.stack else lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The state of the work; `dataclasses.replace` gives the next one."""

    phase: Phase = Phase.PLANNING
    """Decides which parts are sent."""
    design: str = field(default="", repr=False)
    """The design document."""
    types: str = field(default="", repr=False)
    """The existing types."""
    unit: Unit | None = None
    """The unit that is being implemented."""
    tests: tuple[Unit, ...] = ()
    """The tests that matter for it, most relevant first."""
    approved: tuple[Unit, ...] = ()
    """Units that are done, oldest first."""
    failures: tuple[Failure, ...] = ()
    """Failing tests, most important first."""

    @property
    def implicated(self) -> tuple[Unit, ...]:
        """The units whose name appears in the name of a failing test, in any case of letters."""
        tests = [failure.name.casefold() for failure in self.failures]
        current = () if self.unit is None else (self.unit,)
        units = {unit.name: unit for unit in (*self.approved, *current)}
        return tuple(unit for unit in units.values() if any(unit.name.casefold() in test for test in tests))
