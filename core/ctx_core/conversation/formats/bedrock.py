"""Messages of Bedrock's Converse API: `content` is a list of blocks, each with one key; roles take turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, assert_never

from ctx_core.conversation.fields import mapped, mapping_in
from ctx_core.conversation.formats.arguments import as_object
from ctx_core.conversation.formats.base import BlockFormat
from ctx_core.conversation.media_contents import content_bytes, media_type_of
from ctx_core.conversation.messages import (
    CitationPart,
    FilePart,
    MediaPart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCall,
)
from ctx_core.conversation.natives import copied
from ctx_core.conversation.sound_ids import IdRule, with_sound_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core.conversation.formats.pieces import Written

_TEXTS: Final = {"plain": "txt", "markdown": "md", "csv": "csv", "html": "html"}
"""What Bedrock calls texts, by the second half of their media type."""


class BedrockFormat(BlockFormat):
    """The door of Bedrock's messages, as `boto3` takes them."""

    name = "bedrock"
    roles: ClassVar = {"user": Role.USER, "assistant": Role.ASSISTANT}

    def with_ids(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Give every call an id of its own in the whole request, as Anthropic's models on Bedrock ask."""
        return with_sound_ids(messages, IdRule(plain=True, unique=True))

    def belong_together(self, before: Written, after: Written) -> bool:
        """Whether two neighbors of one role must be one message: here always."""
        del before, after
        return True

    def calls_are_in_place(self, blocks: Sequence[object]) -> bool:
        """Whether no text stands behind a call."""
        keys = [key for block in blocks for key in mapped(block) or {} if key in {"toolUse", "text"}]
        return keys == sorted(keys)

    def call_block(self, call: ToolCall) -> object:
        """Give the block of a call."""
        inner = mapping_in(mapped(call.raw) or {}, "toolUse")
        if inner:
            same = inner.get("toolUseId") == call.id
            return call.raw if same else copied(call.raw, toolUse={**inner, "toolUseId": call.id})
        return {"toolUse": {"toolUseId": call.id, "name": call.name, "input": as_object(call.arguments)}}

    def result_block(self, message: Message, block: object) -> object:
        """Give the block of a result."""
        content = [self.part_block(part) if part.raw is None else part.raw for part in message.parts]
        inner: dict[str, Any] = {"toolUseId": message.tool_call_id, "content": content or [{"text": "-"}]}
        if block is not None:
            return copied(block, toolResult={**mapping_in(mapped(block) or {}, "toolResult"), **inner})
        return {"toolResult": {**inner, "status": "error"} if message.failed else inner}

    def part_block(self, part: Part) -> object:
        """Give the block of a part that was made here."""
        match part:
            case TextPart(text=text) | CitationPart(text=text) | OpaquePart(text=text) | ReasoningPart(text=text):
                # Thoughts without the signature that proves them are refused as such.
                return {"text": text}
            case FilePart(text=str(text)):
                return self._medium("document", "txt", text.encode())
            case MediaPart():
                return self._medium(part.noun, _form(part), content_bytes(part))
            case _:
                assert_never(part)

    def _medium(self, kind: str, form: str, content: bytes) -> object:
        named = {"name": "document"} if kind == "document" else {}
        return {kind: {**named, "format": form, "source": {"bytes": content}}}


def _form(part: MediaPart) -> str:
    form = media_type_of(part).partition("/")[2]
    return _TEXTS.get(form, form)
