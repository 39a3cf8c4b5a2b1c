"""Texts that others wrote, between tags: they are shown as what they are, and cannot end where they should not."""

from __future__ import annotations

import re


def fenced(tag: str, text: str) -> str:
    """Give a text between `<tag>` and `</tag>`, each on a line of its own.

    What would open or close such tags in the text itself has its angle bracket replaced by `&lt;`, so that nothing in
    it stands behind the fence. That is no defense against a model that obeys what it reads inside.
    """
    return f"<{tag}>\n{without_fence(tag, text)}\n</{tag}>"


def without_fence(tag: str, text: str) -> str:
    """Give a text in which nothing opens or closes a fence of this tag; a second time it is the same."""
    return re.sub(rf"<(?=\s*/?\s*{re.escape(tag)}\b)", "&lt;", text, flags=re.IGNORECASE)
