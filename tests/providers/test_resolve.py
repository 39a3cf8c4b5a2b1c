"""Which row goes for a request, by names in every spelling and by model objects of every client."""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

import pytest

from ctx_core.errors import OptionError
from ctx_core.providers import Kind, target_of
from tests.models.table import ENVIRONMENT

NAMES: Final = {
    "openai": (
        "gpt-4o", "openai:gpt-4o", "GPT-4o", "gpt4o", "azure/gpt-4o", "azure/my-deployment", "my-gpt-4o", "o3-mini",
        "openrouter/openai/gpt-4o", "ft:gpt-4o-mini:org::id", "chatgpt-4o-latest", "o1-mini", "gpt",
        "azure_openai:prod", "azure:my-o3", "azure/my-o3-prod", "azure:team-o1", "azure/prod-o4-mini",
        "azure:gpt-35-turbo", "azure/gpt4omini", "azure_ai/gpt-4.1", "openai:ft:gpt-4o:org::x", "github/gpt-4o",
        "openrouter/openai/gpt-4o:nitro", "databricks-gpt-5-mini", "vercel/openai/gpt-4o", "openai:my-tuned",
        "openai:o3-deep-research",
    ),
    "responses": (
        "gpt-5-pro", "gpt-5.2-pro", "gpt-5.4-pro-2026-01-01", "gpt-5.6-sol", "gpt-5-codex", "codex-mini-latest",
        "openai_responses:gpt-4o", "openrouter/openai/gpt-5-codex", "openai:gpt-5.6-sol", "openai/gpt-5.6-sol",
        "OpenAI/GPT-5.6-Sol", "openrouter/openai/gpt-5.6-sol", "openai:gpt-5-pro-2025-10-06", "openai/gpt-5.2-pro",
        "litellm_proxy/openai/gpt-5.4-pro", "openai:gpt-5-codex", "ft:gpt-5-codex:o::i", "openai-responses:o3",
    ),
    "anthropic": (
        "claude-opus-5", "anthropic/claude-sonnet-4.5", "anthropic:claude-sonnet-4-5",
        "openrouter/anthropic/claude-3.5-sonnet", "openrouter/anthropic/claude-sonnet-4.5:thinking",
        "vertex_ai/claude-opus-4@20250514", "anthropic:my-own", "google_anthropic_vertex:claude-sonnet-4-5",
        "databricks-claude-sonnet-4", "databricks/databricks-claude-3-7-sonnet", "claude-4.5-sonnet",
        "litellm_proxy/anthropic/claude-haiku-4-5", "azure_ai/claude-sonnet-4-5", "~anthropic/claude-sonnet-latest",
    ),
    "gemini": (
        "gemini-2.5-flash", "google_genai:gemini-3-pro", "gemini/gemini-3-pro", "vertex_ai/gemini-2.5-pro",
        "models/gemini-2.5-flash", "google-gla:gemini-2.5-pro", "openrouter/google/gemini-2.5-pro",
        "google/gemini-3-pro-preview", "publishers/google/models/gemini-2.5-pro", "databricks-gemini-2-5-pro",
    ),
    "bedrock": (
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic.claude-v2", "bedrock/anthropic.claude-v2",
        "bedrock_converse:amazon.nova-pro-v1:0", "amazon.nova-lite-v1:0", "mistral.mistral-large-2402-v1:0",
        "meta.llama3-1-8b-instruct-v1:0", "bedrock:my-profile", "global.anthropic.claude-opus-5-v1:0",
        "bedrock/converse/us.amazon.nova-pro-v1:0", "deepseek.r1-v1:0", "openai.gpt-oss-120b-1:0",
        "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-5-sonnet-20241022-v2:0",
        "us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0", "cohere.command-r-plus-v1:0",
    ),
    "mistral": (
        "mistral-large-latest", "mistral-large", "open-mixtral-8x7b", "mistralai:mistral-small", "codestral-latest",
        "mistral/mistral-medium", "ministral-8b-latest", "magistral-medium-2507", "pixtral-12b",
        "openrouter/mistralai/mistral-large", "openrouter/mistralai/codestral-2501", "mistralai/mistral-large-latest",
        "litellm_proxy/mistralai/mistral-medium-3", "vercel/mistral/mistral-large", "vertex_ai/mistral-large@2407",
        "azure_ai/mistral-large-2407",
    ),
    "deepseek": (
        "deepseek-chat", "deepseek-reasoner", "deepseek/deepseek-r1", "deepseek:deepseek-v4-pro",
        "openrouter/deepseek/deepseek-chat-v3.1:free", "deepseek/deepseek-v3.2",
    ),
    "cohere": (
        "command-a-03-2025", "cohere/command-r-plus", "cohere:command-r", "openrouter/cohere/command-r-plus",
        "azure_ai/cohere-command-r-plus", "cohere_chat/command-r",
    ),
    "chat_template": (
        "llama3.1", "llama3.1:8b", "ollama/llama3", "mistral:7b", "mistral:latest", "gemma2:9b", "qwen2.5:7b-instruct",
        "deepseek-r1:14b", "mistralai/Mistral-7B-Instruct-v0.3", "deepseek-ai/DeepSeek-V3", "groq:llama-3.3-70b",
        "meta-llama/Llama-3.1-8B-Instruct", "openai/gpt-oss-120b", "gpt-oss:20b", "together_ai/meta-llama/Llama-3-8b",
        "accounts/fireworks/models/llama-v3p1-8b-instruct", "vllm/my-weights", "google/gemma-2-9b-it", "mixtral:8x7b",
        "databricks-meta-llama-3-3-70b-instruct", "ollama:mistral", "hosted_vllm/mistralai/Mistral-Nemo",
        "hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF", "together_ai/mistralai/Mixtral-8x7B-Instruct-v0.1",
        "mistral:7b-instruct-q4_K_M", "command-r:35b", "deepseek-v3:671b", "CohereForAI/c4ai-command-r-v01",
        "openrouter/meta-llama/llama-3.1-8b-instruct", "azure_ai/Llama-3.3-70B-Instruct", "groq:openai/gpt-oss-120b",
    ),
    "unknown": (
        "", "foo", "grok-4", "my-deployment", "anthropic-ish", "reka-core", "o365-bot", "glmnet", "sonarqube-helper",
        "my-o3", "o1234", "geminiscope", "command-line-helper", "mistralizer", "gptzero-clone", "demo4", "prod",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "row"), [(name, row) for row, names in NAMES.items() for name in names])
