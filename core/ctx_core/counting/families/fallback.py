"""What is counted where no family is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families.claude import CLAUDE_4_5
from ctx_core.counting.family import Family, Limits
from ctx_core.counting.image_prices import ImagePrice
from ctx_core.counting.margin import Margin

FALLBACK: Final = Family(
    models=(),
    vocabulary="cl100k_base",
    # The bound is 1.5 times that: from 1.31 to 1.69 times o200k_base, whatever is written.
    limits=Limits(least=0.875, most=1.125),
    framing=replace(
        CLAUDE_4_5,
        messages=replace(CLAUDE_4_5.messages, per_token=1.2, per_message=6),
        media=replace(CLAUDE_4_5.media, images=ImagePrice(kind="flat", unit=1_100)),
    ),
    margin=Margin(text=1.25, tools=1.25, any_tools=60, per_call=60, per_request=25, media=1.5),
    source="Claude's, whose bills are the highest for their texts; OpenAI's frame, which is the highest for messages",
)
"""For models of no known family."""
