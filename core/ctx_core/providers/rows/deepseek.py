"""DeepSeek's chat completions."""

from __future__ import annotations

from typing import Final

from ctx_core.providers.models import Models
from ctx_core.providers.provider import Provider
from ctx_core.providers.rows.clients import LANGCHAIN_DEEPSEEK, drops
from ctx_core.providers.rules import Confidence, Kind, Rule

_PROBE: Final = "tingly-dev/tingly-box, .design/deepseek.md of September 2026"
_REASONER: Final = (Models(names=("deepseek-reasoner", "deepseek-r1")),)
_THINKS: Final = (*_REASONER, Models(names=("deepseek",), since=(3, 2)))
_DOES_NOT_THINK: Final = (Models(names=("deepseek-chat", "deepseek-coder")),)

DEEPSEEK: Final = Provider(
    name="deepseek",
    title="DeepSeek chat completions",
    apis=("deepseek-chat",),
    hosts=("api.deepseek.com",),
    format="openai",
    models=("deepseek",),
    rules=(
        Rule(
            kind=Kind.SOMETHING_SAID,
            refused="A list without messages.",
            source="no report",
            confidence=Confidence.INFERRED,
        ),
        Rule(
            kind=Kind.ROLES_KNOWN,
            refused="Roles other than these.",
            source="earendil-works/pi#1048, eclipse-theia/theia#15144 and others; api-docs.deepseek.com",
            confidence=Confidence.REPORTS,
            values=("system", "user", "assistant", "tool"),
        ),
        Rule(
            kind=Kind.ALTERNATES,
            refused="Two messages of one role in a row, to the reasoner.",
            source="deepseek-ai/DeepSeek-R1#21",
            confidence=Confidence.REPORTS,
            models=_REASONER,
            where_unknown=False,
            since="2025-01",
            until="2025-12",
            unsure="It was so of R1; since V3.2 the same name is taken to be another model, which takes them.",
        ),
        Rule(
            kind=Kind.IDS_PRESENT,
            refused="Calls or tool messages without an id.",
            source="api-docs.deepseek.com, chat completion",
            confidence=Confidence.DOCUMENTED,
        ),
        Rule(
            kind=Kind.RESULTS_CALLED,
            refused="A tool message that answers no call before it.",
            source=_PROBE,
            confidence=Confidence.PROBE,
        ),
        Rule(
            kind=Kind.CALLS_ANSWERED,
            refused="A call without a tool message right behind.",
            source=_PROBE,
            confidence=Confidence.PROBE,
        ),
        Rule(
            kind=Kind.ANSWERS_ADJACENT,
            refused="Anything but tool messages between a call and its answer.",
            source=_PROBE,
            confidence=Confidence.PROBE,
        ),
        Rule(
            kind=Kind.CALLS_KEEP_REASONING,
            refused="In thinking mode, an assistant message with calls that has no `reasoning_content`, old ones too.",
            source="api-docs.deepseek.com, thinking mode; openclaw/openclaw#73417 and others",
            confidence=Confidence.DOCUMENTED,
            models=_THINKS,
            but=_DOES_NOT_THINK,
            unsure="Probes of June and September 2026 got an answer without it; a report of August did not.",
            by_client=(drops(LANGCHAIN_DEEPSEEK, "It sends no reasoning back, whatever it is given."),),
        ),
        Rule(
            kind=Kind.FITS_WINDOW,
            refused="More tokens than the context window has.",
            source="no report",
            confidence=Confidence.INFERRED,
        ),
    ),
)
