"""How each provider's payload is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from tests.payloads.turns import Part, Turn

Payload = dict[str, Any]
Reader = Callable[[Payload], Iterator[Turn]]


def chat_completions(payload: Payload) -> Iterator[Turn]:
    """Read OpenAI's chat completions, and what Mistral, DeepSeek, Cohere and Ollama have made of them.

    A function call of before there were tools has no id, and nobody asks for its result: it is read as `other`.
    """
    for at, message in enumerate(_list(payload, "messages")):
        parts = [Part(kind="media", raw=image) for image in _list(message, "images")]
        if thought := message.get("reasoning_content") or message.get("thinking"):
            parts.append(Part(kind="reasoning", text=thought, raw=message))
        if message["role"] == "tool":
            name = message.get("name") or message.get("tool_name") or ""
            parts.append(Part(kind="result", id=message.get("tool_call_id") or "", name=name, raw=message))
        else:
            parts += _chat_content(message.get("content"))
        parts += [
            Part(kind="call", id=call.get("id") or "", name=call["function"]["name"], raw=call)
            for call in _list(message, "tool_calls")
        ]
        yield Turn(role=_role(message["role"]), parts=tuple(parts), at=at, raw=message)


def responses(payload: Payload) -> Iterator[Turn]:
    """Read OpenAI's responses: every item is a turn."""
    given = payload.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else _list(payload, "input")
    for at, item in enumerate(items):
        kind = item.get("type", "message")
        one = Part(kind="other", raw=item)
        role = "assistant"
        if kind == "message":
            parts = tuple(_chat_content(item.get("content")))
            yield Turn(role=_role(item.get("role", "")), parts=parts, at=at, raw=item)
            continue
        if kind == "reasoning":
            one = Part(kind="reasoning", id=item.get("id") or "", raw=item)
        elif kind.endswith("_call_output"):
            role, one = "tool", Part(kind="result", id=item["call_id"], raw=item)
        elif kind.endswith("_call") and "call_id" in item:
            one = Part(kind="call", id=item["call_id"], name=item.get("name") or "", raw=item)
        yield Turn(role=role, parts=(one,), at=at, raw=item)


def anthropic(payload: Payload) -> Iterator[Turn]:
    """Read Anthropic's messages, each as it stands there."""
    if system := payload.get("system"):
        yield Turn(role="system", parts=tuple(_blocks(system)), at=-1, raw=system)
    for at, message in enumerate(_list(payload, "messages")):
        yield Turn(role=message["role"], parts=tuple(_blocks(message["content"])), at=at, raw=message)


def gemini(payload: Payload) -> Iterator[Turn]:
    """Read Gemini's contents."""
    if system := payload.get("systemInstruction"):
        yield Turn(role="system", parts=tuple(map(_gemini_part, system["parts"])), at=-1, raw=system)
    roles = {"model": "assistant", "user": "user", "function": "user"}
    for at, content in enumerate(_list(payload, "contents")):
        parts = tuple(map(_gemini_part, _list(content, "parts")))
        role = content.get("role") or "user"
        yield Turn(role=roles.get(role, f"invalid: {role}"), parts=parts, at=at, raw=content)


def bedrock(payload: Payload) -> Iterator[Turn]:
    """Read Bedrock's messages of its Converse API."""
    if system := payload.get("system"):
        yield Turn(role="system", parts=tuple(map(_bedrock_part, system)), at=-1, raw=system)
    for at, message in enumerate(_list(payload, "messages")):
        parts = tuple(map(_bedrock_part, message["content"]))
        yield Turn(role=message["role"], parts=parts, at=at, raw=message)


def _list(owner: dict[str, Any], key: str) -> list[Any]:
    """Give a list that may be absent or null."""
    return owner.get(key) or []


def _role(role: str) -> str:
    return "system" if role == "developer" else role


def _chat_content(content: Any) -> Iterator[Part]:
    if isinstance(content, str):
        yield Part(kind="text", text=content, raw=content)
        return
    for block in content or ():
        match block["type"]:
            case "text" | "input_text" | "output_text":
                yield Part(kind="text", text=block["text"], raw=block)
            case "thinking":
                yield Part(kind="reasoning", raw=block)
            case "image_url" | "input_image" | "input_audio" | "input_file" | "file":
                yield Part(kind="media", raw=block)
            case _:
                yield Part(kind="other", raw=block)


def _blocks(content: Any) -> Iterator[Part]:
    if isinstance(content, str):
        if content:  # an empty string is no block
            yield Part(kind="text", text=content, raw=content)
        return
    for block in content:
        match block["type"]:
            case "text":
                yield Part(kind="text", text=block["text"], raw=block)
            case "tool_use":
                yield Part(kind="call", id=block["id"], name=block["name"], raw=block)
            case "tool_result":
                yield Part(kind="result", id=block["tool_use_id"], raw=block)
            case "thinking" | "redacted_thinking":
                yield Part(kind="reasoning", text=block.get("thinking", ""), raw=block)
            case "image" | "document":
                yield Part(kind="media", raw=block)
            case _:
                yield Part(kind="other", raw=block)


def _gemini_part(part: dict[str, Any]) -> Part:
    match part:
        case {"functionCall": call}:
            return Part(kind="call", id=call.get("id") or "", name=call["name"], raw=part)
        case {"functionResponse": response}:
            return Part(kind="result", id=response.get("id") or "", name=response["name"], raw=part)
        case {"text": text}:
            return Part(kind="reasoning" if part.get("thought") else "text", text=text, raw=part)
        case {"inlineData": _} | {"fileData": _}:
            return Part(kind="media", raw=part)
        case _:
            return Part(kind="other", raw=part)


def _bedrock_part(block: dict[str, Any]) -> Part:
    match block:
        case {"text": text}:
            return Part(kind="text", text=text, raw=block)
        case {"toolUse": call}:
            return Part(kind="call", id=call["toolUseId"], name=call["name"], raw=block)
        case {"toolResult": result}:
            return Part(kind="result", id=result["toolUseId"], raw=block)
        case {"reasoningContent": thought}:
            return Part(kind="reasoning", text=thought.get("reasoningText", {}).get("text", ""), raw=block)
        case {"image": _} | {"document": _} | {"video": _}:
            return Part(kind="media", raw=block)
        case _:
            return Part(kind="other", raw=block)


READERS: Final[dict[str, Reader]] = {
    "openai": chat_completions,
    "responses": responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "bedrock": bedrock,
    "mistral": chat_completions,
    "deepseek": chat_completions,
    "cohere": chat_completions,
    "ollama": chat_completions,
}
