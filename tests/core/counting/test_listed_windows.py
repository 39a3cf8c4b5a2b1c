"""The lists of others, compared by `benchmarks.model_windows`; LiteLLM's own is held to where it is installed."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import pytest

from benchmarks.model_windows import Listed, by_verdict, compare, litellm_models, litellm_path, main

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.model_windows import Verdict

_MAKERS: Final = frozenset({
    "ai21", "anthropic", "cohere_chat", "databricks", "deepseek", "gemini", "groq", "minimax", "mistral", "moonshot",
    "openai", "vertex_ai-language-models", "xai", "zai",
})  # fmt: skip
"""Makers that serve their own models, and hosts that serve all that the cards have."""


@pytest.mark.parametrize(
    ("name", "tokens", "answer", "verdict"),
    [
        ("gpt-4o", 128_000, 16_384, "alike"),
        ("gpt-4o", 64_000, 4_096, "larger"),
        ("gpt-4o", 1_000_000, 4_096, "smaller"),
        ("gpt-5.1-chat", 111_616, 16_384, "alike"),
        ("gpt-5", 400_000, 128_000, "alike"),
        ("gpt-5", 200_000, 128_000, "larger"),
        ("acme-1", 8_192, 1_024, "missing"),
    ],
)
def test_a_listed_window_is_compared(name: str, tokens: int, answer: int, verdict: Verdict) -> None:
    """With the input alone and with the answer, as lists have either."""
    assert compare(Listed(host="", name=name, tokens=tokens, answer=answer)).verdict == verdict


def test_a_list_of_litellm_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its chat models that have a window; others hold no conversation."""
    path = tmp_path / "models.json"
    path.write_text(
        json.dumps(
            {
                "gpt-4o": {"mode": "chat", "max_input_tokens": 64_000, "litellm_provider": "copilot"},
                "acme-1": {"mode": "chat", "max_tokens": 8_192},
                "whisper-1": {"mode": "audio_transcription", "max_tokens": 448},
                "sample": {"mode": "chat", "max_tokens": "the longest answer"},
            }
        )
    )
    found = by_verdict(litellm_models(path))
    assert {verdict: [row.listed.name for row in rows] for verdict, rows in found.items()} == {
        "larger": ["gpt-4o"],
        "missing": ["acme-1"],
    }
    assert main(["--litellm", str(path), "--show", "larger"]) == 0
    assert "gpt-4o: 128000, listed 64000" in capsys.readouterr().out


@pytest.mark.skipif(find_spec("litellm") is None, reason="LiteLLM is not installed")
def test_no_window_is_larger_than_its_maker_says() -> None:
    """By LiteLLM's list: hosts of other makers' models may serve less, makers do not."""
    path = litellm_path()
    assert path is not None
    found = by_verdict(model for model in litellm_models(path) if model.host in _MAKERS)
    assert [(row.listed.name, row.ours, row.listed.tokens) for row in found["larger"]] == []
    assert len(found["alike"]) > 300
