"""Whether a memory says nothing that another one doesn't say."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ctx_core.memory.english import STOP_WORDS, english_stem
from ctx_core.memory.words import plain_words

_DENIALS: Final = frozenset(
    """
    no not never none neither nor cannot without don didn doesn isn wasn aren weren hasn haven hadn won wouldn couldn
    shouldn stop stopped longer anymore
    """.split()  # noqa: SIM905 - easier to read than as many quoted words
)
_ALIKE: Final = 0.9


class Duplicates:
    """Remembers what was said, and recognizes it in other words' order, spelling or politeness.

    Two texts are near-duplicates if they have the same stems apart from stop words, or if one has at most a
    tenth more. A number or a denial that only one of them has makes them different.
    """

    __slots__ = ("_exact", "_long")

    def __init__(self) -> None:
        """Begin with nothing said."""
        self._exact: set[frozenset[str]] = set()
        self._long: dict[str, list[frozenset[str]]] = {}

    def seen(self, text: str) -> bool:
        """Say whether this was said before; if not, remember it."""
        said = _content(text)
        if said in self._exact or any(_alike(said, known) for known in self._sharing(said)):
            return True
        self._exact.add(said)
        for word in said:
            self._long.setdefault(word, []).append(said)
        return False

    def _sharing(self, said: frozenset[str]) -> list[frozenset[str]]:
        # Short texts can only be alike by being equal.
        if len(said) * (1 - _ALIKE) < 1 - _ALIKE / 2:
            return []
        rarest = sorted(said, key=lambda word: (len(self._long.get(word, ())), word))[:2]
        return [known for word in rarest for known in self._long.get(word, ())]


@lru_cache(maxsize=16_384)
def _content(text: str) -> frozenset[str]:
    words = plain_words(text)
    content = frozenset(english_stem(word) for word in words if word not in STOP_WORDS or word in _DENIALS)
    return content or frozenset(words) or frozenset((text.strip(),))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    if not (one <= other or other <= one):
        return False
    more = one ^ other
    if any(word in _DENIALS or any(map(str.isdigit, word)) for word in more):
        return False
    return len(one & other) >= _ALIKE * len(one | other)
