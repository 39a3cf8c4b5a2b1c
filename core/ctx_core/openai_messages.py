"""OpenAI-style dicts, in and out: for users of neither framework, and for the command line.

Read are the chat format with its variants in the wild: content null, a string or a list of parts,
`tool_calls`, the legacy `function_call` and `function` role, and the content blocks of Anthropic and
LangChain. Fields that are not known stay where they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, TypeAlias, cast

from ctx_core.errors import MessageError
from ctx_core.messages import (
    AudioPart,
    CitationPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCall,
    VideoPart,
)

OpenAIMessage: TypeAlias = dict[str, Any]

_ROLES: Final = {
    "system": Role.SYSTEM,
    "developer": Role.DEVELOPER,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
_TEXT: Final = frozenset({"text", "input_text", "output_text", "refusal"})
_IMAGE: Final = frozenset({"image", "image_url", "input_image"})
_AUDIO: Final = frozenset({"audio", "input_audio", "audio_url"})
_VIDEO: Final = frozenset({"video", "video_url", "input_video"})
_FILE: Final = frozenset({"file", "input_file", "document", "text-plain"})
_REASONING: Final = frozenset({"reasoning", "thinking", "redacted_thinking"})
_CALLS: Final = frozenset({"tool_use", "tool_call", "function_call", "custom_tool_call"})
_CITATION: Final = frozenset({"citation", "citable"})
_DOCUMENTS: Final = {"txt": "text/plain", "csv": "text/csv", "md": "text/markdown", "html": "text/html"}
"""What Bedrock calls the formats of documents that are plain text."""
_UNREAD: Final = frozenset({"type", "id", "signature", "data", "base64", "encrypted_content", "url", "mime_type"})


_THOUGHTS_OUTSIDE: Final = ("reasoning_content", "reasoning", "reasoning_details")
"""Where hosts put the model's thoughts beside the content."""
_SEALED: Final = ("encrypted_content", "data", "signature", "thoughtSignature", "thought_signature")


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
            name=_string_or_none(native.get("name")),
            id=_string_or_none(native.get("id")),
            origin=native,
        )

    def write(self, message: Message) -> OpenAIMessage:
        """Give the caller's own dict, or a changed copy of it, or a new one."""
        origin = message.origin
        if isinstance(origin, dict):
            origin = cast("OpenAIMessage", origin)
            return _altered_copy(message, origin) if message.altered else origin
        return _new(message)


def read_content(content: object) -> tuple[Part, ...]:
    """Give the parts of a content: null, a string, or a list of strings and blocks.

    Raises:
        MessageError: for anything else.
    """
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return (TextPart(content),)
    if isinstance(content, list | tuple):
        return tuple(read_block(block) for block in cast("list[object]", content))
    msg = f"content must be null, a string or a list of parts, found {type(content).__name__}"
    raise MessageError(msg)


def read_block(block: object) -> Part:
    """Give the part that one content block is, whichever provider's spelling it has.

    Raises:
        MessageError: for something that is neither a string nor a block.
    """
    if isinstance(block, str):
        return TextPart(block, raw=block)
    if not isinstance(block, Mapping):
        msg = f"a content part must be a string or a dict, found {type(block).__name__}"
        raise MessageError(msg)
    block = cast("Mapping[str, Any]", block)
    kind = str(block.get("type", "unknown"))
    if kind in _TEXT:
        return TextPart(str(block.get("text") or block.get("refusal") or ""), raw=block)
    if kind in _IMAGE:
        return _read_image(block)
    if kind in _AUDIO:
        inner = _inner(block, "input_audio")
        return AudioPart(data=inner.get("data") or block.get("base64"), media_type=block.get("mime_type"), raw=block)
    if kind in _VIDEO:
        return VideoPart(media_type=block.get("mime_type"), raw=block)
    if kind in _FILE:
        return _read_file(block)
    if kind in _REASONING:
        return ReasoningPart(_reasoning_text(block), sealed=sealed(block), raw=block)
    if kind in _CITATION:
        return CitationPart(visible_text(block), raw=block)
    if kind in _CALLS:
        call_id = block.get("call_id") or block.get("id")
        return OpaquePart(kind=kind, call_id=_string_or_none(call_id), raw=block)
    return _read_media(block) or OpaquePart(kind=kind, text=visible_text(block), raw=block)


def _read_media(block: Mapping[str, Any]) -> Part | None:
    """Give the part of a medium as Google's API or Bedrock's spells it; None for anything else."""
    for key in ("inline_data", "inlineData", "file_data", "fileData"):
        if isinstance(block.get(key), Mapping):
            return _medium(cast("Mapping[str, Any]", block[key]), block)
    if block.get("type") == "media":
        return _medium(block, block)
    for key in ("image", "video", "audio", "document"):
        inner = _inner(block, key)
        source = _inner(inner, "source")
        if source:
            form = _string_or_none(inner.get("format")) or ""
            family = "application" if key == "document" else key
            media_type = _DOCUMENTS.get(form, f"{family}/{form}")
            return _medium({"mime_type": media_type, "data": source.get("bytes")}, block)
    return None


