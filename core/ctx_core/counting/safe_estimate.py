"""The estimate that is used where no vocabulary is at hand."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from functools import lru_cache
from typing import Final
from unicodedata import category

from ctx_core.counting.letter_prices import LETTERS, ROWS
from ctx_core.counting.repeated import repeated_letters, repeated_words
from ctx_core.counting.whole_letters import HAN, SYLLABLES

_WORD: Final = re.compile(r"[A-ZÀ-ÖØ-Þ]*[a-zß-öø-ÿĀ-ɏ\u1e00-\u1eff]+|[A-ZÀ-ÖØ-Þ]+")
_LENGTHS: Final = ((8, 0.78), (4, 0.64), (2, 0.74), (1, 0.84))
"""Letters of a Latin word from which on it costs so much beside its letters."""
_STRETCH: Final = re.compile(
    "[\u0250-\u02ff\u0370-\u1dff\u1f00-\u1fff\u2070-\u2fff\u3040-\ufdff\ufe10-\ufefe\uff10-\uffdc"
    "\U00010000-\U0010ffff]+"
)
_LONGEST_ALONE: Final = 24
"""Letters of a text that is one word; longer ones are no words, and priced as such."""
_PER_STRETCH: Final = 1.4
"""Tokens of each stretch of other letters, beside the letters."""
_CLUSTERS: Final = (
    (re.compile(r"(?<=[bcdfghj-np-tv-xzBCDFGHJ-NP-TV-XZ]{2})[bcdfghj-np-tv-xzBCDFGHJ-NP-TV-XZ]+"), 0.57),
    (re.compile(r"(?<=[aeiouyAEIOUY]{2})[aeiouyAEIOUY]+"), 1.6),
    (re.compile(r"(?<=[À-ÖØ-öø-ɏ\u1e00-\u1eff])[À-ÖØ-öø-ɏ\u1e00-\u1eff]+"), 1.6),
    (re.compile(r"(?<=[бвгджзйклмнпрстфхцчшщ]{2})[бвгджзйклмнпрстфхцчшщ]+", re.IGNORECASE), 2.0),
    (re.compile(r"(?<=[βγδζθκλμνξπρστφχψς]{2})[βγδζθκλμνξπρστφχψς]+", re.IGNORECASE), 2.0),
    (re.compile("(?<=[\u0900-\u0fff\u1780-\u17ff]{24})[\u0900-\u0fff\u1780-\u17ff]+"), 0.15),
)
"""Consonants and vowels behind two others, letters with accents behind another, letters of India's scripts and their
relatives without a blank: what each costs on top. Texts have few, words of random letters many."""
_SAME: Final = re.compile("([\u0250-\u02ff\u0300-\u1fff\u2c00-\u2fff\u3040-\uffff])\\1{3,}")
_PER_SAME: Final = 2.4
"""Tokens on top of each letter in a run of one: what is frequent beside others is not frequent beside itself."""
_PRICES: Final = {letter: price for price, letters in (*LETTERS, (0.97, HAN), (0.8, SYLLABLES)) for letter in letters}
_MARKS: Final = "".join(letter for letter in _PRICES if category(letter).startswith("M"))
_ALONE: Final = re.compile(rf"(?<!\w)[^\W\d_\x00-\x7f](?!\w|[{_MARKS}])")
"""A letter of another script, or with an accent, that is no part of a word: as dear as its bytes, where it is rare."""
_LONE_MARKS: Final = re.compile(rf"(?:(?<=[\x00-\x7f])|^)[{_MARKS}\u0300-\u036f\ufe00-\ufe0f]+", re.MULTILINE)
_PER_LONE_MARK: Final = 2.5
"""Tokens on top of each mark that stands on no letter."""
_USUAL_SIGNS: Final = frozenset(
    "\u00a0¡£§©«®°±\u00b4¶·»¿×\u200b\u2013—―\u2018\u2019\u201a\u201c\u201d„†•…\u2039\u203a″\u3000、。《》「」『』【】々・"
)
_RARE_SIGNS: Final = (
    (0xA1, 0xC0, 2.0), (0xD7, 0xF8, 2.0), (0x2000, 0x2070, 3.0), (0x25B0, 0x25C0, 3.0), (0x3001, 0x3040, 3.0),
    (0xFFE0, 0x10000, 3.0),
)  # fmt: skip
"""Where signs are that are one token or, the others, as many as their bytes: first, end and tokens."""
_DIGITS: Final = re.compile(r"[0-9]+")
_BEFORE_DIGIT: Final = re.compile(r"[ \t\n\r](?=[0-9])")
_RUN: Final = re.compile(r"([!-/:-@\[-`{-~])\1{2,}")
_LONG_RUNS: Final = frozenset("#*-./=_")
"""Signs that lines are drawn with, of which many are one token."""
_SHORT_RUNS: Final = frozenset("&[]`{}")
"""Signs of which never more than two are one token."""
_SIGNS: Final = re.compile(r"[!-/:-@\[-`{-~]+")
_TOGETHER: Final = frozenset({
    "!=", '")', '",', '".', '":', '">', '"]', '"}', "##", "&&", "')", "',", "':", "']", '("', "('", "()",
    "))", "),", ").", "):", ");", "**", "*/", "+=", ',"', "--", "->", '."', ".,", "..", "./", ".\\", "/*", "//",
    "/:", "::", ":=", ":\\", "</", "<=", '="', "='", "==", "=>", "=[", "><", ">=", '["', "['", '\\"', "],", "]]",
    "__", '{"', "||", "},", "}}", '","', '":"', '":[', '"],', '"},', '"}}', "-->", '\\",', '\\":',
})  # fmt: skip
"""Signs that often stand together, in JSON and in code, and are one token then."""
_SIGN_BEFORE_WORD: Final = re.compile(r"(?<![!-/:-@\[-`{-~])[!-/:-@\[-`{-~](?=[A-Za-z])")
"""A single sign before a word is in one token with it as often as not."""
_SIGN_BEFORE_LINE: Final = re.compile(r"(?<![&<\[\\^])[!-%'-/:;=-@\]_`{-~][\n\r]")
_LINE_SAVED: Final = 0.86
"""Tokens that a line end costs less behind a sign: most are in one token with it."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BLANKS: Final = re.compile(r" {2,}| (?!\S)|\t+|\n+|(?:\r\n)+|\r+")
_MARGIN: Final = 1.02
"""For texts of other kinds than those that the prices were found on."""
_STARTS: Final = tuple(start for start, _ in ROWS)


