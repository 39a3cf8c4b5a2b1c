"""Anthropic's Messages."""

from __future__ import annotations

from typing import Final

from ctx_core.providers.provider import Provider
from ctx_core.providers.rows.anthropic_thinking import THINKING
from ctx_core.providers.rows.claude import NO_PREFILL, SYSTEM_IN_LIST
from ctx_core.providers.rows.clients import LANGCHAIN_ANTHROPIC, LLAMAINDEX_ANTHROPIC, drops, meets, moves, raises
from ctx_core.providers.rules import Confidence, Kind, Rule

_PARITY: Final = "kangminlee-maker/local-OAuth-CLI-API-adapter, validation parity tests of August 2026"
_DOCS: Final = "platform.claude.com/docs"
_LANGCHAIN: Final = "langchain-anthropic 1.7.10"
_KEYS: Final = (
    "cache_control", "compaction", "container", "context_management", "diagnostics", "fallbacks",
    "fallback_credit_token", "inference_geo", "max_tokens", "mcp_servers", "messages", "metadata", "model",
    "output_config", "output_format", "service_tier", "speed", "stop_sequences", "stream", "system", "temperature",
    "thinking", "tool_choice", "tools", "top_k", "top_p", "user_profile_id", "workspace_id",
)  # fmt: skip

