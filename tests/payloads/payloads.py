"""Payloads by hand, in a few words each, as clients send them."""

from __future__ import annotations

from typing import Any

Payload = dict[str, Any]


def chat(*messages: dict[str, Any], **more: Any) -> Payload:
    """Give a payload with these messages: of chat completions, of Anthropic or Bedrock."""
    return {"messages": list(messages), **more}


def message(role: str, content: Any = "hi", **more: Any) -> dict[str, Any]:
    """Give a message."""
    return {"role": role, "content": content, **more}


def call(*ids: str, **more: Any) -> dict[str, Any]:
    """Give an assistant of chat completions that calls."""
    calls = [{"id": one, "type": "function", "function": {"name": "look", "arguments": "{}"}} for one in ids]
    return message("assistant", None, tool_calls=calls, **more)


def tool(one: str) -> dict[str, Any]:
    """Give a result of chat completions."""
    return message("tool", "sunny", tool_call_id=one)


def item(kind: str, **more: Any) -> dict[str, Any]:
    """Give an item of the Responses API."""
    return {"type": kind, **more}


def use(one: str) -> dict[str, Any]:
    """Give Anthropic's block of a call."""
    return {"type": "tool_use", "id": one, "name": "look", "input": {}}


def result(one: str) -> dict[str, Any]:
    """Give Anthropic's block of a result."""
    return {"type": "tool_result", "tool_use_id": one, "content": "sunny"}


def text(words: str = "hi", **more: Any) -> dict[str, Any]:
    """Give a block of a text."""
    return {"type": "text", "text": words, **more}


def contents(*turns: tuple[str, list[dict[str, Any]]]) -> Payload:
    """Give a payload of Gemini."""
    return {"contents": [{"role": role, "parts": parts} for role, parts in turns]}


FUNCTION_CALL: dict[str, Any] = {"functionCall": {"name": "look", "args": {}}}
FUNCTION_RESPONSE: dict[str, Any] = {"functionResponse": {"name": "look", "response": {"output": "sunny"}}}


def bedrock_use(one: str) -> dict[str, Any]:
    """Give Bedrock's block of a call."""
    return {"toolUse": {"toolUseId": one, "name": "look", "input": {}}}


def bedrock_result(one: str) -> dict[str, Any]:
    """Give Bedrock's block of a result."""
    return {"toolResult": {"toolUseId": one, "content": [{"text": "sunny"}]}}
