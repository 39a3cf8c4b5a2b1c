"""Anthropic's Messages."""

from __future__ import annotations

from typing import Final

from ctx_core.providers.provider import Provider
from ctx_core.providers.rows.claude import (
    BINDS_THINKING,
    NO_ADAPTIVE_THINKING,
    NO_BUDGET_OF_THINKING,
    NO_PREFILL,
    NO_SAMPLING,
    NO_THINKING_OFF,
    NOT_MADE_TO_CALL,
    SYSTEM_IN_LIST,
    THINKS_IN_LOOP,
)
from ctx_core.providers.rows.clients import LANGCHAIN_ANTHROPIC, LLAMAINDEX_ANTHROPIC, drops, meets, moves, raises
from ctx_core.providers.rules import Confidence, Kind, Rule

_PARITY: Final = "kangminlee-maker/local-OAuth-CLI-API-adapter, validation parity tests of August 2026"
_DOCS: Final = "platform.claude.com/docs"
_LANGCHAIN: Final = "langchain-anthropic 1.7.10"

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
            source=f"{_PARITY}; danny-avila/LibreChat#6484",
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
        ),
        Rule(
            kind=Kind.ROLES_KNOWN,
            refused="Roles other than these.",
            source=_PARITY,
            confidence=Confidence.PROBE,
            values=("user", "assistant", "system"),
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
            source="antinomyhq/forge#1872 and others",
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
            source="anthropics/claude-code#5060, All-Hands-AI/OpenHands#7512 and others",
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
            kind=Kind.RESULTS_BEFORE_TEXT,
            refused="A text before a result in one user turn.",
            source=f"{_DOCS}, handling tool calls",
            confidence=Confidence.DOCUMENTED,
        ),
        Rule(
            kind=Kind.CALLS_LAST,
            refused="A text behind a call in one assistant turn.",
            source="recording of claude-haiku-4.5 in sst/opencode",
            confidence=Confidence.RECORDED,
        ),
        Rule(
            kind=Kind.TOOLS_DEFINED,
            refused="Calls or results in a request without tools.",
            source="sst/opencode#2915, #8246; guards in several public code bases",
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
        Rule(
            kind=Kind.THINKING_SETTING,
            refused="A budget of thinking to models that think adaptively.",
            source=f"{_DOCS}, thinking troubleshooting",
            confidence=Confidence.DOCUMENTED,
            models=NO_BUDGET_OF_THINKING,
            but=NO_THINKING_OFF,
            where_unknown=False,
            values=("enabled",),
        ),
        Rule(
            kind=Kind.THINKING_SETTING,
            refused="A budget of thinking, or none of it, to models that always think.",
            source=f"{_DOCS}, thinking troubleshooting",
            confidence=Confidence.DOCUMENTED,
            models=NO_THINKING_OFF,
            where_unknown=False,
            values=("enabled", "disabled"),
        ),
        Rule(
            kind=Kind.THINKING_SETTING,
            refused="Adaptive thinking of models that know only a budget.",
            source=f"{_DOCS}, thinking troubleshooting",
            confidence=Confidence.DOCUMENTED,
            models=NO_ADAPTIVE_THINKING,
            where_unknown=False,
            values=("adaptive",),
        ),
        Rule(
            kind=Kind.THINKING_BUDGET,
            refused="A budget of thinking below this, or not below `max_tokens`.",
            source=f"{_DOCS}, thinking troubleshooting",
            confidence=Confidence.DOCUMENTED,
            least=1_024,
        ),
        Rule(
            kind=Kind.HEADERS_PRESENT,
            refused="`block_binding` without the header of its beta.",
            source=f"{_DOCS}, preserved thinking",
            confidence=Confidence.DOCUMENTED,
            values=("thinking-binding-controls-2026-08-01",),
        ),
        Rule(
            kind=Kind.PARAMETERS_FIT_MODEL,
            refused="A temperature, `top_p` or `top_k` other than the default.",
            source=f"{_DOCS}, thinking troubleshooting",
            confidence=Confidence.DOCUMENTED,
            models=NO_SAMPLING,
            where_unknown=False,
            values=("temperature", "top_p", "top_k"),
        ),
        Rule(
            kind=Kind.TOOL_CHOICE_FREE,
            refused="A call that the model is made to do.",
            source=f"{_DOCS}, thinking troubleshooting",
            confidence=Confidence.DOCUMENTED,
            models=NOT_MADE_TO_CALL,
            where_unknown=False,
            values=("any", "tool"),
        ),
        Rule(
            kind=Kind.THINKING_BOUND,
            refused="Thinking behind anything but what it was written behind: system, tools and every message before.",
            source=f"{_DOCS}, preserved thinking",
            confidence=Confidence.DOCUMENTED,
            models=BINDS_THINKING,
            since="2026-08-31",
            unsure="Fable 5.1 refuses for accounts that are newer than that day, later models for all.",
        ),
        Rule(
            kind=Kind.THINKING_UNMODIFIED,
            refused="Thinking that is not as it was: altered, moved, or with some of its blocks left out.",
            source="anthropics/claude-code#63548, #12311 and dozens of others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.LOOP_KEEPS_THINKING,
            refused="With a budget of thinking, a running tool loop whose assistant turn does not begin with thinking.",
            source="Kilo-Org/kilocode#5219, sst/opencode#3077, mastra-ai/mastra#7799 and others",
            confidence=Confidence.REPORTS,
            models=THINKS_IN_LOOP,
            unsure="Where thinking is adaptive, a loop without any is taken to pass.",
        ),
        Rule(
            kind=Kind.NO_LAST_THINKING,
            refused="Thinking in an assistant message at the end, where thinking is disabled.",
            source="antinomyhq/forge#1853",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.SIGNATURES_VALID,
            refused="A signature that does not fit its thinking.",
            source="anthropics/claude-code#10627, langchain-ai/langchain#33391",
            confidence=Confidence.REPORTS,
            since="2025-10-07",
        ),
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
