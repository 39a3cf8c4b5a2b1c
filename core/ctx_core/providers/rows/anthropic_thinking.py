"""What Anthropic's Messages ask of thinking, and of the parameters that come with it."""

from __future__ import annotations

from typing import Final

from ctx_core.providers.rows.claude import (
    BINDS_THINKING,
    NO_ADAPTIVE_THINKING,
    NO_BUDGET_OF_THINKING,
    NO_SAMPLING,
    NO_THINKING_OFF,
    NOT_MADE_TO_CALL,
    THINKS_ABOVE_HIGH,
    THINKS_IN_LOOP,
)
from ctx_core.providers.rules import Confidence, Kind, Rule

_DOCS: Final = "platform.claude.com/docs"

THINKING: Final = (
    Rule(
        kind=Kind.THINKING_SETTING,
        refused="No thinking at an effort above `high`, or a budget of it.",
        source=f"{_DOCS}, thinking troubleshooting",
        confidence=Confidence.DOCUMENTED,
        models=THINKS_ABOVE_HIGH,
        where_unknown=False,
        values=("enabled", "disabled above high"),
    ),
    Rule(
        kind=Kind.THINKING_SETTING,
        refused="A budget of thinking to models that think adaptively.",
        source=f"{_DOCS}, thinking troubleshooting",
        confidence=Confidence.DOCUMENTED,
        models=NO_BUDGET_OF_THINKING,
        but=(*NO_THINKING_OFF, *THINKS_ABOVE_HIGH),
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
        kind=Kind.PREFILL_WITHOUT_THINKING,
        refused="With a budget of thinking, an assistant message at the end, to be gone on with.",
        source=f"{_DOCS}, extended thinking",
        confidence=Confidence.DOCUMENTED,
        models=THINKS_IN_LOOP,
    ),
    Rule(
        kind=Kind.TOOL_CHOICE_WITHOUT_THINKING,
        refused="With a budget of thinking, a call that the model is made to do.",
        source=f"{_DOCS}, thinking troubleshooting",
        confidence=Confidence.DOCUMENTED,
        values=("any", "tool"),
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
        source="Kilo-Org/kilocode#5219, anomalyco/opencode#3077, mastra-ai/mastra#7799 and others",
        confidence=Confidence.REPORTS,
        models=THINKS_IN_LOOP,
        unsure="Where thinking is adaptive, a loop without any is taken to pass.",
    ),
    Rule(
        kind=Kind.NO_LAST_THINKING,
        refused="Thinking in an assistant message at the end, where thinking is disabled.",
        source="forgecode#1853",
        confidence=Confidence.REPORTS,
    ),
    Rule(
        kind=Kind.THINKING_SIGNED,
        refused="Thinking without a signature, or with an empty one, as other models' has none.",
        source="maximhq/bifrost#6942, can1357/oh-my-pi#10486, justlovemaki/AIClient2API#437",
        confidence=Confidence.REPORTS,
    ),
    Rule(
        kind=Kind.SIGNATURES_VALID,
        refused="A signature that does not fit its thinking.",
        source="anthropics/claude-code#10627, langchain-ai/langchain#33391",
        confidence=Confidence.REPORTS,
        since="2025-10-07",
    ),
)
