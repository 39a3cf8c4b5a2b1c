"""Messages that are several, or none: results in a human's message, and `RemoveMessage`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from typing_extensions import override

from ctx_core.conversation.content_blocks import read_content, settled
from ctx_core.conversation.fields import kind_of, mapped
from ctx_core.conversation.formats.anthropic import AnthropicFormat
from ctx_core.conversation.formats.bedrock import BedrockFormat
from ctx_core.conversation.formats.gemini import GeminiFormat
from ctx_core.conversation.formats.pieces import pieces_of_user
from ctx_core.conversation.formats.responses import output_item
from ctx_core.conversation.message_types import Piece
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import TextPart
from ctx_core.conversation.results import is_result, read_result
from ctx_core.errors import MessageError
from langchain_ctx.message_fields import check_message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_TAKEN_BY: Final = {"tool_result": ("anthropic", "bedrock", "unknown"), "toolResult": ("bedrock", "unknown")}
"""By the type of a result's block, or by its key, the rows whose clients send it as a result; langchain-anthropic 1.7,
-aws 1.9. None sends Google's: its own client writes them as texts, and others raise."""
REMOVE_ALL: Final = "__remove_all__"
"""The id by which LangGraph removes all messages."""
SINGLE_TYPES: Final[frozenset[type]] = frozenset({AIMessage, ToolMessage, SystemMessage, AIMessageChunk})
"""Types of messages that are one each, and not the user's."""


class _HumanBlocks(AnthropicFormat):
    """Writes the blocks of a human's message: Anthropic's, but for results that came in another provider's."""

    def fields_of(self, native: object) -> Mapping[str, Any]:
        """Give what the format looks at."""
        return {"role": "user", "content": cast("HumanMessage", native).content}

    @override
    def result_block(self, message: Message, block: object) -> object:
        held = mapped(block) or {}
        if held and not kind_of(held):
            writer = BedrockFormat() if "toolResult" in held else GeminiFormat()
            return writer.result_block(message, block)
        if held and kind_of(held) != "tool_result":
            return output_item(message, block)
        return super().result_block(message, block)


_BLOCKS: Final = _HumanBlocks()


def split(natives: Sequence[BaseMessage], role: Callable[[BaseMessage], Role]) -> Sequence[Piece] | None:
    """Give the pieces, or None where each message is one."""
    if not any(map(is_several, natives)):
        return None
    pieces: list[Piece] = []
    for at, native in enumerate(natives):
        if isinstance(native, RemoveMessage):
            pieces = _without(pieces, native.id, at)
        elif _has_results(native):
            pieces.extend(pieces_of_user(native, at, Role.USER, cast("list[object]", native.content)))
        else:
            try:
                spoken = role(native)
            except MessageError as error:
                msg = f"message {at + 1} of {len(natives)}: {error}"
                raise MessageError(msg) from error
            pieces.append(Piece(natives=(native,), places=(at,), role=spoken))
    return pieces


def read_piece(piece: Piece) -> Message:
    """Give the neutral message of some blocks of a message."""
    check_message(piece.natives[0])
    content = cast("list[object]", piece.natives[0].content)
    chosen = [content[at] for at in piece.blocks or ()]
    if piece.role is Role.TOOL:
        beside = read_content([one for one in chosen if not is_result(mapped(one) or {})])
        block = next(block for one in chosen if is_result(block := mapped(one) or {}))
        return read_result(block, origin=piece, beside=beside)
    parts = settled(read_content(chosen), ())
    return Message(role=piece.role, parts=parts, name=piece.natives[0].name or None, origin=piece)


def write_pieces(chunk: Sequence[Message]) -> BaseMessage:
    """Give the message of which these are pieces: itself if all are here as they were, else a copy with these."""
    pieces = [message.origin for message in chunk if isinstance(message.origin, Piece)]
    native: BaseMessage = pieces[0].natives[0]
    whole = pieces[0].sound and [piece.number for piece in pieces] == list(range(pieces[0].of))
    if whole and not any(message.altered for message in chunk):
        return native
    content = [block for message in chunk for block in _BLOCKS.message_blocks(message)]
    return native.model_copy(update={"content": content})


def result_as_sent(message: Message, row: str) -> Message:
    """Give a result that stands in a human's message as one of its own, where no client of a row sends the block."""
    piece = message.origin
    if not isinstance(piece, Piece) or piece.role is not Role.TOOL:
        return message
    content = cast("list[object]", piece.natives[0].content)
    block = next(held for at in piece.blocks or () if is_result(held := mapped(content[at]) or {}))
    kind = kind_of(block)
    taken = _TAKEN_BY.get(kind or next((key for key in _TAKEN_BY if key in block), ""), ())
    if row in taken or (kind and kind not in _TAKEN_BY):
        return message
    parts = (replace(part, raw=None) if isinstance(part, TextPart) else part for part in message.parts)
    return replace(message, parts=tuple(parts), origin=None, altered=True)


def is_several(native: BaseMessage) -> bool:
    """Whether a message is several, or none."""
    return isinstance(native, RemoveMessage) or _has_results(native)


def _has_results(native: object) -> bool:
    content: object = getattr(native, "content", None) if isinstance(native, HumanMessage) else None
    blocks = cast("list[object]", content) if isinstance(content, list) else []
    return any(isinstance(block, dict) and is_result(cast("dict[str, Any]", block)) for block in blocks)


def _without(pieces: Sequence[Piece], gone: str | None, at: int) -> list[Piece]:
    if gone == REMOVE_ALL:
        return []
    left = [piece for piece in pieces if piece.natives[0].id != gone]
    if gone is None or len(left) == len(pieces):
        msg = f"message {at + 1}: a RemoveMessage of an id that no message before it has"
        raise MessageError(msg)
    return left
