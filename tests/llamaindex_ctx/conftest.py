"""What the tests of this face share: a counter of words, conversations, and models that show what they were sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock

from ctx_core import Framing, TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@pytest.fixture
def words() -> TokenCounter:
    """Counts words and nothing else, so that a test can be worked out by hand."""
    return TokenCounter(lambda text: len(text.split()), framing=Framing.free())


@pytest.fixture
def user() -> Callable[[str], ChatMessage]:
    """Makes a user's message."""
    return lambda text: ChatMessage(text, role="user")


@pytest.fixture
def assistant() -> Callable[[str], ChatMessage]:
    """Makes an assistant's message."""
    return lambda text: ChatMessage(text, role="assistant")


@pytest.fixture
def step() -> Callable[..., list[ChatMessage]]:
    """Makes a message with one call and its result."""

    def make(call_id: str, result: str = "r", **kwargs: Any) -> list[ChatMessage]:
        block = ToolCallBlock(tool_call_id=call_id, tool_name="look", tool_kwargs=kwargs)
        return [
            ChatMessage(role="assistant", blocks=[block]),
            ChatMessage(result, role="tool", additional_kwargs={"tool_call_id": call_id}),
        ]

    return make


@pytest.fixture
def talk() -> list[ChatMessage]:
    """Four turns of three and two words, the last without an answer: 18 words."""
    turns: list[ChatMessage] = []
    for number in range(4):
        turns.append(ChatMessage(f"question number {number}", role="user"))
        turns.append(ChatMessage(f"answer {number}", role="assistant"))
    return turns[:-1]


@pytest.fixture
def shown() -> Callable[[Sequence[ChatMessage]], list[str]]:
    """Shows messages as short texts."""
    return lambda messages: [f"{message.role.value}: {message.content}" for message in messages]
