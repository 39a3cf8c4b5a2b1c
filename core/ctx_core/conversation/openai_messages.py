"""OpenAI-style dicts, in and out: for users of neither framework, and for the command line.

Read are the chat format with its variants in the wild: content null, a string or a list of parts,
`tool_calls`, the legacy `function_call` and `function` role, and the content blocks of Anthropic and
LangChain. Fields that are not known stay where they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias, cast

from ctx_core.conversation.content_blocks import (
    arguments_text,
    mapping_in,
    read_content,
    reasoning_text,
    sealed,
    string_or_none,
)
from ctx_core.conversation.messages import ImagePart, Message, Part, ReasoningPart, Role, TextPart, ToolCall
from ctx_core.errors import MessageError

OpenAIMessage: TypeAlias = dict[str, Any]

_ROLES: Final = {
    "system": Role.SYSTEM,
    "developer": Role.DEVELOPER,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


_THOUGHTS_OUTSIDE: Final = ("reasoning_content", "reasoning", "reasoning_details")
"""Where hosts put the model's thoughts beside the content."""


class OpenAICodec:
    """The door for OpenAI-style dicts."""

    def role(self, native: OpenAIMessage) -> Role:
        """Give the role of a message dict."""
        if not isinstance(native, Mapping):
            msg = f"expected a message dict, found {type(native).__name__}"
            raise MessageError(msg)
        role = native.get("role")
        known = _ROLES.get(role) if isinstance(role, str) else None
        if known is None:
            shown = repr(role[:40]) if isinstance(role, str) else type(role).__name__
            msg = f"unknown role {shown}; known are {', '.join(_ROLES)}"
            raise MessageError(msg)
        return known

    def read(self, native: OpenAIMessage) -> Message:
        """Give the neutral message of a message dict."""
        role = self.role(native)
        parts = read_content(native.get("content"))
        thoughts = _thoughts_outside(native)
        if thoughts is not None:
            parts = (thoughts, *parts)
        call_id = native.get("tool_call_id")
        return Message(
            role=role,
            parts=parts,
            tool_calls=_read_calls(native) if role is Role.ASSISTANT else (),
            tool_call_id=call_id if isinstance(call_id, str) and role is Role.TOOL else None,
            name=string_or_none(native.get("name")),
            id=string_or_none(native.get("id")),
            origin=native,
        )

    def write(self, message: Message) -> OpenAIMessage:
        """Give the caller's own dict, or a changed copy of it, or a new one."""
        origin = message.origin
        if isinstance(origin, dict):
            origin = cast("OpenAIMessage", origin)
            return _altered_copy(message, origin) if message.altered else origin
        return _new(message)


def _thoughts_outside(native: OpenAIMessage) -> ReasoningPart | None:
    """Give the thoughts that stand beside the content: a text, and in `reasoning_details` its encrypted copy."""
    text = next((value for key in _THOUGHTS_OUTSIDE if isinstance(value := native.get(key), str) and value), "")
    listed: object = native.get("reasoning_details")
    details = [
        cast("Mapping[str, Any]", detail)
        for detail in (cast("list[object]", listed) if isinstance(listed, list) else ())
        if isinstance(detail, Mapping)
    ]
    text = text or "".join(reasoning_text(detail) for detail in details)
    length = sum(map(sealed, details))
    return ReasoningPart(text, sealed=length) if text or length else None


def _read_calls(native: OpenAIMessage) -> tuple[ToolCall, ...]:
    calls: list[ToolCall] = []
    listed = native.get("tool_calls")
    if listed is not None and not isinstance(listed, list | tuple):
        msg = f"tool_calls must be a list, found {type(listed).__name__}"
        raise MessageError(msg)
    for at, call in enumerate(cast("list[object]", listed or ())):
        if not isinstance(call, Mapping):
            msg = f"tool call {at + 1} must be a dict, found {type(call).__name__}"
            raise MessageError(msg)
        call = cast("Mapping[str, Any]", call)
        inner = mapping_in(call, "function") or mapping_in(call, "custom") or call
        arguments = inner.get("arguments", inner.get("args", inner.get("input")))
        calls.append(
            ToolCall(
                id=string_or_none(call.get("id")),
                name=str(inner.get("name") or ""),
                arguments=arguments_text(arguments),
                raw=call,
            )
        )
    legacy = native.get("function_call")
    if isinstance(legacy, Mapping):
        legacy = cast("Mapping[str, Any]", legacy)
        text = arguments_text(legacy.get("arguments"))
        calls.append(ToolCall(name=str(legacy.get("name") or ""), arguments=text, raw=legacy))
    return tuple(calls)


def _altered_copy(message: Message, origin: OpenAIMessage) -> OpenAIMessage:
    copy = dict(origin)
    if not any(isinstance(part, ReasoningPart) for part in message.parts):
        for key in _THOUGHTS_OUTSIDE:
            copy.pop(key, None)
    parts = [p for p in message.parts if not (isinstance(p, ReasoningPart) and p.raw is None)]
    content = origin.get("content")
    if tuple(parts) != read_content(content):
        copy["content"] = _content(parts, listed=isinstance(content, list | tuple))
    if message.role is Role.TOOL and message.tool_call_id is not None:
        # A legacy result that answers a call with an id is a tool's from now on: providers refuse the mixture.
        copy["role"], copy["tool_call_id"] = "tool", message.tool_call_id
    if "tool_calls" in origin:
        copy["tool_calls"] = [
            call.raw for call in message.tool_calls if call.id is not None or "function_call" not in origin
        ]
        if not copy["tool_calls"]:
            del copy["tool_calls"]
    if "function_call" in origin and not any(call.raw is origin["function_call"] for call in message.tool_calls):
        del copy["function_call"]
    return copy


def _new(message: Message) -> OpenAIMessage:
    native: OpenAIMessage = {"role": str(message.role), "content": _content(list(message.parts), listed=False)}
    if message.tool_calls:
        native["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
        native["content"] = native["content"] or None
    if message.tool_call_id is not None:
        native["tool_call_id"] = message.tool_call_id
    elif message.role is Role.TOOL:
        native["role"] = "function"
    if message.name is not None:
        native["name"] = message.name
    return native


def _content(parts: list[Part], *, listed: bool) -> str | list[object]:
    if not listed and all(isinstance(part, TextPart) for part in parts):
        return "".join(part.text for part in parts if isinstance(part, TextPart))
    return [_block(part) for part in parts]


def _block(part: Part) -> object:
    if part.raw is not None:
        return part.raw
    if isinstance(part, ImagePart):
        return {"type": "image_url", "image_url": {"url": part.url or ""}}
    return {"type": "text", "text": getattr(part, "text", None) or ""}
