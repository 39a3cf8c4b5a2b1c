"""Where things are in a workspace, and how much of them is listed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from ctx_core.clean import escaped
from ctx_core.errors import BudgetError
from ctx_core.workspace.files import is_path

DEFAULT_SOUL: Final = "You are a helpful assistant."
DEFAULT_AGENTS: Final = (
    "Answer accurately and briefly. Use the tools when they help, and say so when something cannot be done."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Names of the files, relative to the workspace; of several, the first that exists is taken."""

    soul: tuple[str, ...] = ("SOUL.md",)
    """Personality."""
    agents: tuple[str, ...] = ("AGENTS.md", "AGENT.md")
    """Behavior."""
    tools: tuple[str, ...] = ("TOOLS.md",)
    """What the tools are for, with examples."""
    memory: tuple[str, ...] = ("memory/MEMORY.md",)
    """What is remembered across sessions."""
    skills: str = "skills"
    """Folder with a folder for each skill."""
    default_soul: str = DEFAULT_SOUL
    """In the place of a missing file."""
    default_agents: str = DEFAULT_AGENTS
    """In the place of a missing file."""
    max_name: int = 64
    """Characters of a skill's name; a longer one is cut."""
    max_description: int = 1024
    """Characters of a skill's description; a longer one is cut."""
    max_file: int = 1_000_000
    """Bytes of a file that are read as a whole. Of a longer instruction file only so much is taken; a longer
    memory file is read in pieces, and the entries that fit the question are kept."""
    cache_seconds: float = 5.0
    """How long SOUL and AGENTS are taken from the cache; a change is noticed before that."""

    def __post_init__(self) -> None:
        """Refuse names that lead out of the workspace, and sizes that leave nothing."""
        for name in (*self.soul, *self.agents, *self.tools, *self.memory, self.skills):
            path = PurePath(name)
            if not is_path(name):
                msg = (
                    f"the layout has {escaped(name)!r}: a name of a file has neither a NUL nor half of a surrogate pair"
                )
                raise BudgetError(msg)
            if path.is_absolute() or ".." in path.parts or not path.parts:
                msg = f"the layout has {escaped(name)!r}: names must be relative to the workspace and stay in it"
                raise BudgetError(msg)
        if self.max_name < 1 or self.max_description < 1 or self.max_file < 1 or self.cache_seconds < 0:
            msg = "max_name, max_description and max_file must be 1 or more, and cache_seconds 0 or more"
            raise BudgetError(msg)
