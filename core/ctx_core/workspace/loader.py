"""Loads a workspace: every file in parallel, each only as often as its kind asks for."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ctx_core.locks import Lock
from ctx_core.memory.candidates import Sought
from ctx_core.memory.combine import relevance
from ctx_core.memory.markdown import entries
from ctx_core.workspace.files import Found, Signature, find, pieces_of, read_start, warn
from ctx_core.workspace.front_matter import front_matter
from ctx_core.workspace.layout import Layout
from ctx_core.workspace.skills import Skill, read_skill, skill_files
from ctx_core.workspace.snapshot import WorkspaceSnapshot

if TYPE_CHECKING:
    from os import PathLike

    from ctx_core.memory.item import MemoryItem
    from ctx_core.memory.ranker import Ranker

_Job: TypeAlias = Callable[[list[str]], Any]
"""Reads something, and adds its warnings to the list it is given."""
_Steps: TypeAlias = Generator[Sequence[_Job], list[Any] | None, WorkspaceSnapshot]
"""Yields jobs that may run side by side, is sent their results, and returns the snapshot."""
_THREADS: Final = 8
_LOG: Final = logging.getLogger("ctx_core.workspace")


@dataclass(frozen=True, slots=True)
class _Cached:
    signature: Signature
    read_at: float
    value: Any
    warnings: tuple[str, ...]


class Workspace:
    """A folder with SOUL.md, AGENTS.md, TOOLS.md, memory/MEMORY.md and skills/*/SKILL.md.

    Whatever is missing or damaged is left out, with a warning where something was there. Personality,
    behavior and tools are cached and read again when their files change; the memory is read every time; the
    skills' folder is scanned every time, and what changed in it is read. May be shared between threads.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        layout: Layout | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Take the folder. Nothing is read yet.

        Args:
            path: the folder. Files that links or `..` lead to outside of it are refused.
            layout: names and sizes.
            clock: gives seconds, for the age of what is cached.
        """
        self.path = _home(Path(path))
        """With `~` expanded, else as it was given."""
        self.layout = layout or Layout()
        """Names and sizes."""
        self._ranker: Ranker = relevance(neighbors=False)  # kept, so that its index grows with the file
        self._clock = clock
        self._cache: dict[str, _Cached] = {}
        self._lock = Lock()

    def __reduce__(self) -> tuple[object, ...]:
        """Copy and pickle the folder without what is cached of it, which is read again."""
        return (_workspace, (type(self), self.path, self.layout, self._clock))

    def load(self, question: str = "") -> WorkspaceSnapshot:
        """Read the workspace.

        Args:
            question: the current message. Of a memory file over the size limit, the entries that fit it are kept.
        """
        steps = self._steps(question)
        results: list[Any] | None = None
        with ThreadPoolExecutor(_THREADS, thread_name_prefix="ctx-workspace") as threads:
            while True:
                try:
                    results = list(threads.map(_run, steps.send(results)))
                except StopIteration as end:
                    snapshot: WorkspaceSnapshot = end.value
                    return snapshot

    async def aload(self, question: str = "") -> WorkspaceSnapshot:
        """Read the workspace without blocking the event loop; see `load`."""
        steps = self._steps(question)
        results: list[Any] | None = None
        while True:
            try:
                jobs = steps.send(results)
            except StopIteration as end:
                snapshot: WorkspaceSnapshot = end.value
                return snapshot
            results = list(await asyncio.gather(*(asyncio.to_thread(_run, job) for job in jobs)))

    def _steps(self, question: str) -> _Steps:
        root, layout = self.path.resolve(), self.layout
        if not root.is_dir():
            warnings: list[str] = []
            warn(warnings, "the workspace's folder doesn't exist; the defaults are taken")
            return WorkspaceSnapshot(
                path=str(self.path),
                question=question,
                soul=layout.default_soul,
                agents=layout.default_agents,
                missing=_missing(root, layout),
                warnings=tuple(warnings),
            )
        first = yield (
            lambda warnings: self._text(root, layout.soul, warnings),
            lambda warnings: self._text(root, layout.agents, warnings),
            lambda warnings: self._text(root, layout.tools, warnings),
            lambda warnings: _memories(root, layout, question, warnings),
            lambda warnings: skill_files(root, layout.skills, warnings),
            lambda _: _missing(root, layout),
        )
        (soul, agents, tools, memories, files, missing), told = _apart(first)
        second = yield tuple(self._skill_job(found) for found in files)
        skills, more = _apart(second)
        named, doubles = _by_name([skill for skill in skills if skill is not None])
        self._forget({found.signature.path for found in files}, root / layout.skills)
        return WorkspaceSnapshot(
            path=str(self.path),
            question=question,
            soul=soul or layout.default_soul,
            agents=agents or layout.default_agents,
            tools=tools,
            memories=memories,
            skills=named,
            ranker=self._ranker,
            missing=missing,
            warnings=(*told, *more, *doubles),
        )

    def _text(self, root: Path, names: Sequence[str], warnings: list[str]) -> str:
        for name in names:
            found = find(root, name, warnings)
            if found is not None:
                text: str = self._cached(found, self._read_text, warnings)
                return text
        return ""

    def _read_text(self, found: Found, warnings: list[str]) -> str:
        limit = self.layout.max_file
        text = read_start(found, limit, warnings)
        if found.size > limit:
            warn(warnings, f"{found.shown}: {found.size:,} bytes, only the first {limit:,} are taken")
        head = front_matter(text) if text.startswith("---") else None
        return ("\n".join(text.split("\n")[head.body_at :]) if head else text).strip()

    def _skill_job(self, found: Found) -> _Job:
        return lambda warnings: self._cached(found, self._read_skill, warnings)

    def _read_skill(self, found: Found, warnings: list[str]) -> Skill | None:
        return read_skill(found, self.layout, warnings)

    def _cached(self, found: Found, read: Callable[[Found, list[str]], Any], warnings: list[str]) -> Any:  # noqa: ANN401 - what `read` gives
        now = self._clock()
        with self._lock:
            known = self._cache.get(found.signature.path)
        if known and known.signature == found.signature and now - known.read_at < self.layout.cache_seconds:
            warnings.extend(known.warnings)
            return known.value
        own: list[str] = []
        value = read(found, own)
        warnings.extend(own)
        with self._lock:
            self._cache[found.signature.path] = _Cached(found.signature, now, value, tuple(own))
        return value

    def _forget(self, present: set[str], skills: Path) -> None:
        """Drop what is cached of skills that are gone."""
        with self._lock:
            for path in [path for path in self._cache if Path(path).is_relative_to(skills) and path not in present]:
                del self._cache[path]


def _home(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:  # nobody's home
        return path


def _workspace(kind: type[Workspace], path: Path, layout: Layout, clock: Callable[[], float]) -> Workspace:
    return kind(path, layout=layout, clock=clock)


def _missing(root: Path, layout: Layout) -> tuple[str, ...]:
    """Give the names of what a workspace may have and has not, and log them."""
    wanted = (layout.soul, layout.agents, layout.tools, layout.memory, (layout.skills,))
    missing = tuple(names[0] for names in wanted if not any(os.path.lexists(root / name) for name in names))
    for name in missing:
        _LOG.debug("%s: not there", name)
    return missing


def _run(job: _Job) -> tuple[Any, list[str]]:
    warnings: list[str] = []
    return job(warnings), warnings


def _apart(results: list[Any] | None) -> tuple[list[Any], list[str]]:
    results = results or []
    return [value for value, _ in results], [warning for _, warnings in results for warning in warnings]


def _memories(root: Path, layout: Layout, question: str, warnings: list[str]) -> tuple[MemoryItem, ...]:
    for name in layout.memory:
        found = find(root, name, warnings)
        if found is not None:
            pieces, source = pieces_of(found, warnings), found.path.name
            if found.size <= layout.max_file:
                return tuple(entries((line for piece in pieces for line in piece.splitlines()), source=source))
            sought = Sought(question)
            return tuple(sought.best(entries(sought.lines(pieces), source=source)))
    return ()


def _by_name(skills: list[Skill]) -> tuple[tuple[Skill, ...], list[str]]:
    """Give the skills, of several with one name the first, and a warning for each of the others."""
    named: dict[str, Skill] = {}
    warnings: list[str] = []
    for skill in skills:
        if named.setdefault(skill.name, skill) is not skill:
            warn(warnings, f"{skill.path}: another skill has the same name; skipped")
    return tuple(named.values()), warnings
