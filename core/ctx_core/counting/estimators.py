"""Token estimates by rules of thumb."""

from __future__ import annotations

from typing import Final

_FENCE: Final = "```"


class FourCharacters:
    """Four characters a token, rounded up; an empty text is 0 tokens.

    The rule of thumb that OpenAI states for English; too low for most other scripts.
    """

    name = "4 characters"
    estimates = True

    def count(self, text: str) -> int:
        """Estimate the tokens of a text."""
        return -(-len(text) // 4)


class Conservative:
    """3.5 characters a token, rounded up; an empty text is 0 tokens."""

    name = "3.5 characters"
    estimates = True

    def count(self, text: str) -> int:
        """Estimate the tokens of a text."""
        return -(-len(text) * 2 // 7)


class Words:
    """1.3 tokens a word in prose, 1.5 in fenced code, 2 for each pair of fences; at least 1."""

    name = "words"
    estimates = True

    def count(self, text: str) -> int:
        """Estimate the tokens of a text."""
        tenths = 0
        sections = text.split(_FENCE)
        for at, section in enumerate(sections):
            tenths += len(section.split()) * (15 if at % 2 else 13)
        tenths += 20 * (len(sections) // 2)
        return max(1, -(-tenths // 10))
