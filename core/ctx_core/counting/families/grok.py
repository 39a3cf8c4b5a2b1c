"""Grok, whose vocabulary is not public: an estimate."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families.open_weights import OPEN
from ctx_core.counting.family import Family, UnknownWindow, Window
from ctx_core.counting.image_prices import ImagePrice
from ctx_core.counting.margin import Margin

_WINDOWS_SOURCE: Final = "genai-prices 0.2.3, after https://docs.x.ai/docs/models"
"""Where the windows are from."""
_GROK: Final = replace(
    OPEN,
    messages=replace(OPEN.messages, per_request=2, per_message=4),
    calls=replace(OPEN.calls, per_call=0, per_token=3.8),
    tools=replace(OPEN.tools, per_request=200, per_token=0.7),
    schema=replace(OPEN.schema, per_schema=23, per_token=1.3),
)
_GROK_4_FAST: Final = replace(
    _GROK,
    messages=replace(_GROK.messages, per_request=152, per_system=0),
    calls=replace(_GROK.calls, per_token=5.0),
    tools=replace(_GROK.tools, per_request=150),
)
_GROK_MARGIN: Final = Margin(text=1.1, tools=1.2, any_tools=40, per_call=90, per_request=10, media=1.5)
_GROK_THINKS: Final = replace(_GROK_MARGIN, per_request=320)

GROKS: Final[tuple[Family, ...]] = (
    Family(
        models=("grok",),
        framing=_GROK,
        margin=_GROK_MARGIN,
        windows=(
            Window(models=("grok", "grok-3"), tokens=131_072),
            Window(models=("grok-build",), tokens=256_000),
            Window(models=("grok-vision",), tokens=8_192, source="LiteLLM 1.110.2"),
            UnknownWindow(models=("grok-imagine", "grok-voice"), reason="it is not a chat model"),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=58,
        source="bills; exact on short English",
    ),
    Family(
        models=("grok-2",),
        framing=replace(_GROK, tools=replace(_GROK.tools, per_request=71, per_token=0.66)),
        margin=_GROK_MARGIN,
        windows=(
            Window(models=("grok-2",), tokens=32_768),
            UnknownWindow(models=("grok-2-image",), reason="it is not a chat model"),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=54,
        source="bills",
    ),
    Family(
        models=("grok-3-mini",),
        framing=replace(
            _GROK,
            messages=replace(_GROK.messages, per_request=3),
            reasoning=replace(_GROK.reasoning, shown="none"),
            tools=replace(_GROK.tools, per_request=210),
        ),
        margin=_GROK_MARGIN,
        windows=(Window(models=("grok-3-mini",), tokens=131_072),),
        windows_source=_WINDOWS_SOURCE,
        rows=66,
        source="bills",
    ),
    Family(
        models=("grok-4",),
        framing=replace(_GROK, messages=replace(_GROK.messages, per_request=680, per_system=1)),
        margin=_GROK_THINKS,
        windows=(
            Window(models=("grok-4",), tokens=256_000),
            Window(models=("grok-4.5", "grok-4.6", "grok-4.7"), tokens=500_000),
            Window(models=("grok-4.20",), tokens=1_000_000),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=17,
        source="bills: a hidden prompt of 680 tokens; hidden reasoning is billed with calls",
    ),
    Family(
        models=("grok-4-fast", "grok-4-1-fast"),
        framing=_GROK_4_FAST,
        margin=_GROK_THINKS,
        windows=(Window(models=("grok-4-fast", "grok-4-1-fast"), tokens=2_000_000),),
        windows_source=_WINDOWS_SOURCE,
        rows=50,
        source="bills: a hidden prompt of 150 tokens; hidden reasoning is billed with calls",
    ),
    Family(
        models=("grok-4-fast-non-reasoning", "grok-4-1-fast-non-reasoning"),
        framing=replace(
            _GROK_4_FAST,
            messages=replace(_GROK_4_FAST.messages, per_request=164),
            calls=replace(_GROK_4_FAST.calls, per_token=4.2),
        ),
        margin=_GROK_MARGIN,
        windows=(Window(models=("grok-4-fast-non-reasoning", "grok-4-1-fast-non-reasoning"), tokens=2_000_000),),
        windows_source=_WINDOWS_SOURCE,
        rows=10,
        source="bills: a hidden prompt of 160 tokens",
    ),
    Family(
        models=("grok-4-1-fast", "grok-4-fast", "grok-4-fast-non-reasoning", "grok-4-1-fast-non-reasoning"),
        host="azure",
        framing=replace(
            _GROK_4_FAST,
            messages=replace(_GROK_4_FAST.messages, per_request=0),
            calls=replace(_GROK_4_FAST.calls, per_call=5, per_token=2.6),
            tools=replace(_GROK_4_FAST.tools, per_request=146, per_token=0.64),
            media=replace(_GROK_4_FAST.media, images=ImagePrice(kind="flat", unit=256)),
        ),
        margin=_GROK_MARGIN,
        rows=37,
        source="bills: no hidden prompt",
    ),
    Family(
        models=("grok-4.3",),
        framing=replace(
            _GROK,
            messages=replace(_GROK.messages, per_request=188, per_system=2),
            tools=replace(_GROK.tools, per_request=23, per_token=1.0),
        ),
        margin=_GROK_MARGIN,
        windows=(Window(models=("grok-4.3",), tokens=1_000_000),),
        windows_source=_WINDOWS_SOURCE,
        rows=24,
        source="bills: a hidden prompt of 188 tokens",
    ),
    Family(
        models=("grok-code",),
        framing=replace(_GROK_4_FAST, messages=replace(_GROK_4_FAST.messages, per_request=200)),
        margin=_GROK_THINKS,
        windows=(Window(models=("grok-code",), tokens=256_000),),
        windows_source=_WINDOWS_SOURCE,
        rows=27,
        source="bills: a hidden prompt of 200 tokens; hidden reasoning is billed with calls",
    ),
)
