"""Builders that count words, and conversations of neutral messages for them."""

from __future__ import annotations

from ctx_core import (
    ContextBudget,
    ContextBuilder,
    Framing,
    Item,
    Layer,
    Message,
    TokenCounter,
    ToolCall,
)

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
"""A token a word and nothing else, so that a test can be worked out by hand."""


def builder(budget: ContextBudget | int = 100) -> ContextBuilder:
    """Begin a context that counts words, for no provider: what is sent is what was said."""
    return ContextBuilder(budget, WORDS).provider(provider=False)


def remembered(*texts: str | Item) -> Layer:
    """Give a layer of memories that costs what they cost: without heading and tags."""
    return Layer(name="memory", items=tuple(Item(one) if isinstance(one, str) else one for one in texts), stable=False)


def words(number: int, word: str = "w") -> str:
    """Give a text of so many words."""
    return " ".join([word] * number)


def talk(turns: int, size: int = 5) -> list[Message]:
    """Give turns of a question and an answer, each of so many words."""
    messages: list[Message] = []
    for turn in range(turns):
        messages += [Message.user(words(size, f"q{turn}")), Message.assistant(words(size, f"a{turn}"))]
    return messages


def step(call_id: str, size: int) -> list[Message]:
    """Give a call of one word and its result of so many."""
    call = ToolCall(name="f", arguments="", id=call_id)
    return [Message.assistant(tool_calls=(call,)), Message.tool(words(size, "r"), tool_call_id=call_id)]


def texts(messages: list[Message]) -> list[str]:
    """Show messages."""
    return [message.text for message in messages]
