"""Models with open weights behind a chat template: in vLLM, in Ollama, at hosts of many models."""

from __future__ import annotations

from typing import Final

from ctx_core.providers.models import Models
from ctx_core.providers.provider import Provider
from ctx_core.providers.rules import Confidence, Kind, Rule

_TEMPLATES: Final = "templates of Mistral's, Google's and Meta's models"
_REPORTS: Final = "vllm-project/vllm#6862, microsoft/autogen#3597, infiniflow/ragflow#11021"
_GEMMA: Final = (Models(names=("gemma",), before=(3,)), Models(names=("gemma",), word="1"))

CHAT_TEMPLATE: Final = Provider(
    name="chat_template",
    title="Chat templates with strict alternation",
    apis=("vllm", "tgi", "llama.cpp", "ollama"),
    format="openai",
    models=(
        "llama",
        "codellama",
        "vicuna",
        "gemma",
        "codegemma",
        "mistral",
        "mixtral",
        "qwen",
        "qwq",
        "phi",
        "yi",
        "falcon",
        "deepseek",
        "gpt-oss",
        "granite",
        "smollm",
        "olmo",
        "nemotron",
        "hermes",
        "zephyr",
        "solar",
        "glm",
        "internlm",
    ),
    rules=(
        Rule(
            kind=Kind.SOMETHING_SAID,
            refused="A list without messages.",
            source=_TEMPLATES,
            confidence=Confidence.INFERRED,
        ),
        Rule(
            kind=Kind.ROLES_KNOWN,
            refused="Roles other than these.",
            source=_TEMPLATES,
            confidence=Confidence.INFERRED,
            values=("system", "user", "assistant", "tool"),
        ),
        Rule(
            kind=Kind.SYSTEM_LEADS,
            refused="A system message that is not the first.",
            source="suitenumerique/conversations#197, infiniflow/ragflow#11021",
            confidence=Confidence.REPORTS,
            most=1,
        ),
        Rule(
            kind=Kind.TAKES_NO_SYSTEM,
            refused="System messages to models whose template has no place for them.",
            source="EricLBuehler/mistral.rs#506",
            confidence=Confidence.REPORTS,
            models=_GEMMA,
            where_unknown=False,
        ),
        Rule(
            kind=Kind.USER_BEGINS,
            refused="A conversation that does not start with the user.",
            source=_REPORTS,
            confidence=Confidence.REPORTS,
            unsure="Many templates take any order; which one a server has is not known.",
        ),
        Rule(
            kind=Kind.ALTERNATES,
            refused="Two messages of one role in a row.",
            source=_REPORTS,
            confidence=Confidence.REPORTS,
            unsure="Many templates take any order; which one a server has is not known.",
        ),
        Rule(
            kind=Kind.NOT_USER_AFTER_TOOL,
            refused="A user message right behind a tool message: templates that count turns do not count calls and "
            "results, and find two of the user's.",
            source="Mistral's template, in nomic-ai/gpt4all#3273",
            confidence=Confidence.SOURCE,
            unsure="Many templates take any order; which one a server has is not known.",
        ),
        Rule(
            kind=Kind.ARGUMENTS_ARE_OBJECTS,
            refused="Arguments of a call that are no JSON object.",
            source="vLLM, vllm/entrypoints/chat_utils.py: it reads them for the template",
            confidence=Confidence.SOURCE,
        ),
        Rule(
            kind=Kind.IDS_PRESENT,
            refused="Calls or tool messages without an id.",
            source="vLLM, which takes OpenAI's types of requests",
            confidence=Confidence.INFERRED,
        ),
        Rule(
            kind=Kind.RESULTS_CALLED,
            refused="A tool message that answers no call before it.",
            source=_TEMPLATES,
            confidence=Confidence.INFERRED,
        ),
        Rule(
            kind=Kind.CALLS_ANSWERED,
            refused="A call without a tool message right behind.",
            source=_TEMPLATES,
            confidence=Confidence.INFERRED,
        ),
        Rule(
            kind=Kind.ANSWERS_ADJACENT,
            refused="Anything but tool messages between a call and its answer.",
            source=_TEMPLATES,
            confidence=Confidence.INFERRED,
        ),
        Rule(
            kind=Kind.FITS_WINDOW,
            refused="More tokens than the context window has.",
            source="vLLM's own check",
            confidence=Confidence.SOURCE,
        ),
    ),
)
