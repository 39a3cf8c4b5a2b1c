"""Characters that look like those of a tag, or like nothing, as parts of a class of a pattern.

The sources are Unicode's own: its compatibility decompositions (NFKD), its format characters, and its confusables
(UTS #39) for the letters of other scripts.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Final

UNSEEN: Final = (
    "\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f\\xad\\u0300-\\u036f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2"
    "\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f"
    "\\u20d0-\\u20ff\\u2800\\u3164\\ufe00-\\ufe0f\\ufe20-\\ufe2f\\ufeff\\uffa0\\ufff9-\\ufffb\\U000110bd\\U000110cd"
    "\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff"
)
"""Characters of no width: controls, joiners, fillers, marks of direction, and marks on the letter before."""
BRACKETS: Final = (
    "\\xab\\u02c2\\u1438\\u16b2\\u2039\\u2264\\u226a\\u226e\\u227a\\u22d6\\u2329\\u276c\\u276e\\u2770\\u27e8\\u27ea\\u2991"
    "\\u29fc\\u2a7d\\u2aa1\\u3008\\u300a\\ufe3d\\ufe3f\\ufe64\\uff1c\\U0001d236"
)
"""What looks like an angle bracket that opens."""
SLASHES: Final = (
    "/\\\\\\u1735\\u2044\\u2215\\u2216\\u2571\\u27cb\\u29f5\\u29f8\\u2afb\\u2afd\\u2f03\\u3033\\u30ce\\u31d3\\u4e3f\\ufe68"
    "\\uff0f\\uff3c\\U0001d23a"
)
"""What looks like a slash, or is one with an escape before it: `<\\/data>`."""
_FORMS: Final = (
    (0xAA, 0x2E4), (0x1D00, 0x1DBF), (0x1E00, 0x1EFF), (0x2070, 0x209F), (0x2100, 0x218F), (0x249C, 0x24E9),
    (0x2C60, 0x2C7F), (0xA7F2, 0xA7F9), (0xFF21, 0xFF5A), (0x10780, 0x107BA), (0x1D400, 0x1D6A3), (0x1F110, 0x1F189),
    (0x1F1E6, 0x1F1FF),
)  # fmt: skip
"""Where Latin letters stand in other forms: with marks, raised, wide, circled, as mathematics has them."""
_NAMED: Final = ("SQUARED LATIN CAPITAL LETTER ", "NEGATIVE CIRCLED LATIN CAPITAL LETTER ",
                 "NEGATIVE SQUARED LATIN CAPITAL LETTER ", "REGIONAL INDICATOR SYMBOL LETTER ")  # fmt: skip
_OTHERS: Final = {
    "a": "\u0251\u03b1\u0430\u13aa\u1d00\ua4ee\U00010418", "b": "\u0184\u0299\u0392\u0412\u042c\u13cf\ua4d0",
    "c": "\u0421\u03f2\u1d04\u13df\ua4da", "d": "\u0110\u0256\u0257\u0501\u13a0\u13e7\u1d05\ua4d3",
    "e": "\u0395\u0435\u04bd\u13ac\u1d07\u212e\ua4f0", "f": "\u0192\u03dc\u0584\ua4dd\ua730",
    "g": "\u0261\u0262\u050d\u0581\u13c0\ua4d6", "h": "\u0397\u029c\u041d\u04bb\u0570\u13bb\ua4e7",
    "i": "\u0131\u026a\u0399\u0456\u04cf\u13a5\ua4f2", "j": "\u03f3\u0458\u13ab\u1d0a\ua4d9",
    "k": "\u039a\u043a\u13e6\u1d0b\ua4d7", "l": "\u029f\u04c0\u13de\ua4e1|", "m": "\u039c\u043c\u13b7\u1d0d\ua4df",
    "n": "\u0274\u039d\u0578\u057c\ua4e0", "o": "\u039f\u043e\u0585\u1d0f\ua4f3", "p": "\u03a1\u0440\u13e2\u1d18\ua4d1",
    "q": "\u051b\u0563\u0566", "r": "\u0280\u027e\u0433\u13a1\u13d2\ua4e3", "s": "\u0282\u0455\u054f\u13da\ua731\ua4e2",
    "t": "\u03a4\u0442\u13a2\u1d1b\ua4d4", "u": "\u028b\u03c5\u057d\u1d1c\ua4f4", "v": "\u03bd\u0475\u13d9\u1d20\ua4e6",
    "w": "\u0461\u051d\u13b3\u1d21\ua4ea", "x": "\u03a7\u0445\ua4eb", "y": "\u028f\u03a5\u03b3\u0443\u04af\u13bd\ua4ec",
    "z": "\u0396\u13c3\u1d22\ua4dc",
}  # fmt: skip
"""Letters of other scripts, and others of Latin; either case is enough."""


def letters_like(letter: str) -> str:
    """Give a class of all that looks like a letter of ASCII, of whatever case; of anything else, the character."""
    found = "".join([letter.casefold(), *_forms().get(letter.casefold(), ()), *_OTHERS.get(letter.casefold(), ())])
    return "[" + "".join(f"\\U{ord(one):08x}" for one in found) + "]"


@cache
def _forms() -> dict[str, list[str]]:
    """Give the other forms of Latin letters, worked out once from some 4,000 characters."""
    forms: dict[str, list[str]] = {}
    for first, last in _FORMS:
        for number in range(first, last + 1):
            letter = _plain(chr(number))
            if len(letter) == 1 and letter.isascii() and letter.isalpha():
                forms.setdefault(letter, []).append(chr(number))
    return forms


def _plain(character: str) -> str:
    """Give the letter that a form is of: without marks, brackets, circles and squares."""
    name = unicodedata.name(character, "")
    if name.startswith(_NAMED):
        return name[-1].casefold()
    plain = "".join(one for one in unicodedata.normalize("NFKD", character) if not unicodedata.combining(one))
    return plain.strip("()").casefold()
