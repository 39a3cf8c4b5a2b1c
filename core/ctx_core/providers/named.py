"""Which row a model's name says, in whatever spelling."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ctx_core.counting.fronts import PROVIDERS as FRONTS
from ctx_core.counting.model_names import ModelName, words
from ctx_core.providers.models import is_named
from ctx_core.providers.rows.anthropic import ANTHROPIC
from ctx_core.providers.rows.bedrock import BEDROCK
from ctx_core.providers.rows.chat_template import CHAT_TEMPLATE
from ctx_core.providers.rows.cohere import COHERE
from ctx_core.providers.rows.deepseek import DEEPSEEK
from ctx_core.providers.rows.gemini import GEMINI
from ctx_core.providers.rows.mistral import MISTRAL
from ctx_core.providers.rows.openai import OPENAI
from ctx_core.providers.rows.responses import RESPONSES
from ctx_core.providers.table import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx_core.providers.provider import Provider

ONLY_RESPONSES: Final = ("gpt-5-pro", "gpt-5.2-pro", "gpt-5.4-pro", "gpt-5.5-pro", "gpt-5.6-sol")
"""What the names of models begin with for which LangChain's client of OpenAI's takes the Responses API by itself."""
_ON_BEDROCK: Final = frozenset({"bedrock", "bedrock_converse", "amazon"})
_OF_RESPONSES: Final = frozenset({"openai_responses", "responses"})
_OF_CHAT: Final = frozenset({"openai_chat", "azure", "azure_openai", "azure_ai"})
_SERVE_WEIGHTS: Final = frozenset({
    "baseten", "cerebras", "deepinfra", "fireworks", "fireworks_ai", "groq", "hf", "huggingface", "hyperbolic",
    "lmstudio", "novita", "nebius", "nvidia", "nvidia_nim", "ollama", "ollama_chat", "ovhcloud", "sambanova",
    "together", "together_ai", "vllm", "lm_studio", "hosted_vllm", "perplexity",
})  # fmt: skip
"""Providers in front of a name that serve open weights behind their templates."""
_OWN: Final[Mapping[str, Provider]] = {
    "anthropic": ANTHROPIC,
    "google_anthropic_vertex": ANTHROPIC,
    "anthropic_bedrock": ANTHROPIC,
    "google_gla": GEMINI,
    "google_genai": GEMINI,
    "mistral": MISTRAL,
    "deepseek": DEEPSEEK,
    "cohere": COHERE,
    "cohere_chat": COHERE,
    "openai": OPENAI,
}
"""Providers in front of a name that serve only their own models, whatever those are called."""
_BEDROCK_NAME: Final = re.compile(
    r"(?:(?:us|eu|ap|apac|au|jp|ca|sa|global|us-gov)\.)?"
    r"(?:anthropic|amazon|meta|mistral|cohere|ai21|deepseek|openai|qwen|writer|stability)\.[a-z].*"
)
"""A model's id on Bedrock: a region, a vendor with a point, a model."""
_TAG: Final = re.compile(
    r":(?:latest|(?:\d+x)?\d+(?:\.\d+)?[bmk]|e\d+b|[\w.-]*(?:instruct|chat|text|q\d|fp16|cloud))(?:[-_].*)?$"
)
"""A tag of Ollama's behind a model."""
_BY_NAME: Final = (
    (("gpt-oss",), CHAT_TEMPLATE),
    (("claude",), ANTHROPIC),
    (("gpt", "chatgpt", "o1", "o3", "o4"), OPENAI),
    (("codex",), RESPONSES),
    (("gemini",), GEMINI),
    (MISTRAL.models, MISTRAL),
    (DEEPSEEK.models, DEEPSEEK),
    (COHERE.models, COHERE),
    (("nova", "titan"), BEDROCK),
    (CHAT_TEMPLATE.models, CHAT_TEMPLATE),
)
_WEIGHTS: Final = frozenset({
    "deepseek-ai", "mistral-community", "cohereforai", "coherelabs", "unsloth", "bartowski",
})  # fmt: skip
"""Those whose open weights are called by path, as on Hugging Face."""
_MAKER: Final = "mistralai"
"""One of them whose API's models gateways call so too, as in `openrouter/mistralai/mistral-large`."""
_NEWEST: Final = "-latest"
"""What only the names of APIs end with."""
_GATEWAYS: Final[Mapping[str, str]] = {"openrouter.ai": "openrouter"}
"""Hosts that call models as with this in front of the name."""


def row_of_name(name: str, host: str | None = None) -> Provider:
    """Give the row of a model's name; `unknown` where it says nothing.

    Args:
        name: in whatever spelling.
        host: the server that calls it so, or its address; None: not known.
    """
    gateway = next((front for known, front in _GATEWAYS.items() if host is not None and known in host.lower()), None)
    return _row_of(name if gateway is None else f"{gateway}/{name.strip()}")


@lru_cache(maxsize=1_024)
def _row_of(name: str) -> Provider:
    spelled = name.strip().lower()
    fronts = _fronts(spelled)
    model = ModelName.read(name).model
    row = _by_model(name, model)
    if _ON_BEDROCK & fronts or _BEDROCK_NAME.fullmatch(model):
        return BEDROCK
    if _OF_RESPONSES & fronts or (row is OPENAI and ("codex" in words(model) or is_named(name, ONLY_RESPONSES))):
        return RESPONSES
    if _OF_CHAT & fronts:
        return OPENAI if row in {UNKNOWN, RESPONSES} else row
    if _SERVE_WEIGHTS & fronts or _is_by_path(spelled) or _is_tagged(spelled, row):
        return CHAT_TEMPLATE if row in {UNKNOWN, MISTRAL, DEEPSEEK, COHERE} else row
    if row is UNKNOWN:
        return next((_OWN[front] for front in sorted(fronts) if front in _OWN), UNKNOWN)
    return row


def _by_model(name: str, model: str) -> Provider:
    found = next((row for names, row in _BY_NAME if is_named(name, names)), None)
    if found is not None:
        return found
    inner = ModelName.read(model)
    fits = [
        (fit, at)
        for at, (names, _) in enumerate(_BY_NAME)
        for prefix in names
        if (fit := inner.fit(prefix)) is not None
    ]
    return _BY_NAME[max(fits, key=lambda one: (one[0], -one[1]))[1]][1] if fits else UNKNOWN


def _fronts(spelled: str) -> frozenset[str]:
    """Give the providers that stand in front of a name."""
    parts = re.split(r"[/:]", spelled)[:-1]
    known = {part.lstrip("~@").replace("-", "_") for part in parts}
    return frozenset(known & (FRONTS | _SERVE_WEIGHTS | _OF_RESPONSES))


def _is_by_path(spelled: str) -> bool:
    """Whether a name is the path of open weights."""
    parts = spelled.split("/")[:-1]
    return not _WEIGHTS.isdisjoint(parts) or (parts[:1] == [_MAKER] and not spelled.endswith(_NEWEST))


def _is_tagged(spelled: str, row: Provider) -> bool:
    return row is not UNKNOWN and row not in {OPENAI, ANTHROPIC, GEMINI} and _TAG.search(spelled) is not None
