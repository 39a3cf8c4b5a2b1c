"""How many tools a TOOLS.md lists, where nothing else says how many there are."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

_FENCED: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_HEADING: Final = re.compile(r"^ {0,3}(#{1,6})[ \t]+(\S.*)$", re.MULTILINE)
_BULLET: Final = re.compile(r"^(?:[-*+]|\d+[.)])[ \t]+\S", re.MULTILINE)
_ROW: Final = re.compile(r"^\|(?![ \t:|-]+$).*\|[ \t]*$", re.MULTILINE)
_RULE: Final = re.compile(r"^\|[ \t:|-]+$", re.MULTILINE)
_CALL: Final = re.compile(r"^`{0,2}[A-Za-z_][\w.-]*`{0,2}[ \t]*(?:\(|:|[-–—] )", re.MULTILINE)
_ABOUT: Final = re.compile(
    r"(?:parameter|argument|option|usage|use|example|note|return|input|output|description|when|how|syntax|limit"
    r"|introduction|overview|general|available|tools?\b)",
    re.IGNORECASE,
)
"""How headings begin that name no tool."""
_GROUP: Final = re.compile(r"\b(?:tools|functions|commands|utilities)[`*: ]*$", re.IGNORECASE)
"""How headings end that stand over several tools."""


def listed_tools(guide: str) -> int:
    """Give how many tools a guide lists: by its headings, else by its lists, its table, or lines such as `name(…): …`.

    Args:
        guide: Markdown.
    """
    text = _FENCED.sub("", guide)
    levels = Counter(len(found[1]) for found in _HEADING.finditer(text) if _names_a_tool(found[2].strip("`* ")))
    headings = [(len(found[1]), found[2]) for found in _HEADING.finditer(text)]
    named = levels
    if headings and headings[0][0] == 1 and levels[1] == 1 and len(levels) > 1 and not _ABOUT.match(headings[0][1]):
        # One title above sections.
        named = Counter({level: count for level, count in levels.items() if level > 1})
    if named and (len(headings) > 1 or named[min(named)] > 1):
        return named[min(named)]
    for pattern in (_BULLET, _CALL):
        if found := len(pattern.findall(text)):
            return found
    rows = len(_ROW.findall(text)) - len(_RULE.findall(text))
    return max(0, rows)


def _names_a_tool(heading: str) -> bool:
    return _ABOUT.match(heading) is None and _GROUP.search(heading) is None
