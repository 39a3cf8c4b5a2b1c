"""The assembled prompt of every recipe, whole and cut, as it was agreed upon."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ctx_core.recipes import Phase
from langchain_ctx import ContextRunnable, LangChainCodec
from llamaindex_ctx import ChatMessageCodec, ContextMemoryBuffer
from tests.core.recipes.kitchen import KITCHEN, phased
from tests.payloads.conversations import native
from tests.snapshots.compare import matches

if TYPE_CHECKING:
    from ctx_core import Message
    from tests.payloads.client import Framework

CALL = {"id": "c1", "type": "function", "function": {"name": "tides", "arguments": '{"place": "Porto"}'}}
TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "When does the ferry to Porto leave?"},
    {"role": "assistant", "content": "At five, with the tide."},
    {"role": "user", "content": "And when is the tide?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "High water: 16:42. " * 30},
    {"role": "assistant", "content": "High water is at 16:42."},
    {"role": "user", "content": "Then I'll have some tea first."},
    {"role": "assistant", "content": "Good idea."},
]


def as_text(messages: list[dict[str, Any]]) -> str:
    """Give messages in a form that can be read in a diff."""
    blocks = []
    for message in messages:
        calls = [json.dumps(call) for call in message.get("tool_calls") or ()]
        blocks.append("\n".join([f"--- {message['role']}", *filter(None, [message.get("content")]), *calls]))
    return "\n".join(blocks) + "\n"


@pytest.mark.parametrize(("size", "limit"), [("whole", 4_000), ("cut", 190)])
@pytest.mark.parametrize("name", KITCHEN)
def test_prompt(name: str, size: str, limit: int) -> None:
    """It is its snapshot, to the letter."""
    recipe = KITCHEN[name](limit)
    folder = str(getattr(getattr(recipe, "workspace", None), "path", "\0"))
    context = recipe.build(TALK, {"role": "user", "content": "Where do I find green tea?"})
    text = as_text(context.messages).replace(folder, "/workspace")
    assert matches(f"{name}-{size}", text)


@pytest.mark.parametrize("phase", Phase)
def test_prompt_of_each_phase(phase: Phase) -> None:
    """It is its snapshot, to the letter."""
    assert matches(f"phased-{phase}", as_text(phased(4_000, phase).build(TALK).messages))


def as_openai(messages: list[Any], codec: Any) -> list[dict[str, Any]]:
    """Give a framework's messages as those are that the snapshots were written of."""
    read = map(codec.read, messages)
    return [{"role": str(message.role), "content": message.text, "tool_calls": calls_of(message)} for message in read]


def calls_of(message: Message) -> list[dict[str, Any]]:
    """Give the calls in a message, their arguments written as they were."""
    return [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(json.loads(call.arguments))},
        }
        for call in message.tool_calls
    ]


@pytest.mark.parametrize(("size", "limit"), [("whole", 4_000), ("cut", 190)])
@pytest.mark.parametrize("name", KITCHEN)
@pytest.mark.parametrize("framework", ["langchain", "llamaindex"])
def test_prompt_through_a_face(framework: Framework, name: str, size: str, limit: int) -> None:
    """It is the snapshot of the core's, to the letter, where no cut leaves room: a face keeps a state."""
    recipe = replace(KITCHEN[name](limit), low_water=1.0, provider="openai")
    folder = str(getattr(getattr(recipe, "workspace", None), "path", "\0"))
    messages = native(framework, [*TALK, {"role": "user", "content": "Where do I find green tea?"}])
    if framework == "langchain":
        sent = as_openai(ContextRunnable(recipe=recipe).invoke(messages), LangChainCodec())
    else:
        memory = ContextMemoryBuffer.from_defaults(recipe=recipe)
        memory.put_messages(messages)
        sent = as_openai(memory.get(), ChatMessageCodec())
    # Frameworks hold a call's arguments as objects, which cost a token less: as much more of the result is there.
    other = "-faces" if (name, size) == ("rolling", "cut") else ""
    assert matches(f"{name}-{size}{other}", as_text(sent).replace(folder, "/workspace"))
