"""How much a request is, and may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ctx_core.conversation.fields import mapped
from ctx_core.providers.checks.reading import Found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx_core.providers.checks.asked import Asked
    from ctx_core.providers.rules import Rule

_ANSWERS: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxTokens", "maxOutputTokens")


def fits_window(_: Rule, asked: Asked) -> Iterator[Found]:
    """Find input that is too much, or with the answer of Anthropic's is."""
    tokens, counted = asked.known.window, asked.reading.tokens
    if tokens is None or counted is None or asked.reading.request.get("truncation") == "auto":
        return
    answer = _answer(asked) or 0 if asked.target.provider.name == "anthropic" else 0
    if counted + answer > tokens:
        yield Found(path=asked.reading.listed)


def answer_fits_model(rule: Rule, asked: Asked) -> Iterator[Found]:
    """Find an answer that is longer than the model's longest, or too short."""
    longest, answer = asked.known.longest_answer, _answer(asked)
    if answer is None:
        return
    if (longest is not None and answer > longest) or (rule.least is not None and answer < rule.least):
        yield Found(path=next(key for key in _ANSWERS if _said(asked, key) is not None))


def _answer(asked: Asked) -> int | None:
    """Give the tokens of the answer that is asked for; None where nothing is said."""
    return next((value for key in _ANSWERS if (value := _said(asked, key)) is not None), None)


def _said(asked: Asked, key: str) -> int | None:
    request = asked.reading.request
    for owner in (request, *(mapped(request.get(inner)) for inner in ("inferenceConfig", "generationConfig"))):
        value = (owner or {}).get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None
