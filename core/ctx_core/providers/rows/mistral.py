"""Mistral's chat completions."""

from __future__ import annotations

from typing import Final

from ctx_core.providers.models import Models
from ctx_core.providers.provider import Provider
from ctx_core.providers.rows.clients import LANGCHAIN_MISTRAL, meets
from ctx_core.providers.rules import Confidence, Kind, Rule

_VALIDATOR: Final = "mistral-common 1.13.1, protocol/instruct/validator.py"
_NAMES: Final = ("mistral", "mixtral", "ministral", "magistral", "codestral", "devstral", "pixtral", "voxtral")
_ANY_ID: Final = (Models(names=_NAMES, since_month=2507),)
_TEXT_OR_CALLS: Final = (
    Models(names=("open-mistral-7b", "open-mixtral-8x7b", "open-mixtral-8x22b")),
    *(Models(names=(name,)) for name in ("mistral-large-2402", "mistral-large-2407", "mistral-small-2402")),
)

MISTRAL: Final = Provider(
    name="mistral",
    title="Mistral chat completions",
    apis=("mistral-chat",),
    hosts=("api.mistral.ai", "codestral.mistral.ai"),
    format="openai",
    models=(*_NAMES, "open-mistral", "open-mixtral", "labs-mistral", "labs-devstral"),
    rules=(
        Rule(
            kind=Kind.SOMETHING_SAID,
            refused="A list without messages.",
            source=_VALIDATOR,
            confidence=Confidence.SOURCE,
        ),
        Rule(
            kind=Kind.ROLES_KNOWN,
            refused="Roles other than these.",
            source=_VALIDATOR,
            confidence=Confidence.SOURCE,
            values=("system", "user", "assistant", "tool"),
        ),
        Rule(
            kind=Kind.ALONE_IS_USER,
            refused="A list whose only message is not the user's or the system's.",
            source=_VALIDATOR,
            confidence=Confidence.SOURCE,
        ),
        Rule(
            kind=Kind.SYSTEM_NOT_AFTER_ANSWER,
            refused="A system message behind an assistant message or a tool message.",
            source=_VALIDATOR,
            confidence=Confidence.SOURCE,
        ),
        Rule(
            kind=Kind.NOT_USER_AFTER_TOOL,
            refused="A user message right behind a tool message.",
            source="BerriAI/litellm#17761 and five others, up to August 2026; mistral-common 1.8.4",
            confidence=Confidence.REPORTS,
            unsure="mistral-common 1.13.1 allows it, and the API was seen to refuse it later.",
        ),
        Rule(
            kind=Kind.USER_ENDS,
            refused="A last message that is neither the user's nor a tool's, nor an assistant's with `prefix`.",
            source=f"{_VALIDATOR}; huggingface/smolagents#757",
            confidence=Confidence.REPORTS,
            last=("user", "tool"),
        ),
        Rule(
            kind=Kind.PREFIX_IS_LAST,
            refused="An assistant message with `prefix` that is not the last.",
            source=_VALIDATOR,
            confidence=Confidence.SOURCE,
        ),
        Rule(
            kind=Kind.CALLS_OR_TEXT,
            refused="An assistant message with both a text and calls, or with neither.",
            source=f"{_VALIDATOR}: models with the first three tokenizers",
            confidence=Confidence.SOURCE,
            models=_TEXT_OR_CALLS,
            where_unknown=False,
        ),
        Rule(
            kind=Kind.IDS_PRESENT,
            refused="Calls or tool messages without an id.",
            source=_VALIDATOR,
            confidence=Confidence.SOURCE,
        ),
        Rule(
            kind=Kind.IDS_PLAIN,
            refused="Ids that are not nine letters and digits.",
            source=f"{_VALIDATOR}; anomalyco/opencode#1680",
            confidence=Confidence.REPORTS,
            pattern=r"[a-zA-Z0-9]{9}",
            but=_ANY_ID,
            unsure="Models with the thirteenth tokenizer and later take any id; names seldom say which have it.",
            by_client=(meets(LANGCHAIN_MISTRAL, "It sends nine characters of a digest, in the call and the result."),),
        ),
        Rule(
            kind=Kind.IDS_UNIQUE,
            refused="Two calls of one id in a message.",
            source=f"{_VALIDATOR}: from the eleventh tokenizer on",
            confidence=Confidence.SOURCE,
            within="turn",
        ),
        Rule(
            kind=Kind.NAMES_PLAIN,
            refused="Names of tools of other characters, or of more than 64.",
            source=_VALIDATOR,
            confidence=Confidence.SOURCE,
            pattern=r"[a-zA-Z0-9_-]{1,64}",
        ),
        Rule(
            kind=Kind.CALLS_ANSWERED,
            refused="Another number of tool messages than of calls.",
            source=f"{_VALIDATOR}; mistralai/client-ts#106",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.RESULTS_CALLED,
            refused="A tool message without its call.",
            source=_VALIDATOR,
            confidence=Confidence.SOURCE,
        ),
        Rule(
            kind=Kind.ANSWERS_ADJACENT,
            refused="A message between a call and its result.",
            source=_VALIDATOR,
            confidence=Confidence.SOURCE,
        ),
        Rule(
            kind=Kind.ONE_RESULT_A_CALL,
            refused="Two tool messages of one id.",
            source=f"{_VALIDATOR}: from the eleventh tokenizer on",
            confidence=Confidence.SOURCE,
        ),
        Rule(
            kind=Kind.NO_TRAILING_BLANKS,
            refused="An assistant message with `prefix` that ends in blanks.",
            source="langchain-mistralai 1.1.6",
            confidence=Confidence.SOURCE,
            unsure="The client takes them off; that the API refuses them was not seen.",
            disputed=True,
            by_client=(meets(LANGCHAIN_MISTRAL, "It takes them off."),),
        ),
        Rule(
            kind=Kind.FITS_WINDOW,
            refused="More tokens than the context window has.",
            source="no report",
            confidence=Confidence.INFERRED,
        ),
    ),
)