def test_the_name_of_a_model_says_the_row(name: str, row: str) -> None:
    """With a provider, a region or a host in front, with a tag behind, as a deployment, as a path."""
    assert target_of(name).provider.name == row


BESIDE: Final = [
    ({"model": "gpt-4o", "api": "responses"}, "responses"),
    ({"model": "gpt-5-pro", "api": "chat_completions"}, "openai"),
    ({"model": "mistral-large", "api": "chat"}, "mistral"),
    ({"model": "foo", "api": "converse"}, "bedrock"),
    ({"model": "foo", "api": "generateContent"}, "gemini"),
    ({"model": "foo", "api": "messages"}, "anthropic"),
    ({"model": "foo", "api": "chat"}, "unknown"),
    ({"model": "foo", "api": "something new"}, "unknown"),
    ({"model": "foo", "host": "api.openai.com"}, "openai"),
    ({"model": "gpt-5-codex", "host": "api.openai.com"}, "responses"),
    ({"model": "foo", "host": "https://api.deepseek.com/v1"}, "deepseek"),
    ({"model": "foo", "host": "https://me.openai.azure.com:443/x"}, "openai"),
    ({"model": "foo", "host": "bedrock-runtime.us-east-1.amazonaws.com"}, "bedrock"),
    ({"model": "foo", "host": "eu-west4-aiplatform.googleapis.com"}, "gemini"),
    ({"model": "claude-opus-5", "host": "openrouter.ai"}, "anthropic"),
    ({"model": "mistralai/mistral-large", "host": "https://openrouter.ai/api/v1"}, "mistral"),
    ({"model": "mistralai/mistral-small-2503", "host": "http://127.0.0.1:8000/v1"}, "chat_template"),
    ({"model": "foo", "host": "evil-api.openai.com.example"}, "unknown"),
    ({"model": "gpt-4o", "provider": "anthropic"}, "anthropic"),
    ({"model": "gpt-4o", "api": "responses", "provider": "unknown"}, "unknown"),
    ({}, "unknown"),
]


@pytest.mark.parametrize(("said", "row"), BESIDE)
def test_api_host_and_provider_say_it_too(said: dict[str, Any], row: str) -> None:
    """`provider=` decides over the API, this over the host, and this over the name."""
    assert target_of(**said).provider.name == row


def test_a_provider_that_there_is_not_is_refused() -> None:
    """Whatever the name of the model says."""
    with pytest.raises(OptionError, match="known are"):
        target_of("gpt-4o", provider="open ai")


