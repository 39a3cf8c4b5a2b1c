"""The skills of a workspace: what each is called and what it is for."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISDIR
from typing import TYPE_CHECKING, Final

from ctx_core.clean import escaped, one_line
from ctx_core.locks import Lock
from ctx_core.workspace.files import Found, find, is_path, read_start, warn
from ctx_core.workspace.front_matter import HEAD, front_matter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx_core.workspace.layout import Layout

_DESCRIPTIONS: Final = ("description", "summary")


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill, as it is listed. Its `repr` holds no description."""

    name: str
    """From its front matter, else its folder's."""
    description: str = field(repr=False)
    """What it is for."""
    path: str
    """Its file, relative to the workspace."""


@dataclass(frozen=True, slots=True)
class Folder:
    """What may be a skill's folder."""

    name: str
    """Relative to the workspace."""
    signature: tuple[int, ...]
    """By what it is noticed that a file was added to it, taken away or renamed."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a folder gave."""

    skill: Skill | None
    """None where it has none, or one that cannot be listed."""
    warnings: tuple[str, ...]
    folder: Folder
    file: tuple[Path, tuple[int, ...]] | None
    """Its file, and by what a change of it is noticed; None where there is none."""


class SkillCache:
    """What was read of each skill, as long as neither its folder nor its file has changed; shareable by threads.

    A scan costs two questions to the file system for each skill that is known, and no reading.
    """

    def __init__(self) -> None:
        """Know nothing."""
        self._known: dict[str, Read] = {}
        self._lock = Lock()

    def scan(self, root: Path, folder: str, warnings: list[str]) -> tuple[dict[str, Read], list[Folder]]:
        """Give what is known of the skills, by folder, and the folders that must be read; what is gone is dropped.

        Args:
            root: the workspace, resolved.
            folder: of all skills, relative to it.
            warnings: get what is to be said.
        """
        with self._lock:
            known = self._known
        present = {one.name: one for one in _folders(root, folder, warnings)}
        same = {name: known[name] for name, one in present.items() if name in known and _is_same(known[name], one)}
        with self._lock:
            self._known = dict(same)
        return same, [one for name, one in present.items() if name not in same]

    def keep(self, read: list[Read]) -> None:
        """Remember what was read."""
        with self._lock:
            self._known.update({one.folder.name: one for one in read})


def _folders(root: Path, folder: str, warnings: list[str]) -> Iterator[Folder]:
    """Give the folders in the folder of all skills, by name."""
    base, shown = root / folder, escaped(folder)
    try:
        if not base.resolve().is_relative_to(root):
            warn(warnings, f"{shown}: leads out of the workspace; refused")
            return
        with os.scandir(base) as entries:
            found = sorted((entry for entry in entries if entry.name[:1] != "."), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, RuntimeError) as error:
        warn(warnings, f"{shown}: cannot be listed ({type(error).__name__})")
        return
    for entry in found:
        try:
            status = entry.stat()
        except (OSError, ValueError):  # a link that leads nowhere
            continue
        if not S_ISDIR(status.st_mode):
            continue
        name = f"{folder}/{entry.name}"
        if is_path(entry.name):
            yield Folder(name, _signature(status))
        else:
            warn(warnings, f"{escaped(name)}: the name of the folder is no valid Unicode; refused")


def _is_same(read: Read, folder: Folder) -> bool:
    if read.folder != folder:
        return False
    if read.file is None:
        return True
    path, signature = read.file
    try:
        return _signature(path.stat()) == signature
    except OSError:
        return False


def _signature(status: os.stat_result) -> tuple[int, ...]:
    """Give by what a change is noticed; the time of the last change of any kind is one that nobody can set."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def read_skill(root: Path, folder: Folder, layout: Layout) -> tuple[Read, bool]:
    """Give what a folder gives, and whether that holds until it changes: what cannot be read may be so again."""
    warnings: list[str] = []
    found, lasts = _file_in(root, folder, warnings)
    if found is None:
        return Read(None, tuple(warnings), folder, None), lasts
    try:
        signature, before = _signature(found.path.stat()), len(warnings)
        text = read_start(found, HEAD, warnings)
        if len(warnings) > before:
            return Read(None, tuple(warnings), folder, None), False
        skill = _listed(text, found, folder, layout, warnings)
    except Exception as error:  # noqa: BLE001 - whatever is in one file, the others are read
        warn(warnings, f"{found.shown}: cannot be read ({type(error).__name__}); skipped")
        return Read(None, tuple(warnings), folder, None), False
    return Read(skill, tuple(warnings), folder, (found.path, signature)), True


def _file_in(root: Path, folder: Folder, warnings: list[str]) -> tuple[Found | None, bool]:
    """Give a skill's file, `skill.md` in any case of letters, and whether it stays so until the folder changes."""
    shown, path = escaped(folder.name), root / folder.name
    try:
        if not path.resolve().is_relative_to(root):
            warn(warnings, f"{shown}: leads out of the workspace; refused")
            return None, False
        names = sorted(name for name in os.listdir(path) if name.lower() == "skill.md")  # noqa: PTH208 - ten times as fast
    except (OSError, RuntimeError) as error:
        warn(warnings, f"{shown}: cannot be listed ({type(error).__name__}); skipped")
        return None, False
    if not names:
        return None, True
    return find(root, f"{folder.name}/{names[0]}", warnings), False


def _listed(text: str, found: Found, folder: Folder, layout: Layout, warnings: list[str]) -> Skill | None:
    """Give a skill, or None with one warning that says why it cannot be listed."""
    head = front_matter(text)
    if head is None:
        warn(warnings, f"{found.shown}: no front matter; skipped")
        return None
    values = (one_line(head.fields.get(key, ""), layout.max_description) for key in _DESCRIPTIONS)
    description = next((value for value in values if value), "")
    if not description:
        warn(warnings, f"{found.shown}: its front matter has no description; skipped")
        return None
    name = one_line(head.fields.get("name", ""), layout.max_name)
    last = folder.name.rpartition("/")[2]
    return Skill(name or one_line(last, layout.max_name) or escaped(last, layout.max_name), description, found.name)
