"""Texts that are told from one another wherever they turn up."""

from __future__ import annotations

import base64
import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Words:
    """Gives texts of the same words, each with a number of its own."""

    def __init__(self, words: Sequence[str]) -> None:
        """Take the words of each text."""
        self._words = words
        self._numbers = itertools.count(1)
        self.given: dict[str, str] = {}
        """The texts by what is only in them."""

    def __call__(self) -> str:
        """Give another text."""
        mark = f"N{next(self._numbers)}N"
        self.given[mark] = f"{mark} {' '.join(self._words)}."
        return self.given[mark]

    def plain(self) -> str:
        """Give another text in ASCII: of what is in a call, two clients write other letters as their numbers."""
        mark = f"N{next(self._numbers)}N"
        self.given[mark] = f"{mark} {' '.join(self._words)}.".encode("ascii", "ignore").decode()
        return self.given[mark]

    def hidden(self) -> str:
        """Give another text that only a provider could read."""
        text = base64.b64encode(f"{next(self._numbers)}{' '.join(self._words)}".encode()).decode()
        self.given[text] = text
        return text
