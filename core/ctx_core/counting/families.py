"""Which tokenizer and which framing a model has: exact name, else longest family prefix, else the fallback."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ctx_core.counting.framing import Framing
from ctx_core.counting.tokenizers import CachedTokenizer, ScaledTokenizer, TokenizerLike
from ctx_core.counting.vocabulary import tiktoken_encoding

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """How the models of a family are counted."""

    encoding: str = "o200k_base"
    """tiktoken's name of the vocabulary, or of the one that stands in for an unpublished one."""
    factor: float = 1.0
    """Tokens of the model for a token of `encoding`; 1 where the vocabulary is the model's own."""
    framing: Framing = Framing()
    """What is billed beside the texts."""


_CHAT: Final = Framing()
_REASONING: Final = Framing(per_request=2, per_assistant=2, any_tools=100)
_UNKNOWN: Final = Framing(per_request=25, per_message=7, per_call=80, per_tool=45, any_tools=560)

_CL100K: Final = Family(encoding="cl100k_base")
_O200K: Final = Family()
_O200K_REASONING: Final = Family(framing=_REASONING)

FALLBACK: Final = Family(factor=1.5, framing=_UNKNOWN)
"""For models of no known family: above the highest ratio to o200k_base that Claude's bills show (1.48)."""

FAMILIES: Final[dict[str, Family]] = {
    "gpt-3.5": _CL100K,
    "gpt-4": _CL100K,
    "gpt-4-turbo": _CL100K,
    "gpt-4o": _O200K,
    "gpt-4.1": _O200K,
    "gpt-4.5": _O200K,
    "chatgpt-4o": _O200K,
    "o1": _O200K_REASONING,
    "o3": _O200K_REASONING,
    "o4": _O200K_REASONING,
    "codex": _O200K_REASONING,
    "gpt-5": _O200K_REASONING,
    "gpt-5-chat": _O200K,
    # Gemini bills long numbers by the digit: the ratio of texts in recorded bills is up to 1.91.
    "gemini": Family(factor=1.91, framing=_UNKNOWN),
}
"""Prefix of the model's name, in lower case, and its family."""

_LOCK: Final = threading.Lock()
_REGISTERED: Final[dict[str, tuple[TokenizerLike, Framing]]] = {}
_CACHES: Final[dict[tuple[str, float], CachedTokenizer]] = {}


def register_tokenizer(prefix: str, tokenizer: TokenizerLike, *, framing: Framing | None = None) -> None:
    """Say how models are counted whose name is `prefix` or begins with it, in any case.

    What is registered wins over the built-in family of the same prefix; a longer prefix wins over a shorter.
    """
    with _LOCK:
        _REGISTERED[prefix.lower()] = (CachedTokenizer(tokenizer), framing or Framing())


def unregister_tokenizer(prefix: str) -> None:
    """Forget what was registered for a prefix; nothing happens if nothing was."""
    with _LOCK:
        _REGISTERED.pop(prefix.lower(), None)


def family_of(model: str) -> tuple[CachedTokenizer, Framing]:
    """Give the tokenizer and the framing for a model's name, with or without a provider in front of it."""
    names = list(_spellings(model))
    with _LOCK:
        known = [(len(p), True, p) for p in _REGISTERED if any(name.startswith(p) for name in names)]
        known += [(len(p), False, p) for p in FAMILIES if any(name.startswith(p) for name in names)]
        if known:
            _, registered, prefix = max(known)
            if registered:
                tokenizer, framing = _REGISTERED[prefix]
                return _cached(tokenizer), framing
            family = FAMILIES[prefix]
        else:
            family = FALLBACK
    return encoding_tokenizer(family.encoding, factor=family.factor), family.framing


def encoding_tokenizer(encoding: str, *, factor: float = 1.0) -> CachedTokenizer:
    """Give the one cached tokenizer of an encoding that the whole process shares."""
    with _LOCK:
        shared = _CACHES.get((encoding, factor))
        if shared is not None:
            return shared
    base = tiktoken_encoding(encoding)
    made = CachedTokenizer(base if factor == 1.0 else ScaledTokenizer(base, factor))
    with _LOCK:
        return _CACHES.setdefault((encoding, factor), made)


def _cached(tokenizer: TokenizerLike) -> CachedTokenizer:
    return tokenizer if isinstance(tokenizer, CachedTokenizer) else CachedTokenizer(tokenizer)


def _spellings(model: str) -> Iterator[str]:
    """Give `vendor/name`, `vendor:name` and `ft:name:org` also without what stands in front."""
    name = model.strip().lower()
    yield name
    for separator in ("/", ":"):
        while separator in name:
            name = name.split(separator, 1)[1]
            yield name
        name = model.strip().lower().rsplit("/", 1)[-1]
