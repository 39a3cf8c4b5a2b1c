"""DeepSeek's models."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families.open_weights import HOSTED, OPEN, OPEN_WINDOWS
from ctx_core.counting.family import Family, Window

_DEEPSEEK: Final = replace(
    OPEN,
    messages=replace(OPEN.messages, per_request=2, per_message=3, per_system=0, per_assistant=-2),
    calls=replace(OPEN.calls, per_call=21, per_token=2.0),
)

DEEPSEEKS: Final[tuple[Family, ...]] = (
    Family(
        models=("deepseek", "mai-ds", "r1-1776"),
        vocabulary="deepseek_v3",
        framing=_DEEPSEEK,
        margin=HOSTED,
        windows=(
            Window(models=("deepseek",), tokens=64_000),
            Window(models=("deepseek-chat",), tokens=128_000, max_output=8_192),
            Window(models=("deepseek-reasoner",), tokens=128_000, max_output=65_536),
            Window(models=("deepseek-v3.1", "deepseek-v3.2", "deepseek-v3-0324", "deepseek-r1-0528"), tokens=128_000),
            Window(
                models=("deepseek-llm", "deepseek-math", "deepseek-moe", "deepseek-prover", "deepseek-vl"),
                tokens=4_096,
                source="the model cards",
            ),
            Window(models=("deepseek-coder",), tokens=16_384, source="the model card"),
            Window(models=("deepseek-coder-7b",), tokens=4_096, source="the model card"),
            Window(models=("deepseek-prover-v2",), tokens=32_768, source="the model card of its 7B"),
            Window(models=("deepseek-v2-lite", "deepseek-v2-16b"), tokens=32_768, source="the model card"),
            Window(
                models=("deepseek-v2", "deepseek-v2.5", "deepseek-coder-v2"), tokens=128_000, source="the model cards"
            ),
            Window(models=("deepseek-ocr",), tokens=8_192, source="genai-prices 0.2.3"),
            Window(models=("deepseek-flash",), tokens=1_000_000, max_output=384_000),
            Window(models=("mai-ds",), tokens=128_000, max_output=8_192),
            Window(models=("r1-1776",), tokens=128_000),
        ),
        windows_source=OPEN_WINDOWS,
        rows=89,
        source="template",
    ),
    Family(
        models=("deepseek",),
        host="deepseek",
        vocabulary="deepseek_v3",
        framing=replace(
            _DEEPSEEK,
            messages=replace(_DEEPSEEK.messages, per_request=1),
            calls=replace(_DEEPSEEK.calls, per_call=25, per_token=1.5, per_result=15),
            tools=replace(_DEEPSEEK.tools, per_request=227, per_token=0.86),
        ),
        margin=replace(HOSTED, per_request=10),
        rows=44,
        source="bills: the provider's own advice on tools",
    ),
    Family(
        models=("deepseek-v4",),
        vocabulary="deepseek_v3",
        framing=replace(
            _DEEPSEEK,
            messages=replace(_DEEPSEEK.messages, per_request=1),
            calls=replace(_DEEPSEEK.calls, per_call=25, per_token=1.5, per_result=4),
            tools=replace(_DEEPSEEK.tools, per_request=0, per_token=1.03),
        ),
        margin=HOSTED,
        windows=(Window(models=("deepseek-v4",), tokens=1_000_000, max_output=384_000),),
        windows_source=OPEN_WINDOWS,
        rows=4,
        source="bills",
    ),
    Family(
        models=("deepseek-chat-v3-0324", "deepseek-r1t2"),
        vocabulary="deepseek_v3",
        framing=replace(_DEEPSEEK, messages=replace(_DEEPSEEK.messages, per_request=0)),
        margin=HOSTED,
        windows=(Window(models=("deepseek-chat-v3-0324", "deepseek-r1t2"), tokens=128_000),),
        windows_source=OPEN_WINDOWS,
        rows=10,
        source="template",
    ),
    Family(
        models=("deepseek-v3.1",),
        host="azure",
        vocabulary="deepseek_v3",
        framing=replace(_DEEPSEEK, messages=replace(_DEEPSEEK.messages, per_request=4)),
        margin=HOSTED,
        rows=13,
        source="bills",
    ),
    Family(
        models=("deepseek-v4",),
        host="charm",
        vocabulary="deepseek_v3",
        framing=replace(
            _DEEPSEEK,
            messages=replace(_DEEPSEEK.messages, per_request=-1),
            calls=replace(_DEEPSEEK.calls, per_call=25, per_token=1.5, per_result=4),
            tools=replace(_DEEPSEEK.tools, per_request=0, per_token=1.03),
        ),
        margin=HOSTED,
        rows=48,
        source="bills",
    ),
)
