"""Texts that others wrote, between tags: they are shown as what they are, and cannot end where they should not."""

from __future__ import annotations

import re
from functools import cache

from ctx_core.conversation.lookalikes import BRACKETS, SLASHES, UNSEEN, letters_like


def fenced(tag: str, text: str) -> str:
    """Give a text between `<tag>` and `</tag>`, each on a line of its own.

    What would open or close such tags in the text itself has its angle bracket replaced by `&lt;`, so that nothing in
    it stands behind the fence. That is no defense against a model that obeys what it reads inside.
    """
    return f"<{tag}>\n{without_fence(tag, text)}\n</{tag}>"


def without_fence(tag: str, text: str) -> str:
    """Give a text in which nothing opens or closes a fence of this tag; a second time it is the same.

    Characters that nobody sees are looked through, and what looks like the tag's letters, slash or brackets is taken
    for them. What is written with entities (`&lt;/data&gt;`) is what a tag becomes here, and stays.
    """
    return _opening(tag).sub("&lt;", text)


@cache
def _opening(tag: str) -> re.Pattern[str]:
    name = f"[{UNSEEN}]*".join(map(letters_like, tag))
    gap = rf"[\s{UNSEEN}]*"
    # Each gap stands behind a bracket, a slash or a letter, or a run of blanks would be divided between two of them in
    # every way. What looks like a bracket opens nothing without a slash: words stand in quotation marks.
    slash = f"[{SLASHES}]{gap}"
    opened, alike = f"{gap}(?:{slash})*{name}(?!\\w)", f"{gap}(?:{slash})+{name}(?!\\w)"
    return re.compile(f"<(?={opened})|[{BRACKETS}](?={alike})", re.IGNORECASE)
