"""What stands in front of models' names: providers, regions and vendors."""

from __future__ import annotations

import re
from typing import Final

PROVIDERS: Final = frozenset({
    "ai21", "aihubmix", "amazon", "amazon_nova", "anthropic", "anthropic_bedrock", "anyscale", "azure", "azure_ai",
    "azure_openai", "baseten", "bedrock", "bedrock_converse", "bedrock_mantle", "cerebras", "cloudflare", "codestral",
    "cohere", "cohere_chat", "crusoe", "dashscope", "databricks", "deepinfra", "deepseek", "featherless_ai",
    "fireworks", "fireworks_ai", "friendliai", "gemini", "gigachat", "github", "github_copilot", "google",
    "google_anthropic_vertex", "google_genai", "google_gla", "google_vertex", "google_vertexai", "gradient_ai", "grok",
    "groq", "heroku", "hf", "huggingface", "hyperbolic", "ibm", "inception", "lambda_ai", "litellm", "litellm_proxy",
    "llamagate", "lmstudio", "meta_llama", "minimax", "mistral", "mistralai", "moonshot", "moonshotai", "morph",
    "nebius", "novita", "nscale", "nvidia", "nvidia_nim", "oci", "ollama", "ollama_chat", "openai", "openai_chat",
    "openai_like", "openai_responses", "openrouter", "ovhcloud", "perplexity", "publicai", "replicate", "sagemaker",
    "sagemaker_chat", "sambanova", "sarvam", "scaleway", "snowflake", "text_completion_codestral",
    "text_completion_openai", "together", "together_ai", "upstage", "v0", "vercel", "vercel_ai_gateway", "vertex",
    "vertex_ai", "vllm", "volcengine", "wandb", "watsonx", "watsonx_text", "xai", "xiaomi_mimo", "x_ai", "z_ai", "zai",
})  # fmt: skip
"""Providers and hosts, as frameworks and gateways write them in front of a colon, with underscores for dashes."""
DEPLOY: Final = frozenset({"azure", "azure_ai", "azure_openai"})
"""Of these, where people name the deployments of OpenAI's models themselves."""
_OTHERS: Final = frozenset({
    "01_ai", "allenai", "amazon", "apac", "au", "baidu", "c4ai", "ca", "cf", "cohereforai", "coherelabs", "deepseek_ai",
    "eu", "global", "ibm_granite", "in", "internlm", "jp", "meta", "meta_llama", "meta_models", "microsoft", "minimax",
    "minimaxai", "mistralai", "models", "nousresearch", "qwen", "regional", "rekaai", "sa", "stability", "stepfun",
    "stepfun_ai", "tencent", "thudm", "tiiuae", "us", "us_gov", "writer", "xiaomi", "xiaomimimo", "zai_org",
    "zero_one_ai", "zhipuai",
})  # fmt: skip
"""Regions and vendors, as they stand in Bedrock's names and in paths."""
SMALLER: Final[dict[str, str]] = {"github_copilot": "GitHub Copilot", "chatgpt": "ChatGPT"}
"""Hosts that give every maker's models smaller windows of their own, and what they are called."""
VENDORS: Final = re.compile(
    r"(?:(ai21|[a-z][a-z-]*)\.|(ai21|alibaba|amazon|anthropic|azure|c4ai|cohere|databricks|fw|google"
    r"|huggingface-llm|meta-textgeneration|meta|nvidia|openai|perplexity|xai|zai)[-_ ])"
    r"(?=.)"
)
"""In front of a model's name: a region or a vendor with a point, as in Bedrock's names, or a vendor with a dash.

SageMaker's and Azure's hosted models have more words there: `meta-textgeneration-llama-2-7b`, `FW-GLM-5`."""


def is_known(front: str) -> bool:
    """Whether a part of a path, or what stands in front of a point, is known to stand in front of models."""
    spelled = front.lstrip("~@").replace("-", "_")
    return spelled in PROVIDERS or spelled in _OTHERS
