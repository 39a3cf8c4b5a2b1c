"""Llama, and models made of it, which have its vocabulary."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families.open_weights import HOSTED, OPEN, OPEN_WINDOWS
from ctx_core.counting.family import Family, UnknownWindow, Window

_LLAMA_3_1: Final = replace(
    OPEN, messages=replace(OPEN.messages, per_request=30, per_system=0), tools=replace(OPEN.tools, per_request=75)
)

LLAMAS: Final[tuple[Family, ...]] = (
    Family(
        models=("llama-3", "llama-v3"),
        vocabulary="llama3",
        framing=OPEN,
        margin=HOSTED,
        windows=(Window(models=("llama-3", "llama-v3"), tokens=8_192),),
        windows_source=OPEN_WINDOWS,
        rows=9,
        source="template",
    ),
    Family(
        models=("llama-3.1", "llama-3.3", "llama-v3.1", "llama-v3.3"),
        vocabulary="llama3",
        framing=_LLAMA_3_1,
        margin=HOSTED,
        windows=(
            Window(models=("llama-3.1", "llama-3.3", "llama-v3.1", "llama-v3.3"), tokens=131_072),
            Window(models=("llama-3.1-8b-instruct-fp8",), tokens=32_000, source="LiteLLM 1.110.2: Cloudflare's"),
            Window(models=("llama-3.3-70b-instruct-fp8-fast",), tokens=24_000, source="LiteLLM 1.110.2: Cloudflare's"),
            Window(models=("llama-3.1-sonar",), tokens=127_072),
        ),
        windows_source=OPEN_WINDOWS,
        rows=21,
        source="template: a system message with dates, 25 tokens, is always there",
    ),
    Family(
        models=("llama-3.1", "llama-3.3"),
        host="groq",
        vocabulary="llama3",
        framing=replace(_LLAMA_3_1, tools=replace(_LLAMA_3_1.tools, per_request=140, per_token=0.83)),
        margin=HOSTED,
        rows=20,
        source="bills",
    ),
    Family(
        models=("llama-3-3",),
        host="watsonx",
        vocabulary="llama3",
        framing=replace(_LLAMA_3_1, tools=replace(_LLAMA_3_1.tools, per_request=150)),
        margin=HOSTED,
        rows=53,
        source="bills",
    ),
    Family(
        models=("llama-3.2", "llama-v3.2"),
        vocabulary="llama3",
        framing=replace(
            _LLAMA_3_1,
            messages=replace(_LLAMA_3_1.messages, per_request=20),
            tools=replace(_LLAMA_3_1.tools, per_request=75, per_token=0.9),
        ),
        margin=HOSTED,
        windows=(Window(models=("llama-3.2", "llama-v3.2"), tokens=131_072),),
        windows_source=OPEN_WINDOWS,
        rows=67,
        source="template without today's date",
    ),
    Family(
        models=("llama-4",),
        vocabulary="llama3",
        framing=replace(
            OPEN, calls=replace(OPEN.calls, per_call=37), tools=replace(OPEN.tools, per_request=530, per_token=0.6)
        ),
        margin=HOSTED,
        windows=(
            Window(
                models=("llama-4",),
                tokens=131_072,
                source="hosts, from 131,072 tokens; the model card has 1 and 10 million",
            ),
        ),
        windows_source=OPEN_WINDOWS,
        rows=7,
        source="template; bills: a long system message of the host's where there are tools",
    ),
    Family(
        models=("llama-4",),
        host="groq",
        vocabulary="llama3",
        framing=replace(
            OPEN, calls=replace(OPEN.calls, per_call=37), tools=replace(OPEN.tools, per_request=660, per_token=0.6)
        ),
        margin=HOSTED,
        rows=18,
        source="bills",
    ),
    Family(
        models=("llama-guard",),
        vocabulary="llama3",
        framing=replace(OPEN, messages=replace(OPEN.messages, per_request=200)),
        margin=HOSTED,
        windows=(Window(models=("llama-guard",), tokens=8_192), Window(models=("llama-guard-4",), tokens=131_072)),
        windows_source=OPEN_WINDOWS,
        rows=4,
        source="template: the list of hazards",
    ),
    Family(
        models=("llama-guard-3",),
        vocabulary="llama3",
        framing=replace(OPEN, messages=replace(OPEN.messages, per_request=188)),
        margin=HOSTED,
        windows=(Window(models=("llama-guard-3",), tokens=131_072),),
        windows_source=OPEN_WINDOWS,
        rows=782,
        source="template: the list of hazards",
    ),
    Family(
        models=("hermes",),
        vocabulary="llama3",
        framing=replace(OPEN, messages=replace(OPEN.messages, per_request=77)),
        margin=HOSTED,
        windows=(Window(models=("hermes",), tokens=8_192), Window(models=("hermes-3", "hermes-4"), tokens=131_072)),
        windows_source=OPEN_WINDOWS,
        rows=23,
        source="bills: a hidden prompt of 72 tokens",
    ),
    Family(
        models=("deephermes",),
        vocabulary="llama3",
        framing=OPEN,
        margin=HOSTED,
        windows=(UnknownWindow(models=("deephermes",), reason="no public list of models has it"),),
        windows_source=OPEN_WINDOWS,
        rows=6,
        source="template",
    ),
    Family(
        models=(
            "deepseek-r1-distill-llama",
            "deepseek-r1-8b",
            "deepseek-r1-70b",
            "r1-1776-distill-llama",
            "r1-1776-70b",
        ),
        vocabulary="llama3",
        framing=replace(OPEN, messages=replace(OPEN.messages, per_request=1, per_message=2, per_system=0)),
        margin=HOSTED,
        windows=(
            Window(
                # Ollama has the distilled models as sizes of the large one.
                models=(
                    "deepseek-r1-distill-llama",
                    "deepseek-r1-8b",
                    "deepseek-r1-70b",
                    "r1-1776-distill-llama",
                    "r1-1776-70b",
                ),
                tokens=131_072,
            ),
        ),
        windows_source=OPEN_WINDOWS,
        rows=14,
        source="template",
    ),
    Family(
        models=("sonar",),
        vocabulary="llama3",
        framing=replace(OPEN, messages=replace(OPEN.messages, per_request=1, per_message=0)),
        margin=HOSTED,
        windows=(
            Window(models=("sonar",), tokens=127_072, max_output=4_096),
            Window(models=("sonar-pro",), tokens=200_000, max_output=8_000),
            Window(models=("sonar-small", "sonar-medium"), tokens=12_000),
        ),
        windows_source=OPEN_WINDOWS,
        rows=7,
        source="bills",
    ),
)
