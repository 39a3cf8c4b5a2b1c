"""Qwen, and models made of it, which have its vocabulary."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families.open_weights import HOSTED, OPEN, OPEN_WINDOWS
from ctx_core.counting.family import Family, Window
from ctx_core.counting.margin import Margin

_QWEN: Final = replace(
    OPEN,
    messages=replace(OPEN.messages, per_request=3),
    calls=replace(OPEN.calls, per_call=28, per_token=0.5),
    reasoning=replace(OPEN.reasoning, shown="none"),
    tools=replace(OPEN.tools, per_request=82),
)

QWENS: Final[tuple[Family, ...]] = (
    Family(
        models=("qwen", "qwq"),
        vocabulary="qwen3",
        framing=_QWEN,
        margin=Margin(tools=1.15, any_tools=60, per_call=30, per_request=5, media=1.5),
        windows=(
            Window(models=("qwen",), tokens=30_720),
            Window(models=("qwen-mt",), tokens=16_384, max_output=8_192),
            Window(models=("qwq",), tokens=32_768),
            Window(models=("qwen-plus", "qwen-turbo"), tokens=129_024, max_output=8_192),
            Window(
                models=("qwen-flash", "qwen-plus-latest", "qwen-plus-2025-07-28", "qwen-plus-2025-09"),
                tokens=997_952,
                max_output=32_768,
            ),
            Window(models=("qwen3.7-flash", "qwen3.8-flash"), tokens=983_616),
            Window(models=("qwen3.8-27b",), tokens=131_072),
            Window(models=("qwen3",), tokens=32_768),
            Window(
                models=(
                    "qwen3-235b-a22b-2507",
                    "qwen3-235b-a22b-instruct-2507",
                    "qwen3-30b-a3b-instruct-2507",
                    "qwen3-4b-instruct-2507",
                    "qwen3-next",
                    "qwen3.7",
                    "qwen3.8",
                ),
                tokens=262_144,
            ),
            Window(models=("qwen3-vl",), tokens=131_072),
        ),
        windows_source=OPEN_WINDOWS,
        rows=88,
        source="template; reasoning of earlier answers is left out",
    ),
    Family(
        models=("qwen3-coder", "qwen3.5", "qwen3.6"),
        vocabulary="qwen3",
        framing=replace(_QWEN, tools=replace(_QWEN.tools, per_request=215)),
        margin=HOSTED,
        windows=(
            Window(models=("qwen3-coder", "qwen3.5", "qwen3.6"), tokens=262_144),
            Window(
                models=(
                    "qwen3-coder-flash",
                    "qwen3-coder-plus",
                    "qwen3.5-flash",
                    "qwen3.5-plus",
                    "qwen3.6-flash",
                ),
                tokens=983_616,
            ),
        ),
        windows_source=OPEN_WINDOWS,
        rows=29,
        source="template: longer advice on tools",
    ),
    Family(
        models=("qwen3-235b-a22b-thinking", "qwen3-30b-a3b-thinking", "qwen3-next-80b-a3b-thinking"),
        vocabulary="qwen3",
        framing=replace(_QWEN, messages=replace(_QWEN.messages, per_request=5)),
        margin=HOSTED,
        windows=(
            Window(
                models=("qwen3-235b-a22b-thinking", "qwen3-30b-a3b-thinking", "qwen3-next-80b-a3b-thinking"),
                tokens=262_144,
            ),
        ),
        windows_source=OPEN_WINDOWS,
        rows=40,
        source="template: the answer begins with the mark of reasoning",
    ),
    Family(
        models=("qwen3-max",),
        vocabulary="qwen3",
        framing=replace(_QWEN, tools=replace(_QWEN.tools, per_request=189)),
        margin=HOSTED,
        windows=(Window(models=("qwen3-max",), tokens=256_000, max_output=65_536),),
        windows_source=OPEN_WINDOWS,
        rows=11,
        source="bills: longer advice on tools",
    ),
    Family(
        models=("qwen3.6",),
        host="ollama",
        vocabulary="qwen3",
        framing=replace(
            _QWEN,
            messages=replace(_QWEN.messages, per_request=5),
            reasoning=replace(_QWEN.reasoning, shown="turn"),
            tools=replace(_QWEN.tools, per_request=200),
        ),
        margin=HOSTED,
        rows=5,
        source="bills: longer advice on tools",
    ),
    Family(
        models=("qwen3",),
        host="ollama",
        vocabulary="qwen3",
        framing=replace(
            _QWEN,
            messages=replace(_QWEN.messages, per_request=5),
            reasoning=replace(_QWEN.reasoning, shown="turn"),
            tools=replace(_QWEN.tools, per_request=50),
        ),
        margin=Margin(tools=1.2, any_tools=60, per_call=100, per_request=5, media=1.5),
        rows=45,
        source="bills",
    ),
    Family(
        models=("qwen2.5", "qwen2.5vl", "qwen-v2.5"),
        vocabulary="qwen3",
        framing=replace(_QWEN, messages=replace(_QWEN.messages, default_system=15)),
        margin=HOSTED,
        windows=(
            Window(models=("qwen2.5", "qwen2.5vl", "qwen-v2.5"), tokens=32_768),
            Window(
                models=("qwen2.5-7b-instruct-1m", "qwen2.5-14b-instruct-1m"), tokens=1_010_000, source="the model cards"
            ),
        ),
        windows_source=OPEN_WINDOWS,
        rows=9,
        source="template: a system message of its own where there is none",
    ),
    Family(
        models=(
            "deepseek-r1-distill-qwen",
            "deepseek-r1-1.5b",
            "deepseek-r1-7b",
            "deepseek-r1-14b",
            "deepseek-r1-32b",
        ),
        vocabulary="qwen3",
        framing=replace(_QWEN, messages=replace(_QWEN.messages, per_request=3, per_message=3, per_system=0)),
        margin=HOSTED,
        windows=(
            Window(
                # Ollama has the distilled models as sizes of the large one.
                models=(
                    "deepseek-r1-distill-qwen",
                    "deepseek-r1-1.5b",
                    "deepseek-r1-7b",
                    "deepseek-r1-14b",
                    "deepseek-r1-32b",
                ),
                tokens=131_072,
            ),
        ),
        windows_source=OPEN_WINDOWS,
        rows=6,
        source="template",
    ),
    Family(
        models=("deepseek-r1-0528-qwen3", "deepseek-r1-8b-0528-qwen3"),
        vocabulary="qwen3",
        framing=replace(_QWEN, messages=replace(_QWEN.messages, per_request=2, per_message=3, per_system=0)),
        margin=HOSTED,
        windows=(Window(models=("deepseek-r1-0528-qwen3", "deepseek-r1-8b-0528-qwen3"), tokens=131_072),),
        windows_source=OPEN_WINDOWS,
        rows=1,
        source="bill: a token less than its elder's",
    ),
)
