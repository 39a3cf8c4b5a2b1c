"""The clients that payloads are asked of, and how a test runs over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.payloads.client import Client

if TYPE_CHECKING:
    from tests.payloads.client import Framework

_KEY: Final = "no-key"
_CLAUDE_ON_BEDROCK: Final = "anthropic.claude-sonnet-4-5-20250929-v1:0"


def _at_v1(url: str) -> dict[str, Any]:
    return {"base_url": f"{url}/v1", "api_key": _KEY, "max_retries": 0}


def _api_base(url: str) -> dict[str, Any]:
    return {"api_base": f"{url}/v1", "api_key": _KEY, "max_retries": 0}


def _at_root(url: str) -> dict[str, Any]:
    return {"base_url": url, "api_key": _KEY, "max_retries": 0}


def _on_aws(url: str) -> dict[str, Any]:
    keys = {"aws_access_key_id": _KEY, "aws_secret_access_key": _KEY, "region_name": "us-east-1"}
    return {"endpoint_url": url, "max_retries": 1, **keys}


CLIENTS: Final = (
    Client(
        framework="langchain",
        provider="openai",
        package="langchain-openai",
        made_by="langchain_openai:ChatOpenAI",
        model="gpt-4o",
        options=_at_v1,
    ),
    Client(
        framework="langchain",
        provider="responses",
        package="langchain-openai",
        made_by="langchain_openai:ChatOpenAI",
        model="gpt-5",
        options=lambda url: _at_v1(url) | {"use_responses_api": True},
    ),
    Client(
        framework="langchain",
        provider="anthropic",
        package="langchain-anthropic",
        made_by="langchain_anthropic:ChatAnthropic",
        model="claude-sonnet-5",
        options=_at_root,
        notices=(r"A non-leading `SystemMessage` was moved",),
    ),
    Client(
        framework="langchain",
        provider="gemini",
        package="langchain-google-genai",
        made_by="langchain_google_genai:ChatGoogleGenerativeAI",
        model="gemini-2.5-flash",
        # Of Google's own client, 0 tries would be as many as it likes.
        options=lambda url: _at_root(url) | {"max_retries": 1},
        notices=(r"HumanMessage with empty content was removed",),
    ),
    Client(
        framework="langchain",
        provider="bedrock",
        package="langchain-aws",
        made_by="langchain_aws:ChatBedrockConverse",
        model=_CLAUDE_ON_BEDROCK,
        options=_on_aws,
        notices=(r"Tool messages were passed without toolConfig",),
    ),
    Client(
        framework="langchain",
        provider="mistral",
        package="langchain-mistralai",
        made_by="langchain_mistralai:ChatMistralAI",
        model="mistral-large-latest",
        options=_at_v1,
    ),
    Client(
        framework="langchain",
        provider="deepseek",
        package="langchain-deepseek",
        made_by="langchain_deepseek:ChatDeepSeek",
        model="deepseek-chat",
        options=_api_base,
    ),
    Client(
        framework="langchain",
        provider="cohere",
        package="langchain-cohere",
        made_by="langchain_cohere:ChatCohere",
        model="command-a-03-2025",
        options=lambda url: {"base_url": url, "cohere_api_key": _KEY},
    ),
    Client(
        framework="langchain",
        provider="ollama",
        package="langchain-ollama",
        made_by="langchain_ollama:ChatOllama",
        model="llama3.1",
        options=lambda url: {"base_url": url},
    ),
    Client(
        framework="llamaindex",
        provider="openai",
        package="llama-index-llms-openai",
        made_by="llama_index.llms.openai:OpenAI",
        model="gpt-4o",
        options=_api_base,
    ),
    Client(
        framework="llamaindex",
        provider="responses",
        package="llama-index-llms-openai",
        made_by="llama_index.llms.openai:OpenAIResponses",
        model="gpt-5",
        options=_api_base,
    ),
    Client(
        framework="llamaindex",
        provider="anthropic",
        package="llama-index-llms-anthropic",
        made_by="llama_index.llms.anthropic:Anthropic",
        model="claude-sonnet-5",
        options=_at_root,
    ),
    Client(
        framework="llamaindex",
        provider="gemini",
        package="llama-index-llms-google-genai",
        made_by="llama_index.llms.google_genai:GoogleGenAI",
        model="gemini-2.5-flash",
        options=lambda url: {"api_key": _KEY, "max_retries": 1, "http_options": {"base_url": url}},
    ),
    Client(
        framework="llamaindex",
        provider="bedrock",
        package="llama-index-llms-bedrock-converse",
        made_by="llama_index.llms.bedrock_converse:BedrockConverse",
        model=_CLAUDE_ON_BEDROCK,
        options=_on_aws,
    ),
    Client(
        framework="llamaindex",
        provider="ollama",
        package="llama-index-llms-ollama",
        made_by="llama_index.llms.ollama:Ollama",
        model="llama3.1",
        # Without a window it would ask the server for the model's.
        options=lambda url: {"base_url": url, "context_window": 8_000},
    ),
)


def clients(framework: Framework | None = None) -> list[Any]:
    """Give the clients, or those of one framework, as parameters of a test; what is not installed is skipped."""
    return [
        pytest.param(
            client,
            id=client.name,
            marks=pytest.mark.skipif(not client.installed, reason=f"{client.package} is not installed"),
        )
        for client in CLIENTS
        if framework in (None, client.framework)
    ]