def _medium(inner: Mapping[str, Any], block: Mapping[str, Any]) -> Part:
    media_type = str(inner.get("mime_type") or inner.get("mimeType") or "")
    data: object = inner.get("data")
    data = data if isinstance(data, str | bytes) else None
    if media_type.startswith("image"):
        return ImagePart(data=data, media_type=media_type, raw=block)
    if media_type.startswith("audio"):
        return AudioPart(data=data, media_type=media_type, raw=block)
    if media_type.startswith("video"):
        return VideoPart(data=data, media_type=media_type, raw=block)
    return FilePart(data=data, media_type=media_type or None, raw=block)


def sealed(block: Mapping[str, Any]) -> int:
    """Give the characters of the encrypted thoughts that a block carries, under whichever provider's name for them."""
    return max((len(value) for key in _SEALED if isinstance(value := block.get(key), str)), default=0)


def visible_text(value: object, *, depth: int = 8) -> str:
    """Give the strings inside a block that a model is likely to read; payloads and signatures are not.

    Stops at `depth` levels, so that a circular value ends.
    """
    if isinstance(value, str):
        return "" if value[:5].lower() == "data:" and ";base64," in value[:200] else value
    if depth == 0:
        return ""
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        inner = (visible_text(item, depth=depth - 1) for key, item in items if key not in _UNREAD)
    elif isinstance(value, list | tuple):
        inner = (visible_text(item, depth=depth - 1) for item in cast("list[object]", value))
    elif isinstance(value, int | float):
        return str(value)
    else:
        return ""
    return " ".join(text for text in inner if text)


def arguments_text(arguments: object) -> str:
    """Give the arguments of a call as text: as they are, or as compact JSON; never an error.

    What JSON cannot hold is written with `str`, since providers reject it anyway.
    """
    if arguments is None:
        return ""
    if isinstance(arguments, str):
        return arguments
    try:
        return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"), default=str)
    except (TypeError, ValueError, RecursionError):
        return visible_text(arguments)


def _read_image(block: Mapping[str, Any]) -> ImagePart:
    inner = _inner(block, "image_url")
    source = _inner(block, "source")
    url = block.get("image_url") if isinstance(block.get("image_url"), str) else inner.get("url") or block.get("url")
    return ImagePart(
        url=_string_or_none(url or source.get("url")),
        data=_string_or_none(block.get("base64") or block.get("data") or source.get("data")),
        media_type=_string_or_none(block.get("mime_type") or source.get("media_type")),
        detail=_string_or_none(inner.get("detail") or block.get("detail")),
        raw=block,
    )


def _read_file(block: Mapping[str, Any]) -> FilePart:
    source = _inner(block, "source")
    inner = _inner(block, "file") or block
    plain = block.get("text") or (source.get("data") if source.get("type") == "text" else None)
    data = block.get("base64") or source.get("data") or inner.get("file_data") or block.get("data")
    media_type = block.get("mime_type") or source.get("media_type")
    if media_type is None and isinstance(data, str) and data.startswith("data:"):
        media_type = data[5:].partition(";")[0]
    return FilePart(
        text=_string_or_none(plain),
        data=None if plain else _string_or_none(data),
        media_type=_string_or_none(media_type),
        raw=block,
    )


def _reasoning_text(block: Mapping[str, Any]) -> str:
    told: object = next((block[key] for key in ("thinking", "reasoning", "text", "summary") if block.get(key)), "")
    return visible_text(told)  # Mistral's is a list of blocks


def _thoughts_outside(native: OpenAIMessage) -> ReasoningPart | None:
    """Give the thoughts that stand beside the content: a text, and in `reasoning_details` its encrypted copy."""
    text = next((value for key in _THOUGHTS_OUTSIDE if isinstance(value := native.get(key), str) and value), "")
    listed: object = native.get("reasoning_details")
    details = [
        cast("Mapping[str, Any]", detail)
        for detail in (cast("list[object]", listed) if isinstance(listed, list) else ())
        if isinstance(detail, Mapping)
    ]
    text = text or "".join(_reasoning_text(detail) for detail in details)
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
        inner = _inner(call, "function") or _inner(call, "custom") or call
        arguments = inner.get("arguments", inner.get("args", inner.get("input")))
        calls.append(
            ToolCall(
                id=_string_or_none(call.get("id")),
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


def _inner(block: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = block.get(key)
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _string_or_none(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
