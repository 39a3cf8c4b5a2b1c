"""A day at the desk of a ferry company: a long conversation with many tools, to try budgets on.

`conversation()` and `TOOLS` are for notebooks and experiments; `run` sends it through the engine request by request,
as `langchain_ctx.demo` and `llamaindex_ctx.demo` do through their frameworks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.demo.early_shift import EARLY_SHIFT
from ctx_core.demo.house_rules import SYSTEM
from ctx_core.demo.late_shift import LATE_SHIFT
from ctx_core.demo.run import run
from ctx_core.demo.script import messages_of
from ctx_core.demo.tools import TOOLS

if TYPE_CHECKING:
    from ctx_core.openai_messages import OpenAIMessage

__all__ = ["TOOLS", "conversation", "run"]


def conversation() -> list[OpenAIMessage]:
    """Give the conversation as new OpenAI-style dicts: a system prompt and over 200 messages, always the same."""
    return [{"role": "system", "content": SYSTEM}, *messages_of((*EARLY_SHIFT, *LATE_SHIFT))]
