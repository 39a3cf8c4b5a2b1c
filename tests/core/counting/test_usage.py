"""Usage figures of every provider."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ctx_core.counting import input_tokens


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 12, "completion_tokens": 3}, 12),
        ({"usage": {"input_tokens": 12, "output_tokens": 3, "input_tokens_details": {"cached_tokens": 8}}}, 12),
        ({"input_tokens": 12, "cache_read_input_tokens": 100, "cache_creation_input_tokens": None}, 112),
        ({"usage": {"inputTokens": 12, "cacheReadInputTokens": 5, "cacheWriteInputTokens": 2}}, 19),
        ({"usage_metadata": {"prompt_token_count": 12}}, 12),
        ({"usageMetadata": {"promptTokenCount": 12}}, 12),
        ({"model": "llama3.2", "prompt_eval_count": 12}, 12),
        ({"meta": {"tokens": {"input_tokens": 12}}}, 12),
        ({"token_usage": {"prompt_tokens": 12}}, 12),
        (SimpleNamespace(usage=SimpleNamespace(prompt_tokens=12)), 12),
        ({"usage": None}, None),
        ({"prompt_tokens": 0}, None),
        ({"prompt_tokens": True}, None),
        ({"prompt_tokens": "12"}, None),
        ("prompt_tokens", None),
        (None, None),
    ],
)
def test_usage_of_every_provider_is_read(usage: object, tokens: int | None) -> None:
    """Cached input is a part of what was billed, whether a provider counts it in or apart."""
    assert input_tokens(usage) == tokens
