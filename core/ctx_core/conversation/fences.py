"""Texts that others wrote, between tags: they are shown as what they are, and cannot end where they should not."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_UNSEEN: Final = (
    "\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f"
    "\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb\\U000e0000-\\U000e0fff"
)
"""Characters of no width, as a part of a class of a pattern: controls, joiners, fillers, marks of direction."""


def fenced(tag: str, text: str) -> str:
    """Give a text between `<tag>` and `</tag>`, each on a line of its own.

    What would open or close such tags in the text itself has its angle bracket replaced by `&lt;`, so that nothing in
    it stands behind the fence. That is no defense against a model that obeys what it reads inside.
    """
    return f"<{tag}>\n{without_fence(tag, text)}\n</{tag}>"


def without_fence(tag: str, text: str) -> str:
    """Give a text in which nothing opens or closes a fence of this tag; a second time it is the same.

    Characters that nobody sees are looked through: a tag with one in it looks like any other.
    """
    return _opening(tag).sub("&lt;", text)


@cache
def _opening(tag: str) -> re.Pattern[str]:
    name = f"[{_UNSEEN}]*".join(map(re.escape, tag))
    gap = rf"[\s{_UNSEEN}]*"
    # The second gap stands behind a slash only, or a run of blanks would be divided between the two in every way.
    return re.compile(rf"<(?={gap}(?:/{gap})?{name}\b)", re.IGNORECASE)
