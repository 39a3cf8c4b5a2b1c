"""Entries of a memory file in Markdown, read line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from ctx_core.memory.item import MemoryItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HEADING: Final = re.compile(r"(#{1,6})\s+(.*)")
_BULLET: Final = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_RULE: Final = re.compile(r"\s*(?:-\s*){3,}$|\s*(?:\*\s*){3,}$|\s*(?:_\s*){3,}$")
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_DATE: Final = re.compile(
    r"[\[(*_]*(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::\d{2})?(?:Z|\b))?[\])*_]*\s*[:—–-]*\s*"
)
_UNFILLED: Final = re.compile(r"\([^()]*\)|\*[^*]*\*|_[^_]*_")  # a template's hint of what to write there
_SPECIAL: Final = frozenset("-*+•#_<`~0123456789")  # what a line that is not just text begins with
_LONGEST: Final = 4_000  # characters of an entry; what is longer becomes several
_LONGEST_HEADING: Final = 200  # characters of a heading that are a tag: each entry below it is searched by it too
_INDENTED: Final = 2


@dataclass(slots=True)
class _Reader:
    source: str
    headings: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    lines: list[str] = field(default_factory=list[str])
    size: int = 0
    fenced: bool = False
    hidden: bool = False

    def read(self, line: str) -> Iterator[MemoryItem]:
        """Take a line, and give the entry that it ends, if any."""
        first = line.lstrip()[:1]
        if first and first not in _SPECIAL and not (self.hidden or self.fenced):
            yield from self._take(line)
        elif self.hidden or line.lstrip().startswith("<!--"):
            self.hidden = "-->" not in line
        elif _FENCE.match(line):
            self.fenced = not self.fenced
        elif self.fenced:
            yield from self._take(line)
        elif not line.strip() or _RULE.match(line):
            yield from self.finish()
        elif heading := _HEADING.match(line):
            yield from self.finish()
            level = len(heading[1])
            title = heading[2].rstrip("# \t")[:_LONGEST_HEADING]
            self.headings = [known for known in self.headings if known[0] < level] + [(level, title)]
        elif bullet := _BULLET.match(line):
            if len(bullet[1]) < _INDENTED or not self.lines:
                yield from self.finish()
            yield from self._take(line[bullet.end() :])
        else:
            yield from self._take(line)

    def _take(self, line: str) -> Iterator[MemoryItem]:
        if self.size + len(line) > _LONGEST:
            yield from self.finish()
        self.lines.append(line.strip())
        self.size += len(line)

    def finish(self) -> Iterator[MemoryItem]:
        """Give the entry that was begun, if any."""
        text = " ".join(self.lines).strip()
        self.lines, self.size = [], 0
        if not text or _UNFILLED.fullmatch(text):
            return
        time, text = _dated(text)
        headings = tuple(title for level, title in self.headings if level > 1)
        if time is None and headings:
            time, _ = _dated(headings[-1])
        if text:
            yield MemoryItem(text, time=time, tags=headings, source=self.source)


def entries(lines: Iterable[str], *, source: str = "MEMORY.md") -> Iterator[MemoryItem]:
    """Give the entries of a memory file, in its order, holding no more of it than the entry at hand.

    An entry is a point of a list with what is indented below it, or a paragraph. Headings (but the title) become its
    tags. A date before an entry, or as its heading, becomes its time. Rules, comments and unfilled hints of a template
    are no entries.

    Args:
        lines: of the file.
        source: what the entries say they come from.
    """
    reader = _Reader(source)
    for line in lines:
        if len(line) <= _LONGEST:
            yield from reader.read(line.rstrip())
            continue
        for start in range(0, len(line), _LONGEST):
            yield from reader.read(line[start : start + _LONGEST].rstrip())
    yield from reader.finish()


def _dated(text: str) -> tuple[datetime | None, str]:
    """Give the date that a text begins with, and the rest of it."""
    found = _DATE.match(text)
    if not found:
        return None, text
    year, month, day, hour, minute = (int(part or 0) for part in found.groups())
    try:
        return datetime(year, month, day, hour, minute, tzinfo=UTC), text[found.end() :]
    except ValueError:
        return None, text