_OPENAI, _ANTHROPIC, _AWS = "langchain_openai", "langchain_anthropic", "langchain_aws"
_CLAUDE: Final = "'us.anthropic.claude-sonnet-4-5-20250929-v1:0'"
OBJECTS: Final = [
    (_OPENAI, "ChatOpenAI(model='gpt-4o')", "openai"),
    (_OPENAI, "ChatOpenAI(model='gpt-5-codex')", "responses"),
    (_OPENAI, "ChatOpenAI(model='gpt-4o', use_responses_api=True)", "responses"),
    (_OPENAI, "ChatOpenAI(model='gpt-5-pro', use_responses_api=False)", "openai"),
    (_OPENAI, "ChatOpenAI(model='o3', output_version='responses/v1')", "responses"),
    (_OPENAI, "ChatOpenAI(model='o3', reasoning={'effort': 'low'})", "responses"),
    (_OPENAI, "ChatOpenAI(model='x', base_url='https://api.deepseek.com/v1')", "deepseek"),
    (_OPENAI, "ChatOpenAI(model='gpt-4o', base_url='http://127.0.0.1:8000/v1')", "openai"),
    (_OPENAI, "ChatOpenAI(model='foo', base_url='http://h/v1')", "unknown"),
    (_OPENAI, "ChatOpenAI(model='llama3.1', base_url='http://h/v1')", "chat_template"),
    (_OPENAI, "ChatOpenAI(model='anthropic/claude-sonnet-4', base_url='https://openrouter.ai/api/v1')", "anthropic"),
    (_OPENAI, "ChatOpenAI(model='openai/gpt-5-pro', base_url='https://openrouter.ai/api/v1')", "openai"),
    (_OPENAI, "ChatOpenAI(model='mistralai/mistral-large', base_url='https://openrouter.ai/api/v1')", "mistral"),
    (_OPENAI, "AzureChatOpenAI(azure_deployment='mine')", "openai"),
    (_OPENAI, "ChatOpenAI(model='gpt-4o').bind(tools=[])", "openai"),
    (_OPENAI, "ChatOpenAI(model='gpt-4o').bind(model='gpt-5-codex')", "responses"),
    (_OPENAI, "ChatOpenAI(model='gpt-4o').with_retry()", "openai"),
    (_ANTHROPIC, "ChatAnthropic(model='claude-opus-5')", "anthropic"),
    (_ANTHROPIC, "ChatAnthropic(model='claude-opus-5', base_url='http://127.0.0.1')", "anthropic"),
    ("langchain_google_genai", "ChatGoogleGenerativeAI(model='gemini-2.5-flash')", "gemini"),
    (_AWS, f"ChatBedrockConverse(model={_CLAUDE})", "bedrock"),
    (_AWS, f"ChatBedrock(model={_CLAUDE})", "anthropic"),
    ("langchain_mistralai", "ChatMistralAI(model='mistral-large-latest')", "mistral"),
    ("langchain_deepseek", "ChatDeepSeek(model='deepseek-chat')", "deepseek"),
    ("langchain_cohere", "ChatCohere(model='command-a-03-2025')", "cohere"),
    ("langchain_ollama", "ChatOllama(model='llama3.1')", "chat_template"),
    ("llama_index.llms.openai", "OpenAI(model='gpt-4o')", "openai"),
    ("llama_index.llms.openai", "OpenAI(model='foo', api_base='http://127.0.0.1/v1')", "unknown"),
    ("llama_index.llms.openai", "OpenAIResponses(model='gpt-5')", "responses"),
    ("llama_index.llms.anthropic", "Anthropic(model='claude-sonnet-4-5')", "anthropic"),
    ("llama_index.llms.bedrock_converse", f"BedrockConverse(model={_CLAUDE}, region_name='us-east-1')", "bedrock"),
    ("llama_index.llms.ollama", "Ollama(model='llama3.1')", "chat_template"),
]


@pytest.mark.parametrize(("package", "code", "row"), OBJECTS, ids=[code for _, code, _ in OBJECTS])
def test_a_model_object_says_the_row_and_its_client(
    package: str, code: str, row: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its class, by what it is told, by its server's address, through what it is wrapped in."""
    if find_spec(package.partition(".")[0]) is None:
        pytest.skip(f"{package} is not installed")
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = eval(code, vars(import_module(package)).copy())  # noqa: S307 - the codes above
    target = target_of(model)
    assert target.provider.name == row
    assert target.client is not None
    assert target.client.replace("-", "_") == package.replace("llama_index.", "llama_index_").replace(".", "_")


def test_an_own_class_on_top_of_a_clients_is_of_that_client() -> None:
    """Faces and applications derive theirs."""
    module = pytest.importorskip("langchain_openai")

    class Mine(module.ChatOpenAI):  # type: ignore[misc, name-defined]
        """An application's own."""

    target = target_of(Mine(model="gpt-4o", api_key="no-key"))
    assert (target.provider.name, target.client) == ("openai", "langchain-openai")


def test_what_a_client_does_itself_is_not_left_to_do() -> None:
    """What moves or drops what is said is."""
    module = pytest.importorskip("langchain_mistralai")
    client = target_of(module.ChatMistralAI(model="mistral-large-latest", api_key="no-key"))
    assert client.asks(Kind.IDS_PLAIN) is not None
    assert client.left_to_do(Kind.IDS_PLAIN) is None
    assert client.left_to_do(Kind.NOT_USER_AFTER_TOOL) is not None
    assert target_of("mistral-large-latest").left_to_do(Kind.IDS_PLAIN) is not None
