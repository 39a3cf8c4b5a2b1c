"""A rule of thumb that is not far too low for what it was not made for: other scripts, minified JSON, code, digests."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from ctx_core.counting.tokenizers import Tokenizer, tokenizer_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of script or text."""

    name: str
    """As a name of a group in a regular expression."""
    pattern: str
    """A stretch of it."""
    characters: float
    """Characters that a token is taken for."""
    least: float = 0.0
    """Tokens that a stretch of it is at least."""


KINDS: Final = (
    Kind("digest", r"(?=[0-9]{0,9}[A-Za-z]{1,40}[0-9]{1,20}[A-Za-z])[A-Za-z0-9]{16,}", 1.4),
    Kind("hexadecimal", r"0[xX][0-9A-Fa-f]{2,}", 1.6),
    Kind("digits", r"[0-9]+", 2.0),
    Kind("word", r"(?<!\S)[A-Z]?[a-z]{1,10}", 5.5, 0.66),
    Kind("rest_of_word", r"(?<=[a-z]{10})[a-z]+", 5.0),
    Kind("capitals", r"[A-Z]{2,}", 2.2),
    Kind("short_name", r"(?<=[^\sA-Za-z])[A-Za-z]{1,2}(?![A-Za-z])", 1.4),
    Kind("part_of_name", r"[A-Z]?[a-z]{1,10}|[A-Z]", 3.8),
    Kind("fence", r"`{3,}", 3.0),
    Kind("drawn_line", r"([!-/:-@\[-`{-~])\1{3,}", 6.0),
    Kind("sign", r"[!-/:-@\[-`{-~]", 1.45),
    Kind("latin_mark", r"[\u00c0-\u024f\u1e00-\u1eff]", 1.0),
    Kind("greek", r"[\u0370-\u03ff]", 2.0),
    Kind("cyrillic", r"[\u0400-\u052f]", 2.4),
    Kind("armenian_georgian_thai", r"[\u0530-\u058f\u10a0-\u10ff\u0e00-\u0e7f]", 1.7),
    Kind("hebrew_arabic", r"[\u0590-\u06ff]", 1.9),
    Kind("oriya", r"[\u0b00-\u0b7f]", 0.9),
    Kind("gurmukhi_sinhala", r"[\u0a00-\u0a7f\u0d80-\u0dff]", 1.4),
    Kind("indic", r"[\u0900-\u0dff]", 1.9),
    Kind("burmese_khmer", r"[\u1000-\u109f\u1780-\u17ff]", 1.4),
    Kind("lao_tibetan", r"[\u0e80-\u0fff]", 0.7),
    Kind("ethiopic", r"[\u1200-\u139f]", 0.6),
    Kind("kana", r"[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d]", 1.2),
    Kind("han", r"[\u3400-\u9fff\uf900-\ufaff]", 1.0),
    Kind("hangul", r"[\uac00-\ud7a3]", 1.0),
    Kind("typographic", r"[\u2010-\u203a\u3000-\u3020\uff00-\uff65]", 0.8),
    Kind("rare", r"[\U00010000-\U0001f2ff\U00020000-\U0010ffff]", 0.25),
    Kind("other", r"[^\x00-\x7f]", 0.45),
)
"""Characters a token of o200k_base, by kind; of two that fit, the first. Measured over the messages of free software in
114 languages, chats in English, Chinese, Japanese and Korean, runs of agents, JSON, and code in 30 languages; each
number is rounded down to what keeps most texts of its kind from coming out too low."""
_MARKED_WORDS: Final = 3.0
"""Characters a token of plain letters in a line that has accented ones: other languages than English have shorter
tokens."""
_FOREIGN_WORDS: Final = 2.4
"""Characters a token in a line of plain letters that is prose and not English: the languages that are written without
accents are rarer ones. Measured like `KINDS`: Welsh, Basque and Xhosa have 2.4, Indonesian and Dutch have 3."""
_ENGLISH: Final = frozenset({
    "an", "and", "are", "as", "at", "be", "but", "by", "can", "for", "from", "has", "have", "if", "in", "is", "it",
    "not", "of", "on", "or", "than", "that", "the", "their", "then", "there", "they", "this", "to", "was", "were",
    "what", "when", "which", "will", "with", "you", "your",
})  # fmt: skip
"""Words without which hardly a line of English prose is."""
_LEAST_WORDS: Final = 6
"""Words of a line that is long enough to tell."""
_SHARE_OF_ENGLISH: Final = 10
"""In English prose at least one word in so many is of these."""
_WORD: Final = re.compile(r"(?<!\S)[A-Z]?[a-z]+(?=[.,:;!?)]*(?:\s|$))")
_LINE: Final = re.compile(r"[^\r\n]+")
_BREAK: Final = r"[ \t]*[\r\n][ \t\r\n]*| {2,}|\t+"
_GROUPS: Final = [*(f"(?P<{kind.name}>{kind.pattern})" for kind in KINDS), f"(?P<blank>{_BREAK})"]
_PATTERN: Final = re.compile("|".join(_GROUPS))
_CHARACTERS: Final = {kind.name: kind.characters for kind in KINDS}
_LEAST: Final = {kind.name: kind.least for kind in KINDS} | {"blank": 1.0}
_PLAIN: Final = ("word", "rest_of_word", "part_of_name")
_IN_MARKED: Final = _CHARACTERS | dict.fromkeys(_PLAIN, _MARKED_WORDS)
_IN_FOREIGN: Final = _CHARACTERS | dict.fromkeys(_PLAIN, _FOREIGN_WORDS)
_MARK: Final = re.compile(r"[\u00c0-\u024f\u1e00-\u1eff]")


