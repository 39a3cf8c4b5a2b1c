"""A workspace as it was read, and the layers that it becomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ctx_core.clean import one_line
from ctx_core.engine.layers import Item, Layer
from ctx_core.memory.item import MemoryItem
from ctx_core.memory.ranker import Ranker
from ctx_core.memory.recall import MAX_ITEMS, memory_layer
from ctx_core.workspace.listed_tools import listed_tools
from ctx_core.workspace.skills import Skill
from ctx_core.workspace.tool_guide import tool_guide

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from ctx_core.builder import ContextBuilder
    from ctx_core.counting.counter import ToolDefinition


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceSnapshot:
    """What the files say. Its `repr` holds no content but the names of skills."""

    path: str
    """The workspace's folder."""
    question: str = field(default="", repr=False)
    """What the memories are ranked by."""
    soul: str = field(repr=False)
    """Personality, or the default."""
    agents: str = field(repr=False)
    """Behavior, or the default."""
    tools: str = field(default="", repr=False)
    """What TOOLS.md says; empty if there is none."""
    memories: tuple[MemoryItem, ...] = field(default=(), repr=False)
    """The entries of MEMORY.md, in its order; of a file over the size limit, those that fit the question."""
    skills: tuple[Skill, ...] = ()
    """By the names of their folders."""
    ranker: Ranker | None = field(default=None, repr=False, compare=False)
    """The workspace's own, which indexes only what is new."""
    missing: tuple[str, ...] = ()
    """Files that it may have and has not, and `skills` where there is no such folder."""
    warnings: tuple[str, ...] = ()
    """What was skipped, refused or cut; holds no content."""

    @property
    def system(self) -> str:
        """Personality, an empty line, behavior."""
        return "\n\n".join(text for text in (self.soul.strip(), self.agents.strip()) if text)

    def layers(
        self,
        *,
        now: datetime | None = None,
        capabilities: str = "",
        version: str = "",
        environment: str = "",
        tools: Sequence[ToolDefinition] = (),
        ranker: Ranker | None = None,
        max_memories: int = MAX_ITEMS,
    ) -> tuple[Layer, ...]:
        """Give system, bootstrap, memory, skills and tools; what is empty is not there.

        Args:
            now: date and time of the bootstrap layer.
            capabilities: what the agent can do, in words.
            version: of the agent.
            environment: where it runs, such as `production` or `Linux`.
            tools: their number is told, else that of those which TOOLS.md lists; without a TOOLS.md what their
                schemas say.
            ranker: ranks the memories; the workspace's own by default.
            max_memories: at most so many.
        """
        number = len(tools) or listed_tools(self.tools)
        facts = {
            "Date and time": now.strftime("%Y-%m-%d %H:%M %Z").strip() if now else "",
            "Version": one_line(version, 200),
            "Tools": str(number),
            "Workspace": one_line(self.path, 1024),
            "Environment": one_line(environment, 1024),
        }
        lines = [f"{name}: {value}" for name, value in facts.items() if value]
        if capabilities.strip():
            text = capabilities.strip()
            lines.insert(0, f"Capabilities:{chr(10) if chr(10) in text else ' '}{text}")
        bootstrap = "\n".join(lines)
        skills = tuple(Item(f"- {skill.name}: {skill.description}") for skill in self.skills)
        guide = self.tools.strip() or tool_guide(tools)
        layers = (
            Layer(name="system", text=self.system, protected=True),
            Layer(name="bootstrap", text=bootstrap, protected=True, stable=False),
            memory_layer(self.question, self.memories, ranker=ranker or self.ranker, max_items=max_memories),
            Layer(name="skills", items=skills, heading="Available skills:", data=True),
            Layer(name="tool_guide", text=guide, heading="Available tools:", data=True, protected=True),
        )
        return tuple(layer for layer in layers if layer.body)

    def add_to(
        self,
        builder: ContextBuilder,
        *,
        now: datetime | None = None,
        capabilities: str = "",
        version: str = "",
        environment: str = "",
        tools: Sequence[ToolDefinition] = (),
        ranker: Ranker | None = None,
        max_memories: int = MAX_ITEMS,
    ) -> ContextBuilder:
        """Add the layers to a builder, and the tools' definitions; the arguments are those of `layers`."""
        layers = self.layers(
            now=now,
            capabilities=capabilities,
            version=version,
            environment=environment,
            tools=tools,
            ranker=ranker,
            max_memories=max_memories,
        )
        for layer in layers:
            builder = builder.layer(layer)
        return builder.tools(tools) if tools else builder
