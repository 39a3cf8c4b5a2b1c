"""Mistral's models, and one that is made of theirs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families.open_weights import HOSTED, OPEN, OPEN_WINDOWS
from ctx_core.counting.family import Family, Window

_MISTRAL: Final = replace(
    OPEN,
    messages=replace(OPEN.messages, per_request=1, per_message=2, per_assistant=-1),
    calls=replace(OPEN.calls, per_call=3, per_token=1.15),
    tools=replace(OPEN.tools, per_request=15),
)

MISTRALS: Final[tuple[Family, ...]] = (
    Family(
        models=(
            "mistral",
            "codestral",
            "devstral",
            "magistral",
            "mathstral",
            "open-mistral",
            "pixtral",
            "ministral",
            "voxtral",
        ),
        vocabulary="mistral_v3",
        framing=_MISTRAL,
        margin=replace(HOSTED, per_request=16),
        windows=(
            Window(models=("mistral", "mathstral", "voxtral-small"), tokens=32_000),
            Window(models=("mistral-7b-v0.1", "mistral-7b-instruct-v0.1"), tokens=8_192),
            Window(models=("mistral-7b-instruct-v0.2-lora",), tokens=15_000, source="LiteLLM 1.110.2: Cloudflare's"),
            Window(models=("voxtral",), tokens=16_384),
            Window(models=("open-mistral",), tokens=8_000),
            Window(
                models=(
                    "mistral-small-2503",
                    "mistral-small-2506",
                    "mistral-code",
                    "mistral-medium",
                    "mistral-large-2407",
                    "mistral-large-2411",
                    "mistral-large-instruct",
                    "mistral-large-123b",
                    "codestral-latest",
                    "codestral-2",
                    "codestral-2501",
                    "codestral-2508",
                    "codestral-mamba",
                    "devstral",
                    "pixtral",
                    "ministral",
                ),
                tokens=128_000,
            ),
            Window(
                models=(
                    "mistral-small-2603",
                    "mistral-small-4",
                    "mistral-large-2512",
                    "mistral-large-3",
                    "mistral-large-latest",
                    "devstral-2",
                    "devstral-2512",
                    "mistral-vibe-cli",
                ),
                tokens=256_000,
            ),
            # Without a date hosts still have the first ones, and so do the weights of Codestral.
            Window(models=("mistral-large", "codestral"), tokens=32_000),
            Window(models=("mistral-large-4",), tokens=524_288),
            Window(models=("magistral",), tokens=40_000),
            Window(
                models=("magistral-small-2509", "magistral-small-latest", "magistral-medium-latest"), tokens=128_000
            ),
        ),
        windows_source=OPEN_WINDOWS,
        rows=60,
        source="template",
    ),
    Family(
        models=("mistral-small-latest",),
        vocabulary="mistral_v3",
        framing=replace(
            _MISTRAL, messages=replace(_MISTRAL.messages, per_request=13), tools=replace(_MISTRAL.tools, per_request=3)
        ),
        margin=replace(HOSTED, per_request=6),
        windows=(Window(models=("mistral-small-latest",), tokens=256_000),),
        windows_source=OPEN_WINDOWS,
        rows=49,
        source="bills: 12 tokens more than the template's",
    ),
    Family(
        models=("mistral-nemo", "open-mistral-nemo"),
        vocabulary="mistral_v3",
        framing=replace(_MISTRAL, messages=replace(_MISTRAL.messages, per_system=0)),
        margin=HOSTED,
        windows=(Window(models=("mistral-nemo", "open-mistral-nemo"), tokens=128_000),),
        windows_source=OPEN_WINDOWS,
        rows=1,
        source="template: the system text goes into the user message",
    ),
    Family(
        models=("mistral-nemo",),
        host="openrouter",
        vocabulary="mistral_v3",
        framing=replace(_MISTRAL, messages=replace(_MISTRAL.messages, per_request=3, per_system=0)),
        margin=HOSTED,
        rows=13,
        source="bills: mostly 2 tokens more than the template's",
    ),
    Family(
        models=("mixtral", "open-mixtral"),
        vocabulary="mistral_v1",
        framing=replace(_MISTRAL, messages=replace(_MISTRAL.messages, per_message=8)),
        margin=HOSTED,
        windows=(
            Window(models=("mixtral", "open-mixtral"), tokens=32_000),
            Window(models=("mixtral-8x22b", "open-mixtral-8x22b"), tokens=64_000),
        ),
        windows_source=OPEN_WINDOWS,
        rows=1,
        source="template: marks of an instruction that are text in this vocabulary",
    ),
    Family(
        models=("dolphin3.0-mistral",),
        vocabulary="mistral_v3",
        framing=replace(OPEN, messages=replace(OPEN.messages, per_request=4, default_system=21)),
        margin=HOSTED,
        windows=(
            Window(
                models=("dolphin3.0-mistral",),
                tokens=32_768,
                source="its base model's, mistral-small-24b-instruct-2501",
            ),
        ),
        windows_source=OPEN_WINDOWS,
        rows=4,
        source="template: ChatML, and a system message of its own where there is none",
    ),
    Family(
        models=("devstral-small-2505",),
        vocabulary="mistral_v3",
        framing=replace(_MISTRAL, messages=replace(_MISTRAL.messages, default_system=1_222)),
        margin=HOSTED,
        windows=(Window(models=("devstral-small-2505",), tokens=128_000),),
        windows_source=OPEN_WINDOWS,
        rows=9,
        source="template: a long system message of its own where there is none",
    ),
    Family(
        models=("mistral-small-3.1",),
        vocabulary="mistral_v3",
        framing=replace(_MISTRAL, messages=replace(_MISTRAL.messages, default_system=175)),
        margin=HOSTED,
        windows=(Window(models=("mistral-small-3.1",), tokens=128_000),),
        windows_source=OPEN_WINDOWS,
        rows=8,
        source="template: a system message of its own where there is none",
    ),
    Family(
        models=("mistral-small-3.2",),
        vocabulary="mistral_v3",
        framing=replace(_MISTRAL, messages=replace(_MISTRAL.messages, default_system=555)),
        margin=HOSTED,
        windows=(Window(models=("mistral-small-3.2",), tokens=128_000),),
        windows_source=OPEN_WINDOWS,
        rows=9,
        source="template: a system message of its own where there is none",
    ),
)
