"""Where vocabularies come from: splintr, whose wheel carries them, or tiktoken."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from ctx_core.counting.vocabulary import pieces, tiktoken_encoding
from ctx_core.locks import Lock

if TYPE_CHECKING:
    from splintr import AnyTokenizer

    from ctx_core.counting.tokenizers import Tokenizer

TIKTOKEN: Final = frozenset({"cl100k_base", "o200k_base"})
"""Vocabularies that tiktoken has too."""
BUNDLED: Final = {
    "cl100k_base": "cl100k_base",
    "o200k_base": "o200k_base",
    "o200k_harmony": "gpt-oss",
    "llama3": "llama3",
    "qwen3": "qwen3",
    "deepseek_v3": "deepseek_v3",
    "glm4": "glm4",
    "kimi_k2": "kimi_k2",
    "mistral_v1": "mistral_v1",
    "mistral_v3": "mistral_v3",
    "phi4": "phi4",
    "gemma2": "gemma2",
    "gemma3": "gemma3",
}
"""Our name of a vocabulary, and splintr's."""
_PIECE: Final = 50_000
_LOCK: Final = Lock()


class SplintrTokenizer:
    """A vocabulary that splintr carries. Text that spells a special token counts as the text it is."""

    def __init__(self, name: str, tokenizer: AnyTokenizer) -> None:
        """Take our name of the vocabulary and the loaded tokenizer."""
        self._encode = tokenizer.encode_ordinary
        self.name = name

    def count(self, text: str) -> int:
        """Give the number of tokens; half a character that UTF-8 cannot hold counts as its substitute."""
        try:
            return self._count(text)
        except UnicodeEncodeError:
            return self._count(text.encode("utf-8", "replace").decode())

    def _count(self, text: str) -> int:
        if len(text) <= _PIECE:
            return len(self._encode(text))
        return sum(len(self._encode(piece)) for piece in pieces(text))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by name; the vocabulary is loaded again on the other side."""
        return (vocabulary, (self.name,))


def vocabulary(name: str) -> Tokenizer | None:
    """Give the exact tokenizer of a vocabulary, loaded once a process; None where it is not to be had.

    tiktoken's two are always to be had, if only as a safe estimate; the others come with
    `pip install "ctx-layers[exact]"`.
    """
    found = _splintr(name)
    if found is None and name in TIKTOKEN:
        return tiktoken_encoding(name)
    return found


def _splintr(name: str) -> SplintrTokenizer | None:
    with _LOCK:
        return _loaded(name)


@cache
def _loaded(name: str) -> SplintrTokenizer | None:
    if name not in BUNDLED:
        return None
    try:
        from splintr import Tokenizer
    except ImportError:
        return None
    return SplintrTokenizer(name, Tokenizer.from_pretrained(BUNDLED[name]))
