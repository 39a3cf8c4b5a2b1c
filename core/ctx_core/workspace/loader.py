"""Loads a workspace: every file in parallel, each only as often as its kind asks for."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePath
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ctx_core.clean import escaped
from ctx_core.errors import BudgetError
from ctx_core.locks import Lock
from ctx_core.memory.candidates import Sought
from ctx_core.memory.combine import relevance
from ctx_core.memory.markdown import entries
from ctx_core.workspace.files import Found, Signature, find, is_path, pieces_of, read_start, warn
from ctx_core.workspace.front_matter import front_matter
from ctx_core.workspace.layout import Layout
from ctx_core.workspace.skills import Folder, Read, Skill, SkillCache, read_skill
from ctx_core.workspace.snapshot import WorkspaceSnapshot

if TYPE_CHECKING:
    from os import PathLike

    from ctx_core.memory.item import MemoryItem
    from ctx_core.memory.ranker import Ranker

_Job: TypeAlias = Callable[[list[str]], Any]
"""Reads something, and adds its warnings to the list it is given."""
_Reading: TypeAlias = Generator[Sequence[_Job], list[Any] | None, WorkspaceSnapshot]
"""Yields jobs that may run side by side, is sent their results, and returns the snapshot."""
_THREADS: Final = 8
_LOG: Final = logging.getLogger("ctx_core.workspace")
_BATCH: Final = 64  # skills that one job reads
_CACHES: Final = ("_ranker", "_cache", "_skills", "_lock")


@dataclass(frozen=True, slots=True)
class _Cached:
    signature: Signature
    read_at: float
    value: str
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

        Raises:
            BudgetError: for a path that no file system can have.
        """
        self.path = _home(Path(path))
        """With `~` expanded, else as it was given."""
        if not is_path(str(self.path)):
            msg = (
                f"the workspace's path {escaped(str(self.path))} has a NUL, or half of a surrogate pair: give one that "
                "is valid Unicode"
            )
            raise BudgetError(msg)
        self.layout = layout or Layout()
        """Names and sizes."""
        self._clock = clock
        self._forget()

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle the folder, and what a subclass adds, without what is cached of it, which is read again."""
        return {name: value for name, value in vars(self).items() if name not in _CACHES}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Begin with nothing read."""
        vars(self).update(state)
        self._forget()

    def _forget(self) -> None:
        self._ranker: Ranker = relevance(neighbors=False)  # kept, so that its index grows with the file
        self._cache: dict[str, _Cached] = {}
        self._skills = SkillCache()
        self._lock = Lock()

    def load(self, question: str = "") -> WorkspaceSnapshot:
        """Read the workspace.

        Args:
            question: the current message. Of a memory file over the size limit, the entries that fit it are kept.
        """
        reading = self._reading(question)
        results: list[Any] | None = None
        with ThreadPoolExecutor(_THREADS, thread_name_prefix="ctx-workspace") as threads:
            while True:
                try:
                    results = list(threads.map(_run, reading.send(results)))
                except StopIteration as end:
                    snapshot: WorkspaceSnapshot = end.value
                    return snapshot

    async def aload(self, question: str = "") -> WorkspaceSnapshot:
        """Read the workspace without blocking the event loop; see `load`."""
        reading = self._reading(question)
        results: list[Any] | None = None
        while True:
            try:
                jobs = reading.send(results)
            except StopIteration as end:
                snapshot: WorkspaceSnapshot = end.value
                return snapshot
            results = list(await asyncio.gather(*(asyncio.to_thread(_run, job) for job in jobs)))

    def _reading(self, question: str) -> _Reading:
        layout = self.layout
        root, problem = _root(self.path)
        if problem:
            warnings: list[str] = []
            warn(warnings, f"the workspace's folder {problem}; the defaults are taken")
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
            lambda warnings: self._skills.scan(root, layout.skills, warnings),
            lambda _: _missing(root, layout),
        )
        (soul, agents, tools, memories, (known, changed), missing), told = _apart(first)
        second = yield tuple(self._skills_job(root, changed[at : at + _BATCH]) for at in range(0, len(changed), _BATCH))
        batches, _ = _apart(second)
        read: dict[str, Read] = {**known, **{one.folder.name: one for batch in batches for one in batch}}
        skills = [read[name] for name in sorted(read)]
        more = [warning for one in skills for warning in one.warnings]
        named, doubles = _by_name([one.skill for one in skills if one.skill is not None])
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
                return self._cached(found, self._read_text, warnings)
        return ""

    def _read_text(self, found: Found, warnings: list[str]) -> str:
        limit = self.layout.max_file
        text = read_start(found, limit, warnings)
        if found.size > limit:
            warn(warnings, f"{found.shown}: {found.size:,} bytes, only the first {limit:,} are taken")
        head = front_matter(text) if text.startswith("---") else None
        return ("\n".join(text.split("\n")[head.body_at :]) if head else text).strip()

    def _skills_job(self, root: Path, folders: Sequence[Folder]) -> _Job:
        def read(_: list[str]) -> list[Read]:
            found = [read_skill(root, folder, self.layout) for folder in folders]
            self._skills.keep([one for one, lasts in found if lasts])
            return [one for one, _ in found]

        return read

    def _cached(self, found: Found, read: Callable[[Found, list[str]], str], warnings: list[str]) -> str:
        now = self._clock()
        with self._lock:
            known = self._cache.get(found.signature.path)
        if known and known.signature == found.signature and now - known.read_at < self.layout.cache_seconds:
            warnings.extend(known.warnings)
            return known.value
        own: list[str] = []
        try:
            value = read(found, own)
        except Exception as error:  # noqa: BLE001 - whatever is in one file, the others are read
            warn(own, f"{found.shown}: cannot be read ({type(error).__name__}); skipped")
            value = ""
        warnings.extend(own)
        with self._lock:
            self._cache[found.signature.path] = _Cached(found.signature, now, value, tuple(own))
        return value


def _root(path: Path) -> tuple[Path, str]:
    """Give the folder, resolved, and why it cannot be read; an empty text if it can."""
    try:
        root = path.resolve()
        return root, "" if root.is_dir() else "doesn't exist"
    except (OSError, RuntimeError, ValueError) as error:  # no permission, a circle of links, too long a name
        return path, f"cannot be looked at ({type(error).__name__})"


def _home(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:  # nobody's home
        return path


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
            pieces, source = pieces_of(found, warnings), PurePath(name).name
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
            warn(warnings, f"{escaped(skill.path)}: another skill has the same name; skipped")
    return tuple(named.values()), warnings
