"""OpenAI's chat completions."""

from __future__ import annotations

from typing import Final

from ctx_core.providers.models import Models
from ctx_core.providers.provider import Provider
from ctx_core.providers.rows.clients import LANGCHAIN_OPENAI, meets
from ctx_core.providers.rules import Confidence, Kind, Rule

_PARITY: Final = "kangminlee-maker/local-OAuth-CLI-API-adapter, validation parity tests of August 2026"
_KEYS: Final = (
    "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens",
    "max_tokens", "messages", "metadata", "modalities", "model", "moderation", "n", "parallel_tool_calls", "prediction",
    "presence_penalty", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "reasoning_effort",
    "response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "stream", "stream_options",
    "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity", "web_search_options",
)  # fmt: skip
_WITHOUT_SYSTEM: Final = (Models(names=("o1-mini", "o1-preview")),)
REASONING_MODELS: Final = (Models(names=("o1", "o3", "o4")), Models(names=("gpt-5",)))
_CHAT_OF_REASONING: Final = (
    Models(names=("gpt-5-chat", "gpt-5.1-chat", "gpt-5.2-chat", "gpt-5.3-chat", "gpt-5.4-chat")),
)

OPENAI: Final = Provider(
    name="openai",
    title="OpenAI chat completions",
    apis=("chat", "chat_completions", "completions", "openai-chat"),
    hosts=("api.openai.com", "openai.azure.com", "services.ai.azure.com", "cognitiveservices.azure.com"),
    format="openai",
    models=("gpt", "chatgpt", "o1", "o3", "o4", "codex"),
    rules=(
        Rule(
            kind=Kind.SOMETHING_SAID,
            refused="A list without messages, or no list.",
            source=_PARITY,
            confidence=Confidence.PROBE,
        ),
        Rule(
            kind=Kind.PARAMETERS_KNOWN,
            refused="Keys of the request that the API does not have.",
            source=_PARITY,
            confidence=Confidence.PROBE,
            values=_KEYS,
        ),
        Rule(
            kind=Kind.ROLES_KNOWN,
            refused="Roles other than these.",
            source=_PARITY,
            confidence=Confidence.PROBE,
            values=("system", "developer", "user", "assistant", "tool", "function"),
        ),
        Rule(
            kind=Kind.TAKES_NO_SYSTEM,
            refused="System messages to models that know none.",
            source="recording of o1-mini in pydantic/pydantic-ai",
            confidence=Confidence.RECORDED,
            models=_WITHOUT_SYSTEM,
            where_unknown=False,
        ),
        Rule(
            kind=Kind.CONTENT_PRESENT,
            refused="Null for a content, but in an assistant message with calls, a refusal or a recording.",
            source=_PARITY,
            confidence=Confidence.PROBE,
            by_client=(meets(LANGCHAIN_OPENAI, "Messages of LangChain always have a content."),),
        ),
        Rule(
            kind=Kind.CALLS_NOT_EMPTY_LIST,
            refused="An empty list of calls.",
            source=_PARITY,
            confidence=Confidence.PROBE,
            by_client=(meets(LANGCHAIN_OPENAI, "Without calls there is no list of them."),),
        ),
        Rule(
            kind=Kind.IDS_PRESENT,
            refused="Calls or tool messages without an id.",
            source="platform.openai.com/docs/api-reference/chat/create",
            confidence=Confidence.DOCUMENTED,
        ),
        Rule(
            kind=Kind.IDS_SHORT,
            refused="Ids of calls of more characters than this.",
            source="microsoft/autogen#6377, camel-ai/camel#2215, anomalyco/opencode#12653 and others",
            confidence=Confidence.REPORTS,
            most=40,
            unsure="A maintainer of vercel/ai#8132 could not bring it about in July 2026.",
        ),
        Rule(
            kind=Kind.RESULTS_CALLED,
            refused="A tool message that answers no call of the nearest assistant message with calls before it.",
            source="miurla/morphic#136, smarter-sh/smarter#264, microsoft/autogen#3178 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.CALLS_ANSWERED,
            refused="A call without a tool message before the next message that is none, or the end.",
            source="aliasrobotics/cai#111, langchain-ai/open_deep_research#164, BerriAI/litellm#10083 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.ANSWERS_ADJACENT,
            refused="Anything but tool messages between a call and its answer.",
            source="evalstate/fast-agent#314",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.PARAMETERS_FIT_MODEL,
            refused="Parameters that reasoning models do not take, and a temperature other than 1.",
            source=_PARITY,
            confidence=Confidence.PROBE,
            models=REASONING_MODELS,
            but=_CHAT_OF_REASONING,
            where_unknown=False,
            values=("max_tokens", "stop", "logit_bias", "prediction", "temperature"),
        ),
        Rule(
            kind=Kind.TOOLS_WITHOUT_EFFORT,
            refused="Function tools with a reasoning effort other than `none`.",
            source="openai-openapi#541, GEMISIS/leviath#333, BerriAI/litellm#34569",
            confidence=Confidence.REPORTS,
            models=(Models(names=("gpt-5",), since=(5, 4), before=(5, 6)),),
            but=_CHAT_OF_REASONING,
            where_unknown=False,
        ),
        Rule(
            kind=Kind.TOOLS_WITHOUT_EFFORT,
            refused="Function tools, unless the reasoning effort is said to be `none`.",
            source="openai-openapi#541, GEMISIS/leviath#333, BerriAI/litellm#34569",
            confidence=Confidence.REPORTS,
            models=(Models(names=("gpt-5",), since=(5, 6), before=(5, 7)),),
            but=_CHAT_OF_REASONING,
            where_unknown=False,
            values=("unset",),
        ),
        Rule(
            kind=Kind.TOOLS_FEW,
            refused="More tools than this.",
            source="public reports of the error, by third parties",
            confidence=Confidence.REPORTS,
            most=128,
        ),
        Rule(
            kind=Kind.FITS_WINDOW,
            refused="More tokens than the context window has.",
            source="langchain-openai 1.7.4, errors of `chat_models/base.py`",
            confidence=Confidence.REPORTS,
        ),
    ),
)
