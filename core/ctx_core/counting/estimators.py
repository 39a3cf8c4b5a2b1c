"""Token estimates that need no vocabulary."""

from __future__ import annotations

import math
from typing import Final

_FENCE: Final = "```"
_LETTERS_AND_BLANKS: Final = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ \t"
_NOT_ASCII: Final = bytes(range(128, 256))


class FourCharacters:
    """Four characters a token, rounded up; an empty text is 0 tokens.

    The rule of thumb that OpenAI states for English; too low for most other scripts.
    """

    name = "4 characters"

    def count(self, text: str) -> int:
        """Estimate the tokens of a text."""
        return -(-len(text) // 4)


class Conservative:
    """3.5 characters a token, rounded up; an empty text is 0 tokens."""

    name = "3.5 characters"

    def count(self, text: str) -> int:
        """Estimate the tokens of a text."""
        return -(-len(text) * 2 // 7)


class Words:
    """1.3 tokens a word in prose, 1.5 in fenced code, 2 for each pair of fences; at least 1."""

    name = "words"

    def count(self, text: str) -> int:
        """Estimate the tokens of a text."""
        tenths = 0
        sections = text.split(_FENCE)
        for at, section in enumerate(sections):
            tenths += len(section.split()) * (15 if at % 2 else 13)
        tenths += 20 * (len(sections) // 2)
        return max(1, -(-tenths // 10))


class SafeEstimate:
    """The estimate that is used where no vocabulary is at hand; meant not to be too low in any script.

    3.5 ASCII letters or blanks a token, a token for every other ASCII character (digits, punctuation and
    line breaks, which identifiers and code are full of), and a token for every 2.5 UTF-8 bytes of the rest
    (an emoji is 4 bytes and costs 1.5 tokens in o200k_base, a Chinese character is 3 bytes and costs about 1).
    """

    name = "safe estimate"

    def count(self, text: str) -> int:
        """Estimate the tokens of a text."""
        data = text.encode("utf-8", "surrogatepass")
        others = data.translate(None, _LETTERS_AND_BLANKS)
        dense = len(others.translate(None, _NOT_ASCII))
        letters = len(data) - len(others)
        return math.ceil(letters / 3.5 + dense + (len(others) - dense) / 2.5)
