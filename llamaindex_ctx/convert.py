"""The door for LlamaIndex: `ChatMessage` in and out. The only place of this face that knows how it is built."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock

from ctx_core.conversation.content_blocks import settled
from ctx_core.conversation.fields import id_or_none, shown_role
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.openai_fields import THOUGHTS_OUTSIDE, with_thoughts_outside
from ctx_core.conversation.parts import ImagePart, ReasoningPart, TextPart
from ctx_core.counting.usage import input_tokens
from ctx_core.errors import MessageError
from llamaindex_ctx.blocks import read_block, says, write_part
from llamaindex_ctx.message_fields import check_message
from llamaindex_ctx.sent_blocks import with_taken_blocks
from llamaindex_ctx.sent_calls import as_sent
from llamaindex_ctx.tool_calls import (
    LEGACY,
    LISTED,
    SIGNATURES,
    apart,
    as_it_is,
    has_two_ways,
    is_oddly_spelled,
    read_calls,
    said_beside,
    signature_at,
    spelled,
    spellings,
    spells_alone,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctx_core.conversation.messages import ToolCall
    from ctx_core.conversation.parts import Part
    from llamaindex_ctx.blocks import Block

_ROLES: Final[dict[str, Role]] = {
    MessageRole.SYSTEM: Role.SYSTEM,
    MessageRole.DEVELOPER: Role.DEVELOPER,
    MessageRole.USER: Role.USER,
    MessageRole.ASSISTANT: Role.ASSISTANT,
    MessageRole.CHATBOT: Role.ASSISTANT,
    MessageRole.MODEL: Role.ASSISTANT,
    MessageRole.TOOL: Role.TOOL,
    MessageRole.FUNCTION: Role.TOOL,
}
_IMAGES: Final = "images"
_CALL_ID: Final = "tool_call_id"
_NAME: Final = "name"


class ChatMessageCodec:
    """Reads and writes `ChatMessage`; stateless."""

    system_apart: ClassVar[bool] = False
    usual_clients: ClassVar[Mapping[str, str]] = {"gemini": "llama-index-llms-google-genai"}

    def split(self, natives: Sequence[ChatMessage]) -> None:
        """Give None: each message is one by itself."""

    def join(self, messages: Sequence[Message]) -> list[ChatMessage]:
        """Give the messages to send, with ids that are texts."""
        return [self.write(_as_told(message)) for message in messages]

    def role(self, native: ChatMessage) -> Role:
        """Give the role of a message.

        Raises:
            MessageError: for something that is no `ChatMessage`, or a role that LlamaIndex doesn't have.
        """
        if not isinstance(native, ChatMessage):
            msg = f"expected a ChatMessage, found {type(native).__name__}"
            raise MessageError(msg)
        role = _ROLES.get(told) if isinstance(told := native.__dict__.get("role"), str) else None
        if role is None:
            roles = ", ".join(known.value for known in MessageRole)
            msg = f"unknown role {shown_role(told)}; known are {roles}"
            raise MessageError(msg)
        return role

    def read(self, native: ChatMessage) -> Message:
        """Give the neutral message.

        Raises:
            MessageError: for what has no known shape.
        """
        role = self.role(native)
        check_message(native)
        extras = native.additional_kwargs
        call_id, name = extras.get(_CALL_ID), extras.get(_NAME)
        calls = read_calls(native) if role is Role.ASSISTANT else ()
        return Message(
            role=role,
            parts=settled(_read_parts(native), calls, says),
            tool_calls=calls,
            beside=said_beside(native),
            # An assistant's message with this id is the answer of a `return_direct` tool, and no tool's result.
            tool_call_id=id_or_none(call_id) if role is Role.TOOL else None,
            name=name if isinstance(name, str) and name else None,
            billed=input_tokens(extras) if role is Role.ASSISTANT else None,
            origin=native,
        )

    def told_by(self, native: ChatMessage) -> object:
        """Give all that `read` looks at; None for classes of the caller's own, which may look elsewhere."""
        if type(native) is not ChatMessage or not isinstance(said := native.__dict__.get("blocks"), list):
            return None
        blocks = cast("list[object]", said)
        return (
            getattr(told := native.__dict__.get("role"), "value", told),
            native.__dict__.get("additional_kwargs"),
            [(type(one).__name__, getattr(one, "__dict__", None)) for one in blocks],
        )

    def as_sent(self, message: Message, row: str, client: str | None) -> Message:
        """Give a message whose calls are all sent by the client of a provider's row, each once."""
        return as_sent(message, row, client)

    def with_taken_blocks(self, message: Message, row: str, client: str | None) -> Message:
        """Give a message without the blocks and the roles that the client of a provider's row raises on."""
        return with_taken_blocks(message, row, client)

    def write(self, message: Message) -> ChatMessage:
        """Give the caller's own message, or a changed copy of it, or a new one; nothing is ever changed in place."""
        origin = message.origin
        if not isinstance(origin, ChatMessage):
            return _new(message)
        return _altered_copy(message, origin) if message.altered else origin


