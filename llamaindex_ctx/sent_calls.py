"""Which calls a client sends as they are spelled; all others are written as blocks, which every client sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms.llm import ToolSelection

from ctx_core.conversation.arguments import as_object
from ctx_core.conversation.fields import mapped
from llamaindex_ctx.tool_calls import LEGACY, Spellings, spelled, written

if TYPE_CHECKING:
    from ctx_core.conversation.messages import Message, ToolCall

_CHAT: Final = "openai"
_ONCE: Final = (_CHAT, "anthropic", "bedrock")
"""Rows whose clients look at no entry of a call that a block spells too; llama-index-llms-openai 0.8, -anthropic 0.12,
-bedrock-converse 0.15. Others send the entries as well, or raise on those of another shape."""
_TEXTS: Final = (_CHAT, "responses")
"""Rows whose clients send arguments that are a text as they are."""
_CHAT_CLIENTS: Final = tuple(f"llama-index-llms-{name}" for name in ("openai", "openai-like", "deepseek", "groq"))
"""Clients that send as OpenAI's for chat completions does, whatever the row."""


def as_sent(message: Message, row: str, client: str | None) -> Message:
    """Give a message whose calls are all sent, each once: itself where its client does so anyway.

    Args:
        message: may have calls.
        row: name of the provider's row.
        client: package of the client; None where it is unknown.
    """
    if not message.tool_calls:
        return message
    shape = _CHAT if client in _CHAT_CLIENTS and row != "responses" else row
    calls = tuple(_as_sent(call, message, shape) for call in message.tool_calls)
    same = all(one is other for one, other in zip(calls, message.tool_calls, strict=True))
    if same:
        return message
    # A changed copy of a block stands in its place.
    copies = {
        id(block): copy
        for one, other in zip(message.tool_calls, calls, strict=True)
        for block, copy in zip(spelled(one), spelled(other), strict=False)
    }
    parts = tuple(replace(part, raw=copies.get(id(part.raw), part.raw)) for part in message.parts)
    return replace(message, parts=parts, tool_calls=calls, altered=message.origin is not None)


def _as_sent(call: ToolCall, message: Message, shape: str) -> ToolCall:
    found = spelled(call)
    block = next((one for one in found if isinstance(one, ToolCallBlock)), None)
    if block is None:
        return call if not found or call.legacy or _is_own(found[0], message, shape) else _in_block(call, shape)
    if isinstance(block.tool_kwargs, str) and shape not in _TEXTS:
        copy = block.model_copy(update={"tool_kwargs": as_object(call.arguments)})
        return replace(_in_block(call, shape), raw=Spellings((copy,)))
    return call if len(found) == 1 or shape in _ONCE else replace(call, raw=Spellings((block,)))


def _in_block(call: ToolCall, shape: str) -> ToolCall:
    """Give a call that nothing spells yet; its encrypted thoughts stay behind."""
    told = call.arguments if shape in _TEXTS else written(as_object(call.arguments))
    return replace(call, raw=None, arguments=told, notation=None, encrypted=0)


def _is_own(entry: object, message: Message, shape: str) -> bool:
    """Whether an entry is of the shape that a client sends: as it has written it itself."""
    extras: Mapping[str, Any] = getattr(message.origin, "additional_kwargs", {})
    if entry is extras.get(LEGACY):
        return shape == _CHAT
    own = _OWN.get(shape)
    return own is not None and own(entry)


def _is_openais(entry: object) -> bool:
    if isinstance(entry, ToolSelection):
        return False
    inner = _of(entry, "function")
    return inner is not None and isinstance(_of(inner, "arguments"), str)


def _has(**kinds: type) -> Callable[[object], bool]:
    """Give whether a dict has these keys, with values of these types."""

    def has(entry: object) -> bool:
        fields = mapped(entry)
        return fields is not None and all(isinstance(fields.get(key), kind) for key, kind in kinds.items())

    return has


def _is_ollamas(entry: object) -> bool:
    inner = _of(entry, "function")
    return inner is not None and isinstance(_of(inner, "name"), str) and isinstance(_of(inner, "arguments"), Mapping)


def _of(holder: object, name: str) -> object:
    fields = mapped(holder)
    return getattr(holder, name, None) if fields is None else cast("object", fields.get(name))


_OWN: Final[Mapping[str, Callable[[object], bool]]] = {
    _CHAT: _is_openais,
    "responses": lambda entry: _of(entry, "type") == "function_call" and isinstance(_of(entry, "call_id"), str),
    "anthropic": _has(id=str, name=str, input=Mapping),
    "bedrock": _has(toolUseId=str, name=str, input=Mapping),
    # Of an entry it sends no id, and the id of a result all the same.
    "gemini": lambda entry: _has(name=str, args=Mapping)(entry) and not _of(entry, "id"),
    "chat_template": _is_ollamas,
}
"""By row: whether its client sends an entry of `additional_kwargs["tool_calls"]` that stands alone."""
