"""Stems of other languages, by the Snowball project's own library: `pip install "ctx-layers[memory]"`."""

from __future__ import annotations

from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ctx_core.errors import BudgetError, MissingExtraError
from ctx_core.locks import Lock
from ctx_core.memory.words import Analyzer, words

if TYPE_CHECKING:
    from collections.abc import Callable


@lru_cache(maxsize=64)
def snowball(language: str, *, stop_words: frozenset[str] = frozenset()) -> Analyzer:
    """Give the analyzer of a language, to be used as `Bm25(analyzer=snowball("german"))`.

    Args:
        language: its English name in lower case: `german`, `spanish`, `russian`, …
        stop_words: lower-case words to leave out; without any, their frequency makes them weigh little.

    Raises:
        MissingExtraError: if snowballstemmer is not installed.
        BudgetError: if it doesn't know the language.
    """
    return partial(words, stem=_stemmer(language), stop_words=stop_words)


def _stemmer(language: str) -> Callable[[str], str]:
    try:
        library: Any = import_module("snowballstemmer")  # it has no types
    except ModuleNotFoundError as error:
        msg = 'stemming by Snowball needs snowballstemmer: pip install "ctx-layers[memory]"'
        raise MissingExtraError(msg) from error
    known = sorted(library.algorithms())
    if language not in known:
        msg = f"no Snowball stemmer for {language!r}; there are {', '.join(known)}"
        raise BudgetError(msg)
    stemmer = library.stemmer(language)
    lock = Lock()  # the library's stemmers keep the word they work on in themselves

    @lru_cache(maxsize=65_536)
    def stem(word: str) -> str:
        with lock:
            return str(stemmer.stemWord(word))

    return stem
