"""The door between LangChain's messages and the neutral ones.

A message is read as it is: neither chunks nor content blocks are normalized, so that what is not altered goes
out as the very object that came in, and what is altered keeps all that is not text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final, cast

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    HumanMessageChunk,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    ToolMessageChunk,
)

from ctx_core.conversation.block_table import BESIDE
from ctx_core.conversation.calls import row_of_call
from ctx_core.conversation.content_blocks import read_content, settled
from ctx_core.conversation.fields import id_or_none, mapped, shown_role
from ctx_core.conversation.formats.pieces import chunks_of
from ctx_core.conversation.message_types import Piece
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.openai_fields import with_thoughts_outside
from ctx_core.conversation.parts import OpaquePart, Part
from ctx_core.conversation.whole import beside_of
from ctx_core.counting.usage import input_tokens
from ctx_core.errors import MessageError
from langchain_ctx.message_fields import check_message
from langchain_ctx.pieces import SINGLE_TYPES, is_several, read_piece, result_as_sent, split, write_pieces
from langchain_ctx.sent_blocks import with_taken_blocks
from langchain_ctx.tool_calls import all_sent, as_sent, read_calls
from langchain_ctx.writing import altered_copy, new_message

if TYPE_CHECKING:
    from collections.abc import Sequence

_TYPES: Final = {
    "human": Role.USER,
    "HumanMessageChunk": Role.USER,
    "ai": Role.ASSISTANT,
    "AIMessageChunk": Role.ASSISTANT,
    "tool": Role.TOOL,
    "ToolMessageChunk": Role.TOOL,
    "function": Role.TOOL,
    "FunctionMessageChunk": Role.TOOL,
}
"""Role by `message.type`, where the type alone says it."""

_CHAT_ROLES: Final = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.DEVELOPER,
    "control": Role.SYSTEM,  # switches Granite's thinking on and off, in Ollama
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
"""Role by the `role` of a `ChatMessage`."""

_SENT: Final = ("tool_outputs", "audio")
"""What else of `additional_kwargs` is sent of an assistant's message."""

_KNOWN: Final[frozenset[type]] = frozenset(
    {
        AIMessage,
        AIMessageChunk,
        ChatMessage,
        FunctionMessage,
        HumanMessage,
        HumanMessageChunk,
        SystemMessage,
        ToolMessage,
        ToolMessageChunk,
    }
)
_READ: Final = (
    "type",
    "role",
    "content",
    "tool_calls",
    "invalid_tool_calls",
    "tool_call_chunks",
    "additional_kwargs",
    "tool_call_id",
    "status",
    "name",
    "id",
    "usage_metadata",
    "response_metadata",
)
"""Fields of messages that are read."""


class LangChainCodec:
    """Reads and writes `BaseMessage`: the `codec` to give to a `ContextBuilder` for LangChain's messages."""

    system_apart: ClassVar[bool] = False
    usual_clients: ClassVar[Mapping[str, str]] = {"gemini": "langchain-google-genai"}
    """Packages that send these messages where nothing tells which one does, by the provider's row."""
    single_types: ClassVar[frozenset[type]] = SINGLE_TYPES
    """Types of messages that are one each, and not the user's: of a run of thousands of steps, nearly all."""

    def split(self, natives: Sequence[BaseMessage]) -> Sequence[Piece] | None:
        """Give the pieces of messages of which one holds results of tools, or removes another; None for all others.

        A `HumanMessage` may have Anthropic's `tool_result` blocks: each is a result. A `RemoveMessage` takes the
        message with its id out, or all before it.

        Raises:
            MessageError: for one that removes a message that is not there.
        """
        return split(natives, self.role)

    def is_several(self, native: BaseMessage) -> bool:
        """Whether a message holds results of tools, or removes another."""
        return is_several(native)

    def join(self, messages: Sequence[Message]) -> list[BaseMessage]:
        """Give the messages to send; neighbors out of one message are one message."""
        return [
            written
            for chunk in chunks_of(all_sent(messages))
            for written in (
                [write_pieces(chunk)] if isinstance(chunk[0].origin, Piece) else [self.write(one) for one in chunk]
            )
        ]

    def with_taken_blocks(self, message: Message, row: str, client: str | None) -> Message:
        """Give a message without the blocks and the types that the client of a request raises on."""
        return with_taken_blocks(message, row, client)

    def as_sent(self, message: Message, row: str, client: str | None) -> Message:
        """Give a message whose calls are marked that the client of a provider's row sends as they are.

        A result in a block that it does not send as one becomes a message of its own.
        """
        return as_sent(result_as_sent(message, row), row, client)

    def role(self, native: BaseMessage | Piece) -> Role:
        """Give the role of a message, by its type.

        Raises:
            MessageError: for what is no message, a `RemoveMessage`, or a `ChatMessage` of an unknown role.
        """
        if isinstance(native, Piece):
            return native.role
        kind: object = getattr(native, "type", "")
        known = _TYPES.get(kind) if isinstance(kind, str) else None
        return _other_role(native) if known is None else known

    def read(self, native: BaseMessage | Piece) -> Message:
        """Give the neutral message.

        Raises:
            MessageError: as for `role`, and for a content of no known shape.
        """
        if isinstance(native, Piece):
            return self.read(native.natives[0]) if native.blocks is None else read_piece(native)
        role = self.role(native)
        check_message(native)
        calls = read_calls(native) if role is Role.ASSISTANT else ()
        return Message(
            role=role,
            parts=settled(_read_parts(native, role), calls),
            tool_calls=calls,
            beside=_said_beside(native, role),
            tool_call_id=_answered_call(native) if role is Role.TOOL else None,
            name=native.name or None,
            id=native.id or None,
            failed=(isinstance(native, ToolMessage) and native.status == "error") or None,  # success is the default
            billed=_billed(native),
            model=_model(native),
            origin=native,
        )

    def told_by(self, native: BaseMessage | Piece) -> tuple[object, ...] | None:
        """Give all that `read` looks at; None for classes of the caller's own, which may look elsewhere."""
        return tuple(map(native.__dict__.get, _READ)) if type(native) in _KNOWN else None

    def write(self, message: Message) -> BaseMessage:
        """Give the caller's own message, or a changed copy of it, or a new one."""
        origin = message.origin
        if not isinstance(origin, BaseMessage):
            return new_message(message)
        return altered_copy(message, origin) if message.altered else origin


