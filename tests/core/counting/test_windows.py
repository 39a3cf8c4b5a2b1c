"""How large a model's context window is, and how long its answer may be."""

from __future__ import annotations

from typing import Any

import pytest

from ctx_core import ContextBudget, Share, UnknownModelError
from ctx_core.counting import FAMILIES, UnknownWindow, Window, family_of, model_name, window_of
from ctx_core.counting.model_names import ModelName
from ctx_core.counting.named_windows import named_window
from tests.core.counting.rows import spelled


class Silent:
    """A model that says nothing of itself."""


class Named:
    """A model that has a name."""

    model = "gpt-4o"
    model_name = ""


class Profiled:
    """A model of LangChain's, with a profile."""

    def __init__(self, model: str, **profile: Any) -> None:
        """Take its name and its profile."""
        self.model_name = model
        self.profile = profile


class Metadata:
    """What LlamaIndex knows of an LLM."""

    def __init__(self, model: str, window: int) -> None:
        """Take its name and its window."""
        self.model_name = model
        self.context_window = window


class Described:
    """A model of LlamaIndex's, with metadata."""

    def __init__(self, model: str, window: int) -> None:
        """Take its name and its window."""
        self.metadata = Metadata(model, window)


@pytest.mark.parametrize(
    ("model", "tokens", "max_output", "input_only"),
    [
        ("gpt-4o", 128_000, 16_384, False),
        ("gpt-4o-2024-05-13", 128_000, 4_096, False),
        ("gpt-4", 8_192, 8_192, False),
        ("gpt-4-32k-0613", 32_768, None, False),
        ("gpt-3.5-turbo-0125", 16_385, 4_096, False),
        ("gpt-4.1-mini", 1_047_576, 32_768, False),
        ("gpt-5-mini", 272_000, 128_000, True),
        ("gpt-5-chat-latest", 128_000, 16_384, False),
        ("gpt-5.2-chat", 128_000, 16_384, False),
        ("o1-mini", 128_000, 65_536, False),
        ("claude-3-5-sonnet-20241022", 200_000, 8_192, False),
        ("claude-opus-4-1-20250805", 200_000, 32_000, False),
        ("claude-sonnet-4-5", 200_000, 64_000, False),
        ("claude-opus-4-6", 1_000_000, 128_000, False),
        ("gemini-1.5-pro-002", 2_097_152, 8_192, True),
        ("gemini-2.0-flash", 1_048_576, 8_192, True),
        ("gemini-2.5-pro", 1_048_576, 65_536, True),
        ("llama-3.3-70b-versatile", 131_072, None, False),
        (Named(), 128_000, 16_384, False),
    ],
)
def test_windows_are_those_of_the_longest_prefix(
    model: object,
    tokens: int,
    max_output: int | None,
    input_only: bool,  # noqa: FBT001 - a table's column
) -> None:
    """With the longest answer, and whether the window is for the input alone."""
    window = window_of(model)
    assert (window.tokens, window.max_output, window.input_only) == (tokens, max_output, input_only)


