"""The input tokens in a provider's usage figure, whichever provider's it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, cast

_WHOLE: Final = (
    ("prompt_tokens",),
    ("prompt_token_count",),
    ("promptTokenCount",),
    ("prompt_eval_count",),
    ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
    ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"),
)
"""Names of the figure, of which the first that is there counts: OpenAI and those who follow it, Gemini in two
spellings, Ollama, then Claude, directly and through Bedrock, which bill cached input apart."""
_HOLDERS: Final = ("usage", "token_usage", "usage_metadata", "usageMetadata", "meta", "tokens")
"""Where a response has its usage."""
_DEPTH: Final = 3


def input_tokens(usage: object) -> int | None:
    """Give the input tokens of a usage figure, or of a response that has one, cached ones included.

    Args:
        usage: a dict or an object, such as a client's response. Of anything else nothing is known.

    Returns:
        The tokens; None where there is no figure above 0.
    """
    return _found(usage, _DEPTH)


def _found(holder: object, depth: int) -> int | None:
    if holder is None or depth == 0:
        return None
    for names in _WHOLE:
        figures = list(_figures(holder, names))
        if figures and figures[0] is not None:
            return sum(figure or 0 for figure in figures) or None
    inside = (_found(_get(holder, name), depth - 1) for name in _HOLDERS)
    return next((tokens for tokens in inside if tokens is not None), None)


def _figures(holder: object, names: Iterable[str]) -> Iterable[int | None]:
    for name in names:
        figure = _get(holder, name)
        yield figure if isinstance(figure, int) and not isinstance(figure, bool) and figure >= 0 else None


def _get(holder: object, name: str) -> object:
    if isinstance(holder, Mapping):
        return cast("Mapping[str, object]", holder).get(name)
    if isinstance(holder, str | bytes | int | float | list | tuple):
        return None
    return cast("object", getattr(holder, name, None))
