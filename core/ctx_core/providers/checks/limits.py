"""How much a request is, and may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ctx_core.conversation.fields import mapped
from ctx_core.providers.checks.reading import Found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx_core.providers.checks.checked import CheckedRequest
    from ctx_core.providers.checks.reading import Reading
    from ctx_core.providers.rules import Rule

_ANSWERS: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxTokens", "maxOutputTokens")


def fits_window(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find input that is too much, or with the answer of Anthropic's is."""
    tokens, counted = checked.known.window, checked.reading.tokens
    if tokens is None or counted is None or checked.reading.request.get("truncation") == "auto":
        return
    answer = answer_of(checked.reading) if checked.target.provider.name == "anthropic" else 0
    if counted + answer > tokens:
        yield Found(path=checked.reading.listed)


def answer_fits_model(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find an answer that is longer than the model's longest, or too short."""
    longest, answer = checked.known.longest_answer, answer_of(checked.reading)
    if not answer:
        return
    if (longest is not None and answer > longest) or (rule.least is not None and answer < rule.least):
        yield Found(path=next(key for key in _ANSWERS if _said(checked.reading, key) is not None))


def answer_of(reading: Reading) -> int:
    """Give the tokens of the answer that is asked for; 0 where nothing is said."""
    return next((value for key in _ANSWERS if (value := _said(reading, key)) is not None), 0)


def _said(reading: Reading, key: str) -> int | None:
    request = reading.request
    for owner in (request, *(mapped(request.get(inner)) for inner in ("inferenceConfig", "generationConfig"))):
        value = (owner or {}).get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None