@pytest.mark.parametrize("model", ["", "acme-1", "my-o3", Silent(), None])
def test_what_is_not_known_is_an_error(model: object) -> None:
    """A guess could overflow: the caller says it in numbers."""
    with pytest.raises(UnknownModelError, match="is not known: give it in tokens"):
        window_of(model)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("cohere", "names a provider"),
        ("deephermes-3-llama-3-8b-preview", "no public list"),
        ("moonshot-v1-auto", "size"),
        ("amazon.nova-canvas-v1:0", "not a chat model"),
        ("nova-reel", "not a chat model"),
        ("gpt-6", "only models with a further name"),
        ("github_copilot/gpt-4o", "GitHub Copilot"),
        ("chatgpt/gpt-5.2-codex", "ChatGPT"),
        ("gpt-6-mini", "only models with a further name"),
        ("gemini-5-pro", "generation"),
        ("doubao-1-5-pro", "size"),
        ("dolphin-2.1", "made of"),
        ("solar-pro", "generation"),
        ("llama-3.2-nv-embedqa-1b-v2", "'embedqa'"),
        ("llama-3.2-nv-rerankqa-1b-v2", "'rerankqa'"),
        ("llama-3-instruct-embedder", "'embedder'"),
        ("granite-ttm-512-96-r2", "not a chat model"),
        ("grok-voice-latest", "not a chat model"),
        ("x-ai/grok-2-image-1212", "not a chat model"),
        ("gpt-4o-transcribe", "'transcribe'"),
        ("gpt-4o-mini-transcribe", "'transcribe'"),
        ("my-gpt-4o-transcribe", "'transcribe'"),
        ("gpt-4o-mini-tts", "'tts'"),
        ("mistral-embed", "'embed'"),
        ("codestral-embed-2505", "'embed'"),
        ("mistral-ocr-latest", "'ocr'"),
        ("mistral-moderation-latest", "'moderation'"),
        ("gemini-embedding-001", "'embedding'"),
        ("qwen3-embedding-8b", "'embedding'"),
        ("text-embedding-3-small", "'embedding'"),
        ("cohere.embed-english-v3", "'embed'"),
        ("cohere/rerank-v3.5", "'rerank'"),
        ("whisper-large-v3", "'whisper'"),
        ("tts-1-hd", "'tts'"),
        ("dall-e-3", "'dall'"),
    ],
)
def test_an_error_says_why_the_window_of_a_known_model_is_not(model: str, reason: str) -> None:
    """And what to do, as for models that nobody knows."""
    with pytest.raises(UnknownModelError, match=rf"'{model}' is not known \(.*{reason}.*\): give it in tokens, as Con"):
        window_of(model)


@pytest.mark.parametrize(
    ("model", "tokens", "max_output", "input_only"),
    [
        (Profiled("gpt-4o", max_input_tokens=50_000), 50_000, 16_384, False),
        (Profiled("gpt-4o", max_input_tokens=50_000, max_output_tokens=2_000), 50_000, 2_000, False),
        (Profiled("acme-1", max_input_tokens=50_000), 50_000, None, False),
        (Profiled("gpt-4o", max_input_tokens=True), 128_000, 16_384, False),
        (Profiled("gpt-5", max_input_tokens=272_000), 272_000, 128_000, True),
        (Profiled("gpt-5", max_input_tokens=100_000), 100_000, 128_000, True),
        (Profiled("openai/gpt-5", max_input_tokens=400_000), 272_000, 128_000, True),
        (Described("gpt-5", 400_000), 272_000, 128_000, True),
        (Described("gpt-4o", 9_000), 9_000, 16_384, False),
        (Described("gpt-4o", 0), 128_000, 16_384, False),
        (Described("cohere", 9_000), 9_000, None, False),
    ],
)
def test_what_a_model_object_tells_comes_first(
    model: object,
    tokens: int,
    max_output: int | None,
    input_only: bool,  # noqa: FBT001 - a table's column
) -> None:
    """But a window of input and answer together is not taken for one that has a limit for each."""
    window = window_of(model)
    assert (window.tokens, window.max_output, window.input_only) == (tokens, max_output, input_only)


@pytest.mark.parametrize(
    ("model", "reserve", "total", "input_limit"),
    [
        ("openai:gpt-4o", 4_000, 128_000, 124_000),
        ("gpt-5", 4_000, 276_000, 272_000),
        ("gemini-2.0-flash", 8_192, 1_056_768, 1_048_576),
        ("gpt-5", Share(0.25), 272_000, 204_000),
        (Described("gpt-5", 400_000), 128_000, 400_000, 272_000),
    ],
)
def test_an_answer_is_kept_beside_a_window_for_the_input_alone(
    model: object, reserve: int | Share, total: int, input_limit: int
) -> None:
    """It is taken from a window of both; a share is one of the window."""
    budget = ContextBudget.for_model(model, reserve=reserve)
    assert (budget.total, budget.input_limit) == (total, input_limit)


@pytest.mark.parametrize(("model", "name"), [("x", "x"), (Named(), "gpt-4o"), (Silent(), None), (None, None)])
def test_a_model_is_called_by_its_name(model: object, name: str | None) -> None:
    """A string is its own name; empty names are none."""
    assert model_name(model) == name


