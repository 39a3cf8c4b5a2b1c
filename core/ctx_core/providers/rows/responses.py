"""OpenAI's Responses API."""

from __future__ import annotations

from typing import Final

from ctx_core.providers.models import Models
from ctx_core.providers.provider import Provider
from ctx_core.providers.rows.clients import LANGCHAIN_OPENAI, drops, meets
from ctx_core.providers.rows.openai import REASONING_MODELS
from ctx_core.providers.rules import Confidence, Kind, Rule

_PARITY: Final = "kangminlee-maker/local-OAuth-CLI-API-adapter, validation parity tests of August 2026"
_KEYS: Final = (
    "background", "context_management", "conversation", "include", "input", "instructions", "max_output_tokens",
    "max_tool_calls", "metadata", "model", "moderation", "parallel_tool_calls", "previous_response_id", "prompt",
    "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "reasoning", "safety_identifier",
    "service_tier", "store", "stream", "stream_options", "temperature", "text", "tool_choice", "tools", "top_logprobs",
    "top_p", "truncation", "user",
)  # fmt: skip
_ITEMS: Final = (
    "additional_tools", "apply_patch_call", "apply_patch_call_output", "code_interpreter_call", "compaction",
    "compaction_trigger", "computer_call", "computer_call_output", "custom_tool_call", "custom_tool_call_output",
    "file_search_call", "function_call", "function_call_output", "image_generation_call", "item_reference",
    "local_shell_call", "local_shell_call_output", "mcp_approval_request", "mcp_approval_response", "mcp_call",
    "mcp_list_tools", "message", "program", "program_output", "reasoning", "shell_call", "shell_call_output",
    "tool_search_call", "tool_search_output", "web_search_call",
)  # fmt: skip

RESPONSES: Final = Provider(
    name="responses",
    title="OpenAI Responses",
    apis=("responses", "openai-responses"),
    format="responses",
    models=("gpt", "chatgpt", "o1", "o3", "o4", "codex"),
    rules=(
        Rule(
            kind=Kind.SOMETHING_SAID,
            refused="No input, or an empty one, where nothing is gone on from.",
            source=_PARITY,
            confidence=Confidence.PROBE,
        ),
        Rule(
            kind=Kind.PARAMETERS_KNOWN,
            refused="Keys that the API does not have, `messages` among them.",
            source=_PARITY,
            confidence=Confidence.PROBE,
            values=_KEYS,
        ),
        Rule(
            kind=Kind.PARAMETERS_FIT_MODEL,
            refused="A temperature for reasoning models.",
            source=_PARITY,
            confidence=Confidence.PROBE,
            models=REASONING_MODELS,
            but=(Models(names=("gpt-5-chat",)),),
            where_unknown=False,
            values=("temperature",),
        ),
        Rule(
            kind=Kind.PARAMETERS_PRESENT,
            refused="Items without what belongs to them: a content, a call's id, a reasoning's summary.",
            source=f"{_PARITY}; public reports",
            confidence=Confidence.PROBE,
        ),
        Rule(
            kind=Kind.ITEMS_KNOWN,
            refused="Items of a type that is not on the list.",
            source=f"{_PARITY}; openai 2.54.0, ResponseInputItemParam",
            confidence=Confidence.PROBE,
            values=_ITEMS,
        ),
        Rule(
            kind=Kind.ROLES_KNOWN,
            refused="Roles of messages other than these.",
            source=_PARITY,
            confidence=Confidence.PROBE,
            values=("system", "developer", "user", "assistant"),
        ),
        Rule(
            kind=Kind.CONTENT_OF_ROLE,
            refused="Blocks of an answer in a user message, and blocks of a question in an assistant message.",
            source=_PARITY,
            confidence=Confidence.PROBE,
        ),
        Rule(
            kind=Kind.ANSWER_FITS_MODEL,
            refused="An answer of fewer tokens than this.",
            source=_PARITY,
            confidence=Confidence.PROBE,
            least=16,
        ),
        Rule(
            kind=Kind.IDS_PRESENT,
            refused="Calls or outputs without a call's id.",
            source="platform.openai.com/docs/api-reference/responses/create",
            confidence=Confidence.DOCUMENTED,
        ),
        Rule(
            kind=Kind.IDS_PLAIN,
            refused="Ids of items of other characters than letters, digits, `_` and `-`.",
            source=_PARITY,
            confidence=Confidence.PROBE,
            pattern=r"[A-Za-z0-9_-]+",
        ),
        Rule(
            kind=Kind.IDS_SHORT,
            refused="Ids of more characters than this.",
            source=f"{_PARITY}; AnswerDotAI/fastllm#45",
            confidence=Confidence.PROBE,
            most=64,
        ),
        Rule(
            kind=Kind.ITEMS_UNIQUE,
            refused="Two items of one id.",
            source="public reports of the error",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.RESULTS_CALLED,
            refused="An output without its call.",
            source="continuedev/continue#10092 and those linked there, codex2api#414 and others",
            confidence=Confidence.REPORTS,
            unsure="Servers of Codex are said to take it; those of the API refuse.",
        ),
        Rule(
            kind=Kind.CALLS_ANSWERED,
            refused="A call without its output; they need not be neighbors.",
            source="router-for-me/CLIProxyAPI#2368 and others",
            confidence=Confidence.REPORTS,
            unsure="Servers of Codex are said to take it; those of the API refuse.",
        ),
        Rule(
            kind=Kind.REASONING_FOLLOWED,
            refused="A reasoning item without the item that was generated behind it, or that item without it.",
            source="continuedev/continue#8933, vercel/ai#7099, mastra-ai/mastra#8738 and others",
            confidence=Confidence.REPORTS,
            unsure="Whether a message that is missing between a reasoning item and its call counts is not known.",
            by_client=(
                meets(
                    LANGCHAIN_OPENAI,
                    "A content that became a plain text takes reasoning and the ids of the items with it.",
                ),
            ),
        ),
        Rule(
            kind=Kind.ITEMS_STORED,
            refused="Reasoning without its sealed content, or a reference to an item, that the server does not keep.",
            source="continuedev/continue#9101, vercel/ai#7543, langchain-ai/langchain#38372",
            confidence=Confidence.REPORTS,
            by_client=(drops(LANGCHAIN_OPENAI, "With `store=False` it leaves out reasoning without sealed content."),),
        ),
        Rule(
            kind=Kind.RESPONSE_KNOWN,
            refused="A previous response that the server does not keep.",
            source=_PARITY,
            confidence=Confidence.PROBE,
        ),
        Rule(
            kind=Kind.SIGNATURES_VALID,
            refused="Sealed reasoning that is not as it was given, or of another family of models.",
            source="public reports of the error",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.FITS_WINDOW,
            refused="More tokens than the context window has, unless it may truncate by itself.",
            source="dyad-sh/dyad#1672",
            confidence=Confidence.REPORTS,
        ),
    ),
)
