"""How large a model's context window is: from the model object where there is one, else from a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from ctx_core.errors import UnknownModelError

WINDOWS: Final[dict[str, int]] = {
    # OpenAI, https://platform.openai.com/docs/models
    "gpt-3.5-turbo": 16_385,
    "gpt-4": 8_192,
    "gpt-4-32k": 32_768,
    "gpt-4-turbo": 128_000,
    "gpt-4-1106": 128_000,
    "gpt-4-0125": 128_000,
    "gpt-4o": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-5": 400_000,
    "gpt-5-chat": 128_000,
    "gpt-5.3": 128_000,
    "o1": 200_000,
    "o1-mini": 128_000,
    "o1-preview": 128_000,
    "o3": 200_000,
    "o4-mini": 200_000,
    "gpt-oss": 131_072,
    # Anthropic, https://docs.anthropic.com/en/docs/about-claude/models
    "claude": 200_000,
    # Google, https://ai.google.dev/gemini-api/docs/models
    "gemini-1.5-pro": 2_097_152,
    "gemini": 1_048_576,
    "gemini-pro": 32_768,
    # Others, from their model cards
    "llama-3.1": 131_072,
    "llama-3.2": 131_072,
    "llama-3.3": 131_072,
    "llama3.1": 131_072,
    "llama3": 8_192,
    "mistral-small": 131_072,
    "mistral-large": 131_072,
    "mistral-medium": 131_072,
    "deepseek": 128_000,
    "qwen2.5": 131_072,
    "qwen3": 131_072,
    "kimi-k2": 262_144,
    "kimi-k2-0711": 131_072,
    "kimi-k2-instruct": 131_072,
    "kimi-k2-instruct-0905": 262_144,
    "grok-3": 131_072,
    "grok-4": 256_000,
    "command-a": 256_000,
    "command-r": 128_000,
}
"""Prefix of the model's name in lower case, and its window in tokens (input and answer together)."""


def model_window(model: object) -> int:
    """Give the window of a model, in tokens.

    A LangChain model is asked for `profile["max_input_tokens"]`, a LlamaIndex LLM for
    `metadata.context_window`; a name is looked up by its longest known prefix.

    Raises:
        UnknownModelError: if nothing knows it.
    """
    profile = getattr(model, "profile", None)
    metadata = getattr(model, "metadata", None)
    for told in (
        cast("Mapping[str, Any]", profile).get("max_input_tokens") if isinstance(profile, Mapping) else None,
        getattr(metadata, "context_window", None),
    ):
        if isinstance(told, int) and told > 0:
            return told
    name = model_name(model)
    spellings = {name.lower(), name.lower().rsplit("/", 1)[-1]} if name else set[str]()
    known = [prefix for prefix in WINDOWS if any(spelling.startswith(prefix) for spelling in spellings)]
    if known:
        return WINDOWS[max(known, key=len)]
    shown = repr(name) if name else f"a {type(model).__name__} without a profile or a name"
    msg = f"the context window of {shown} is not known: give it in tokens, as ContextBudget(128_000, reserve=4_096)"
    raise UnknownModelError(msg)


def model_name(model: object) -> str | None:
    """Give the name of a model: the string itself, or what LangChain's and LlamaIndex's objects call it."""
    if isinstance(model, str):
        return model
    metadata = getattr(model, "metadata", None)
    for owner, attribute in ((model, "model_name"), (model, "model"), (metadata, "model_name")):
        name = getattr(owner, attribute, None)
        if isinstance(name, str) and name:
            return name
    return None
