"""Which family a model belongs to: what users registered, else the longest prefix of the table, else the fallback."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ctx_core.counting.backends import vocabulary
from ctx_core.counting.families import FALLBACK, FAMILIES
from ctx_core.counting.framing import Framing
from ctx_core.counting.limited import LimitedTokenizer
from ctx_core.counting.margin import Margin
from ctx_core.counting.model_names import ModelName, Words, words
from ctx_core.counting.named_families import named_family
from ctx_core.counting.safe_estimate import SafeEstimate
from ctx_core.counting.tokenizers import CachedTokenizer, TokenizerLike
from ctx_core.counting.vocabulary import tiktoken_encoding
from ctx_core.errors import OptionError
from ctx_core.locks import Lock

if TYPE_CHECKING:
    from ctx_core.counting.family import Family, Limits
    from ctx_core.counting.tokenizers import Tokenizer

_THROUGH_RESPONSES: Final = frozenset({"openrouter", "vercel-gateway"})
"""Hosts that send chat requests on to OpenAI's responses API: of 43 recorded bills with tools 35 are exact by it."""
_LOCK: Final = Lock()
_REGISTERED: Final[dict[Words, tuple[str, CachedTokenizer, Framing]]] = {}
"""By the words of the prefix, so that no two are spellings of one."""
_CACHES: Final[dict[tuple[str, Limits | None], CachedTokenizer]] = {}


def register_tokenizer(prefix: str, tokenizer: TokenizerLike, *, framing: Framing | None = None) -> None:
    """Say how models are counted whose name is `prefix` or begins with it, in whole words and in whatever spelling.

    What is registered wins over the built-in family of the same prefix and over its sizes (`gpt-4o` also for
    `gpt-4o-mini`); a longer prefix of another family wins over a shorter.

    Raises:
        OptionError: if the prefix has no letter and no digit, as no name begins with it.
    """
    key = words(prefix)
    if not key:
        msg = f"the prefix {prefix[:80]!r} has no letter and no digit: give what the models' names begin with"
        raise OptionError(msg)
    with _LOCK:
        _REGISTERED[key] = (prefix, _cached(tokenizer), framing or Framing())


def unregister_tokenizer(prefix: str) -> None:
    """Forget what was registered for a prefix; nothing happens if nothing was."""
    with _LOCK:
        _REGISTERED.pop(words(prefix), None)


def resolve(model: str, *, api: str | None = None, host: str | None = None) -> tuple[CachedTokenizer, Framing, Margin]:
    """Give tokenizer, framing and margin for a model's name, in whatever spelling."""
    name = ModelName.read(model, has_host=host is not None)
    with _LOCK:
        own = tuple(_REGISTERED.values())
    fits = [(fit, found) for found in own if (fit := name.fit(found[0], is_own=True)) is not None]
    if fits:
        fit, (_, tokenizer, framing) = max(fits, key=lambda one: one[0])
        if fit.length >= _shortest(name):
            return tokenizer, framing, Margin()
    family = _found(name, api, host)
    has_vocabulary = vocabulary(family.vocabulary) is not None
    tokenizer = _shared(family.vocabulary if has_vocabulary else "o200k_base", family.limits)
    if tokenizer.estimates:
        # The safe estimate is over the texts already: only what is beside them needs the wider margin.
        texts = replace(family.framing.messages, per_token=1.0)
        return tokenizer, replace(family.framing, messages=texts), replace(family.substitute.margin, text=1.0)
    if not has_vocabulary:
        return tokenizer, _denser(family.framing, family.substitute.per_token), family.substitute.margin
    return tokenizer, family.framing, family.margin


def _denser(framing: Framing, factor: float) -> Framing:
    """Give the framing for a vocabulary that has a token where the model has so many."""
    messages, calls, tools = framing.messages, framing.calls, framing.tools
    return replace(
        framing,
        messages=replace(messages, per_token=messages.per_token * factor),
        calls=replace(calls, per_token=calls.per_token * factor),
        tools=replace(tools, per_token=tools.per_token * factor),
    )


def family_of(model: str, *, api: str | None = None, host: str | None = None) -> Family:
    """Give the row of the table for a model: the one for this API with the longest prefix, and for this host."""
    return _found(ModelName.read(model, has_host=host is not None), api, host)


def counted_alike(one: str, other: str) -> bool:
    """Whether two models are of one family, as far as is known: a deployment's own name may be any model's."""
    families = (family_of(one), family_of(other))
    return FALLBACK in families or families[0] is families[1]


def _shortest(name: ModelName) -> int:
    """Give the length of the shortest built-in prefix that fits: longer ones are a family's sizes and generations."""
    fits = (name.fit(prefix) for family in FAMILIES for prefix in family.models)
    return min((fit.length for fit in fits if fit is not None), default=0)


def _found(name: ModelName, api: str | None, host: str | None) -> Family:
    if host in _THROUGH_RESPONSES:
        api = "responses"
    return named_family(name, api=api, host=host) or FALLBACK


def encoding_tokenizer(encoding: str) -> CachedTokenizer:
    """Give the one cached tokenizer of an encoding that the whole process shares."""
    return _shared(encoding)


def _shared(name: str, limits: Limits | None = None) -> CachedTokenizer:
    key = (name, limits)
    with _LOCK:
        shared = _CACHES.get(key)
        if shared is not None:
            return shared
    tokenizer = _loaded(name) if limits is None else _limited(_loaded(name), limits)
    with _LOCK:
        return _CACHES.setdefault(key, CachedTokenizer(tokenizer))


def _loaded(name: str) -> Tokenizer:
    return vocabulary(name) or tiktoken_encoding(name)


def _limited(tokenizer: Tokenizer, limits: Limits) -> Tokenizer:
    """Hold a vocabulary against o200k_base; where one of them is not to be had the safe estimate counts."""
    other = _loaded("o200k_base")
    missing = next((one for one in (tokenizer, other) if isinstance(one, SafeEstimate)), None)
    return missing or LimitedTokenizer(tokenizer, other, limits)


def _cached(tokenizer: TokenizerLike) -> CachedTokenizer:
    return tokenizer if isinstance(tokenizer, CachedTokenizer) else CachedTokenizer(tokenizer)
