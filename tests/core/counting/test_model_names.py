"""How names of models are read: with whatever stands around them, and in whole words."""

from __future__ import annotations

import pytest

from ctx_core import OptionError, TokenCounter, UnknownModelError
from ctx_core.counting import family_of, register_tokenizer, unregister_tokenizer, window_of
from ctx_core.counting.families import FALLBACK
from ctx_core.counting.model_names import ModelName, words
from ctx_core.counting.tokenizers import CachedTokenizer


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
        ("my-gpt-4o", "gpt-4o", 128_000),
        ("azure/my-gpt-4o", "gpt-4o", 128_000),
        ("prod-gpt-4o-mini-eu", "gpt-4o-mini", 128_000),
        ("GPT4o_prod", "gpt-4o", 128_000),
        ("contoso.gpt-4o", "gpt-4o", 128_000),
        ("team:gpt-4o", "gpt-4o", 128_000),
        ("gpt4omini", "gpt-4o-mini", 128_000),
        ("gpt-41", "gpt-4.1", 1_047_576),
        ("my_gpt41_mini", "gpt-4.1-mini", 1_047_576),
        ("gpt-51-codex", "gpt-5", 272_000),
        ("chat-gpt-35-turbo", "gpt-35", 4_096),
        ("gpt35turbo-16k", "gpt-35", 16_385),
        ("dev-gpt-4-32k", "gpt-4", 32_768),
        ("eu-claude-sonnet-4-5", "claude-sonnet-4-5", 200_000),
        ("team-gemini-2.5-pro", "gemini", 1_048_576),
        ("my-deepseek-r1", "deepseek", 64_000),
        ("my-mistral-large", "mistral", 128_000),
        ("o3-mini-eu", "o1", 200_000),
        ("o1mini", "o1", 128_000),
        ("o4mini", "o4-mini", 200_000),
        ("azure-o3", "o1", 200_000),
        ("openai/o3:batch", "o1", 200_000),
        ("hermes-3-gpt-4o", "hermes-3", 131_072),
        ("cohere-command-r-plus", "command-r", 128_000),
        ("cohere.command-text-v14", "command", 4_096),
        ("perplexity/sonar", "sonar", 127_072),
        ("zai-glm-4.7", "glm", 200_000),
        ("claude-1.3", "claude", 100_000),
        ("MiniMax-Text-01", "minimax-01", 1_000_192),
        ("deepseek-coder:6.7b", "deepseek", 16_384),
        ("deepseek-ai/deepseek-coder-33b-instruct", "deepseek", 16_384),
        ("deepseek-coder-v2:16b", "deepseek", 128_000),
        ("deepseek-llm:7b", "deepseek", 4_096),
        ("THUDM/GLM-4-32B-0414", "glm", 32_768),
        ("grok-vision-beta", "grok", 8_192),
        ("grok-beta", "grok", 131_072),
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
        "mymodel:latest",
        "openai:my-deployment",
        "deepseek-ai/janus",
        "arn:aws:bedrock:us-east-1:012345678901:application-inference-profile/1arbu5hu2sjr",
        "projects/p/locations/l/endpoints/123",
        "sonar_qube",
        "sonar-qube",
        "sonar-scanner",
        "sonar_lint",
        "command-line-tool",
        "command_center",
        "commands",
        "glm-regression",
        "glm_fit",
        "docs:command",
        "docs/command",
        "my-bot:o3",
        "my-bot:glm-4.5",
        "team:sonar",
        "my.o3",
        "docs.command",
        "foo/sonar",
        "my-o3",
        "eu-o3-mini",
        "my-sonar-pro",
        "my-command-r",
        "o1-visa-helper",
        "o3-bot",
        "o3_ozone",
        "o4-ring",
        "nova-bot",
        "nova-scotia",
        "casanova-pro",
        "phi-coefficient",
        "phi",
        "hermes-agent",
        "codex-bot",
        "yi-language-tutor",
        "yi",
        "claude-bot",
        "claude-monet",
        "gemini-trader",
        "grok-pattern",
        "kimi-raikkonen",
        "mistral-wind-forecast",
        "qwen-helper",
        "gemma-ray",
        "deepseek-explorer",
        "minimax-solver",
        "moonshot-factory",
        "cohere-assistant",
        "my-claude",
        "my-gemini",
        "my-mistral",
        "team-claude-bot",
        "llama-index",
        "llama-farm",
        "gpt-engineer",
        "gpt-researcher",
        "chatgpt-clone",
        "alpaca-gpt4",
        "mini-gpt-4",
        "minigpt4",
        "not-gpt-4o",
        "better-than-gpt-4o",
        "mygpt-4o",
        "gpt-4oo",
        "my-gpt-40",
        "gpt-350",
        "gpt-411",
        "opt-125m",
        "flan-t5-3b",
        "my-app-32k",
        "ultrachat-200k",
        "zephyr-7b-ultrachat-200k",
        "zephyr-7b",
        "my-o3mini",
        "zero3mini",
        "dataset:24k",
        "模型-o1",
    ],
)
def test_a_name_that_only_begins_alike_is_no_known_model(name: str) -> None:
    """A prefix ends neither within a word nor within a number."""
    assert family_of(name) is FALLBACK
    with pytest.raises(UnknownModelError, match="is not known: give it in tokens"):
        window_of(name)


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("amazon.nova-pro-v1:0:24k", 24_000),
        ("amazon.nova-lite-v1:0:300k", 300_000),
        ("amazon.nova-premier-v1:0:1000k", 1_000_000),
        ("anthropic.claude-3-sonnet-20240229-v1:0:28k", 28_000),
        ("anthropic.claude-v2:1:18k", 18_000),
        ("anthropic.claude-v2:1:200k", 200_000),
        ("kimi-latest-8k", 8_192),
        ("kimi-latest-128k", 131_072),
        ("moonshot-v1-8k", 8_192),
        ("moonshot-v1-32k-vision-preview", 32_768),
        ("moonshot/moonshot-v1-128k", 131_072),
        ("yi-34b", 4_096),
        ("yi-34b-200k", 200_000),
        ("01-ai/Yi-1.5-9B-Chat-16K", 16_384),
        ("phi3", 4_096),
        ("phi3_mini_128k", 131_072),
        ("microsoft/Phi-3-small-8k-instruct", 8_192),
        ("gpt-4-32k", 32_768),
        ("gpt-3.5-turbo-16k", 16_385),
        ("my-gpt-4o-8k", 8_192),
        ("gpt-5-32k", 32_768),
        ("mistral-7b-ultrachat-200k", 32_000),
        ("gpt-4-1m", 8_192),
        ("GLM-4-32B-0414-128K", 128_000),
        ("glm-4-9b-chat-1m", 1_048_576),
        ("qwen2.5-7b-instruct-1m", 1_010_000),
        ("MiniMax-M1-80k", 1_000_000),
        ("llama3-70b-8192", 8_192),
        ("llama-3.1-8b-instruct-4096", 4_096),
        ("vicuna-13b-v1.5-16k", 16_384),
        ("THUDM/chatglm3-6b-32k", 32_768),
        ("Yarn-Llama-2-13b-128k", 131_072),
        ("gpt-4o-100k-tpm", 128_000),
        ("gpt-4o-1.5k", 128_000),
        ("gpt-4o-8kb", 128_000),
        ("gpt-4o-12b", 128_000),
        ("llama3.1:8b-instruct-q4_K_M", 131_072),
        ("gemma-3-270m", 32_768),
        ("gemma-3-27b", 131_072),
    ],
)
def test_a_size_in_a_name_is_its_window(name: str, window: int) -> None:
    """Where it is less than the family's, or where such models are published; other numbers are none."""
    found = window_of(name)
    assert found.tokens == window
    assert (found.max_output or 0) <= window


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("GPT-4o_mini", ("gpt", "4o", "mini")),
        ("llama3.1", ("llama", "3", "1")),
        ("llama-v3p1-8b", ("llama", "v", "3", "1", "8b")),
        ("gpt-40", ("gpt", "40")),
        ("mixtral:8x7b", ("mixtral", "8x", "7b")),
        ("gpt-41-mini", ("gpt", "4", "1", "mini")),
        ("gpt4omini", ("gpt", "4o", "mini")),
        ("gpt-35-turbo", ("gpt", "35", "turbo")),
        ("gpt-410", ("gpt", "410")),
        ("", ()),
    ],
)
def test_a_name_is_read_as_words(name: str, read: tuple[str, ...]) -> None:
    """Runs of letters, and numbers with the letters behind them."""
    assert words(name) == read


