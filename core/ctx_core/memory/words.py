"""The terms of a text, whatever its language: what is indexed and what is looked up.

Words are taken as they stand between spaces and punctuation. Scripts that put no spaces between words
(Han, kana, Thai, Lao, Khmer, Burmese), and Korean with its attached particles, become overlapping pairs of
characters, which need no dictionary.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final, TypeAlias

from ctx_core.memory.english import STOP_WORDS, english_stem

Analyzer: TypeAlias = Callable[[str], list[str]]
"""Gives the terms of a text, a repeated one as often as it stands there."""

# Vowel signs belong to the letter before them, though Python's \w leaves most of them out.
_MARKS: Final = (
    "\u0900-\u0903\u093a-\u094f\u0980-\u0983\u09bc-\u09cd\u0a00-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u102b-\u103e"
)
_MARKS_KHMER: Final = "\u17b4-\u17d3"
_WORD: Final = re.compile(rf"[\w{_MARKS}{_MARKS_KHMER}]+")
_HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u3005\u3007"
_UNSPACED: Final = re.compile(
    f"[{_HAN}]+"  # Han
    "|[\u3041-\u309f\u30a0-\u30ff]+"  # kana
    "|[\uac00-\ud7af]+"  # Hangul
    "|[\u0e00-\u0e7f]+|[\u0e80-\u0eff]+|[\u1000-\u109f]+|[\u1780-\u17ff]+"  # Thai, Lao, Burmese, Khmer
)
_IS_HAN: Final = re.compile(f"[{_HAN}]")
_ACCENTS: Final = re.compile("[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0670\u200b-\u200f\u00ad\ufeff]")


def folded(text: str) -> str:
    """Give the text in lower case, without accents and in one spelling of each character."""
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", bare).casefold()


def plain_words(text: str) -> list[str]:
    """Give the words as they are written, in lower case: no stems, and no word left out."""
    return [term for word in _WORD.findall(folded(text)) for term in _pieces(word)]


def words(
    text: str, *, stem: Callable[[str], str] = english_stem, stop_words: frozenset[str] = STOP_WORDS
) -> list[str]:
    """Give the terms of a text: stems, without the words that say nothing.

    Words of other languages pass the English stemmer mostly unharmed: a text and a question lose the same
    endings. For a good stem of another language see `ctx_core.memory.snowball`.

    Args:
        text: any text.
        stem: gives the stem of a lower-case word.
        stop_words: lower-case words to leave out.
    """
    return [stem(word) for word in plain_words(text) if word not in stop_words]


def _pieces(word: str) -> list[str]:
    if word.isascii():
        return [word]
    pieces: list[str] = []
    end = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > end:
            pieces.append(word[end : run.start()])
        pieces.extend(_pairs(run[0]))
        end = run.end()
    if end < len(word):
        pieces.append(word[end:])
    return pieces


def _pairs(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    # A single Han character is often a word of its own, and must be found inside a longer run.
    return [*pairs, *run] if _IS_HAN.match(run) else pairs
