"""The skills of a workspace: what each is called and what it is for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ctx_core.workspace.clean import one_line
from ctx_core.workspace.files import Found, find, read_start, warn
from ctx_core.workspace.front_matter import front_matter

if TYPE_CHECKING:
    from pathlib import Path

    from ctx_core.workspace.layout import Layout

_HEAD: Final = 64 * 1024  # bytes in which the front matter must end
_DESCRIPTIONS: Final = ("description", "summary")


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill, as it is listed."""

    name: str
    """From its front matter, else its folder's."""
    description: str
    """What it is for."""
    path: str
    """Its file, relative to the workspace."""


def skill_files(root: Path, folder: str, warnings: list[str]) -> list[Found]:
    """Give the file of each skill, by the names of their folders; `skill.md` in any case of letters will do."""
    base = root / folder
    try:
        if not base.resolve().is_relative_to(root):
            warn(warnings, f"{folder}: leads out of the workspace; refused")
            return []
        names = sorted(entry.name for entry in base.iterdir() if entry.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, RuntimeError) as error:
        warn(warnings, f"{folder}: cannot be listed ({type(error).__name__})")
        return []
    found = (_skill_file(root, f"{folder}/{name}", warnings) for name in names if not name.startswith("."))
    return [file for file in found if file is not None]


def _skill_file(root: Path, folder: str, warnings: list[str]) -> Found | None:
    shown = one_line(folder, 200)
    path = root / folder
    try:
        if not path.resolve().is_relative_to(root):
            warn(warnings, f"{shown}: leads out of the workspace; refused")
            return None
        names = sorted(entry.name for entry in path.iterdir() if entry.name.lower() == "skill.md")
    except (OSError, RuntimeError) as error:
        warn(warnings, f"{shown}: cannot be listed ({type(error).__name__}); skipped")
        return None
    if not names:
        return None
    return find(root, f"{folder}/{names[0]}", warnings)


def read_skill(found: Found, layout: Layout, warnings: list[str]) -> Skill | None:
    """Give a skill, or None with one warning that says why it cannot be listed."""
    shown = one_line(found.shown, 200)
    before = len(warnings)
    text = read_start(found, _HEAD, warnings)
    if len(warnings) > before:
        return None
    head = front_matter(text)
    if head is None:
        warn(warnings, f"{shown}: no front matter; skipped")
        return None
    values = (one_line(head.fields.get(key, ""), layout.max_description) for key in _DESCRIPTIONS)
    description = next((value for value in values if value), "")
    if not description:
        warn(warnings, f"{shown}: its front matter has no description; skipped")
        return None
    name = one_line(head.fields.get("name", ""), layout.max_name)
    return Skill(name or one_line(found.path.parent.name, layout.max_name), description, found.shown)
