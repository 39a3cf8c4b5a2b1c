"""Small conversations for every client, as OpenAI-style dicts and as each framework's own messages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import StructuredTool
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.tools import FunctionTool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.payloads.client import Framework

OpenAIMessage = dict[str, Any]

PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
"""The bytes of a picture of one pixel, in base64."""


def look(place: str) -> str:
    """Tell the weather of a place."""
    return place


TOOLS: Final[dict[Framework, tuple[Any, ...]]] = {
    "langchain": (StructuredTool.from_function(look),),
    "llamaindex": (FunctionTool.from_defaults(look),),
}
"""The one tool that every conversation calls, for each framework."""


def said(role: str, text: str, size: int = 1) -> OpenAIMessage:
    """Give a message of a text, so many times."""
    return {"role": role, "content": " ".join([text] * size)}


def step(*places: str, size: int = 1) -> list[OpenAIMessage]:
    """Give an assistant's calls, one for each place, and their results of so many words."""
    calls = [
        {"id": place, "type": "function", "function": {"name": "look", "arguments": json.dumps({"place": place})}}
        for place in places
    ]
    results = [{"tool_call_id": place, **said("tool", f"{place}-is-sunny", size)} for place in places]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *results]


ASKED: Final = "Which of them is warmer?"

CONVERSATION: Final = (
    said("system", "Be brief."),
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "Compare these."},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
        ],
    },
    *step("oslo", "rome"),
    said("assistant", "Both are sunny."),
    said("user", ASKED),
)
"""Instructions, a picture, parallel calls with their results, an answer and a question."""


def native(framework: Framework, messages: Iterable[OpenAIMessage]) -> list[Any]:
    """Give the framework's own messages."""
    make = to_langchain if framework == "langchain" else to_llamaindex
    return list(map(make, messages))


def to_langchain(message: OpenAIMessage) -> BaseMessage:
    """Give LangChain's message."""
    content = message["content"] or ""
    match message["role"]:
        case "system":
            return SystemMessage(content)
        case "user":
            return HumanMessage(content)
        case "tool":
            return ToolMessage(content, tool_call_id=message["tool_call_id"])
        case _:
            return AIMessage(content, tool_calls=[{"type": "tool_call", **call} for call in _calls(message)])


def to_llamaindex(message: OpenAIMessage) -> ChatMessage:
    """Give LlamaIndex' message, as its agents and integrations make it."""
    blocks: list[Any] = [
        ToolCallBlock(tool_call_id=call["id"], tool_name=call["name"], tool_kwargs=call["args"])
        for call in _calls(message)
    ]
    content = message["content"] or []
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    said = [
        TextBlock(text=block["text"])
        if block["type"] == "text"
        else ImageBlock(image=PIXEL.encode(), image_mimetype="image/png")
        for block in content
    ]
    extra = {key: message[key] for key in ("tool_call_id",) if key in message}
    return ChatMessage(role=MessageRole(message["role"]), blocks=[*said, *blocks], additional_kwargs=extra)


def _calls(message: OpenAIMessage) -> list[dict[str, Any]]:
    return [
        {"id": call["id"], "name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
        for call in message.get("tool_calls", ())
    ]
