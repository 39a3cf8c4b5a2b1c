"""The sizes that names of models say."""

from __future__ import annotations

import pytest

from ctx_core.counting import window_of


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
        ("zephyr-7b-ultrachat-200k", 16_384),
        ("doubao-1-5-pro-32k", 32_768),
        ("step-2-16k", 16_384),
        ("internlm2_5-7b-chat-1m", 1_000_000),
        ("llama-2-7b-32k-instruct", 32_768),
        ("granite-8b-code-instruct-128k", 131_072),
        ("arn:aws:bedrock:us-east-1:123456789012:custom-model/amazon.nova-lite-v1:0:256k/abcd1234", 262_144),
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