ANTHROPIC: Final = Provider(
    name="anthropic",
    title="Anthropic Messages",
    apis=("messages", "anthropic-messages"),
    hosts=("api.anthropic.com",),
    format="anthropic",
    models=("claude",),
    merges=True,
    rules=(
        Rule(
            kind=Kind.SOMETHING_SAID,
            refused="A list without messages.",
            source=f"{_PARITY}; LibreChat#6484",
            confidence=Confidence.PROBE,
        ),
        Rule(
            kind=Kind.PARAMETERS_PRESENT,
            refused="A request without these.",
            source=_PARITY,
            confidence=Confidence.PROBE,
            values=("max_tokens",),
        ),
        Rule(
            kind=Kind.PARAMETERS_KNOWN,
            refused="Keys that the API does not have, in the request or in a message.",
            source=_PARITY,
            confidence=Confidence.PROBE,
            values=_KEYS,
        ),
        Rule(
            kind=Kind.ROLES_KNOWN,
            refused="Roles other than these.",
            source=_PARITY,
            confidence=Confidence.PROBE,
            values=("user", "assistant", "system"),
            by_client=(
                raises(LANGCHAIN_ANTHROPIC, "A FunctionMessage ends in a KeyError."),
                raises(
                    LLAMAINDEX_ANTHROPIC,
                    "A function's result ends in a KeyError; a developer's message is sent as it is.",
                ),
            ),
        ),
        Rule(
            kind=Kind.SYSTEM_APART,
            refused="System messages in the list: they are the request's `system`.",
            source=f"{_DOCS}, mid-conversation system messages",
            confidence=Confidence.DOCUMENTED,
            but=SYSTEM_IN_LIST,
            unsure="The documentation says no for Sonnet 5, and one probe saw that it takes them.",
            by_client=(
                raises(
                    LANGCHAIN_ANTHROPIC,
                    "Leading ones go into `system`, as does a single one further on with a warning; several that do "
                    "not stand together end in a ValueError.",
                ),
                moves(LLAMAINDEX_ANTHROPIC, "All system texts are joined in `system`."),
            ),
        ),
        Rule(
            kind=Kind.SYSTEM_PLACED,
            refused="A system message that is not behind a user turn, and before an assistant turn or at the end.",
            source=f"{_DOCS}, mid-conversation system messages; {_PARITY}",
            confidence=Confidence.DOCUMENTED,
            models=SYSTEM_IN_LIST,
            where_unknown=False,
            by_client=(
                moves(
                    LANGCHAIN_ANTHROPIC,
                    "By the model's profile one stays in place where it may, and goes into `system` where not.",
                ),
                moves(LLAMAINDEX_ANTHROPIC, "All system texts are joined in `system`."),
            ),
        ),
        Rule(
            kind=Kind.USER_BEGINS,
            refused="A list that begins with the assistant.",
            source="anthropics/skills, error codes",
            confidence=Confidence.DOCUMENTED,
            unsure="A recording of May 2026 that begins with the assistant passed this check and failed a later one.",
        ),
        Rule(
            kind=Kind.USER_ENDS,
            refused="An assistant message at the end, to be gone on with.",
            source=f"{_DOCS}, prefill; ericc-ch/copilot-api#261",
            confidence=Confidence.DOCUMENTED,
            models=NO_PREFILL,
            last_may=True,
        ),
        Rule(
            kind=Kind.NOT_EMPTY,
            refused="A turn without content, but for the assistant's at the end.",
            source=f"{_PARITY}; anthropics/claude-code#6774 and others",
            confidence=Confidence.PROBE,
            last_may=True,
            by_client=(
                drops(LANGCHAIN_ANTHROPIC, "Empty assistant messages that are not the last; others stay, as refused."),
            ),
        ),
        Rule(
            kind=Kind.NOT_BLANK,
            refused="Text blocks that are empty or blank, in `system` too.",
            source="anthropics/claude-code#59812, #23440 and others",
            confidence=Confidence.REPORTS,
            by_client=(drops(LANGCHAIN_ANTHROPIC, "Blank blocks of a list; a message that is one blank text stays."),),
        ),
        Rule(
            kind=Kind.NO_TRAILING_BLANKS,
            refused="An assistant message at the end whose text ends in blanks.",
            source="forgecode#1872 and others",
            confidence=Confidence.REPORTS,
            by_client=(meets(LANGCHAIN_ANTHROPIC, "It takes them off."),),
        ),
        Rule(
            kind=Kind.ARGUMENTS_ARE_OBJECTS,
            refused="The input of a call that is no object.",
            source=f"{_DOCS}, Messages API",
            confidence=Confidence.DOCUMENTED,
        ),
        Rule(
            kind=Kind.IDS_PRESENT,
            refused="Calls or results without an id.",
            source=f"{_DOCS}, Messages API",
            confidence=Confidence.DOCUMENTED,
        ),
        Rule(
            kind=Kind.IDS_PLAIN,
            refused="Ids of other characters than letters, digits, `_` and `-`.",
            source="public reports of the error",
            confidence=Confidence.REPORTS,
            pattern=r"[a-zA-Z0-9_-]+",
            by_client=(meets(LANGCHAIN_ANTHROPIC, "It sends a digest of such an id, in the call and in the result."),),
        ),
        Rule(
            kind=Kind.IDS_UNIQUE,
            refused="Two calls of one id anywhere in the request.",
            source="anthropics/claude-code#20700, BerriAI/litellm#23510 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.CALLS_ANSWERED,
            refused="A call without its result in the very next user turn.",
            source="anthropics/claude-code#5060, OpenHands/OpenHands#7512 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.RESULTS_CALLED,
            refused="A result without its call in the assistant turn right before.",
            source="anthropics/claude-code#18947, #13460 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.ANSWERS_ADJACENT,
            refused="A turn between a call and its result.",
            source="anthropics/claude-code#5060 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.ONE_RESULT_A_CALL,
            refused="Two results of one call.",
            source="public reports of the error",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.PROVIDER_TOOLS_PAIRED,
            refused="A result of a tool of its own, or of an MCP server, without its call before it in one answer, and "
            "such a call without its result.",
            source="anthropics/claude-code#64383; anthropics/anthropic-sdk-python#961, #1339",
            confidence=Confidence.REPORTS,
            unsure="A paused answer at the end may go on from a call: the documentation says so, and reports saw it "
            "refused.",
        ),
        Rule(
            kind=Kind.RESULTS_BEFORE_TEXT,
            refused="A text before a result in one user turn.",
            source=f"{_DOCS}, handling tool calls",
            confidence=Confidence.DOCUMENTED,
        ),
        Rule(
            kind=Kind.CALLS_LAST,
            refused="A text behind a call in one assistant turn.",
            source="recording of claude-haiku-4.5 in anomalyco/opencode",
            confidence=Confidence.RECORDED,
        ),
        Rule(
            kind=Kind.TOOLS_DEFINED,
            refused="Calls or results in a request without tools.",
            source="anomalyco/opencode#2915, #8246; guards in several public code bases",
            confidence=Confidence.REPORTS,
            unsure="The API of 2024 refused it; two reports, of November 2025 and January 2026, say that it does not.",
            disputed=True,
        ),
        Rule(
            kind=Kind.CACHE_MARKS,
            refused="More cache marks than this, in tools, system and messages; one on an empty text; an hour's behind "
            "one of five minutes.",
            source=f"{_DOCS}, prompt caching",
            confidence=Confidence.DOCUMENTED,
            most=4,
        ),
        *THINKING,
        Rule(
            kind=Kind.FITS_WINDOW,
            refused="More tokens than the context window has, the answer's among them.",
            source="anthropics/claude-code#12186, docker/docker-agent#569 and others",
            confidence=Confidence.REPORTS,
            unsure="Newer models may run and end early where only the answer is too much.",
        ),
        Rule(
            kind=Kind.ANSWER_FITS_MODEL,
            refused="A longer answer than the model's longest.",
            source="public reports of the error",
            confidence=Confidence.REPORTS,
        ),
    ),
)
