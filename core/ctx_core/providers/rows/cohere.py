"""Cohere's chat, version 2."""

from __future__ import annotations

from typing import Final

from ctx_core.providers.provider import Provider
from ctx_core.providers.rows.clients import LANGCHAIN_COHERE, raises
from ctx_core.providers.rules import Confidence, Kind, Rule

_OCI: Final = "oracle/langchain-oracle#10, of Command A"
_DOCS: Final = "docs.cohere.com/v2/reference/chat"

COHERE: Final = Provider(
    name="cohere",
    title="Cohere chat",
    apis=("chat_v2", "cohere-chat"),
    hosts=("api.cohere.com", "api.cohere.ai"),
    format="openai",
    models=("command", "c4ai", "aya"),
    rules=(
        Rule(
            kind=Kind.SOMETHING_SAID,
            refused="A list without messages.",
            source=_DOCS,
            confidence=Confidence.INFERRED,
        ),
        Rule(
            kind=Kind.ROLES_KNOWN,
            refused="Roles other than these.",
            source=_DOCS,
            confidence=Confidence.DOCUMENTED,
            values=("system", "user", "assistant", "tool"),
        ),
        Rule(
            kind=Kind.PARAMETERS_KNOWN,
            refused="Keys of a tool that the API does not have.",
            source="agno-agi/agno#3503",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.USER_ENDS,
            refused="A last message that is neither the user's nor a tool's.",
            source="langchain-cohere 0.6.0",
            confidence=Confidence.SOURCE,
            last=("user", "tool"),
            unsure="LangChain's client refuses it itself; what the API would say is not known.",
            disputed=True,
            by_client=(raises(LANGCHAIN_COHERE, "A last message of another role ends in a ValueError."),),
        ),
        Rule(
            kind=Kind.NOT_EMPTY,
            refused="A message without a text, but for the assistant's with calls.",
            source="kwaroran/Risuai#504, of version 1",
            confidence=Confidence.REPORTS,
            unsure="It was seen of version 1.",
        ),
        Rule(
            kind=Kind.IDS_PRESENT,
            refused="Calls or tool messages without an id.",
            source=_DOCS,
            confidence=Confidence.DOCUMENTED,
        ),
        Rule(
            kind=Kind.RESULTS_CALLED,
            refused="A tool message that answers no call before it.",
            source=_OCI,
            confidence=Confidence.INFERRED,
        ),
        Rule(
            kind=Kind.CALLS_ANSWERED,
            refused="A call without a tool message right behind.",
            source=_OCI,
            confidence=Confidence.REPORTS,
            unsure="Command R and R+ were seen to take it.",
        ),
        Rule(
            kind=Kind.ANSWERS_ADJACENT,
            refused="Anything but tool messages between a call and its answer.",
            source=_OCI,
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.FITS_WINDOW,
            refused="More tokens than the context window has.",
            source="no report",
            confidence=Confidence.INFERRED,
        ),
    ),
)
