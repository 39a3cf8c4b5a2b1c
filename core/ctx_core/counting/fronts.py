"""What stands in front of models' names: providers, regions and vendors."""

from __future__ import annotations

import re
from typing import Final

PROVIDERS: Final = frozenset({
    "ai21", "amazon", "anthropic", "anthropic_bedrock", "azure", "azure_ai", "azure_openai", "baseten", "bedrock",
    "bedrock_converse", "cerebras", "cohere", "cohere_chat", "databricks", "deepinfra", "deepseek", "fireworks",
    "fireworks_ai", "github", "github_copilot", "google", "google_anthropic_vertex", "google_genai", "google_gla",
    "google_vertex", "google_vertexai", "grok", "groq", "heroku", "hf", "huggingface", "hyperbolic", "ibm", "litellm",
    "litellm_proxy", "lmstudio", "mistral", "mistralai", "moonshot", "moonshotai", "nebius", "novita", "nvidia",
    "nvidia_nim", "ollama", "ollama_chat", "openai", "openai_chat", "openai_like", "openai_responses", "openrouter",
    "ovhcloud", "perplexity", "sagemaker", "sambanova", "snowflake", "text_completion_openai", "together",
    "together_ai", "upstage", "vercel", "vertex", "vertex_ai", "vllm", "watsonx", "xai", "x_ai", "z_ai", "zai",
})  # fmt: skip
"""Providers and hosts, as frameworks and gateways write them in front of a colon, with underscores for dashes."""
_OTHERS: Final = frozenset({
    "01_ai", "amazon", "apac", "au", "c4ai", "ca", "cohereforai", "coherelabs", "deepseek_ai", "eu", "global", "jp",
    "meta", "meta_llama", "microsoft", "minimax", "minimaxai", "mistralai", "models", "nousresearch", "qwen",
    "regional", "sa", "stability", "thudm", "us", "us_gov", "writer", "zai_org", "zero_one_ai", "zhipuai",
})  # fmt: skip
"""Regions and vendors, as they stand in Bedrock's names and in paths."""
VENDORS: Final = re.compile(
    r"(?:([a-z][a-z-]*)\.|(amazon|anthropic|azure|c4ai|cohere|databricks|google|meta|openai|perplexity|xai|zai)[-_ ])"
    r"(?=.)"
)
"""In front of a model's name: a region or a vendor with a point, as in Bedrock's names, or a vendor with a dash."""


def is_known(front: str) -> bool:
    """Whether a part of a path, or what stands in front of a point, is known to stand in front of models."""
    spelled = front.lstrip("~@").replace("-", "_")
    return spelled in PROVIDERS or spelled in _OTHERS
