"""What is left out is not read for its ids: only where one of them may be that of a call that is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import ContextBudget, ContextBuilder
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.providers import PROVIDERS

if TYPE_CHECKING:
    from ctx_core.conversation.messages import Message

TURNS: Final = 500
FIRST: Final = 3
"""The turn whose id the last one repeats."""


class Counting(OpenAICodec):
    """Counts the messages that it reads."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self.reads = 0

    def read(self, native: Any) -> Message:
        """Read one more."""
        self.reads += 1
        return super().read(native)


def talk(last_id: str, *, spelled: str = "tool_calls") -> list[dict[str, Any]]:
    """Give turns with calls of ids of their own; the last one's is given."""
    messages: list[dict[str, Any]] = []
    for turn in range(TURNS):
        told = last_id if turn == TURNS - 1 else f"call_{turn}"
        call: dict[str, Any] = {"id": told, "type": "function", "function": {"name": "look", "arguments": "{}"}}
        asked: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [call]}
        if spelled != "tool_calls" and turn == FIRST:
            block = {"type": "tool_use", "id": told, "name": "look", "input": {}}
            asked = {"role": "assistant", "content": [block]}
        messages += [
            {"role": "user", "content": f"Question {turn}?"},
            asked,
            {"role": "tool", "tool_call_id": told, "content": "sunny"},
            {"role": "assistant", "content": "It is."},
        ]
    return [*messages, {"role": "user", "content": "And now?"}]


def built(messages: list[dict[str, Any]]) -> tuple[list[Any], int]:
    """Give what goes out to Anthropic within a small budget, and how many messages were read for it."""
    codec = Counting()
    builder = ContextBuilder(ContextBudget(600), len).provider(PROVIDERS["anthropic"])
    return builder.build(messages, codec=codec).messages, codec.reads


def ids(messages: list[Any]) -> list[str]:
    """Give the ids of calls."""
    return [call["id"] for message in messages for call in message.get("tool_calls") or ()]


def test_of_ids_of_their_own_next_to_nothing_is_read() -> None:
    """However long the history is."""
    sent, reads = built(talk("call_last"))
    assert ids(sent)[-1] == "call_last"
    assert reads < 100


@pytest.mark.parametrize("spelled", ["tool_calls", "a block"])
def test_an_id_that_was_somebody_elses_is_found(spelled: str) -> None:
    """Wherever it was told: the later call is given another."""
    sent, reads = built(talk(f"call_{FIRST}", spelled=spelled))
    assert ids(sent)
    assert f"call_{FIRST}" not in ids(sent)
    assert reads < 100
