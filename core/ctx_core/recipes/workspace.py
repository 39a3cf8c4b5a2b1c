"""The workspace agent: seven layers, five of them from files."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from ctx_core.budget import ContextBudget
from ctx_core.builder import ContextBuilder
from ctx_core.conversation.codecs import as_codec, codec_for
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.counting.counter import ToolDefinition, as_counter
from ctx_core.history.policy import HistoryPolicy
from ctx_core.memory.ranker import Ranker
from ctx_core.memory.recall import MAX_ITEMS
from ctx_core.recipes.given import BudgetField, CounterField, given
from ctx_core.recipes.recipe import WHOLE_MESSAGES, Recipe, report_of
from ctx_core.recipes.session import mended
from ctx_core.workspace.loader import Workspace

if TYPE_CHECKING:
    from ctx_core.conversation.formats.names import FormatName
    from ctx_core.conversation.message_types import Codec, NativeT
    from ctx_core.engine.context import Context
    from ctx_core.report.report import ContextReport
    from ctx_core.workspace.snapshot import WorkspaceSnapshot

LAST_MESSAGES: Final = 6
"""Messages of the history for which memories give way."""
_GIVES_WAY: Final[Mapping[str, int]] = {"memory": 0, "skills": 1}
"""In which order layers that are not protected give way, once the history has."""


def local_now() -> datetime:
    """Give the time with its zone."""
    return datetime.now().astimezone()


def this_environment() -> str:
    """Give the operating system and the machine's kind."""
    return " ".join(part for part in (platform.system(), platform.machine()) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceFigures:
    """The result of one request, in numbers."""

    tokens: int
    """Tokens of the whole request."""
    limit: int
    """Tokens that it might have had."""
    layers: Mapping[str, int]
    """Tokens of each layer that went out, by its name."""
    memories: int
    """Entries of the memory that went out."""
    memories_left_out: int
    """Relevant ones that did not."""
    messages: int
    """Messages that went out, the current one among them."""
    left_out: int
    """Messages of the history that did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceAgent(Recipe):
    """An agent that lives in a folder: 4,000 tokens.

    The history is the first to go, down to its last messages, then the least relevant memories, then the rest of it.
    """

    workspace: Workspace
    """The folder; `Workspace(path)`. Its caches live as long as this object."""
    budget: BudgetField = given(lambda: ContextBudget(4_000))
    """Tokens of the whole input."""
    counter: CounterField = given(lambda: as_counter(None))
    """Counts; by default a safe estimate."""
    low_water: float = 0.6
    """As in every recipe; with a state, a cut leaves room for the next turns."""
    last_messages: int = LAST_MESSAGES
    """So many of the last messages stay as long as there are memories that can go."""
    max_messages: int = 50
    """The most recent messages of the history, so many at most."""
    max_memories: int = MAX_ITEMS
    """The most relevant entries of the memory, so many at most."""
    ranker: Ranker | None = None
    """Ranks the memories by the current message; by default the workspace's own, by words."""
    capabilities: str = field(default="", repr=False)
    """What the agent can do, in words; stands in the bootstrap layer."""
    version: str = ""
    """Of the agent; by default this package's."""
    environment: str = field(default_factory=this_environment)
    """Where it runs."""
    clock: Callable[[], datetime] = field(default=local_now, compare=False)
    """Gives date and time."""
    volatile_last: bool = False
    """Whether date, time and memories go behind the history, so that the beginning of the prompt stays the same."""

    def builder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Give the builder of one request, with the workspace as it is now."""
        return self._declared(self.workspace.load(question), tools)

    async def abuilder(self, question: str = "", *, tools: Sequence[ToolDefinition] = ()) -> ContextBuilder:
        """Give the builder of one request, with the workspace as it is now, read without blocking.

        That of a subclass is asked for in a thread.
        """
        if type(self).builder is not WorkspaceAgent.builder:
            return await asyncio.to_thread(self.builder, question, tools=tools)
        return self._declared(await self.workspace.aload(question), tools)

    def figures(self, result: Context[Any] | ContextReport) -> WorkspaceFigures:
        """Give the result of a request that was built with this recipe, or of its report."""
        report = report_of(result)
        memory = next((layer for layer in report.layers if layer.name == "memory"), None)
        return WorkspaceFigures(
            tokens=report.used,
            limit=report.limit,
            layers={layer.name: layer.used for layer in report.layers},
            memories=0 if memory is None else memory.items,
            memories_left_out=0 if memory is None else memory.left_out,
            messages=report.history.messages,
            left_out=report.history.omitted,
        )

    def read(
        self, history: Sequence[NativeT], message: NativeT | str | None, codec: Codec[NativeT] | FormatName | None
    ) -> tuple[Sequence[NativeT], Codec[NativeT]]:
        """Give the history with unknown roles as the user's, and without what is no message."""
        if (named := as_codec(codec)) is not None:
            return history, named
        readable = mended(history)
        dicts = any(isinstance(entry, dict) for entry in history)
        door: Codec[Any] = OpenAICodec() if dicts and not readable else codec_for(readable, message)
        return readable, door

    def _declared(self, snapshot: WorkspaceSnapshot, tools: Sequence[ToolDefinition]) -> ContextBuilder:
        layers = snapshot.layers(
            now=self.clock(),
            capabilities=self.capabilities,
            version=self.version or _own_version(),
            environment=self.environment,
            tools=tools,
            ranker=self.ranker,
            max_memories=self.max_memories,
        )
        builder = (
            ContextBuilder(self.budget, self.counter)
            .provider(self.provider)
            .tools(tools)
            .place_volatile_last(last=self.volatile_last)
        )
        for layer in layers:
            priority = _GIVES_WAY.get(layer.name, layer.priority)
            builder = builder.layer(replace(layer, priority=priority, yields=layer.name == "memory"))
        return builder.history(
            HistoryPolicy(
                max_messages=self.max_messages,
                layers_yield_to=min(self.last_messages, self.max_messages),
                low_water=self.low_water,
                results=WHOLE_MESSAGES,
            )
        )


def _own_version() -> str:
    from ctx_core import __version__

    return f"ctx-layers {__version__}"
