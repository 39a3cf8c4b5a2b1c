"""The rows of models whose vocabulary is not public: Gemini, which Gemma's counts to the token, and estimates.

For Claude cl100k_base stands in: on English it is as near to the bills as o200k_base, and like Claude's it is
smaller, so that it divides other scripts more finely. No bill of such a text is on record.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families_open import OPEN
from ctx_core.counting.family import Family, StandIn
from ctx_core.counting.framing import Margin
from ctx_core.counting.image_prices import ImagePrice

_GEMINI: Final = replace(
    OPEN, per_request=0, per_message=1, per_call=3, per_result=15, tools="strings", per_tool=17, per_property=9,
    any_tools=0, seal_characters=8, seal_sure=False, images=ImagePrice(kind="flat", unit=258), audio=300, video=1_400, file=520, file_base=258, file_bytes=4_000,
)  # fmt: skip
_GEMINI_PLAIN: Final = replace(_GEMINI, per_message=0, per_call=0, per_result=0, per_tool=0, per_property=0)
_GEMINI_2: Final = replace(_GEMINI_PLAIN, images=ImagePrice(kind="gemini", base=258))
_GEMINI_MARGIN: Final = Margin(text=1.02, tools=1.15, any_tools=30, per_call=60, per_request=6, media=2.0)
_GEMINI_STAND_IN: Final = StandIn(
    per_token=1.07, margin=Margin(text=1.5, tools=1.5, any_tools=40, per_call=60, per_request=10, media=2.0)
)
_GEMINI_3_MARGIN: Final = replace(_GEMINI_MARGIN, per_call=130, any_tools=150, per_request=10)
_GEMINI_3: Final = replace(
    _GEMINI, per_call=10, seal_characters=6, seal_sure=True, images=ImagePrice(kind="flat", unit=1_100)
)

GEMINIS: Final[tuple[Family, ...]] = (
    Family(models=("gemini",), vocabulary="gemma3", framing=_GEMINI, margin=_GEMINI_MARGIN, stand_in=_GEMINI_STAND_IN,
           rows=273, source="bills: exact on text; signatures of thoughts are billed with calls"),
    Family(models=("gemini-1", "gemini-2.0"), vocabulary="gemma3", framing=_GEMINI_2, margin=_GEMINI_MARGIN,
           stand_in=_GEMINI_STAND_IN, rows=240, source="bills: only the strings of tools and calls count"),
    Family(models=("gemini",), host="vertex", vocabulary="gemma3", framing=replace(
               _GEMINI_PLAIN, seal_characters=9, seal_sure=True, earlier_seals=True, per_call=5, file_base=1_290),
           margin=_GEMINI_MARGIN, stand_in=_GEMINI_STAND_IN, rows=100, source="bills: only the strings of tools count"),
    Family(models=("gemini",), host="openrouter", vocabulary="gemma3", framing=replace(
               _GEMINI_PLAIN, file_base=1_290), margin=_GEMINI_MARGIN,
           stand_in=_GEMINI_STAND_IN, rows=91, source="as vertex"),
    Family(models=("gemini-3",), vocabulary="gemma3", framing=_GEMINI_3, margin=_GEMINI_3_MARGIN,
           stand_in=_GEMINI_STAND_IN, rows=86, source="as gemini, with longer signatures"),
)  # fmt: skip


_CLAUDE_3: Final = replace(
    OPEN, per_request=7, per_message=0, per_token=1.13, per_tool_token=1.02, per_tool=4, any_tools=295, per_call=12,
    per_call_token=1.5, per_result=42, forced_tool=22, required_tool=22, thinking=28, thinking_with_tools=30,
    reasoning="turn", citations=560, per_schema=90, per_schema_token=1.7, images=ImagePrice(kind="area", base=4, unit=750, most=1_600),
    file_base=1_580,
)  # fmt: skip
CLAUDE_4_5: Final = replace(
    _CLAUDE_3, per_token=1.15, any_tools=485, per_tool_token=1.03, per_call=2, per_call_token=2.5, per_result=46,
    forced_tool=98, required_tool=98,
)  # fmt: skip
_CLAUDE_4_7: Final = replace(
    _CLAUDE_3, per_request=5, per_message=3, per_token=1.24, any_tools=350, per_tool_token=1.3, forced_tool=120,
    required_tool=120, thinking=3,
)  # fmt: skip
_CLAUDE_MARGIN: Final = Margin(text=1.23, tools=1.2, any_tools=40, per_call=15, per_request=14, media=1.5)
_GROK: Final = replace(
    OPEN, per_request=2, per_message=4, any_tools=200, per_tool_token=0.7, per_call=0, per_call_token=3.8,
    per_schema=23, per_schema_token=1.3,
)  # fmt: skip
_GROK_4_FAST: Final = replace(_GROK, per_request=152, per_system=0, any_tools=150, per_call_token=5.0)
_GROK_MARGIN: Final = Margin(text=1.1, tools=1.2, any_tools=40, per_call=90, per_request=10, media=1.5)
_GROK_THINKS: Final = replace(_GROK_MARGIN, per_request=320)
_MINIMAX: Final = replace(OPEN, per_request=6, default_system=30, any_tools=110)
_HIDDEN: Final = Margin(text=1.2, tools=1.15, any_tools=40, per_call=30, per_request=40, media=2.0)

ESTIMATED: Final[tuple[Family, ...]] = (
    Family(models=("claude",), vocabulary="cl100k_base", framing=_CLAUDE_3, margin=_CLAUDE_MARGIN, rows=302,
           source="bills; text 1.13 times cl100k_base in the median, 2.4 times at most (Latin filler)"),
    Family(models=("claude-3-haiku", "claude-3-5-haiku", "claude-3.5-haiku"), vocabulary="cl100k_base", framing=replace(
               _CLAUDE_3, any_tools=256, forced_tool=95, required_tool=95), margin=_CLAUDE_MARGIN, rows=106,
           source="bills, and the provider's table of tool prompts (264, forced 340)"),
    Family(models=("claude-3-sonnet",), vocabulary="cl100k_base", framing=replace(_CLAUDE_3, any_tools=151, forced_tool=80, required_tool=80),
           margin=_CLAUDE_MARGIN, rows=6, source="bills, and the provider's table (159, forced 235)"),
    Family(models=("claude-3-opus",), vocabulary="cl100k_base", framing=replace(_CLAUDE_3, any_tools=525, forced_tool=-231, required_tool=-231),
           margin=_CLAUDE_MARGIN, rows=24, source="bills, and the provider's table (530, forced 281)"),
    Family(models=("claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-5", "claude-haiku-4-6", "claude-sonnet-4-6",
                   "claude-opus-4-6", "claude-haiku-4.5", "claude-sonnet-4.5", "claude-opus-4.5", "claude-haiku-4.6",
                   "claude-sonnet-4.6", "claude-opus-4.6", "claude-4.5", "claude-4.6", "claude-4-5", "claude-4-6"),
           vocabulary="cl100k_base", framing=CLAUDE_4_5, margin=_CLAUDE_MARGIN, rows=416, source="bills"),
    Family(models=("claude-opus-4-7", "claude-opus-4.7", "claude-opus-4-8", "claude-opus-4.8", "claude-sonnet-5",
                   "claude-opus-5", "claude-haiku-5", "claude-fable", "claude-mythos", "claude-4.7", "claude-4.8", "claude-5"),
           vocabulary="cl100k_base", framing=_CLAUDE_4_7, margin=_CLAUDE_MARGIN, rows=29, source="bills"),
    Family(models=("grok",), framing=_GROK, margin=_GROK_MARGIN, rows=58, source="bills; exact on short English"),
    Family(models=("grok-2",), framing=replace(_GROK, any_tools=71, per_tool_token=0.66), margin=_GROK_MARGIN, rows=54,
           source="bills"),
    Family(models=("grok-3-mini",), framing=replace(_GROK, per_request=3, any_tools=210, reasoning="none"),
           margin=_GROK_MARGIN, rows=66, source="bills"),
    Family(models=("grok-4",), framing=replace(_GROK, per_request=680, per_system=1), margin=_GROK_THINKS, rows=17,
           source="bills: a hidden prompt of 680 tokens; unseen thoughts are billed with calls"),
    Family(models=("grok-4-fast", "grok-4.1-fast", "grok-4-1-fast"), framing=_GROK_4_FAST,
           margin=_GROK_THINKS, rows=50,
           source="bills: a hidden prompt of 150 tokens; unseen thoughts are billed with calls"),
    Family(models=("grok-4-fast-non-reasoning", "grok-4-1-fast-non-reasoning"),
           framing=replace(_GROK_4_FAST, per_request=164, per_call_token=4.2), margin=_GROK_MARGIN, rows=10,
           source="bills: a hidden prompt of 160 tokens"),
    Family(models=("grok-4-1-fast", "grok-4-fast", "grok-4-fast-non-reasoning", "grok-4-1-fast-non-reasoning"), host="azure",
           framing=replace(_GROK_4_FAST, images=ImagePrice(kind="flat", unit=256), per_request=0, any_tools=146, per_tool_token=0.64, per_call=5, per_call_token=2.6),
           margin=_GROK_MARGIN, rows=37, source="bills: no hidden prompt"),
    Family(models=("grok-4.3",), framing=replace(_GROK, per_request=188, per_system=2, any_tools=23, per_tool_token=1.0),
           margin=_GROK_MARGIN, rows=24, source="bills: a hidden prompt of 188 tokens"),
    Family(models=("grok-code",), framing=replace(_GROK_4_FAST, per_request=200), margin=_GROK_THINKS,
           rows=27, source="bills: a hidden prompt of 200 tokens; unseen thoughts are billed with calls"),
    Family(models=("command", "cohere"), framing=replace(OPEN, per_request=60, per_message=4, any_tools=900), margin=replace(
               _HIDDEN, per_request=140), rows=16, source="bills: hidden prompts of 60 to 200 tokens"),
    Family(models=("command",), host="bedrock", framing=replace(OPEN, per_request=0, per_message=0, any_tools=0, per_tool_token=0.2),
           margin=_HIDDEN, rows=18, source="bills: no hidden prompt"),
    Family(models=("command-a",), framing=replace(OPEN, per_request=490, any_tools=880, per_call=50, per_call_token=3.0),
           margin=replace(_HIDDEN, per_request=110), rows=50, source="bills: a hidden prompt of 490 tokens"),
    Family(models=("command-a-reasoning",), framing=replace(OPEN, per_request=1_390, any_tools=880), margin=_HIDDEN, rows=2,
           source="bills: a hidden prompt of 1,390 tokens"),
    Family(models=("nova", "amazon.nova"), framing=replace(
               OPEN, per_request=42, per_message=4, any_tools=827, per_tool_token=0.8, per_call_token=3.5), margin=_HIDDEN,
           rows=30, source="bills: a hidden prompt of 42 tokens, of 827 more with tools"),
    Family(models=("minimax",), framing=_MINIMAX, margin=replace(_HIDDEN, per_request=450), rows=0, source="as minimax-m2"),
    Family(models=("minimax-01",), framing=replace(_MINIMAX, per_request=16, default_system=691), margin=_HIDDEN, rows=6,
           source="bills: a system message of 691 tokens where there is none"),
    Family(models=("minimax-m1",), framing=replace(_MINIMAX, default_system=437), margin=_HIDDEN, rows=10,
           source="bills: a system message of 437 tokens where there is none"),
    Family(models=("minimax-m2",), framing=_MINIMAX, margin=_HIDDEN, rows=10,
           source="bills: a system message of 30 tokens where there is none"),
)  # fmt: skip
