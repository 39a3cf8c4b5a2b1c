"""Every recipe, for any number of tokens of input."""

from __future__ import annotations

import math
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ctx_core import ContextBudget, ContextOverflowError, Item, Share, TokenCounter, Tokens
from ctx_core.counting import FourCharacters
from ctx_core.recipes import (
    Assistant,
    Chat,
    Failure,
    Phase,
    Phased,
    Recipe,
    Rolling,
    Unit,
    Work,
    WorkspaceAgent,
    chat_budget,
)
from ctx_core.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

SYSTEM: Final = "You answer questions about tides and ferries. Be brief."
COUNTER: Final = TokenCounter(FourCharacters())
UNITS: Final = tuple(Unit(f"unit_{at}", f"def unit_{at}(): return {at}", language="python") for at in range(5))
WORK: Final = Work(
    design="A timetable in three parts.",
    types="class Tide: hour: int",
    unit=Unit("merge", "def merge(): ..."),
    tests=(Unit("test_merge", "assert merge()"),),
    approved=UNITS,
    failures=(Failure("test_unit_3_twice", "AssertionError", "1", "2", "unit.py:3"),),
)


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="workspace"))
    (folder / "memory").mkdir()
    (folder / "skills/brew").mkdir(parents=True)
    (folder / "SOUL.md").write_text("You are Mira.", "utf-8")
    (folder / "AGENTS.md").write_text("Be kind.", "utf-8")
    (folder / "TOOLS.md").write_text("look_up(query): finds things.", "utf-8")
    (folder / "memory/MEMORY.md").write_text(
        "- Likes green tea\n- The ferry leaves at five\n- Lives in Porto\n", "utf-8"
    )
    (folder / "skills/brew/SKILL.md").write_text("---\nname: brew\ndescription: Brews tea.\n---\n", "utf-8")
    return folder


def chat(limit: int) -> Recipe:
    """Give the chat."""
    return Chat(system=SYSTEM, budget=chat_budget(system=limit // 6, history=limit - limit // 6, response=10))


def assistant(limit: int) -> Recipe:
    """Give the assistant, with facts and a summary."""
    shares = {
        "system": Share(0.1),
        "history": Share(0.25),
        "summary": Share(0.1),
        "memory": Share(0.15),
        "task": Share(0.05),
    }
    budget = ContextBudget(math.ceil(limit / 0.65), parts=shares, reserve=Share(0.35))
    facts = [Item(f"Fact {at} of the harbour.", importance=at % 3) for at in range(9)]
    return Assistant(system=SYSTEM, facts=facts, summary="They spoke of tides.", task="Book the ferry.", budget=budget)


def workspace(limit: int) -> Recipe:
    """Give the workspace agent."""
    return WorkspaceAgent(
        workspace=_WORKSPACE,
        budget=ContextBudget(limit),
        counter=COUNTER,
        version="1.2",
        environment="test",
        clock=lambda: datetime(2026, 11, 27, 14, 30, tzinfo=UTC),
    )


def rolling(limit: int) -> Recipe:
    """Give the rolling context."""
    return Rolling(budget=ContextBudget(limit), system=SYSTEM)


def phased(limit: int, phase: Phase = Phase.IMPLEMENTATION) -> Recipe:
    """Give the workflow in a phase."""
    parts = {"system": Tokens(limit // 20), "history": Tokens(limit // 2)}
    return Phased(
        system=SYSTEM, work=replace(WORK, phase=phase), budget=ContextBudget(limit, parts=parts), counter=COUNTER
    )


_WORKSPACE: Final = Workspace(_folder())
KITCHEN: Final[dict[str, Callable[[int], Recipe]]] = {
    "chat": chat,
    "assistant": assistant,
    "workspace": workspace,
    "rolling": rolling,
    "phased": phased,
}


def served(
    make: Callable[[int], Recipe], limit: int, messages: list[dict[str, Any]], **options: Any
) -> tuple[Any, Recipe]:
    """Build with a recipe for so many tokens, or else for the fewest more that will do; give that recipe too."""
    while True:
        recipe = make(limit)
        try:
            return recipe.build(messages, **options), recipe
        except ContextOverflowError as error:
            limit += max(1, error.needed - error.limit)