@dataclass(frozen=True, slots=True)
class Guarded:
    """The larger of an estimate and of what the text's characters come to by kind, a table of which is `KINDS`.

    In English prose that is the estimate itself. Languages that are written in plain Latin letters and are not English
    (Welsh, Basque, Xhosa) are told by the English words that they lack, in lines of some length; a few words of them
    may still come out too low.
    """

    estimator: Tokenizer
    """The rule of thumb that is guarded: `Words()`, `FourCharacters()`, or one of your own."""
    estimates: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """Under which reports name it."""
        return f"{tokenizer_name(self.estimator)}, guarded"

    def count(self, text: str) -> int:
        """Estimate the tokens of a text."""
        # Rounded first: what binary fractions make of 10 / 5.5 must not become one token more.
        return max(self.estimator.count(text), math.ceil(round(by_kind(text), 6)))


def by_kind(text: str) -> float:
    """Give the tokens of a text by the table; a run of blanks or line ends is one."""
    tokens, end = 0.0, 0
    for start, stop, characters in _other_lines(text):
        tokens += _between(text, end, start, _CHARACTERS) + _between(text, start, stop, characters)
        end = stop
    return tokens + _between(text, end, len(text), _CHARACTERS)


def _other_lines(text: str) -> Iterator[tuple[int, int, Mapping[str, float]]]:
    """Give where the lines begin and end that have accented letters, or are prose and not English, and their table."""
    for line in _LINE.finditer(text):
        start, stop = line.span()
        if _MARK.search(text, start, stop):
            yield start, stop, _IN_MARKED
        elif _is_foreign(line[0]):
            yield start, stop, _IN_FOREIGN


def _is_foreign(line: str) -> bool:
    """Whether a line is made of words, of which next to none are English; the same word over and over is no prose."""
    words = [word.lower() for word in _WORD.findall(line)]
    told = set(words)
    if len(told) < _LEAST_WORDS or 5 * len(words) < 4 * len(line.split()):
        return False
    return sum(word in _ENGLISH for word in words) * _SHARE_OF_ENGLISH < len(words)


def _between(text: str, start: int, end: int, characters: Mapping[str, float]) -> float:
    tokens = 0.0
    for found in _PATTERN.finditer(text, start, end):
        kind = found.lastgroup or "blank"
        by_length = 0.0 if kind == "blank" else (found.end() - found.start()) / characters[kind]
        tokens += max(_LEAST[kind], by_length)
    return tokens
