"""Models whose vocabulary is not public, and their hidden prompts: Command, Nova and MiniMax."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families.open_weights import OPEN, OPEN_WINDOWS
from ctx_core.counting.family import Family, UnknownWindow, Window
from ctx_core.counting.margin import Margin

_MINIMAX: Final = replace(
    OPEN, messages=replace(OPEN.messages, per_request=6, default_system=30), tools=replace(OPEN.tools, per_request=110)
)
_HIDDEN: Final = Margin(text=1.2, tools=1.15, any_tools=40, per_call=30, per_request=40, media=2.0)

OTHERS_CLOSED: Final[tuple[Family, ...]] = (
    Family(
        models=("command", "cohere"),
        framing=replace(
            OPEN,
            messages=replace(OPEN.messages, per_request=60, per_message=4),
            tools=replace(OPEN.tools, per_request=900),
        ),
        margin=replace(_HIDDEN, per_request=140),
        windows=(
            Window(models=("command",), tokens=4_096, max_output=4_096),
            Window(models=("command-r",), tokens=128_000, max_output=4_000),
            UnknownWindow(
                models=("cohere",), reason="it names a provider, whose models have windows from 4,096 to 256,000 tokens"
            ),
        ),
        windows_source=OPEN_WINDOWS,
        rows=16,
        source="bills: hidden prompts of 60 to 200 tokens",
    ),
    Family(
        models=("command",),
        host="bedrock",
        framing=replace(
            OPEN,
            messages=replace(OPEN.messages, per_request=0, per_message=0),
            tools=replace(OPEN.tools, per_request=0, per_token=0.2),
        ),
        margin=_HIDDEN,
        rows=18,
        source="bills: no hidden prompt",
    ),
    Family(
        models=("command-a",),
        framing=replace(
            OPEN,
            messages=replace(OPEN.messages, per_request=490),
            calls=replace(OPEN.calls, per_call=50, per_token=3.0),
            tools=replace(OPEN.tools, per_request=880),
        ),
        margin=replace(_HIDDEN, per_request=110),
        windows=(
            Window(models=("command-a",), tokens=256_000, max_output=8_000),
            Window(models=("command-a-plus",), tokens=128_000, max_output=64_000),
            Window(models=("command-a-vision",), tokens=128_000, max_output=4_000),
            Window(models=("command-a-translate",), tokens=8_000, source="https://docs.cohere.com/docs/models"),
        ),
        windows_source=OPEN_WINDOWS,
        rows=50,
        source="bills: a hidden prompt of 490 tokens",
    ),
    Family(
        models=("command-a-reasoning",),
        framing=replace(
            OPEN, messages=replace(OPEN.messages, per_request=1_390), tools=replace(OPEN.tools, per_request=880)
        ),
        margin=_HIDDEN,
        windows=(Window(models=("command-a-reasoning",), tokens=256_000, max_output=4_000),),
        windows_source=OPEN_WINDOWS,
        rows=2,
        source="bills: a hidden prompt of 1,390 tokens",
    ),
    Family(
        models=(
            "nova-micro",
            "nova-lite",
            "nova-pro",
            "nova-premier",
            "nova-2-lite",
            "nova-2-omni",
            "nova-2-pro",
            "nova-canvas",
            "nova-reel",
            "nova-sonic",
            "nova-2-sonic",
        ),
        framing=replace(
            OPEN,
            messages=replace(OPEN.messages, per_request=42, per_message=4),
            calls=replace(OPEN.calls, per_token=3.5),
            tools=replace(OPEN.tools, per_request=827, per_token=0.8),
        ),
        margin=_HIDDEN,
        windows=(
            Window(models=("nova-micro",), tokens=128_000, max_output=5_120),
            Window(models=("nova-lite", "nova-pro"), tokens=300_000, max_output=5_120),
            Window(models=("nova-premier",), tokens=1_000_000, max_output=10_000),
            Window(models=("nova-2-lite", "nova-2-omni", "nova-2-pro"), tokens=1_000_000, max_output=64_000),
            UnknownWindow(
                models=("nova-canvas", "nova-reel", "nova-sonic", "nova-2-sonic"), reason="it is not a chat model"
            ),
        ),
        windows_source=OPEN_WINDOWS,
        rows=30,
        source="bills: a hidden prompt of 42 tokens, of 827 more with tools",
    ),
    Family(
        models=("minimax",),
        framing=_MINIMAX,
        margin=replace(_HIDDEN, per_request=450),
        windows=(Window(models=("minimax",), tokens=196_608), Window(models=("minimax-m3",), tokens=512_000)),
        windows_source=OPEN_WINDOWS,
        rows=0,
        source="as minimax-m2",
    ),
    Family(
        models=("minimax-01", "minimax-text-01", "minimax-vl-01"),
        framing=replace(_MINIMAX, messages=replace(_MINIMAX.messages, per_request=16, default_system=691)),
        margin=_HIDDEN,
        windows=(Window(models=("minimax-01", "minimax-text-01", "minimax-vl-01"), tokens=1_000_192),),
        windows_source=OPEN_WINDOWS,
        rows=6,
        source="bills: a system message of 691 tokens where there is none",
    ),
    Family(
        models=("minimax-m1",),
        framing=replace(_MINIMAX, messages=replace(_MINIMAX.messages, default_system=437)),
        margin=_HIDDEN,
        windows=(
            # The size in these names is that of their thoughts.
            Window(models=("minimax-m1", "minimax-m1-40k"), tokens=1_000_000, max_output=40_000),
            Window(models=("minimax-m1-80k",), tokens=1_000_000, max_output=80_000, source="the model card"),
        ),
        windows_source=OPEN_WINDOWS,
        rows=10,
        source="bills: a system message of 437 tokens where there is none",
    ),
    Family(
        models=("minimax-m2",),
        framing=_MINIMAX,
        margin=_HIDDEN,
        windows=(
            Window(models=("minimax-m2",), tokens=196_608),
            Window(models=("minimax-m2-her",), tokens=65_536, max_output=2_048),
        ),
        windows_source=OPEN_WINDOWS,
        rows=10,
        source="bills: a system message of 30 tokens where there is none",
    ),
)
