"""A substitute for a vocabulary that is not public, kept near o200k_base in every text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ctx_core.counting.tokenizers import tokenizer_name

if TYPE_CHECKING:
    from ctx_core.counting.family import Limits
    from ctx_core.counting.tokenizers import Tokenizer


class LimitedTokenizer:
    """Counts with one vocabulary, within what another gives for the text.

    An old vocabulary has tokens for runs of signs and for letters that a newer one divides, and divides Chinese, say,
    more finely: in some texts it is far below a newer one, in others far above it.
    """

    def __init__(self, tokenizer: Tokenizer, other: Tokenizer, limits: Limits) -> None:
        """Take the vocabulary that counts, the one that it is held against, and how far it may be from that."""
        self._tokenizer, self._other, self._limits = tokenizer, other, limits
        self.name = tokenizer_name(tokenizer)

    def count(self, text: str) -> int:
        """Give the number of tokens."""
        counted, other = self._tokenizer.count(text), self._other.count(text)
        if self._limits.most is not None:
            counted = min(counted, math.ceil(other * self._limits.most))
        return max(counted, math.ceil(other * self._limits.least))
