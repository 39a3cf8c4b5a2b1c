"""Conversations and summarizers that the tests of sessions share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctx_core import Framing, TokenCounter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core import Context, Message

OpenAIMessage = dict[str, Any]

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
"""Counts words and nothing else."""
LIMIT = 40


def talk(turns: int, name: str = "my") -> list[OpenAIMessage]:
    """Make a conversation of so many answered turns of five words, and a last question of three."""
    past = [
        {"role": role, "content": f"{text} {at}"}
        for at in range(turns)
        for role, text in (("user", f"{name} question"), ("assistant", f"{name}answer"))
    ]
    return [*past, {"role": "user", "content": f"{name} question {turns}"}]


def step(at: int, result: str) -> list[OpenAIMessage]:
    """Make a call and its result."""
    call = {"id": f"call {at}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call {at}", "content": result},
    ]


def texts(context: Context[OpenAIMessage]) -> list[str]:
    """Show what goes out."""
    return [str(message["content"]) for message in context.messages]


class Notes:
    """Summarizes by quoting the first message it is given, and counts its calls."""

    def __init__(self) -> None:
        """Begin without calls."""
        self.calls = 0

    def __call__(self, summary: str, messages: Sequence[Message]) -> str:
        """Go on from the summary so far."""
        self.calls += 1
        return summary or f"told: {messages[0].text}"
