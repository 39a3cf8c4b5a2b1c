"""How names of models are read: with whatever stands around them, and in whole words."""

from __future__ import annotations

import pytest

from ctx_core import TokenCounter, UnknownModelError
from ctx_core.counting import family_of, register_tokenizer, unregister_tokenizer, window_of
from ctx_core.counting.families import FALLBACK
from ctx_core.counting.model_names import ModelName, words


@pytest.mark.parametrize(
    ("spelling", "family", "window"),
    [
        ("gpt-4o", "gpt-4o", 128_000),
        ("GPT-4o ", "gpt-4o", 128_000),
        ("GPT_4O", "gpt-4o", 128_000),
        ("gpt 4o", "gpt-4o", 128_000),
        ("gpt4o", "gpt-4o", 128_000),
        ("openai:gpt-4o", "gpt-4o", 128_000),
        ("openai/gpt-4o", "gpt-4o", 128_000),
        ("openrouter/openai/gpt-4o", "gpt-4o", 128_000),
        ("azure/gpt-4o", "gpt-4o", 128_000),
        ("azure_openai:gpt-4o", "gpt-4o", 128_000),
        ("gpt-4o-my-deployment", "gpt-4o", 128_000),
        ("gpt-4-1", "gpt-4.1", 1_047_576),
        ("gpt-4-1106-preview", "gpt-4", 128_000),
        ("gpt-4-0613", "gpt-4", 8_192),
        ("gpt-4-turbo-2024-04-09", "gpt-4", 128_000),
        ("azure/gpt-35-turbo-0125", "gpt-35", 16_385),
        ("ft:gpt-4o-mini-2024-07-18:org::id", "gpt-4o-mini", 128_000),
        ("openai:ft:gpt-4o-mini-2024-07-18:o1::id", "gpt-4o-mini", 128_000),
        ("o1-pro-2025-03-19", "o1", 200_000),
        ("o1-mini", "o1", 128_000),
        ("gpt-5-2025-08-07", "gpt-5", 272_000),
        ("gpt-5.6-luna", "gpt-5", 922_000),
        ("openai.gpt-oss-120b-1:0", "gpt-oss", 131_072),
        ("gpt-oss:20b", "gpt-oss", 131_072),
        ("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5", 200_000),
        ("claude-sonnet-4.5", "claude-sonnet-4-5", 200_000),
        ("Claude Sonnet 4.5", "claude-sonnet-4-5", 200_000),
        ("claude3-opus", "claude-3-opus", 200_000),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", 200_000),
        ("us-gov.anthropic.claude-3-haiku-20240307-v1:0", "claude-3-haiku", 200_000),
        ("anthropic.claude-3-5-sonnet-20240620-v1:0", "claude", 200_000),
        ("bedrock_converse:anthropic.claude-3-5-sonnet-20240620-v1:0", "claude", 200_000),
        ("bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5", 200_000),
        ("arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-6-v1", "claude-opus-4-6", 1_000_000),
        ("vertex_ai/claude-3-5-sonnet@20240620", "claude", 200_000),
        ("anthropic/claude-3.7-sonnet:thinking", "claude", 200_000),
        ("anthropic.claude-v2:1", "claude", 200_000),
        ("anthropic.claude-v2", "claude", 100_000),
        ("databricks-claude-sonnet-4-5", "claude-sonnet-4-5", 200_000),
        ("models/gemini-2.0-flash", "gemini-2.0", 1_048_576),
        ("publishers/google/models/gemini-2.5-pro", "gemini", 1_048_576),
        ("projects/p/locations/l/publishers/google/models/gemini-3-pro-preview", "gemini-3", 1_048_576),
        ("gemini/gemma-3-27b-it", "gemma", 131_072),
        ("gemma3n:e4b", "gemma-3n", 32_768),
        ("llama3", "llama-3", 8_192),
        ("ollama/llama3", "llama-3", 8_192),
        ("llama3:8b", "llama-3", 8_192),
        ("llama3.1:8b-instruct-q4_K_M", "llama-3.1", 131_072),
        ("ollama:llama3.2:3b", "llama-3.2", 131_072),
        ("databricks-meta-llama-3-1-70b-instruct", "llama-3.1", 131_072),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama-3.3", 131_072),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1", 131_072),
        ("us.meta.llama3-3-70b-instruct-v1:0", "llama-3.3", 131_072),
        ("accounts/fireworks/models/llama-v3p1-8b-instruct", "llama-v3.1", 131_072),
        ("groq/llama-3.3-70b-versatile", "llama-3.3", 131_072),
        ("together_ai/meta-llama/Llama-3.3-70B-Instruct-Turbo", "llama-3.3", 131_072),
        ("@cf/meta/llama-3.1-8b-instruct", "llama-3.1", 131_072),
        ("hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M", "llama-3.2", 131_072),
        ("qwen2.5:7b", "qwen2.5", 32_768),
        ("accounts/fireworks/models/qwen2p5-72b-instruct", "qwen2.5", 32_768),
        ("qwen2.5vl:7b", "qwen2.5", 32_768),
        ("mixtral:8x7b", "mixtral", 32_000),
        ("mistral.mixtral-8x7b-instruct-v0:1", "mixtral", 32_000),
        ("mistral:7b", "mistral", 32_000),
        ("mistral:mistral-large-latest", "mistral", 256_000),
        ("deepseek/deepseek-r1:free", "deepseek", 64_000),
        ("qwen3:latest", "qwen", 32_768),
        ("moonshotai/Kimi-K2-Instruct-0905:groq", "kimi", 262_144),
        ("CohereLabs/c4ai-command-a-03-2025", "command-a", 256_000),
        ("CohereLabs/command-a-03-2025:cohere", "command-a", 256_000),
        ("amazon.nova-lite-v1:0", "nova", 300_000),
        ("glm-4.5", "glm", 128_000),
        ("glm4", "glm", 128_000),
        ("sonar-pro", "sonar", 200_000),
        ("xai.grok-4", "grok-4", 256_000),
    ],
)  # fmt: skip
def test_a_model_is_known_in_every_spelling(spelling: str, family: str, window: int) -> None:
    """For its price and for its window alike."""
    assert family_of(spelling) is family_of(family)
    assert family_of(spelling) is not FALLBACK
    assert window_of(spelling).tokens == window


