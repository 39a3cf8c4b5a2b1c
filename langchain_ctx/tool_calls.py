"""The calls of an assistant message, wherever LangChain and its integrations keep them.

One call may be spelled up to four times: in `tool_calls` (or `invalid_tool_calls`), as a block of the content,
in `additional_kwargs` as the provider sent it, and in the chunks of a streamed message. It is read once, and
when it is dropped it goes from everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from langchain_core.messages import AIMessage, AIMessageChunk

from ctx_core.conversation.fields import arguments_text
from ctx_core.conversation.messages import ToolCall

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from ctx_core.conversation.messages import Message

_SEALED_THOUGHTS: Final = "__gemini_function_call_thought_signatures__"
"""Where langchain-google-genai keeps the encrypted thoughts that came with calls, by the call's id."""

CALL_BLOCKS: Final = frozenset(
    {"tool_call", "tool_use", "function_call", "custom_tool_call", "invalid_tool_call", "tool_call_chunk"}
)
"""Types of content blocks that spell a call of the message again."""


def block_call_id(block: Mapping[str, Any]) -> str | None:
    """Give the id that the result of a call block refers to: OpenAI's Responses keep another one in `id`."""
    call_id = block.get("call_id") or block.get("id")
    return call_id if isinstance(call_id, str) and call_id else None


def unpaired_call_texts(native: BaseMessage) -> list[str]:
    """Give the texts of malformed calls without an id: no result can answer them, but providers are sent them."""
    if not isinstance(native, AIMessage):
        return []
    unnamed = [call for call in native.invalid_tool_calls if not call.get("id")]
    return [f"{call.get('name') or ''} {call.get('args') or ''}" for call in unnamed]


def read_calls(native: BaseMessage) -> tuple[ToolCall, ...]:
    """Give each call of an assistant message once: the parsed ones, the malformed ones, then what only blocks spell.

    Two calls of one list are two calls, even if a careless model gave both the same id.
    """
    calls: list[ToolCall] = []
    for source in (_listed, _in_content, _in_extra):
        known = {call.id for call in calls}
        calls += [call for call in source(native) if call.id not in known]
    legacy = native.additional_kwargs.get("function_call")
    if not calls and isinstance(legacy, Mapping):
        inner = cast("Mapping[str, Any]", legacy)
        calls.append(_call(None, inner.get("name"), inner.get("arguments"), raw=inner))
    return tuple(calls)


def calls_update(message: Message, origin: BaseMessage) -> dict[str, Any]:
    """Give the fields of `origin` in which dropped calls were spelled, without them; blocks of the content aside."""
    kept = {id(call.raw) for call in message.tool_calls}
    ids = {call.id for call in message.tool_calls}
    names = {call.name for call in message.tool_calls}
    update: dict[str, Any] = {}
    if isinstance(origin, AIMessage):
        update["tool_calls"] = [call for call in origin.tool_calls if id(call) in kept]
        malformed = origin.invalid_tool_calls
        update["invalid_tool_calls"] = [call for call in malformed if id(call) in kept or not call.get("id")]
    if isinstance(origin, AIMessageChunk):
        update["tool_call_chunks"] = _without_dropped(origin.tool_call_chunks, ids)
    extra = dict(origin.additional_kwargs)
    if isinstance(extra.get("tool_calls"), list):
        extra["tool_calls"] = _without_dropped(extra["tool_calls"], ids)
        if not extra["tool_calls"]:
            del extra["tool_calls"]
    if "function_call" in extra and _mapping(extra["function_call"]).get("name") not in names:
        del extra["function_call"]
    if extra != origin.additional_kwargs:
        update["additional_kwargs"] = extra
    return update


def _listed(native: BaseMessage) -> Iterator[ToolCall]:
    if isinstance(native, AIMessage):
        thoughts = _mapping(native.additional_kwargs.get(_SEALED_THOUGHTS))
        for call in native.tool_calls:
            sealed = thoughts.get(call.get("id") or "")
            length = len(sealed) if isinstance(sealed, str) else 0
            yield _call(call.get("id"), call["name"], call["args"], raw=call, sealed=length)
        for malformed in native.invalid_tool_calls:
            if malformed.get("id"):
                yield _call(malformed.get("id"), malformed.get("name"), malformed.get("args"), raw=malformed)


def _in_content(native: BaseMessage) -> Iterator[ToolCall]:
    for block in native.content if isinstance(native.content, list) else ():
        if isinstance(block, dict) and block.get("type") in CALL_BLOCKS and (call_id := block_call_id(block)):
            arguments = block.get("args", block.get("input", block.get("arguments")))
            yield _call(call_id, block.get("name"), arguments, raw=block)


def _in_extra(native: BaseMessage) -> Iterator[ToolCall]:
    listed = native.additional_kwargs.get("tool_calls")
    for entry in cast("list[object]", listed) if isinstance(listed, list) else ():
        raw = _mapping(entry)
        if raw.get("id"):
            inner = _mapping(raw.get("function")) or raw
            yield _call(raw.get("id"), inner.get("name"), inner.get("arguments"), raw=raw)


def _call(call_id: object, name: object, arguments: object, *, raw: object, sealed: int = 0) -> ToolCall:
    return ToolCall(
        id=call_id if isinstance(call_id, str) and call_id else None,
        name=name if isinstance(name, str) else "",
        arguments=arguments_text(arguments),
        sealed=sealed,
        raw=raw,
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _without_dropped(spellings: Iterable[Any], kept: set[str | None]) -> list[Any]:
    """Keep what spells a kept call, and what has no id to tell by."""
    return [one for one in spellings if not (call_id := _mapping(one).get("id")) or call_id in kept]