def test_the_longest_prefix_fits_best() -> None:
    """Also behind its vendor, which is called like another model."""
    name = ModelName.read("mistral.mixtral-8x7b-instruct-v0:1")
    fits = [name.fit(prefix, is_own=True) for prefix in ("mistral", "mixtral", "mixtral-8x7b", "mixtral-8", "")]
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


@pytest.mark.parametrize(
    ("prefix", "name", "fits"),
    [
        ("glm", "glm-4.5", True),
        ("glm", "GLM4", True),
        ("glm", "z-ai/glm-4.5", True),
        ("glm", "glmnet", False),
        ("glm", "docs:glm", False),
        ("o3", "o3", True),
        ("o3", "openai:o3-mini", True),
        ("o3", "O3_mini", True),
        ("o3", "o365-bot", False),
        ("o3", "my-bot:o3", False),
        ("gpt-4o", "gpt4o", True),
        ("gpt-4o", "GPT_4o", True),
        ("gpt-4o", "my-gpt-4o", True),
        ("GPT 4o", "gpt-4o-mini", True),
        ("gpt-4o", "gpt-4oo", False),
        ("gpt-4", "gpt-40", False),
        ("acme", "acmeist", False),
        ("acme", "my-acme-1", False),
        ("acme-1", "acme-10", False),
        ("acme-1.5", "acme_1-5-large", True),
        ("corp/acme", "corp/acme-2", True),
        ("corp/acme", "other/acme-2", False),
        ("acme", "ft:acme-1:org::id", True),
    ],
)
def test_registered_prefixes_are_read_as_those_of_the_table(prefix: str, name: str, *, fits: bool) -> None:
    """In whole words, in every spelling."""
    tokenizer = CachedTokenizer(len)
    register_tokenizer(prefix, tokenizer)
    try:
        assert (TokenCounter.for_model(name).tokenizer is tokenizer) is fits
    finally:
        unregister_tokenizer(prefix)
    assert TokenCounter.for_model(name).tokenizer is not tokenizer


def test_two_spellings_of_a_registered_prefix_are_one() -> None:
    """The later takes the place of the earlier, and either takes it back."""
    register_tokenizer("acme-4o", len)
    register_tokenizer("ACME4o", lambda _: 1)
    try:
        assert TokenCounter.for_model("acme_4o").count_text("four") == 1
    finally:
        unregister_tokenizer("acme 4o")
    assert TokenCounter.for_model("acme-4o").tokenizer is TokenCounter.for_model("").tokenizer


@pytest.mark.parametrize("prefix", ["", " ", "-", "/"])
def test_a_prefix_without_a_word_is_an_error(prefix: str) -> None:
    """No name begins with it."""
    with pytest.raises(OptionError, match="no letter and no digit"):
        register_tokenizer(prefix, len)
