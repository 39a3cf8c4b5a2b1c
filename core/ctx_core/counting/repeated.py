"""What a text says again and again: prices that hold on average do not hold for it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LEAST: Final = 8
"""Times from which on something is said again and again."""
_SHARE: Final = 6
"""A letter is, if it is more than one in so many of what is not blank. In texts the most frequent are one in seven."""
_SIGNS: Final = r"[!-/:-@\[-`{-~]"
_WORD: Final = re.compile(rf"[^\W\d_]+|{_SIGNS}+")
"""A word, or signs side by side."""
_BESIDE: Final = 1
"""Characters that may stand beside each time of a word that is all that a text says, blanks apart: JSON has more."""
_JOINED: Final = (
    (re.compile(r"[a-zß-öø-ɏ\u0370-\u06ff\u10a0-\u10ff\u1e00-\u1fff]{24,}|[A-ZÀ-ÖØ-Þ]{24,}"), 0.9),
    (re.compile(rf"{_SIGNS}{{9,}}"), 0.4),
)
"""Letters, of scripts that have blanks between words, and signs without a blank: no word is so long. What each costs on
top."""
_DRAWN: Final = re.compile(r"(.)\1{3,}", re.DOTALL)
"""A run of one character, which has a price of its own."""


def repeated_letters(times: Mapping[str, int], price: Callable[[str], float]) -> float:
    """Give what letters that make up much of a text cost beside their prices: each may be as many tokens as bytes."""
    seen = sum(count for letter, count in times.items() if not letter.isspace())
    return sum(
        count * max(0.0, len(letter.encode("utf-8", "replace")) - price(letter))
        for letter, count in times.items()
        if count >= _LEAST and count * _SHARE > seen and not letter.isascii() and not letter.isspace()
    )


def repeated_words(text: str) -> float:
    """Give what a text that is one word again and again, or has no words, costs beside its letters."""
    tokens = sum(price * sum(len(_DRAWN.sub("", found)) for found in joined.findall(text)) for joined, price in _JOINED)
    words = Counter(_WORD.findall(text))
    if not words:
        return tokens
    word, times = words.most_common(1)[0]
    said = times * len(word)
    beside = sum(map(len, text.split())) - said
    return tokens + (said if times >= _LEAST and beside <= _BESIDE * times else 0)
