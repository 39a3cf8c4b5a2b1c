"""Conversations of counted words, what of them goes out, and how that is shown."""

from __future__ import annotations

from typing import Any

from ctx_core import (
    Context,
    Framing,
    HistoryPolicy,
    TokenCounter,
    WindowState,
    fit,
)

OpenAIMessage = dict[str, Any]

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
"""A token a word: a call costs one."""

SYSTEM = {"role": "system", "content": "be brief"}


def said(role: str, text: str, size: int = 5) -> OpenAIMessage:
    """Give a message of so many words."""
    return {"role": role, "content": " ".join([text] * size)}


def talk(turns: int) -> list[OpenAIMessage]:
    """Give turns of a question and an answer of five words each, and a last question of five."""
    messages: list[OpenAIMessage] = []
    for turn in range(turns):
        messages += [said("user", f"q{turn}"), said("assistant", f"a{turn}")]
    return [*messages, said("user", "now")]


def step(name: str, size: int = 4) -> list[OpenAIMessage]:
    """Give a call of one word and its result."""
    call = {"id": name, "type": "function", "function": {"name": "f", "arguments": ""}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": name, "content": " ".join([name] * size)},
    ]


def run(messages: list[OpenAIMessage], budget: int, *, state: WindowState | None = None, **policy: Any) -> Context[Any]:
    """Fit with a policy."""
    return fit(messages, budget, counter=WORDS, policy=HistoryPolicy(**policy), state=state)


def shown(context: Context[Any]) -> str:
    """Show what went out: the first word of each message, a call as `+`."""
    return " ".join((message["content"] or "+").split()[0] for message in context.messages)
