"""Text as a reader sees it: nothing invisible, nothing that steers a terminal, a log or a tokenizer."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Characters that take no room though Unicode doesn't call them format characters: fillers, joiners, and the
# selectors in which a text can be hidden. U+FE0E and U+FE0F stay, as emoji need them.
_BLANK: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0d\U000e0000-\U000e0fff]"
)
_WORD: Final = re.compile(r"[A-Za-z0-9_.:/-]{0,40}")
_BITS: Final = 64
_SPACES: Final = re.compile(r"\s+")
_GONE: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))
ELLIPSIS: Final = "…"


def one_line(text: str, limit: int) -> str:
    """Give the text on one line, without control and zero-width characters, of at most `limit` characters."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(_visible(character) for character in _BLANK.sub("", text))
    text = _SPACES.sub(" ", text).strip()
    return text if len(text) <= limit else text[: max(0, limit - 1)].rstrip() + ELLIPSIS


def escaped(text: str, limit: int = 200) -> str:
    r"""Give a name for a log, an error or a terminal, of at most `limit` characters: what cannot be seen is an escape.

    A line break is `\n`, the beginning of a terminal's command `\x1b`, half of a surrogate pair `\ud800`.
    """
    shown = text[:limit] if len(text) <= limit else text[: max(0, limit - 1)] + ELLIPSIS
    if shown.isascii() and shown.isprintable():
        return shown
    return "".join(one if _is_visible(one) else one.encode("unicode_escape").decode("ascii") for one in shown)


def told(value: object) -> str:
    """Give what was found in the place of an option, for an error: a number or a word as it is, else what it is.

    Arguments that are swapped put messages there, and no error quotes these.
    """
    if value is None or isinstance(value, bool | float):
        return repr(value)
    if isinstance(value, int):
        return repr(value) if value.bit_length() <= _BITS else f"a number of {value.bit_length():,} bits"
    if isinstance(value, str):
        return repr(value) if _WORD.fullmatch(value) else f"a text of {len(value):,} characters"
    return type(value).__name__


def is_clean(text: str) -> bool:
    """Say whether the text has neither control nor invisible characters."""
    return not _BLANK.search(text) and not any(unicodedata.category(character) in _GONE for character in text)


def _is_visible(character: str) -> bool:
    return character.isprintable() and not _BLANK.match(character)


def _visible(character: str) -> str:
    if character.isspace():
        return " "
    return "" if unicodedata.category(character) in _GONE else character