class SafeEstimate:
    """The estimate where no vocabulary is at hand: not below o200k_base in any text that people or programs write.

    Letters have prices by how rare they are, words, stretches of other scripts, numbers, signs and blanks have those by
    which o200k_base divides them. It is 1.4 to 1.7 times o200k_base on chats in a dozen languages, on JSON and on code.
    """

    name = "safe estimate"
    estimates = True

    def count(self, text: str) -> int:
        """Estimate the tokens of a text."""
        tokens = sum(_price(character) * times for character, times in Counter(text).items()) + repeated_words(text)
        tokens += sum(map(_word, _WORD.findall(text))) + sum(map(_digits, _DIGITS.findall(text)))
        tokens += len(_BEFORE_DIGIT.findall(text)) + len(_CONTROL.findall(text))
        tokens += sum(_blank(found.group()) for found in _BLANKS.finditer(text)) + _signs(text)
        for cluster, price in _CLUSTERS:
            tokens += price * sum(map(len, cluster.findall(text)))
        if not text.isascii():
            tokens += repeated_letters(text, _price)
            tokens += _PER_SAME * sum(len(run.group()) for run in _SAME.finditer(text))
            tokens += _PER_STRETCH * len(_STRETCH.findall(text))
            tokens += sum(len(letter.encode()) - 1 for letter in _ALONE.findall(text) if letter < "\U00010000")
            tokens += _PER_LONE_MARK * sum(map(len, _LONE_MARKS.findall(text)))
        return max(1 if text else 0, _alone(text), math.ceil(tokens * _MARGIN))


def _alone(text: str) -> int:
    """Give the least price of a text that begins with a line of one word: few others make up for bad letters."""
    word = text.partition("\n")[0]
    return len(word) if len(word) <= _LONGEST_ALONE and word.isalnum() and not word.isdecimal() else 0


def _word(word: str) -> float:
    length = len(word)
    return next(price for least, price in _LENGTHS if length >= least)


def _digits(digits: str) -> int:
    return -(-len(digits) // 3)


def _blank(blank: str) -> int:
    """Price a run of one kind of blank; a single one in front of something belongs to it."""
    length, kind = len(blank), blank[0]
    if kind == " ":
        return 1 + length // 64
    if kind == "\t":
        return min(length, 2) + length // 16
    if kind == "\n":
        return 1 + length // 12
    return 1 + (length // 8 if blank.endswith("\n") else length // 2)


def _signs(text: str) -> float:
    """Price punctuation: the same sign again is cheaper than another."""
    runs = 0.0

    def take(found: re.Match[str]) -> str:
        nonlocal runs
        runs += _run(found[1], len(found[0]))
        return ""

    rest = _RUN.sub(take, text)
    merged = 0.5 * len(_SIGN_BEFORE_WORD.findall(text)) + _LINE_SAVED * len(_SIGN_BEFORE_LINE.findall(text))
    return runs - merged + sum(map(_stretch, _SIGNS.findall(rest)))


def _stretch(signs: str) -> float:
    return 0.45 + 0.67 * (1 if signs in _TOGETHER else len(signs))


def _run(sign: str, length: int) -> float:
    if sign in _LONG_RUNS:
        return 1.75 + length // 16
    return 1 + (length // 2 if sign in _SHORT_RUNS else (length + 1) // 4)


@lru_cache(maxsize=8_192)
def _price(character: str) -> float:
    """Give the tokens of a character, beside those of what it stands in; 0 for what is priced in runs."""
    price = _PRICES.get(character)
    if price is not None:
        return price
    code = ord(character)
    if code < 0x80:  # noqa: PLR2004 - ASCII
        return 0.0
    if not character.isalnum() and character not in _USUAL_SIGNS:
        for first, end, tokens in _RARE_SIGNS:
            if first <= code < end:
                return tokens
    return ROWS[bisect_right(_STARTS, code) - 1][1]
