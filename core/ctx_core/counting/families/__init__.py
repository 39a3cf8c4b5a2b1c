"""The table of model families: what a request to each is billed, how large its window is, and how that is known.

A row's `rows` are the recorded bills that are counted by it; `source` says what else
they come from. "Template" is the model's public chat template: its role markers are single tokens, so what a
message costs beside its text can be counted in it. Hidden prompts are the host's: a system prompt that the
template puts in where the request has none, the date, a safety note.

Windows of models with open weights are those of their cards, without what stretches them; hosts may serve less.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families.claude import CLAUDE_4_5, CLAUDES
from ctx_core.counting.families.deepseek import DEEPSEEKS
from ctx_core.counting.families.gemini import GEMINIS
from ctx_core.counting.families.grok import GROKS
from ctx_core.counting.families.llama import LLAMAS
from ctx_core.counting.families.mistral import MISTRALS
from ctx_core.counting.families.openai_chat import OPENAI_CHAT
from ctx_core.counting.families.openai_reasoning import OPENAI_REASONING
from ctx_core.counting.families.others_closed import OTHERS_CLOSED
from ctx_core.counting.families.others_open import OTHERS_OPEN
from ctx_core.counting.families.qwen import QWENS
from ctx_core.counting.family import Family
from ctx_core.counting.image_prices import ImagePrice
from ctx_core.counting.margin import Margin

FAMILIES: Final[tuple[Family, ...]] = (
    *OPENAI_CHAT,
    *OPENAI_REASONING,
    *CLAUDES,
    *GEMINIS,
    *GROKS,
    *OTHERS_CLOSED,
    *LLAMAS,
    *QWENS,
    *MISTRALS,
    *DEEPSEEKS,
    *OTHERS_OPEN,
)
"""All rows. For a model, the row with the longest fitting prefix counts; of these the one for its API and host."""

FALLBACK: Final = Family(
    models=(),
    vocabulary="cl100k_base",
    framing=replace(
        CLAUDE_4_5,
        messages=replace(CLAUDE_4_5.messages, per_token=1.2, per_message=6),
        media=replace(CLAUDE_4_5.media, images=ImagePrice(kind="flat", unit=1_100)),
    ),
    margin=Margin(text=1.25, tools=1.25, any_tools=60, per_call=60, per_request=25, media=1.5),
    source="Claude's, whose bills are the highest for their texts; OpenAI's frame, which is the highest for messages",
)
"""For models of no known family."""
