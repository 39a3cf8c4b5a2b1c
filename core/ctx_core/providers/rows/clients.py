"""What client libraries do about several rules in the same way."""

from __future__ import annotations

from typing import Final

from ctx_core.providers.rules import ByClient

LANGCHAIN_OPENAI: Final = "langchain-openai"
LANGCHAIN_ANTHROPIC: Final = "langchain-anthropic"
LANGCHAIN_GOOGLE: Final = "langchain-google-genai"
LANGCHAIN_AWS: Final = "langchain-aws"
LANGCHAIN_MISTRAL: Final = "langchain-mistralai"
LANGCHAIN_DEEPSEEK: Final = "langchain-deepseek"
LANGCHAIN_COHERE: Final = "langchain-cohere"
LANGCHAIN_OLLAMA: Final = "langchain-ollama"
LLAMAINDEX_OPENAI: Final = "llama-index-llms-openai"
LLAMAINDEX_ANTHROPIC: Final = "llama-index-llms-anthropic"
LLAMAINDEX_GOOGLE: Final = "llama-index-llms-google-genai"
LLAMAINDEX_BEDROCK: Final = "llama-index-llms-bedrock-converse"
LLAMAINDEX_OLLAMA: Final = "llama-index-llms-ollama"


def meets(client: str, how: str) -> ByClient:
    """Say that a client reshapes messages so that a rule holds."""
    return ByClient(client=client, does="meets", how=how)


def moves(client: str, how: str) -> ByClient:
    """Say that a client meets a rule, and what is said gets to another place."""
    return ByClient(client=client, does="moves", how=how)


def drops(client: str, how: str) -> ByClient:
    """Say that a client leaves out what would be refused."""
    return ByClient(client=client, does="drops", how=how)


def raises(client: str, how: str) -> ByClient:
    """Say that a client refuses something itself."""
    return ByClient(client=client, does="raises", how=how)
