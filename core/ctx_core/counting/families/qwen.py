"""Qwen, and models made of it, which have its vocabulary."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families.open_weights import HOSTED, OPEN
from ctx_core.counting.family import Family, Window
from ctx_core.counting.margin import Margin

_WINDOWS_SOURCE: Final = "LiteLLM 1.110.2 and genai-prices 0.2.3; of hosts that differ, the smallest that is common"
"""Where the windows are from."""
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
            Window(models=("qwq",), tokens=32_768),
            Window(models=("qwen-plus", "qwen-turbo"), tokens=129_024, max_output=8_192),
            Window(models=("qwen-flash",), tokens=997_952, max_output=32_768),
            Window(models=("qwen3",), tokens=32_768),
            Window(
                models=(
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
        windows_source=_WINDOWS_SOURCE,
        rows=88,
        source="template; reasoning of earlier answers is left out",
    ),
    Family(
        models=("qwen3-coder", "qwen3.5", "qwen3.6"),
        vocabulary="qwen3",
        framing=replace(_QWEN, tools=replace(_QWEN.tools, per_request=215)),
        margin=HOSTED,
        windows=(Window(models=("qwen3-coder", "qwen3.5", "qwen3.6"), tokens=262_144),),
        windows_source=_WINDOWS_SOURCE,
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
        windows_source=_WINDOWS_SOURCE,
        rows=40,
        source="template: the answer begins with the mark of reasoning",
    ),
    Family(
        models=("qwen3-max",),
        vocabulary="qwen3",
        framing=replace(_QWEN, tools=replace(_QWEN.tools, per_request=189)),
        margin=HOSTED,
        windows=(Window(models=("qwen3-max",), tokens=256_000, max_output=65_536),),
        windows_source=_WINDOWS_SOURCE,
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
        models=("qwen2.5", "qwen2.5vl"),
        vocabulary="qwen3",
        framing=replace(_QWEN, messages=replace(_QWEN.messages, default_system=15)),
        margin=HOSTED,
        windows=(
            Window(models=("qwen2.5", "qwen2.5vl"), tokens=32_768),
            Window(
                models=("qwen2.5-7b-instruct-1m", "qwen2.5-14b-instruct-1m"), tokens=1_010_000, source="the model cards"
            ),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=9,
        source="template: a system message of its own where there is none",
    ),
    Family(
        models=("deepseek-r1-distill-qwen",),
        vocabulary="qwen3",
        framing=replace(_QWEN, messages=replace(_QWEN.messages, per_request=3, per_message=3, per_system=0)),
        margin=HOSTED,
        windows=(Window(models=("deepseek-r1-distill-qwen",), tokens=131_072),),
        windows_source=_WINDOWS_SOURCE,
        rows=6,
        source="template",
    ),
)
