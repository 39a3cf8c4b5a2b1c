"""A day at the desk of a ferry company: a long conversation with many tools, to try budgets on.

`conversation()` and `TOOLS` are for notebooks and experiments; `run` sends it through the engine request by request,
as `langchain_ctx.demo` and `llamaindex_ctx.demo` do through their frameworks.

All of it is made up. `conversation.json` holds it like the body of a request to OpenAI's API, with a tool or a message
on each line; `ctx-layers fit` and `count` read that file too.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from ctx_core.demo.run import run

if TYPE_CHECKING:
    from ctx_core.conversation.openai_messages import OpenAIMessage

__all__ = ["TOOLS", "conversation", "run"]


def conversation() -> list[OpenAIMessage]:
    """Give the conversation as new OpenAI-style dicts: a system prompt and over 200 messages, always the same."""
    messages: list[OpenAIMessage] = _read()["messages"]
    return messages


def _read() -> dict[str, list[Any]]:
    recorded: dict[str, list[Any]] = json.loads(files(__name__).joinpath("conversation.json").read_text("utf-8"))
    return recorded


TOOLS: Final[tuple[dict[str, Any], ...]] = tuple(_read()["tools"])
"""What the assistant of the demonstration can call, as OpenAI's API takes it."""
