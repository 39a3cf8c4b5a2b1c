"""The table of model families: what a request to each is billed, how large its window is, and how that is known.

A row's `rows` are the recorded bills that are counted by it; `source` says what else
they come from. "Template" is the model's public chat template: its role markers are single tokens, so what a
message costs beside its text can be counted in it. Hidden prompts are the host's: a system prompt that the
template puts in where the request has none, the date, a safety note.

A closed model's window is its provider's. Where hosts decide, as for open weights, it is that of the card without what
stretches it, or less where several hosts serve less: see `OPEN_WINDOWS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ctx_core.counting.families.claude import CLAUDES
from ctx_core.counting.families.deepseek import DEEPSEEKS
from ctx_core.counting.families.fallback import FALLBACK
from ctx_core.counting.families.gemini import GEMINIS
from ctx_core.counting.families.grok import GROKS
from ctx_core.counting.families.llama import LLAMAS
from ctx_core.counting.families.mistral import MISTRALS
from ctx_core.counting.families.open_unbilled import OPEN_UNBILLED
from ctx_core.counting.families.openai_chat import OPENAI_CHAT
from ctx_core.counting.families.openai_reasoning import OPENAI_REASONING
from ctx_core.counting.families.others_closed import OTHERS_CLOSED
from ctx_core.counting.families.others_open import OTHERS_OPEN
from ctx_core.counting.families.others_unbilled import OTHERS_UNBILLED
from ctx_core.counting.families.qwen import QWENS

if TYPE_CHECKING:
    from ctx_core.counting.family import Family

__all__ = ["FALLBACK", "FAMILIES"]

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
    *OTHERS_UNBILLED,
    *OPEN_UNBILLED,
)
"""All rows. For a model, the row with the longest fitting prefix counts; of these the one for its API and host."""
