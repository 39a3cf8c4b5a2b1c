"""Token estimates by rules of thumb, each exact by its own formula; `Guarded` has them for texts of other kinds too."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Final

_FENCE: Final = "```"
_SIGN: Final = re.compile(r"[!-/:-@\[-`{-~]")
_STRUCTURE: Final = re.compile(r'[{}\[\]":]')


@dataclass(frozen=True, slots=True)
class FourCharacters:
    """Four characters a token, rounded up; an empty text is 0 tokens.

    The rule of thumb that OpenAI states for English; too low for most other scripts.
    """

    name: ClassVar[str] = "4 characters"
    estimates: ClassVar[bool] = True

    def count(self, text: str) -> int:
        """Estimate the tokens of a text."""
        return -(-len(text) // 4)


@dataclass(frozen=True, slots=True)
class Conservative:
    """3.5 characters a token, rounded up; an empty text is 0 tokens."""

    name: ClassVar[str] = "3.5 characters"
    estimates: ClassVar[bool] = True

    def count(self, text: str) -> int:
        """Estimate the tokens of a text."""
        return -(-len(text) * 2 // 7)


@dataclass(frozen=True, slots=True)
class Words:
    """1.3 tokens a word in prose, 1.5 in fenced code, 2 for each pair of fences; at least 1.

    Punctuation-heavy text has 1.4 a word, JSON and other structured data 1.6. A word is what stands between blanks. A
    fence that nothing closes adds no 2; what stands behind it is code.
    """

    name: ClassVar[str] = "words"
    estimates: ClassVar[bool] = True

    def count(self, text: str) -> int:
        """Estimate the tokens of a text."""
        tenths = 0
        sections = text.split(_FENCE)
        for at, section in enumerate(sections):
            words = len(section.split())
            tenths += words * 15 if at % 2 else _outside(section, words)
        tenths += 20 * ((len(sections) - 1) // 2)
        return max(1, -(-tenths // 10))


def _outside(text: str, words: int) -> int:
    """Give tenths of tokens of what is not fenced code.

    From half a sign of punctuation a word on it is dearer, up to one a word, which is heavy; so it is with the signs
    that structure data. More text is never cheaper then, as it would be if a text were of one kind or another.
    """
    heavy = min(words, max(0, 2 * len(_SIGN.findall(text)) - words))
    structured = min(words, max(0, 2 * len(_STRUCTURE.findall(text)) - words))
    return 13 * words + heavy + 2 * structured
