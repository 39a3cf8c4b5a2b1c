"""The calls of an assistant message, wherever LangChain and its integrations keep them.

One call may be spelled up to four times: in `tool_calls` (or `invalid_tool_calls`), as a block of the content,
in `additional_kwargs` as the provider sent it, and in the chunks of a streamed message. It is read once, and
when it is dropped it goes from everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from ctx_core.conversation.calls import completed, is_call, read_call, spelled_again
from ctx_core.conversation.fields import copy_length, json_text, mapped
from ctx_core.conversation.formats.arguments import as_object

if TYPE_CHECKING:
    from ctx_core.conversation.messages import Message, ToolCall

_BY_CALL_ID: Final = frozenset({"function_call", "custom_tool_call", "computer_call"})
"""Blocks of OpenAI's Responses API, whose own id is another one."""
_SIGNATURES: Final = "__gemini_function_call_thought_signatures__"
"""Where langchain-google-genai keeps the encrypted thoughts that came with calls, by the call's id."""


def read_calls(native: BaseMessage) -> tuple[ToolCall, ...]:
    """Give each call of an assistant message once: the parsed ones, the malformed ones, then what only blocks spell.

    Two calls of one list are two calls, even if a careless model gave both the same id, or none. One without an id that
    only blocks spell is a call where nothing is listed; else it is another spelling of one that is.
    """
    calls: list[ToolCall] = []
    for source in (_listed, _in_content, _in_extra):
        known, nothing_yet = {call.id for call in calls}, not calls
        calls += [call for call in source(native) if (call.id not in known if call.id else nothing_yet)]
    legacy = native.additional_kwargs.get("function_call")
    if not calls and isinstance(legacy, Mapping):
        calls.append(replace(read_call(cast("object", legacy)), legacy=True))
    return tuple(calls)


def calls_update(message: Message, origin: BaseMessage) -> dict[str, Any]:
    """Give the fields of `origin` in which calls are spelled, without those that were dropped and with ids for all.

    What stands in the content is left to `content_with_ids`.
    """
    kept = {id(call.raw): call.id for call in message.tool_calls if call.raw is not None}
    names = {call.name for call in message.tool_calls}
    update: dict[str, Any] = {}
    if isinstance(origin, AIMessage):
        for name in ("tool_calls", "invalid_tool_calls"):
            listed = cast("list[dict[str, Any]]", getattr(origin, name))
            update[name] = [_with_id(call, kept[id(call)]) for call in listed if id(call) in kept]
        update["tool_calls"] += [new_call(call) for call in message.tool_calls if call.raw is None]
    if isinstance(origin, AIMessageChunk):
        update["tool_call_chunks"] = _spellings(origin.tool_call_chunks, message, origin)
    extra = dict(origin.additional_kwargs)
    if isinstance(extra.get("tool_calls"), list):
        extra["tool_calls"] = _spellings(extra["tool_calls"], message, origin)
        if not extra["tool_calls"]:
            del extra["tool_calls"]
    if "function_call" in extra and _mapping(extra["function_call"]).get("name") not in names:
        del extra["function_call"]
    if extra != origin.additional_kwargs:
        update["additional_kwargs"] = extra
    return update


def new_call(call: ToolCall) -> dict[str, Any]:
    """Give a call with an object of arguments as LangChain has it."""
    return {"name": call.name, "args": as_object(call.arguments), "id": call.id, "type": "tool_call"}


def content_with_ids(
    content: str | list[str | dict[Any, Any]], message: Message, origin: BaseMessage
) -> str | list[str | dict[Any, Any]]:
    """Give a content whose blocks without an id have that of the call which they spell; those of dropped calls go."""
    if isinstance(content, str):
        return content
    others = {id(block) for block in content if not (isinstance(block, dict) and is_call(block))}
    return _spellings(content, message, origin, others)


def _spellings(
    spellings: Iterable[Any], message: Message, origin: BaseMessage, others: Collection[int] = ()
) -> list[Any]:
    """Keep what spells a call that is kept, and give it the call's id.

    A call without an id is told by its name and its place among such.

    Args:
        spellings: in order.
        message: has the calls that are kept.
        origin: has all of them.
        others: identities of what spells none, and stays as it is.
    """
    known = read_calls(origin)
    left_of = {id(call.raw): call.id for call in message.tool_calls if call.raw is not None}
    given: dict[str | None, list[str | None]] = {}
    for call in known:
        given.setdefault(call.id, []).append(left_of.get(id(call.raw)))
    nameless = any(call.id is None for call in known)
    left = [call for call in message.tool_calls if call.raw is not None and read_call(call.raw).id is None]
    written: list[Any] = []
    for one in spellings:
        told = read_call(one)
        if id(one) in others or mapped(one) is None:
            written.append(one)
        elif told.id is not None:
            ids = given.get(told.id, [told.id])
            now = ids.pop(0) if len(ids) > 1 else ids[0]  # of two with one id, the one in its place
            written += [] if now is None else [_with_id(one, now)]
        else:
            fitting = (at for at, call in enumerate(left) if call.raw is one or call.name == told.name)
            at = next(fitting, None)
            if at is not None:
                written.append(_with_id(one, left.pop(at).id))
            elif not nameless:
                written.append(one)
    return written


def _with_id(spelling: Any, call_id: str | None) -> Any:  # noqa: ANN401 - a dict of whatever shape
    if read_call(spelling).id == call_id:
        return spelling
    if isinstance(spelling.get("toolUse"), Mapping):
        return {**spelling, "toolUse": {**spelling["toolUse"], "toolUseId": call_id}}
    key = "call_id" if spelling.get("type") in _BY_CALL_ID else "id"
    return {**spelling, key: call_id}


def _listed(native: BaseMessage) -> Iterator[ToolCall]:
    """Give the calls of `tool_calls` and `invalid_tool_calls`, with what the provider's own payload says more."""
    if not isinstance(native, AIMessage):
        return
    thoughts = _mapping(native.additional_kwargs.get(_SIGNATURES))
    listed = [
        *(read_call(call, _written) for call in native.tool_calls),
        *(read_call(call, _written) for call in native.invalid_tool_calls),
    ]
    for others in (_in_extra(native), _in_content(native)):
        unmatched = list(range(len(listed)))
        for other in others:
            at = spelled_again(other, listed, unmatched)
            if at is not None:
                unmatched.remove(at)
                listed[at] = completed(listed[at], other)
    for call in listed:
        yield replace(call, encrypted=max(call.encrypted, copy_length(thoughts.get(call.id or ""))))


def _written(arguments: object) -> str:
    """Write arguments as LangChain's clients do."""
    return json_text(arguments, blanks=True)


def _in_content(native: BaseMessage) -> Iterator[ToolCall]:
    for block in native.content if isinstance(native.content, list) else ():
        if isinstance(block, dict) and is_call(block):
            yield read_call(block)


def _in_extra(native: BaseMessage) -> Iterator[ToolCall]:
    listed: object = native.additional_kwargs.get("tool_calls")
    for entry in cast("list[object]", listed) if isinstance(listed, list) else ():
        if mapped(entry) is not None:
            yield read_call(entry)


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
