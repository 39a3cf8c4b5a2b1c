"""Ids by which a provider pairs calls and results: it refuses those that are missing, malformed or used before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ctx_core.conversation.fields import first_in, mapped, mapping_in
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.results import is_result
from ctx_core.conversation.transcript import Piece

_SOUND: Final = re.compile(r"[a-zA-Z0-9_-]+")
"""What Anthropic, Bedrock and OpenAI's Responses take for an id."""
_KEYS: Final = ("call_id", "toolUseId", "tool_use_id", "approval_request_id", "id")


def with_sound_ids(messages: Sequence[Message]) -> list[Message]:
    """Give repaired messages in which every call has an id of its own that is well formed, and its result the same.

    Messages whose ids are so already are the very messages that came in.
    """
    used: set[str] = set()
    sound: list[Message] = []
    open_calls: list[tuple[ToolCall, str]] = []
    for message in messages:
        if message.role is Role.TOOL:
            sound.append(_answer(message, open_calls))
        elif message.tool_calls:
            ids = [_id_of(call, used) for call in message.tool_calls]
            open_calls = list(zip(message.tool_calls, ids, strict=True))
            sound.append(_asking(message, ids))
        else:
            open_calls = []
            sound.append(message)
    return sound


def _id_of(call: ToolCall, used: set[str]) -> str:
    told = call.id or ""
    base = told if _SOUND.fullmatch(told) else re.sub(r"[^a-zA-Z0-9_-]", "_", told or f"call_{call.name}")[:48]
    found, times = base, 1
    while found in used:
        times += 1
        found = f"{base[:48]}_{times}"
    used.add(found)
    return found


def _asking(message: Message, ids: list[str]) -> Message:
    calls = message.tool_calls
    if all(call.id == one and _raw_id(call.raw) in {None, one} for call, one in zip(calls, ids, strict=True)):
        return message
    renamed = tuple(replace(call, id=one) for call, one in zip(calls, ids, strict=True))
    return replace(message, tool_calls=renamed, altered=True)


def _answer(message: Message, open_calls: list[tuple[ToolCall, str]]) -> Message:
    """Give a result the id of the call that it answers, which is then answered."""
    told = message.tool_call_id
    fitting = [at for at, (call, _) in enumerate(open_calls) if told == call.id]
    named = [at for at, (call, _) in enumerate(open_calls) if message.name in (None, call.name)]
    chosen = next(iter([*fitting, *(named if told is None else ())]), None)
    if chosen is None:
        return message
    _, given = open_calls.pop(chosen)
    raw = _raw_id(_result_block(message))
    return message if told == given and raw in {None, given} else replace(message, tool_call_id=given, altered=True)


def _result_block(message: Message) -> object:
    piece = message.origin
    if not isinstance(piece, Piece):
        return None
    if piece.blocks is None:
        return piece.natives[0]
    fields = mapped(piece.natives[0]) or {}
    blocks = fields.get("content")
    chosen = [blocks[at] for at in piece.blocks] if isinstance(blocks, list | tuple) else []
    return next((block for block in chosen if is_result(mapped(block) or {})), None)


def _raw_id(block: object) -> object:
    """Give the id of a call or a result as it is written; None where it has none, or it was made here."""
    fields = mapped(block)
    if fields is None:
        return None
    told = first_in(mapping_in(fields, "toolUse", "toolResult") or fields, *_KEYS)
    return told if told is None or isinstance(told, str | int) else str(told)
