"""The calls of an assistant message, wherever LangChain and its integrations keep them.

One call may be spelled up to four times: in `tool_calls` (or `invalid_tool_calls`), as a block of the content,
in `additional_kwargs` as the provider sent it, and in the chunks of a streamed message. It is read once, and
when it is dropped it goes from everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from langchain_core.messages import AIMessage, AIMessageChunk

from ctx_core.conversation.calls import is_call, read_call
from ctx_core.conversation.fields import mapped

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from ctx_core.conversation.messages import Message, ToolCall

_SIGNATURES: Final = "__gemini_function_call_thought_signatures__"
"""Where langchain-google-genai keeps the encrypted thoughts that came with calls, by the call's id."""


def unpaired_call_texts(native: BaseMessage) -> list[str]:
    """Give the texts of malformed calls without an id: no result can answer them, but providers are sent them.

    An empty id is one: LangChain's agents answer it.
    """
    if not isinstance(native, AIMessage):
        return []
    unnamed = [call for call in native.invalid_tool_calls if call.get("id") is None]
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
        calls.append(read_call(cast("object", legacy)))
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
        update["invalid_tool_calls"] = [call for call in malformed if id(call) in kept or call.get("id") is None]
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
    """Give the calls of `tool_calls` and `invalid_tool_calls`, with the provider's own payload where that says more.

    LangChain makes an empty object of what a custom tool is called with, which is no JSON.
    """
    if not isinstance(native, AIMessage):
        return
    thoughts = _mapping(native.additional_kwargs.get(_SIGNATURES))
    given = {call.id: call for call in (*_in_extra(native), *_in_content(native)) if call.id}
    for listed in native.tool_calls:
        call = read_call(listed)
        signature = thoughts.get(call.id or "")
        own = given.get(call.id or "")
        arguments = own.arguments if own is not None and call.arguments in {"", "{}"} else call.arguments
        yield replace(call, arguments=arguments, encrypted=len(signature) if isinstance(signature, str) else 0)
    for malformed in native.invalid_tool_calls:
        if malformed.get("id") is not None:
            yield read_call(malformed)


def _in_content(native: BaseMessage) -> Iterator[ToolCall]:
    for block in native.content if isinstance(native.content, list) else ():
        if isinstance(block, dict) and is_call(block) and (call := read_call(block)).id:
            yield call


def _in_extra(native: BaseMessage) -> Iterator[ToolCall]:
    listed: object = native.additional_kwargs.get("tool_calls")
    for entry in cast("list[object]", listed) if isinstance(listed, list) else ():
        if mapped(entry) is not None and (call := read_call(entry)).id:
            yield call


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _without_dropped(spellings: Iterable[Any], kept: set[str | None]) -> list[Any]:
    """Keep what spells a kept call, and what has no id to tell by."""
    return [one for one in spellings if not (call_id := _mapping(one).get("id")) or call_id in kept]
