"""What a phased workflow works on: its phase, units of code, and failing tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeVar

from ctx_core.errors import BudgetError
from ctx_core.recipes.code_text import commented, fenced_code, language_of
from ctx_core.recipes.phases import PHASES, Phase, PhaseDefinition
from ctx_core.truncation import cut_middle

if TYPE_CHECKING:
    from ctx_core.counting.counter import TokenCounter
    from ctx_core.engine.layers import CutRule


_KindT = TypeVar("_KindT")


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of code: a function, a class, a file of tests. Its `repr` holds no code."""

    name: str
    """By which failing tests refer to it."""
    code: str = field(repr=False)
    """A unit without any is not sent, and takes no place."""
    language: str = field(default="", kw_only=True)
    """Written behind the fence, such as `python`; by default what the path's ending says."""
    path: str = field(default="", kw_only=True)
    """Its file, shown as a comment above the code, so that imports of it come out right."""

    @property
    def text(self) -> str:
        """The unit as the model reads it: its name, and its code between fences that are not in it."""
        if not self.code.strip():
            return ""
        language = self.language or language_of(self.path)
        code = f"{commented(self.path, language)}\n{self.code}" if self.path else self.code
        name = " ".join(self.name.split()) or PurePath(self.path).name
        return f"### {name}\n{fenced_code(code, language)}"


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
        """The failure as the model reads it: a heading, a bold label for each thing that is known, the stack fenced."""
        facts = (("Error", self.error), ("Expected", self.expected), ("Received", self.received))
        lines = [f"### {' '.join(self.name.split())}", *(_fact(label, value) for label, value in facts if value)]
        return "\n".join([*lines, f"**Stack trace:**\n{fenced_code(self.stack)}"] if self.stack.strip() else lines)

    def cut_rule(self, counter: TokenCounter) -> CutRule:
        """Give what cuts its text to so many tokens: head and tail of what is long stay, labels and fences too."""
        return partial(_shortened, self, counter)


def _all_of(kind: type[_KindT], part: str, given: Iterable[_KindT]) -> tuple[_KindT, ...]:
    """Give the objects of one part of the work.

    Raises:
        BudgetError: if one of them is something else.
    """
    objects = (given,) if isinstance(given, str | bytes) or not isinstance(given, Iterable) else tuple(given)
    if wrong := [type(one).__name__ for one in objects if not isinstance(one, kind)]:
        msg = f"{part} of the work: each is a {kind.__name__}, found {wrong[0]}"
        raise BudgetError(msg)
    return objects


def _fact(label: str, value: str) -> str:
    """Give a labeled value on its line; one of several lines is fenced."""
    value = value.strip("\n")
    return f"**{label}:**\n{fenced_code(value)}" if "\n" in value else f"**{label}:** {value}"


def _shortened(failure: Failure, counter: TokenCounter, text: str, most: int) -> str:
    """Give a failure within so many tokens, each of its long texts cut in the middle to the same size."""
    del text
    low, high = 0, most
    best = ""
    while low <= high:
        size = (low + high) // 2
        shorter = Failure(
            cut_middle(failure.name, size, counter),
            error=cut_middle(failure.error, size, counter),
            expected=cut_middle(failure.expected, size, counter),
            received=cut_middle(failure.received, size, counter),
            stack=cut_middle(failure.stack, size, counter),
        )
        if shorter.name and counter.count_text(shorter.text) <= most:
            best, low = shorter.text, size + 1
        elif not shorter.name:
            low = size + 1
        else:
            high = size - 1
    return best


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The state of the work; `dataclasses.replace` gives the next one."""

    phase: Phase | PhaseDefinition | str = Phase.PLANNING
    """Decides which parts are sent: the name of one of `phases`, which a stored string is made to, or a definition."""
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
    phases: tuple[PhaseDefinition, ...] = field(default=PHASES, repr=False)
    """The phases that there are: by default planning, interface, implementation and testing. Of two of one name the
    later counts, so that `(*PHASES, …)` replaces one of the four too."""

    def __post_init__(self) -> None:
        """Take the phase by its name.

        Raises:
            BudgetError: for a phase that is not known, and for what is no phase, unit or failure.
        """
        for part, kind in (("phases", PhaseDefinition), ("tests", Unit), ("approved", Unit), ("failures", Failure)):
            object.__setattr__(self, part, _all_of(kind, part, getattr(self, part)))
        if self.unit is not None:
            _all_of(Unit, "unit", (self.unit,))
        given = (*self.phases, self.phase) if isinstance(self.phase, PhaseDefinition) else self.phases
        known = {definition.name.casefold(): definition for definition in given}
        phases = tuple(known.values())
        name = self.phase.name if isinstance(self.phase, PhaseDefinition) else self.phase
        found = known.get(name.strip().casefold()) if isinstance(name, str) else None
        if found is None:
            shown = repr(str(name))[:40] if isinstance(name, str) else type(name).__name__
            names = ", ".join(definition.name for definition in phases)
            msg = (
                f"no phase is called {shown}: known are {names or 'none'}; "
                "phases=(*PHASES, PhaseDefinition(…)) adds one of your own"
            )
            raise BudgetError(msg)
        names = {phase.value: phase for phase in Phase}
        object.__setattr__(self, "phases", phases)
        object.__setattr__(self, "phase", names.get(found.name, found.name))

    @property
    def definition(self) -> PhaseDefinition:
        """What the phase is sent."""
        return next(definition for definition in self.phases if definition.name == self.phase)

    @property
    def implicated(self) -> tuple[Unit, ...]:
        """The units whose name appears in the name of a failing test, in any case of letters."""
        tests = [failure.name.casefold() for failure in self.failures]
        current = () if self.unit is None else (self.unit,)
        units = {unit.name: unit for unit in (*self.approved, *current) if unit.name}
        return tuple(unit for unit in units.values() if any(unit.name.casefold() in test for test in tests))