CODEC: Final = ChatMessageCodec()
"""The one that this package uses; it has no state."""


def _read_parts(native: ChatMessage) -> tuple[Part, ...]:
    parts = (
        _signed(part, signature_at(native, at)) for at, block in enumerate(native.blocks) for part in read_block(block)
    )
    return with_thoughts_outside(tuple(parts), native.additional_kwargs)


def _signed(part: Part, copy: int) -> Part:
    """Give a text or thoughts with the encrypted thoughts that are sent with them; a call has its own."""
    if isinstance(part, ReasoningPart):
        return replace(part, encrypted=max(part.encrypted, copy))
    return replace(part, inside=(ReasoningPart(encrypted=copy),)) if copy and isinstance(part, TextPart) else part


def _altered_copy(message: Message, origin: ChatMessage) -> ChatMessage:
    extras = dict(origin.additional_kwargs)
    moved = {id(call.raw) for call in apart(message.tool_calls, message)}
    message = replace(
        message,
        tool_calls=tuple(replace(call, raw=None) if id(call.raw) in moved else call for call in message.tool_calls),
    )
    left = spellings(message.tool_calls)
    if message.role is Role.ASSISTANT:
        _update_entries(extras, message.tool_calls, left)
    if not any(isinstance(part, ReasoningPart) for part in message.parts):
        for key in THOUGHTS_OUTSIDE:
            extras.pop(key, None)
    if not any(isinstance(part, ImagePart) for part in message.parts):
        extras.pop(_IMAGES, None)
    role = MessageRole.USER if message.step_result else origin.role  # a tool's message may answer no call
    if message.role is Role.SYSTEM:
        role = MessageRole.SYSTEM  # the developer's role is OpenAI's alone
    if message.tool_call_id is not None:
        extras[_CALL_ID] = message.tool_call_id
        if role == MessageRole.FUNCTION:
            role = MessageRole.TOOL  # the legacy role has no ids, and providers refuse one in it
    blocks = _write_blocks(message, left)
    signed = {call.id: call.signature for call in message.tool_calls if call.signature is not None}
    if signed or isinstance(extras.get(SIGNATURES), list):
        extras[SIGNATURES] = _signatures(blocks, message, origin, signed)
    return origin.model_copy(update={"role": role, "blocks": blocks, "additional_kwargs": extras})


