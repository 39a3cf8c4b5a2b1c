"""What a text says again and again: prices that hold on average do not hold for it.

Each is found where it stands, in a line or in a row of the same: what comes behind it makes it no cheaper.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_LEAST: Final = 8
"""Times from which on something is said again and again."""
_SHARE: Final = 6
"""A letter is, if it is more than one in so many of what is not blank. In texts the most frequent are one in seven."""
_SIGNS: Final = r"[!-/:-@\[-`{-~]"
_LETTERS: Final = r"[^\W\d_]"
_COSTLY: Final = (
    (re.compile(r"[a-zß-öø-ɏ\u0370-\u06ff\u10a0-\u10ff\u1e00-\u1fff]{24,}|[A-ZÀ-ÖØ-Þ]{24,}"), 0.9),
    (re.compile(rf"(?<!{_LETTERS})({_LETTERS}{{1,12}}?)(?:[\s_]*\1){{{_LEAST - 1},}}"), 0.9),
    (re.compile(rf"{_SIGNS}{{9,}}"), 0.4),
    (re.compile(rf"(?<!{_SIGNS})({_SIGNS}{{1,12}}?)(?:\s*\1){{{_LEAST - 1},}}"), 0.4),
)
"""Letters, of scripts that have blanks between words, and signs without a blank: no word is so long. One word or the
same signs side by side, with blanks or without. What each character costs on top."""
_DRAWN: Final = re.compile(r"(.)\1{3,}|\s+", re.DOTALL)
"""A run of one character, which has a price of its own, and blanks."""


def repeated_letters(text: str, price: Callable[[str], float]) -> float:
    """Give what letters that make up much of a line cost beside their prices: each may be as many tokens as bytes."""
    tokens = 0.0
    for line in text.split("\n"):
        if line.isascii():
            continue
        times = Counter(line)
        seen = sum(count for letter, count in times.items() if not letter.isspace())
        tokens += sum(
            count * max(0.0, len(letter.encode("utf-8", "replace")) - price(letter))
            for letter, count in times.items()
            if count >= _LEAST and count * _SHARE > seen and not letter.isascii() and not letter.isspace()
        )
    return tokens


def repeated_words(text: str) -> float:
    """Give what words cost beside their letters that stand side by side again and again, or are no words."""
    return sum(
        price * sum(len(_DRAWN.sub("", found.group())) for found in costly.finditer(text)) for costly, price in _COSTLY
    )
