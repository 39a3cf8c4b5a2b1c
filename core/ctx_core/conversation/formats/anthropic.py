"""Anthropic's messages: `content` is a text or a list of blocks, results stand in messages of the user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, assert_never

from ctx_core.conversation.arguments import as_object
from ctx_core.conversation.calls import as_called, is_call
from ctx_core.conversation.fields import kind_of, mapped
from ctx_core.conversation.formats.base import BlockFormat
from ctx_core.conversation.media_contents import address_of, base64_text, media_type_of
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.natives import copied
from ctx_core.conversation.parts import (
    CitationPart,
    FilePart,
    ImagePart,
    MediaPart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.formats.pieces import Written

_COMMON: Final = frozenset({"text", "tool_use", "thinking"})
"""Types of most blocks, which open and close nothing there."""


class AnthropicFormat(BlockFormat):
    """The door of Anthropic's messages, as dicts or with the blocks of its client."""

    name = "anthropic"
    typed = True
    roles: ClassVar = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}

    def arranged(self, written: list[Written]) -> list[Written]:
        """Give instructions their place: behind what the user says, before the answer."""
        arranged: list[Written] = []
        waiting: list[Written] = []
        for one in written:
            if one.role is Role.SYSTEM:
                waiting.append(one)
                continue
            if one.role is Role.ASSISTANT and arranged:
                arranged += waiting
                waiting = []
            arranged.append(one)
        return arranged + waiting

    def still_open(self, waiting: frozenset[str], blocks: Sequence[object]) -> frozenset[str]:
        """Give the ids of what still runs at Anthropic: its own tools, and those of MCP servers."""
        for block in map(mapped, blocks):
            kind = "" if block is None else kind_of(block)
            if block is None or kind in _COMMON:
                continue
            if kind in {"server_tool_use", "mcp_tool_use"}:
                waiting |= {str(block.get("id"))}
            elif kind.endswith("_tool_result"):
                waiting -= {str(block.get("tool_use_id"))}
        return waiting

    def call_block(self, call: ToolCall) -> object:
        """Give the block of a call."""
        block = mapped(call.raw)
        if block is not None and is_call(block):
            spelled = as_called(call.raw, call)
            return spelled if block.get("id") == call.id else copied(spelled, id=call.id)
        return {"type": "tool_use", "id": call.id, "name": call.name, "input": as_object(call.arguments)}

    def result_block(self, message: Message, block: object) -> object:
        """Give the block of a result."""
        held = (mapped(block) or {}).get("content")
        content = self._result_content(message, listed=isinstance(held, list | tuple))
        if block is not None:
            told = {"is_error": True} if message.failed else {}
            return copied(block, tool_use_id=message.tool_call_id, content=content, **told)
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": content}
        return {**result, "is_error": True} if message.failed else result

    def part_block(self, part: Part) -> object:
        """Give the block of a part that was made here."""
        match part:
            case TextPart(text=text) | CitationPart(text=text) | OpaquePart(text=text) | ReasoningPart(text=text):
                # Thoughts without the signature that proves them are refused as such.
                return {"type": "text", "text": text}
            case FilePart(text=str(text)):
                return {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": text}}
            case MediaPart():
                return {"type": "image" if isinstance(part, ImagePart) else "document", "source": _source(part)}
            case _:
                assert_never(part)

    def _result_content(self, message: Message, *, listed: bool) -> str | list[object]:
        if not listed and all(isinstance(part, TextPart) and part.raw is None for part in message.parts):
            return message.text
        return [self.part_block(part) if part.raw is None else part.raw for part in message.parts]


def _source(part: MediaPart) -> dict[str, str]:
    """Give a content, or an address where the provider fetches pictures and documents from."""
    address = address_of(part) if isinstance(part, ImagePart | FilePart) else None
    if address is not None:
        return {"type": "url", "url": address}
    content = base64_text(part, "the format 'anthropic'")
    return {"type": "base64", "media_type": media_type_of(part), "data": content}
