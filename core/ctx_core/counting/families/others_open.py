"""Models with open weights of which one or two rows tell all: gpt-oss, GLM, Kimi, Phi and Gemma."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families.open_weights import HOSTED, OPEN, OPEN_WINDOWS
from ctx_core.counting.family import Family, Window

_GLM: Final = replace(
    OPEN,
    messages=replace(OPEN.messages, per_request=3, per_message=2),
    calls=replace(OPEN.calls, per_call=0, per_token=2.7),
    tools=replace(OPEN.tools, per_request=97, per_token=0.93),
)

OTHERS_OPEN: Final[tuple[Family, ...]] = (
    Family(
        models=("gpt-oss",),
        vocabulary="o200k_harmony",
        framing=replace(
            OPEN,
            messages=replace(OPEN.messages, per_request=63, per_message=4, per_system=7, per_assistant=2),
            calls=replace(OPEN.calls, per_call=7, per_token=1.1, name_prefix=" to=functions.", result_prefix=""),
            reasoning=replace(OPEN.reasoning, shown="turn"),
            tools=replace(OPEN.tools, style="typescript", per_request=24),
        ),
        margin=HOSTED,
        windows=(Window(models=("gpt-oss",), tokens=131_072, max_output=131_072),),
        windows_source=OPEN_WINDOWS,
        rows=176,
        source="published format; its own system message with a date is 59 tokens",
    ),
    Family(
        models=("glm-4.5v",),
        vocabulary="glm4",
        framing=replace(_GLM, messages=replace(_GLM.messages, per_request=5)),
        margin=HOSTED,
        windows=(Window(models=("glm-4.5v",), tokens=65_536, max_output=16_384),),
        windows_source=OPEN_WINDOWS,
        rows=26,
        source="template",
    ),
    Family(
        models=("glm",),
        vocabulary="glm4",
        framing=_GLM,
        margin=HOSTED,
        windows=(
            Window(models=("glm",), tokens=128_000),
            Window(models=("glm-4-airx",), tokens=8_000),
            Window(models=("glm-4-32b", "glm-4-9b-0414", "glm-z1"), tokens=32_768, source="the model cards"),
            Window(models=("glm-4-32b-0414-128k",), tokens=128_000, source="https://docs.z.ai"),
            Window(models=("glm-4-9b-chat-1m",), tokens=1_048_576, source="the model card"),
            Window(models=("glm-4v",), tokens=2_048, source="https://open.bigmodel.cn/dev/howuse/model"),
            Window(models=("glm-4v-9b", "glm-4v-plus"), tokens=8_192, source="the model card"),
            Window(models=("glm-4.1v",), tokens=65_536, source="the model card"),
            Window(models=("glm-4.6", "glm-4.7", "glm-5"), tokens=200_000),
            Window(models=("zai-glm-4.7",), tokens=131_072, source="genai-prices 0.2.3: Cerebras' name"),
            Window(models=("glm-4.6v", "glm-4.7-flash"), tokens=128_000),
            Window(models=("glm-5.2", "glm-5.3"), tokens=1_000_000),
        ),
        windows_source=OPEN_WINDOWS,
        rows=131,
        source="template",
    ),
    Family(
        models=("kimi",),
        vocabulary="kimi_k2",
        framing=replace(
            OPEN,
            messages=replace(OPEN.messages, per_request=3, per_message=4, default_system=18),
            calls=replace(OPEN.calls, per_call=30, per_token=0.2),
            tools=replace(OPEN.tools, per_request=6),
        ),
        margin=HOSTED,
        windows=(
            Window(models=("kimi",), tokens=131_072),
            Window(
                models=(
                    "kimi-k2-0905",
                    "kimi-k2-instruct-0905",
                    "kimi-k2-thinking",
                    "kimi-k2-turbo",
                    "kimi-k2.5",
                    "kimi-k2.6",
                    "kimi-k2.7",
                ),
                tokens=262_144,
            ),
            Window(models=("kimi-k3",), tokens=1_000_000),
        ),
        windows_source=OPEN_WINDOWS,
        rows=76,
        source="template: a system message of its own where there is none",
    ),
    Family(
        models=("phi-4",),
        vocabulary="phi4",
        framing=replace(OPEN, messages=replace(OPEN.messages, per_request=3, per_message=4)),
        margin=HOSTED,
        windows=(
            Window(models=("phi-4",), tokens=16_384),
            Window(models=("phi-4-mini", "phi-4-multimodal"), tokens=128_000, max_output=4_096),
            Window(models=("phi-4-reasoning",), tokens=32_768, max_output=4_096),
        ),
        windows_source=OPEN_WINDOWS,
        rows=0,
        source="template",
    ),
    Family(
        models=("gemma", "medgemma"),
        vocabulary="gemma3",
        framing=replace(OPEN, messages=replace(OPEN.messages, per_request=4, per_system=1)),
        margin=HOSTED,
        windows=(
            Window(models=("gemma",), tokens=8_192),
            Window(models=("gemma-7b-it-lora",), tokens=3_500, source="LiteLLM 1.110.2: Cloudflare's"),
            Window(models=("gemma-3", "gemma-4", "medgemma"), tokens=131_072),
            Window(models=("gemma-3-1b", "gemma-3-270m"), tokens=32_768),
        ),
        windows_source=OPEN_WINDOWS,
        rows=17,
        source="template: the system text goes into the first user message",
    ),
    Family(
        models=("gemma-3n",),
        vocabulary="gemma3",
        framing=replace(OPEN, messages=replace(OPEN.messages, per_request=4, per_system=1, default_system=7)),
        margin=HOSTED,
        windows=(Window(models=("gemma-3n",), tokens=32_768),),
        windows_source=OPEN_WINDOWS,
        rows=7,
        source="bills: 7 tokens more where there is no system message",
    ),
    Family(
        models=("gemma-2", "codegemma"),
        vocabulary="gemma2",
        framing=replace(OPEN, messages=replace(OPEN.messages, per_request=4, per_system=1)),
        margin=HOSTED,
        windows=(Window(models=("gemma-2", "codegemma"), tokens=8_192),),
        windows_source=OPEN_WINDOWS,
        rows=3,
        source="template",
    ),
)