@pytest.mark.parametrize(
    "name",
    [
        "",
        "-",
        "o365-bot",
        "o1234",
        "o10",
        "o",
        "gpt",
        "gpt-40-mini-typo",
        "gpt-4all",
        "gpt-50",
        "glmnet",
        "chatglm3",
        "sonarqube-helper",
        "claudette",
        "novartis-bot",
        "commander",
        "grokking",
        "phi-45",
        "llama-3b-chat",
        "llama2:7b",
        "my-gpt-4o",
        "mymodel:latest",
        "openai:my-deployment",
        "deepseek-ai/janus",
        "text-embedding-3-small",
        "arn:aws:bedrock:us-east-1:012345678901:application-inference-profile/1arbu5hu2sjr",
        "projects/p/locations/l/endpoints/123",
        "模型-o1",
    ],
)
def test_a_name_that_only_begins_alike_is_no_known_model(name: str) -> None:
    """A prefix ends neither within a word nor within a number."""
    assert family_of(name) is FALLBACK
    with pytest.raises(UnknownModelError, match="is not known: give it in tokens"):
        window_of(name)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("GPT-4o_mini", ("gpt", "4o", "mini")),
        ("llama3.1", ("llama", "3", "1")),
        ("llama-v3p1-8b", ("llama", "v", "3", "1", "8b")),
        ("gpt-40", ("gpt", "40")),
        ("mixtral:8x7b", ("mixtral", "8x", "7b")),
        ("", ()),
    ],
)
def test_a_name_is_read_as_words(name: str, read: tuple[str, ...]) -> None:
    """Runs of letters, and numbers with the letters behind them."""
    assert words(name) == read


def test_the_longest_prefix_fits_best() -> None:
    """Of two that are as long the one with less in front."""
    name = ModelName.read("mistral.mixtral-8x7b-instruct-v0:1")
    fits = [name.fit(prefix) for prefix in ("mistral", "mixtral", "mixtral-8x7b", "mixtral-8", "")]
    assert fits[3:] == [None, None]
    known = [fit for fit in fits if fit is not None]
    assert known == sorted(known)
    assert len(set(known)) == 3


@pytest.mark.parametrize("name", ["acme-1", "ACME-1-large", "vendor/acme-1", "host:acme-1", "us.vendor.acme-1:0"])
def test_registered_prefixes_are_found_in_the_same_spellings(name: str) -> None:
    """What users register has a vendor or a host in front as well."""
    register_tokenizer("acme-", len)
    try:
        assert TokenCounter.for_model(name).count_text("four") == 4
    finally:
        unregister_tokenizer("acme-")