def test_every_family_has_the_windows_of_its_models() -> None:
    """A row for all APIs and hosts has one for each of its prefixes; a row for one of them has none of its own."""
    for family in FAMILIES:
        prefixes = {prefix for window in family.windows for prefix in window.models}
        if family.api is None and family.host is None:
            assert {p for p in family.models if not _fits_any(p, prefixes)} == set()
            assert family.windows_source
        else:
            assert not family.windows
            assert all(named_window(spelled(prefix)) is not None for prefix in family.models)


def _fits_any(name: str, prefixes: set[str]) -> bool:
    return any(ModelName.read(spelled(name)).fit(prefix) is not None for prefix in prefixes)


def test_a_window_stands_in_the_row_of_its_models() -> None:
    """Price and window of a name come from one row, and no prefix has two windows."""
    windows = [(family, prefix) for family in FAMILIES for window in family.windows for prefix in window.models]
    assert [prefix for family, prefix in windows if family_of(spelled(prefix)) is not family] == []
    assert len({prefix for _, prefix in windows}) == len(windows)


def test_only_these_windows_are_not_known() -> None:
    """A family without a window is an exception that has a reason."""
    unknown = [window for family in FAMILIES for window in family.windows if isinstance(window, UnknownWindow)]
    assert {prefix for window in unknown for prefix in window.models} == {
        "cohere", "deephermes", "dolphin-2", "doubao", "gemini", "gpt-6", "granite-speech", "granite-ttm",
        "grok-2-image", "grok-imagine", "grok-voice", "moonshot-v1", "nova-2-sonic", "nova-canvas", "nova-reel",
        "nova-sonic", "solar-pro", "titan-image",
    }  # fmt: skip
    assert all(window.reason for window in unknown)


def test_an_answer_that_shares_a_window_is_no_longer_than_it() -> None:
    """Figures that contradict each other are a mistake in the table."""
    known = [window for family in FAMILIES for window in family.windows if isinstance(window, Window)]
    assert [window for window in known if window.tokens < 1_000] == []
    assert [w for w in known if not w.input_only and w.max_output is not None and w.max_output > w.tokens] == []


_NOT_FOR_CHAT = ("audio", "embed", "image", "live", "ocr", "realtime", "transcribe", "tts", "vision")
_DISPUTED = frozenset({"gemini-1.5-pro", "deepseek-chat", "deepseek-reasoner"})
"""Gemini's has two million, says Google, and so does `genai-prices` elsewhere; DeepSeek's have 128,000 since V3.1."""


@pytest.mark.parametrize(
    ("provider", "least"),
    [
        ("openai", 50), ("anthropic", 20), ("google", 40), ("mistral", 10), ("x-ai", 15), ("deepseek", 5),
        ("moonshotai", 10), ("minimax", 8), ("zai", 4), ("zhipuai", 15), ("perplexity", 4),
        ("cohere", 1), ("fireworks", 20), ("azure", 10),
    ],
)  # fmt: skip
def test_no_window_is_larger_than_genai_prices_says(provider: str, least: int) -> None:
    """Of a provider's chat models that both know: a window that is too small only costs room."""
    snapshot = pytest.importorskip("genai_prices.data_snapshot").get_snapshot()
    models = next(one.models for one in snapshot.providers if one.id == provider)
    larger: dict[str, tuple[int, int]] = {}
    known = 0
    for model in models:
        if not model.context_window or any(word in model.id for word in _NOT_FOR_CHAT):
            continue
        try:
            window = window_of(model.id)
        except UnknownModelError:
            continue
        known += 1
        if window.tokens > model.context_window * 1.05 and model.id not in _DISPUTED:
            larger[model.id] = (window.tokens, model.context_window)
    assert larger == {}
    assert known >= least


def test_input_and_answer_of_openai_are_no_more_together_than_genai_prices_says() -> None:
    """Its figures are of both: a limit of the input alone and the longest answer make no more."""
    snapshot = pytest.importorskip("genai_prices.data_snapshot").get_snapshot()
    models = next(one.models for one in snapshot.providers if one.id == "openai")
    apart = [
        (model.id, window.tokens + (window.max_output or 0), model.context_window)
        for model in models
        if model.id.startswith(("gpt-5", "gpt-6")) and model.context_window
        if (window := window_of(model.id)).input_only
    ]
    assert len(apart) > 15
    assert [one for one in apart if one[1] > one[2] * 1.05] == []