CODEC: Final = LangChainCodec()
"""The one that the faces use; it has no state."""


def _other_role(native: object) -> Role:
    if isinstance(native, SystemMessage):
        check_message(native)
        developer = native.additional_kwargs.get("__openai_role__") == "developer"
        return Role.DEVELOPER if developer else Role.SYSTEM
    if isinstance(native, ChatMessage):
        check_message(native)
        known = _CHAT_ROLES.get(native.role.lower())
        if known is None:
            msg = f"unknown role {shown_role(native.role)} of a ChatMessage; known are {', '.join(_CHAT_ROLES)}"
            raise MessageError(msg)
        return known
    for of_class, role in (
        (HumanMessage, Role.USER),
        (AIMessage, Role.ASSISTANT),
        (ToolMessage, Role.TOOL),
        (FunctionMessage, Role.TOOL),
    ):
        if isinstance(native, of_class):  # a subclass of the caller's, with a type of its own
            return role
    if isinstance(native, RemoveMessage):
        msg = "a RemoveMessage is no message: it takes one out of the list that it stands in"
        raise MessageError(msg)
    msg = f"expected a LangChain message, found {type(native).__name__}: convert_to_messages makes one"
    raise MessageError(msg)


def _billed(native: BaseMessage) -> int | None:
    if not isinstance(native, AIMessage):
        return None
    usage: object = native.usage_metadata
    if isinstance(usage, Mapping):
        told = input_tokens({"prompt_tokens": cast("Mapping[str, object]", usage).get("input_tokens")})
        return told or input_tokens(native.response_metadata)
    return input_tokens(native.response_metadata) if native.response_metadata else None


def _model(native: BaseMessage) -> str | None:
    told: object = native.response_metadata.get("model_name") or native.response_metadata.get("model")
    return told if isinstance(told, str) else None


def _answered_call(native: BaseMessage) -> str | None:
    call_id = native.tool_call_id if isinstance(native, ToolMessage) else native.additional_kwargs.get("tool_call_id")
    return id_or_none(call_id)


def _read_parts(native: BaseMessage, role: Role) -> tuple[Part, ...]:
    parts = read_content(cast("object", native.content))
    if role is not Role.ASSISTANT:
        return parts
    return with_thoughts_outside(parts, native.additional_kwargs)


def _said_beside(native: BaseMessage, role: Role) -> tuple[Part, ...]:
    """Give what stands in `additional_kwargs` and is sent: a refusal, what OpenAI's own tools did, a recording."""
    extra = native.additional_kwargs
    refusal: object = extra.get("refusal")
    said = (OpaquePart(kind="refusal", text=refusal),) if isinstance(refusal, str) and refusal else ()
    if role is not Role.ASSISTANT:
        return said
    called = mapped(extra.get("function_call"))
    beside_call = () if called is None else beside_of(row_of_call(called), called)
    return (*said, *beside_call, *beside_of(BESIDE, {key: extra[key] for key in _SENT if key in extra}))
