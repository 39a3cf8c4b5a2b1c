"""Messages of Bedrock's Converse API: `content` is a list of blocks, each with one key; roles take turns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Final, assert_never

from ctx_core.conversation.arguments import as_object
from ctx_core.conversation.calls import as_called
from ctx_core.conversation.fields import mapped, mapping_in
from ctx_core.conversation.formats.base import BlockFormat
from ctx_core.conversation.media_contents import address_of, content_bytes, media_type_of
from ctx_core.conversation.media_formats import format_of, formats_of
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.natives import copied
from ctx_core.conversation.parts import CitationPart, FilePart, MediaPart, OpaquePart, Part, ReasoningPart, TextPart
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from ctx_core.conversation.formats.pieces import Written

_TEXTS: Final = frozenset({"txt", "md", "csv", "html"})
"""Formats of documents that are plain text."""
_MEDIA_TYPE: Final = re.compile(r"[A-Za-z]+/[A-Za-z0-9.+-]{1,80}")
"""What a media type looks like: anything else is not shown in an error."""


class BedrockFormat(BlockFormat):
    """The door of Bedrock's messages, as `boto3` takes them."""

    name = "bedrock"
    roles: ClassVar = {"user": Role.USER, "assistant": Role.ASSISTANT}

    def belong_together(self, before: Written, after: Written) -> bool:
        """Whether two neighbors of one role must be one message: what follows results, as they are the user's."""
        del after
        return any(message.role is Role.TOOL for message in before.messages)

    def call_block(self, call: ToolCall) -> object:
        """Give the block of a call."""
        spelled = as_called(call.raw, call)
        inner = mapping_in(mapped(spelled) or {}, "toolUse")
        if inner:
            same = inner.get("toolUseId") == call.id
            return spelled if same else copied(spelled, toolUse={**inner, "toolUseId": call.id})
        return {"toolUse": {"toolUseId": call.id, "name": call.name, "input": as_object(call.arguments)}}

    def result_block(self, message: Message, block: object) -> object:
        """Give the block of a result."""
        content = [self.part_block(part) if part.raw is None else part.raw for part in message.parts]
        held = mapping_in(mapped(block) or {}, "toolResult")
        if not content and held.get("content") != []:
            content = [{"text": "-"}]  # what the caller sends empty stays so
        failed = {"status": "error"} if message.failed else {}
        inner: dict[str, Any] = {"toolUseId": message.tool_call_id, "content": content, **failed}
        return {"toolResult": inner} if block is None else copied(block, toolResult={**held, **inner})

    def part_block(self, part: Part) -> object:
        """Give the block of a part that was made here."""
        match part:
            case TextPart(text=text) | CitationPart(text=text) | OpaquePart(text=text) | ReasoningPart(text=text):
                # Thoughts without the signature that proves them are refused as such.
                return {"text": text}
            case MediaPart():
                named = {"name": "document"} if isinstance(part, FilePart) else {}
                return {part.noun: {**named, "format": _form(part), "source": _source(part)}}
            case _:
                assert_never(part)


def _source(part: MediaPart) -> dict[str, object]:
    """Give a content, or the one kind of address that there may be instead."""
    if isinstance(part, FilePart) and part.text is not None:
        return {"bytes": part.text.encode(errors="replace")}
    address = address_of(part)
    if address is not None and address.lower().startswith("s3://"):
        return {"s3Location": {"uri": address}}
    return {"bytes": content_bytes(part, "the format 'bedrock'")}


def _form(part: MediaPart) -> str:
    media_type = media_type_of(part)
    form = format_of(part.noun, media_type)
    if isinstance(part, FilePart) and part.text is not None:
        return form if form in _TEXTS else "txt"
    if form is None:
        told = repr(media_type) if _MEDIA_TYPE.fullmatch(media_type) else f"of {len(media_type):,} characters"
        msg = (
            f"a medium ({part.noun}) for the format 'bedrock' has the media type {told}: convert it to "
            f"{', '.join(formats_of(part.noun))}, or leave it out"
        )
        raise MessageError(msg)
    return form
