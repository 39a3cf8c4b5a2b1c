"""How large a model's context window is."""

from __future__ import annotations

import pytest

from ctx_core import UnknownModelError
from ctx_core.model_windows import WINDOWS, model_name, model_window


class Silent:
    """A model that says nothing of itself."""


class Named:
    """A model that has a name."""

    model = "gpt-4o"
    model_name = ""


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gpt-4o", 128_000),
        ("gpt-4o-mini-2024-07-18", 128_000),
        ("GPT-4o", 128_000),
        ("openai/gpt-4o", 128_000),
        ("gpt-4", 8_192),
        ("gpt-4-turbo-preview", 128_000),
        ("gpt-3.5-turbo-0125", 16_385),
        ("gpt-4.1-mini", 1_047_576),
        ("o1-mini", 128_000),
        ("claude-3-5-sonnet-20241022", 200_000),
        ("anthropic/claude-sonnet-4-5", 200_000),
        ("gemini-1.5-pro-002", 2_097_152),
        ("gemini-2.0-flash", 1_048_576),
        (Named(), 128_000),
    ],
)
def test_windows_are_known_by_the_longest_prefix(model: object, window: int) -> None:
    """In any case, with a vendor or without."""
    assert model_window(model) == window


@pytest.mark.parametrize("model", ["", "acme-1", "my-gpt-4o", Silent(), None])
def test_what_is_not_known_is_an_error(model: object) -> None:
    """A guess could overflow: the caller says it in numbers."""
    with pytest.raises(UnknownModelError, match="is not known: give it in tokens"):
        model_window(model)


def test_every_prefix_is_in_lower_case() -> None:
    """Otherwise it would never match."""
    assert all(prefix == prefix.lower() for prefix in WINDOWS)


@pytest.mark.parametrize(("model", "name"), [("x", "x"), (Named(), "gpt-4o"), (Silent(), None), (None, None)])
def test_a_model_is_called_by_its_name(model: object, name: str | None) -> None:
    """A string is its own name; empty names are none."""
    assert model_name(model) == name


_NOT_FOR_CHAT = ("audio", "embedding", "image", "live", "realtime", "transcribe", "tts", "vision")
_DISPUTED = frozenset({"gemini-1.5-pro"})
"""It has two million, says Google, and so does `genai-prices` elsewhere."""


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google", "mistral", "x-ai"])
def test_no_window_is_larger_than_genai_prices_says(provider: str) -> None:
    """Of a provider's own chat models that both know: a window that is too small only costs room."""
    snapshot = pytest.importorskip("genai_prices.data_snapshot").get_snapshot()
    models = next(one.models for one in snapshot.providers if one.id == provider)
    larger: dict[str, tuple[int, int]] = {}
    for model in models:
        if not model.context_window or model.id in _DISPUTED or any(word in model.id for word in _NOT_FOR_CHAT):
            continue
        try:
            window = model_window(model.id)
        except UnknownModelError:
            continue
        if window > model.context_window * 1.05:
            larger[model.id] = (window, model.context_window)
    assert larger == {}
