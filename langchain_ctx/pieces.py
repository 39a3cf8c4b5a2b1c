"""Messages that are several, or none: results in a human's message, and `RemoveMessage`."""

from __future__ import annotations

from itertools import compress
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

from ctx_core.conversation.content_blocks import read_content
from ctx_core.conversation.fields import mapped
from ctx_core.conversation.formats.anthropic import AnthropicFormat
from ctx_core.conversation.formats.pieces import pieces_of_user
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.results import is_result, read_result
from ctx_core.conversation.transcript import Piece
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_ALL: Final = "__remove_all__"
"""The id by which LangGraph removes all messages."""
_WHOLE: Final[set[type]] = {AIMessage, ToolMessage, SystemMessage, AIMessageChunk}
"""Kinds of messages that are one each."""


class _HumanBlocks(AnthropicFormat):
    """Writes the blocks of a human's message, which are Anthropic's."""

    def fields_of(self, native: object) -> Mapping[str, Any]:
        """Give what the format looks at."""
        return {"role": "user", "content": cast("HumanMessage", native).content}


_BLOCKS: Final = _HumanBlocks()


def split(natives: Sequence[BaseMessage], role: Callable[[BaseMessage], Role]) -> Sequence[Piece] | None:
    """Give the pieces, or None where each message is one."""
    # Most are of kinds that never are several: thousands of them are told at once.
    looked_at = set(map(type, natives)) - _WHOLE
    others = compress(natives, map(looked_at.__contains__, map(type, natives))) if looked_at else ()
    if not any(isinstance(native, RemoveMessage) or _has_results(native) for native in others):
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
    content = cast("list[object]", piece.natives[0].content)
    chosen = [content[at] for at in piece.blocks or ()]
    if piece.role is Role.TOOL:
        return read_result(next(block for one in chosen if is_result(block := mapped(one) or {})), origin=piece)
    return Message(role=piece.role, parts=read_content(chosen), name=piece.natives[0].name or None, origin=piece)


def write_pieces(chunk: Sequence[Message]) -> BaseMessage:
    """Give the message of which these are pieces: itself if all are here as they were, else a copy with these."""
    pieces = [message.origin for message in chunk if isinstance(message.origin, Piece)]
    native: BaseMessage = pieces[0].natives[0]
    whole = pieces[0].sound and [piece.number for piece in pieces] == list(range(pieces[0].of))
    if whole and not any(message.altered for message in chunk):
        return native
    content = [block for message in chunk for block in _BLOCKS.message_blocks(message)]
    return native.model_copy(update={"content": content})


def _has_results(native: object) -> bool:
    if not isinstance(native, HumanMessage) or not isinstance(native.content, list):
        return False
    return any(isinstance(block, dict) and block.get("type") == "tool_result" for block in native.content)


def _without(pieces: Sequence[Piece], gone: str | None, at: int) -> list[Piece]:
    if gone == _ALL:
        return []
    kept = [piece for piece in pieces if piece.natives[0].id != gone]
    if gone is None or len(kept) == len(pieces):
        msg = f"message {at + 1}: a RemoveMessage of an id that no message before it has"
        raise MessageError(msg)
    return kept
