"""Gemini's contents: `parts`, each with one key, in the spelling of the API or of its Python client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, assert_never

from ctx_core.conversation.arguments import as_object
from ctx_core.conversation.calls import as_called
from ctx_core.conversation.fields import mapped, mapping_in
from ctx_core.conversation.formats.base import BlockFormat
from ctx_core.conversation.media_contents import address_of, base64_text, media_type_of
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.natives import copied, key_of, without
from ctx_core.conversation.parts import CitationPart, FilePart, MediaPart, OpaquePart, Part, ReasoningPart, TextPart
from ctx_core.conversation.results import read_result, response_key
from ctx_core.conversation.structured_text import structured_value
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctx_core.conversation.formats.pieces import Written


class GeminiFormat(BlockFormat):
    """The door of Gemini's contents, as dicts or as objects of its client."""

    name = "gemini"
    content = "parts"
    roles: ClassVar = {"user": Role.USER, "model": Role.ASSISTANT, "function": Role.USER}

    def check(self, fields: Mapping[str, Any], blocks: Sequence[object]) -> None:
        """Refuse other providers' messages, whose text would be lost here.

        Raises:
            MessageError: for a message that has `content`, or parts that are no list of parts.
        """
        super().check(fields, blocks)
        if fields.get("content"):
            msg = "a message with content in a list of Gemini's, where all that is said stands under parts"
            raise MessageError(msg)
        if any(mapped(block) is None for block in blocks):
            msg = "a part that is a mere text, which the API refuses: write {'text': …}"
            raise MessageError(msg)

    def belong_together(self, before: Written, after: Written) -> bool:
        """Whether two neighbors of one role must be one content: all results of a step, and calls behind a text."""
        if before.role is Role.ASSISTANT:
            return any(message.tool_calls for message in after.messages)
        return before.only_results and after.only_results

    def call_block(self, call: ToolCall) -> object:
        """Give the part of a call."""
        if call.raw is not None:
            key = key_of(call.raw, "functionCall", "function_call")
            spelled = as_called(call.raw, call)
            signed = _signature(call, "thoughtSignature" if key == "functionCall" else "thought_signature")
            if (mapping_in(mapped(spelled) or {}, key).get("id") or None) == (call.id or None):
                return copied(spelled, **signed) if signed else spelled
            return copied(spelled, **signed, **{key: _with(spelled, key, id=call.id)})
        told = {} if call.id is None else {"id": call.id}
        block = {"functionCall": {**told, "name": call.name, "args": as_object(call.arguments)}}
        return {**block, **_signature(call, "thoughtSignature")}

    def result_block(self, message: Message, block: object) -> object:
        """Give the part of a result."""
        text = [part for part in message.parts if isinstance(part, TextPart)]
        media = [part for part in message.parts if not isinstance(part, TextPart)]
        if block is None:
            told = {} if message.tool_call_id is None else {"id": message.tool_call_id}
            response = _response(text, message, None)
            return {"functionResponse": {**told, "name": message.name or "", "response": response}}
        key = key_of(block, "functionResponse", "function_response")
        inner = mapping_in(mapped(block) or {}, key)
        about = {"id": message.tool_call_id, "name": message.name}
        changed: dict[str, Any] = {key: value for key, value in about.items() if value is not None}
        if "".join(part.text for part in text) != _said(inner) or mapped(inner.get("response")) is None:
            changed["response"] = _response(text, message, response_key(inner.get("response")))
        shown = [part.raw for part in media if part.raw is not None]
        if list(map(id, shown)) != list(map(id, inner.get("parts") or ())):
            changed["parts"] = shown
        said = _with(block, key, **changed)
        # Where the call has no id, its result has none.
        return copied(block, **{key: said if message.tool_call_id else without(said, "id")})

    def part_block(self, part: Part) -> object:
        """Give the part that was made here, as the API has it."""
        match part:
            case TextPart(text=text) | CitationPart(text=text) | OpaquePart(text=text):
                return {"text": text}
            case ReasoningPart(text=text):
                return {"text": text, "thought": True}
            case FilePart(text=str(text)):
                return {"text": text}
            case MediaPart():
                media_type, address = media_type_of(part), address_of(part)
                if address is not None:
                    return {"fileData": {"mimeType": media_type, "fileUri": address}}
                content = base64_text(part, "the format 'gemini'")
                return {"inlineData": {"mimeType": media_type, "data": content}}
            case _:
                assert_never(part)

    def _role(self, fields: Mapping[str, Any]) -> Role:
        # One without a role is the user's.
        return Role.USER if fields.get("role") is None else super()._role(fields)


def _response(texts: Sequence[TextPart], message: Message, key: str | None) -> Mapping[str, Any]:
    """Give what a result says as an object: JSON as itself, a text under the key that it had, or else its own."""
    told = mapped(structured_value(texts[0])) if len(texts) == 1 else None
    if told is not None:
        return told
    usual = "error" if message.failed else "output"
    failing = bool(message.failed) is (key == "error")
    return {key if key is not None and failing else usual: "".join(part.text for part in texts)}


def _with(holder: object, key: str, **changed: object) -> object:
    inner = (mapped(holder) or {}).get(key)
    return copied(inner, **changed)


def _signature(call: ToolCall, key: str) -> dict[str, object]:
    """Give the signature of a call by its key; objects of the client hold it as bytes."""
    if call.signature is None:
        return {}
    as_bytes = call.raw is not None and getattr(call.raw, "model_copy", None) is not None
    return {key: call.signature.encode() if as_bytes else call.signature}


def _said(inner: Mapping[str, Any]) -> str:
    return read_result({"functionResponse": inner}, origin=None).text
