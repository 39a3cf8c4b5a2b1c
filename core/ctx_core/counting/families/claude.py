"""Claude, whose vocabulary is not public: an estimate.

cl100k_base is the substitute: on English it is as close to the bills as o200k_base, and like Claude's it is
smaller, so that it divides other scripts more finely. No bill of such a text is on record. Where it has fewer tokens
than o200k_base, as for runs of signs and letters that are rare, those of o200k_base count.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families.open_weights import OPEN
from ctx_core.counting.family import Family, Limits, Window
from ctx_core.counting.image_prices import ImagePrice
from ctx_core.counting.margin import Margin

_WINDOWS_SOURCE: Final = "LiteLLM 1.110.2 and models.dev, after https://docs.anthropic.com/en/docs/about-claude/models"
"""Where the windows are from."""
_CLAUDE_3: Final = replace(
    OPEN,
    messages=replace(OPEN.messages, per_request=7, per_message=0, per_token=1.13),
    calls=replace(OPEN.calls, per_call=12, per_token=1.5, per_result=42),
    reasoning=replace(OPEN.reasoning, per_request=28, with_tools=30, shown="turn"),
    tools=replace(OPEN.tools, per_token=1.02, per_tool=4, per_request=295, forced=22, required=22),
    schema=replace(OPEN.schema, per_schema=90, per_token=1.7),
    media=replace(OPEN.media, images=ImagePrice(kind="area", base=4, unit=750, most=1_600)),
    documents=replace(OPEN.documents, citations=560, base=1_580),
)
CLAUDE_4_5: Final = replace(
    _CLAUDE_3,
    messages=replace(_CLAUDE_3.messages, per_token=1.15),
    calls=replace(_CLAUDE_3.calls, per_call=2, per_token=2.5, per_result=46),
    tools=replace(_CLAUDE_3.tools, per_request=485, per_token=1.03, forced=98, required=98),
)
_CLAUDE_4_7: Final = replace(
    _CLAUDE_3,
    messages=replace(_CLAUDE_3.messages, per_request=5, per_message=3, per_token=1.24),
    reasoning=replace(_CLAUDE_3.reasoning, per_request=3),
    tools=replace(_CLAUDE_3.tools, per_request=350, per_token=1.3, forced=120, required=120),
)
_CLAUDE_MARGIN: Final = Margin(text=1.23, tools=1.2, any_tools=40, per_call=15, per_request=14, media=1.5)
_LIMITS: Final = Limits(least=0.89)
"""The fewest tokens that a row has for one of cl100k_base are 1.13."""

CLAUDES: Final[tuple[Family, ...]] = (
    Family(
        models=("claude",),
        vocabulary="cl100k_base",
        limits=_LIMITS,
        framing=_CLAUDE_3,
        margin=_CLAUDE_MARGIN,
        windows=(
            Window(models=("claude",), tokens=200_000, max_output=4_096),
            Window(
                models=("claude-1", "claude-2", "claude-v1", "claude-v2", "claude-instant"),
                tokens=100_000,
                max_output=4_096,
            ),
            Window(models=("claude-2.1", "claude-v2.1"), tokens=200_000, max_output=4_096),
            Window(models=("claude-3-5-sonnet",), tokens=200_000, max_output=8_192),
            Window(
                models=("claude-3-7-sonnet", "claude-sonnet-4", "claude-4-sonnet"), tokens=200_000, max_output=64_000
            ),
            Window(models=("claude-opus-4", "claude-4-opus"), tokens=200_000, max_output=32_000),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=302,
        source="bills; text 1.13 times cl100k_base in the median, 2.4 times at most (Latin filler)",
    ),
    Family(
        models=("claude-3-haiku", "claude-3-5-haiku"),
        vocabulary="cl100k_base",
        limits=_LIMITS,
        framing=replace(_CLAUDE_3, tools=replace(_CLAUDE_3.tools, per_request=256, forced=95, required=95)),
        margin=_CLAUDE_MARGIN,
        windows=(
            Window(models=("claude-3-haiku",), tokens=200_000, max_output=4_096),
            Window(models=("claude-3-5-haiku",), tokens=200_000, max_output=8_192),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=106,
        source="bills, and the provider's table of tool prompts (264, forced 340)",
    ),
    Family(
        models=("claude-3-sonnet",),
        vocabulary="cl100k_base",
        limits=_LIMITS,
        framing=replace(_CLAUDE_3, tools=replace(_CLAUDE_3.tools, per_request=151, forced=80, required=80)),
        margin=_CLAUDE_MARGIN,
        windows=(Window(models=("claude-3-sonnet",), tokens=200_000, max_output=4_096),),
        windows_source=_WINDOWS_SOURCE,
        rows=6,
        source="bills, and the provider's table (159, forced 235)",
    ),
    Family(
        models=("claude-3-opus",),
        vocabulary="cl100k_base",
        limits=_LIMITS,
        framing=replace(_CLAUDE_3, tools=replace(_CLAUDE_3.tools, per_request=525, forced=-231, required=-231)),
        margin=_CLAUDE_MARGIN,
        windows=(Window(models=("claude-3-opus",), tokens=200_000, max_output=4_096),),
        windows_source=_WINDOWS_SOURCE,
        rows=24,
        source="bills, and the provider's table (530, forced 281)",
    ),
    Family(
        models=(
            "claude-haiku-4-5",
            "claude-sonnet-4-5",
            "claude-opus-4-5",
            "claude-haiku-4-6",
            "claude-sonnet-4-6",
            "claude-opus-4-6",
            "claude-4-5",
            "claude-4-6",
        ),
        vocabulary="cl100k_base",
        limits=_LIMITS,
        framing=CLAUDE_4_5,
        margin=_CLAUDE_MARGIN,
        windows=(
            Window(
                models=(
                    "claude-haiku-4-5",
                    "claude-sonnet-4-5",
                    "claude-opus-4-5",
                    "claude-haiku-4-6",
                    "claude-4-5",
                    "claude-4-6",
                ),
                tokens=200_000,
                max_output=64_000,
            ),
            Window(models=("claude-sonnet-4-6",), tokens=1_000_000, max_output=64_000),
            Window(models=("claude-opus-4-6",), tokens=1_000_000, max_output=128_000),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=416,
        source="bills",
    ),
    Family(
        models=(
            "claude-opus-4-7",
            "claude-opus-4-8",
            "claude-sonnet-5",
            "claude-opus-5",
            "claude-haiku-5",
            "claude-fable",
            "claude-mythos",
            "claude-4-7",
            "claude-4-8",
            "claude-5",
        ),
        vocabulary="cl100k_base",
        limits=_LIMITS,
        framing=_CLAUDE_4_7,
        margin=_CLAUDE_MARGIN,
        windows=(
            Window(
                models=(
                    "claude-opus-4-7",
                    "claude-opus-4-8",
                    "claude-sonnet-5",
                    "claude-opus-5",
                    "claude-haiku-5",
                    "claude-fable",
                    "claude-mythos",
                    "claude-4-7",
                    "claude-4-8",
                    "claude-5",
                ),
                tokens=1_000_000,
                max_output=128_000,
            ),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=29,
        source="bills",
    ),
)
