"""Which client library a model object is of, and which row that says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ctx_core.counting.model_objects import attribute
from ctx_core.providers.hosts import row_of_host
from ctx_core.providers.named import ONLY_RESPONSES, row_of_name
from ctx_core.providers.provider import Provider
from ctx_core.providers.rows import clients
from ctx_core.providers.rows.anthropic import ANTHROPIC
from ctx_core.providers.rows.bedrock import BEDROCK
from ctx_core.providers.rows.chat_template import CHAT_TEMPLATE
from ctx_core.providers.rows.cohere import COHERE
from ctx_core.providers.rows.deepseek import DEEPSEEK
from ctx_core.providers.rows.gemini import GEMINI
from ctx_core.providers.rows.mistral import MISTRAL
from ctx_core.providers.rows.openai import OPENAI
from ctx_core.providers.rows.responses import RESPONSES

if TYPE_CHECKING:
    from ctx_core.counting.model_objects import AskedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class _Client:
    """A class of model objects."""

    sign: str
    """What the full name of the class, or of one that it is made of, begins with; in lower case."""
    package: str
    """Its package."""
    row: Provider | None
    """The row of its requests; None where host and model say it."""


_CLIENTS: Final = tuple(
    _Client(sign=sign, package=package, row=row)
    for sign, package, row in (
        ("langchain_deepseek.", clients.LANGCHAIN_DEEPSEEK, DEEPSEEK),
        ("langchain_anthropic.", clients.LANGCHAIN_ANTHROPIC, ANTHROPIC),
        ("langchain_google_vertexai.model_garden.", "langchain-google-vertexai", ANTHROPIC),
        ("langchain_google_vertexai.", "langchain-google-vertexai", GEMINI),
        ("langchain_google_genai.", clients.LANGCHAIN_GOOGLE, GEMINI),
        ("langchain_aws.chat_models.bedrock_converse.", clients.LANGCHAIN_AWS, BEDROCK),
        ("langchain_aws.chat_models.anthropic.", clients.LANGCHAIN_AWS, ANTHROPIC),
        ("langchain_mistralai.", clients.LANGCHAIN_MISTRAL, MISTRAL),
        ("langchain_cohere.", clients.LANGCHAIN_COHERE, COHERE),
        ("langchain_ollama.", clients.LANGCHAIN_OLLAMA, CHAT_TEMPLATE),
        ("langchain_huggingface.", "langchain-huggingface", CHAT_TEMPLATE),
        ("langchain_groq.", "langchain-groq", CHAT_TEMPLATE),
        ("langchain_aws.", clients.LANGCHAIN_AWS, None),
        ("langchain_openai.chat_models.azure", clients.LANGCHAIN_OPENAI, OPENAI),
        ("langchain_openai.", clients.LANGCHAIN_OPENAI, None),
        ("llama_index.llms.deepseek.", "llama-index-llms-deepseek", DEEPSEEK),
        ("llama_index.llms.anthropic.", clients.LLAMAINDEX_ANTHROPIC, ANTHROPIC),
        ("llama_index.llms.google_genai.", clients.LLAMAINDEX_GOOGLE, GEMINI),
        ("llama_index.llms.gemini.", "llama-index-llms-gemini", GEMINI),
        ("llama_index.llms.vertex.", "llama-index-llms-vertex", GEMINI),
        ("llama_index.llms.bedrock_converse.", clients.LLAMAINDEX_BEDROCK, BEDROCK),
        ("llama_index.llms.mistralai.", "llama-index-llms-mistralai", MISTRAL),
        ("llama_index.llms.cohere.", "llama-index-llms-cohere", COHERE),
        ("llama_index.llms.ollama.", clients.LLAMAINDEX_OLLAMA, CHAT_TEMPLATE),
        ("llama_index.llms.huggingface", "llama-index-llms-huggingface", CHAT_TEMPLATE),
        ("llama_index.llms.groq.", "llama-index-llms-groq", CHAT_TEMPLATE),
        ("llama_index.llms.azure_openai.", "llama-index-llms-azure-openai", OPENAI),
        ("llama_index.llms.openai.responses.", clients.LLAMAINDEX_OPENAI, RESPONSES),
        ("llama_index.llms.openai_like.", "llama-index-llms-openai-like", None),
        ("llama_index.llms.openai.", clients.LLAMAINDEX_OPENAI, None),
    )
)
"""Of a class that is made of others, the nearest counts."""
_ONLY_IN_RESPONSES: Final = ("context_management", "include", "reasoning", "truncation", "previous_response_id")
"""What langchain-openai 1.7.4 takes the Responses API for, as no other has it."""
_ADDRESSES: Final = (
    "base_url", "openai_api_base", "api_base", "azure_endpoint", "endpoint_url", "anthropic_api_url",
)  # fmt: skip


def model_of(asked: AskedModel) -> str | None:
    """Give the name of a model: what each request is sent with wins over what the object says."""
    sent = asked.sent.get("model")
    return sent if isinstance(sent, str) and sent else asked.name


def client_row(asked: AskedModel, name: str | None) -> tuple[str | None, Provider | None]:
    """Give the package of a model object's class, and the row that it says; None for what is not said."""
    client = _client_of(asked.model)
    if client is None:
        return None, None
    if client.row is not None:
        takes_responses = client.row is OPENAI and _takes_responses(asked, name)
        return client.package, RESPONSES if takes_responses else client.row
    if client.package == clients.LANGCHAIN_AWS:
        # Its older class sends Claude's requests as Anthropic has them.
        return client.package, ANTHROPIC if name is not None and "claude" in name.lower() else BEDROCK
    if client.package == clients.LANGCHAIN_OPENAI and _takes_responses(asked, name):
        return client.package, RESPONSES
    return client.package, _of_chat(host_of(asked.model), name)


def host_of(model: object) -> str | None:
    """Give the address that a model object sends its requests to; None where it is the client's own default."""
    if model is None or isinstance(model, str):
        return None
    return next(
        (place for name in _ADDRESSES if isinstance(place := attribute(model, name), str) and place.strip()), None
    )


def _client_of(model: object) -> _Client | None:
    if model is None or isinstance(model, str):
        return None
    for kind in type(model).__mro__:
        name = f"{kind.__module__}.{kind.__qualname__}".lower()
        for client in _CLIENTS:
            if name.startswith(client.sign):
                return client
    return None


def _takes_responses(asked: AskedModel, name: str | None) -> bool:
    """Whether LangChain's client of OpenAI's takes the Responses API: told to, or by itself."""
    told = asked.sent.get("use_responses_api", attribute(asked.model, "use_responses_api"))
    if isinstance(told, bool):
        return told
    if attribute(asked.model, "output_version") == "responses/v1":
        return True
    asks = any(asked.sent.get(key, attribute(asked.model, key)) is not None for key in _ONLY_IN_RESPONSES)
    # It looks at the name as it is spelled.
    return asks or (name is not None and (name.startswith(ONLY_RESPONSES) or "codex" in name))


def _of_chat(host: str | None, name: str | None) -> Provider | None:
    """Give the row of a client that calls chat completions; None where neither its server nor the model says it."""
    if host is None:
        return OPENAI
    row = row_of_host(host) or (None if name is None else row_of_name(name, host))
    return OPENAI if row is RESPONSES else row