def _signatures(
    blocks: Sequence[Block], message: Message, origin: ChatMessage, signed: Mapping[str | None, str]
) -> list[object]:
    """Give the encrypted thoughts of the blocks that are left: each goes by its block's place.

    Args:
        blocks: those that are left.
        message: has their calls.
        origin: has their thoughts.
        signed: what calls are signed with that have none, by their ids; Google's client takes bytes.
    """
    told: object = origin.additional_kwargs.get(SIGNATURES)
    listed = cast("list[object]", told) if isinstance(told, list) else []
    copies = {id(block): copy for block, copy in zip(origin.blocks, listed, strict=False)}
    calls = {call.id: raw for call in message.tool_calls for raw in spelled(call) if isinstance(raw, ToolCallBlock)}
    came = (calls.get(block.tool_call_id, block) if isinstance(block, ToolCallBlock) else block for block in blocks)
    given = (signed.get(block.tool_call_id) if isinstance(block, ToolCallBlock) else None for block in blocks)
    return [copies.get(id(block)) or (sign and sign.encode()) for block, sign in zip(came, given, strict=True)]


def _as_told(message: Message) -> Message:
    """Give a message as one that is altered where an id in it is no text, or a call stands where no client looks."""
    told = message.origin.additional_kwargs.get(_CALL_ID) if isinstance(message.origin, ChatMessage) else None
    odd = message.role is Role.TOOL and told is not None and not isinstance(told, str)
    odd = odd or any(map(is_oddly_spelled, message.tool_calls)) or bool(apart(message.tool_calls, message))
    odd = odd or has_two_ways(message.tool_calls, message)
    return replace(message, altered=True) if odd else message


def _update_entries(extras: dict[str, Any], calls: Sequence[ToolCall], left: frozenset[int]) -> None:
    """Leave the entries of calls that are left, which spellings of these identities tell, as the calls are now."""
    named = {id(spelling): call for call in calls for spelling in spelled(call)}
    entries = [as_it_is(entry, named[id(entry)]) for entry in extras.get(LISTED) or () if id(entry) in left]
    if entries:
        extras[LISTED] = entries
    else:
        extras.pop(LISTED, None)
    legacy = extras.pop(LEGACY, None)
    if legacy is not None and spells_alone(legacy, calls):
        extras[LEGACY] = as_it_is(legacy, named[id(legacy)])


def _write_blocks(message: Message, left: frozenset[int]) -> list[Block]:
    """Give the blocks of the parts, each once, without calls that have gone, and with all that are left."""
    blocks: list[Block] = []
    done: set[int] = set()
    named = {id(spelling): call for call in message.tool_calls for spelling in spelled(call)}
    for part in message.parts:
        if isinstance(part, ReasoningPart) and part.raw is None and isinstance(message.origin, ChatMessage):
            continue  # it lives in additional_kwargs
        block = write_part(part)
        if block is None or id(block) in done or (isinstance(block, ToolCallBlock) and id(block) not in left):
            continue
        done.add(id(block))
        blocks.append(as_it_is(block, named[id(block)]) if isinstance(block, ToolCallBlock) else block)
    for call in message.tool_calls:
        known = spelled(call)
        blocks.extend(as_it_is(raw, call) for raw in known if isinstance(raw, ToolCallBlock) and id(raw) not in done)
        if not known:
            blocks.append(_call_block(call))
    return blocks


def _new(message: Message) -> ChatMessage:
    extras: dict[str, Any] = {}
    role = MessageRole(str(message.role))
    if message.role is Role.TOOL and message.tool_call_id is None:
        role = MessageRole.FUNCTION
    if message.tool_call_id is not None:
        extras[_CALL_ID] = message.tool_call_id
    if message.name is not None:
        extras[_NAME] = message.name
    return ChatMessage(role=role, blocks=_write_blocks(message, frozenset()), additional_kwargs=extras)


def _call_block(call: ToolCall) -> ToolCallBlock:
    return ToolCallBlock(tool_call_id=call.id, tool_name=call.name, tool_kwargs=_object(call.arguments))


def _object(arguments: str) -> dict[str, Any] | str:
    """Give the arguments as LlamaIndex likes them, or as the model wrote them where they are no JSON object."""
    try:
        read: Any = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    return cast("dict[str, Any]", read) if isinstance(read, dict) else arguments
