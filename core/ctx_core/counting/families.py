"""The table of model families: what a request to each is billed, and how that is known.

A row's `rows` are the recorded bills that are counted by it; `source` says what else
they come from. "Template" is the model's public chat template: its role markers are single tokens, so what a
message costs beside its text can be counted in it. Hidden prompts are the host's: a system prompt that the
template puts in where the request has none, the date, a safety note.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families_closed import CLAUDE_4_5, ESTIMATED, GEMINIS
from ctx_core.counting.families_open import OPEN_MODELS
from ctx_core.counting.families_openai import OPENAI
from ctx_core.counting.family import Family
from ctx_core.counting.framing import Margin
from ctx_core.counting.image_prices import ImagePrice

FAMILIES: Final[tuple[Family, ...]] = (*OPENAI, *OPEN_MODELS, *GEMINIS, *ESTIMATED)
"""All rows. For a model, the row with the longest fitting prefix counts; of these the one for its API and host."""

FALLBACK: Final = Family(
    models=("",),
    vocabulary="cl100k_base",
    framing=replace(CLAUDE_4_5, per_token=1.2, per_message=6, images=ImagePrice(kind="flat", unit=1_100)),
    margin=Margin(text=1.25, tools=1.25, any_tools=60, per_call=60, per_request=25, media=1.5),
    source="Claude's, whose bills are the highest for their texts; OpenAI's frame, which is the highest for messages",
)
"""For models of no known family."""
