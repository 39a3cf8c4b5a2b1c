"""The calls of an assistant message, wherever LangChain and its integrations keep them.

One call may be spelled up to four times: in `tool_calls` (or `invalid_tool_calls`), as a block of the content,
in `additional_kwargs` as the provider sent it, and in the chunks of a streamed message. It is read once, and
when it is dropped it goes from everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage

from ctx_core.conversation.arguments import as_object
from ctx_core.conversation.calls import as_called, is_call, merged, read_call
from ctx_core.conversation.fields import copy_length, json_text, kind_of, mapped
from ctx_core.conversation.message_types import Piece

if TYPE_CHECKING:
    from ctx_core.conversation.messages import Message, ToolCall

_BY_CALL_ID: Final = frozenset({"function_call", "custom_tool_call", "computer_call"})
"""Blocks of OpenAI's Responses API, whose own id is another one."""
_SIGNATURES: Final = "__gemini_function_call_thought_signatures__"
"""Where langchain-google-genai keeps the encrypted thoughts that came with calls, by the call's id."""

_NAMELESS: Final = "unknown"
"""What a call is called whose name could not be read: providers refuse those without one."""


def read_calls(native: BaseMessage) -> tuple[ToolCall, ...]:
    """Give each call of an assistant message once: those that are listed, then what only blocks or payloads spell."""
    extra = native.additional_kwargs
    legacy = extra.get("function_call")
    calls = merged(
        _listed(native),
        [_in_content(native), _in_extra(native)],
        read_call(cast("object", legacy)) if isinstance(legacy, Mapping) else None,
    )
    thoughts = _mapping(extra.get(_SIGNATURES))
    return tuple(  # all of them are listed where one is altered
        replace(call, encrypted=max(call.encrypted, copy_length(thoughts.get(call.id or ""))), notation=_written)
        for call in calls
    )


def all_sent(messages: Sequence[Message]) -> list[Message]:
    """Give messages of which every call and its result are sent by every client, altered where they would not be.

    Calls that are not in `tool_calls` some leave out, and send their results alone: those whose arguments are no JSON
    object, and those that only blocks of another provider spell. Pairs of blocks stay blocks.
    """
    return [
        replace(message, altered=True) if _calls_apart(message, after) or _is_oddly_told(message) else message
        for message, after in zip_longest(messages, messages[1:])
    ]


def as_sent(message: Message, row: str, client: str | None) -> Message:
    """Give a message whose malformed calls are marked where the client of a provider's row sends them as they are.

    OpenAI's does to chat completions, where arguments are a text and need not be JSON.
    """
    malformed = message.origin.invalid_tool_calls if isinstance(message.origin, AIMessage) else []
    if not malformed or row != "openai" or client not in (None, "langchain-openai"):
        return message
    sent = {id(call) for call in malformed if call.get("name") and call.get("args")}
    calls = (replace(call, sent_as_is=True) if id(call.raw) in sent else call for call in message.tool_calls)
    return replace(message, tool_calls=tuple(calls))


def _calls_apart(message: Message, result: Message | None) -> bool:
    origin = message.origin
    if not isinstance(origin, AIMessage) or len(message.tool_calls) == len(origin.tool_calls):
        return False
    listed = set(map(id, origin.tool_calls))
    # Where the result stands in a block, the client that sends it sends the block of its call, too.
    in_blocks = result is not None and isinstance(result.origin, Piece)
    blocks = set(map(id, origin.content)) if in_blocks and isinstance(origin.content, list) else set[int]()
    return any(
        not (id(call.raw) in listed or call.legacy or call.sent_as_is or id(call.raw) in blocks)
        for call in message.tool_calls
    )


def _is_oddly_told(message: Message) -> bool:
    """Whether the id in a result is no text, and would not be that of its call."""
    return isinstance(message.origin, ToolMessage) and not isinstance(cast("object", message.origin.tool_call_id), str)


def calls_update(message: Message, origin: BaseMessage) -> dict[str, Any]:
    """Give the fields of `origin` in which calls are spelled, without those that were dropped and with ids for all.

    All of them are in `tool_calls` then, but for malformed ones that the client sends as they are. What stands in the
    content is left to `content_with_ids`.
    """
    update: dict[str, Any] = {}
    if isinstance(origin, AIMessage):
        listed = set(map(id, origin.tool_calls))
        as_is = {id(call): _told(call.raw, call) for call in message.tool_calls if call.sent_as_is}
        calls = [call for call in message.tool_calls if not call.legacy and id(call) not in as_is]
        update["tool_calls"] = [_told(call.raw, call) if id(call.raw) in listed else _parsed(call) for call in calls]
        update["invalid_tool_calls"] = list(as_is.values())
    if isinstance(origin, AIMessageChunk):
        update["tool_call_chunks"] = _spellings(origin.tool_call_chunks, message, origin)
    extra = dict(origin.additional_kwargs)
    if isinstance(extra.get("tool_calls"), list):
        extra["tool_calls"] = _spellings(extra["tool_calls"], message, origin)
        if not extra["tool_calls"]:
            del extra["tool_calls"]
    if "function_call" in extra:
        spelled = [call for call in message.tool_calls if call.raw is not None]  # what was made anew is listed
        asked = [call for call in spelled if call.name == _mapping(extra["function_call"]).get("name")]
        extra["function_call"] = as_called(extra["function_call"], asked[0]) if asked else None
        if not asked:
            del extra["function_call"]
    if _SIGNATURES in extra:
        extra[_SIGNATURES] = _signatures(extra[_SIGNATURES], message, origin)
    if extra != origin.additional_kwargs:
        update["additional_kwargs"] = extra
    return update


def _signatures(held: object, message: Message, origin: BaseMessage) -> dict[str, object]:
    """Give the encrypted thoughts of the calls that are left, by their ids as they are now."""
    left, told = dict(_mapping(held)), {id(call.raw): call.id for call in read_calls(origin)}
    now = ((told.get(id(call.raw)), call.id) for call in message.tool_calls)
    # Of two calls of one id the first has them.
    return {given: left.pop(one) for one, given in now if one in left and given is not None}


def content_with_ids(
    content: str | list[str | dict[Any, Any]], message: Message, origin: BaseMessage
) -> str | list[str | dict[Any, Any]]:
    """Give a content whose blocks without an id have that of the call which they spell; those of dropped calls go.

    So do those without a type, as the providers' own messages have them: clients take them for texts.
    """
    if isinstance(content, str):
        return content
    typed = [block for block in content if not (isinstance(block, dict) and "type" not in block and is_call(block))]
    others = {id(block) for block in typed if not (isinstance(block, dict) and is_call(block))}
    return _spellings(typed, message, origin, others)


def _spellings(
    spellings: Iterable[Any], message: Message, origin: BaseMessage, others: Collection[int] = ()
) -> list[Any]:
    """Give what spells a call that the message still has, with the call's id.

    A call without an id is told by its name and its place among such.

    Args:
        spellings: in order.
        message: has the calls that are left.
        origin: has all of them.
        others: identities of what spells none, and stays as it is.
    """
    known = read_calls(origin)
    left_of = {id(call.raw): call for call in message.tool_calls if call.raw is not None}
    given: dict[str | None, list[ToolCall | None]] = {}
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
            calls = given.get(told.id, [told])
            now = calls.pop(0) if len(calls) > 1 else calls[0]  # of two with one id, the one in its place
            written += [] if now is None else [_told(one, now)]
        else:
            fitting = (at for at, call in enumerate(left) if call.raw is one or call.name == told.name)
            at = next(fitting, None)
            if at is not None:
                written.append(_told(one, left.pop(at)))
            elif not nameless:
                written.append(one)
    return written


def _told(spelling: Any, call: ToolCall) -> Any:  # noqa: ANN401 - a dict of whatever shape
    return _with_id(as_called(spelling, call), call.id)


def _parsed(call: ToolCall) -> dict[str, Any]:
    """Give a call as one that could be parsed: arguments that are no object become one that says so."""
    return {"type": "tool_call", "name": call.name or _NAMELESS, "args": as_object(call.arguments), "id": call.id}


def _with_id(spelling: Any, call_id: str | None) -> Any:  # noqa: ANN401 - a dict of whatever shape
    key = "call_id" if kind_of(spelling) in _BY_CALL_ID else "id"
    if read_call(spelling).id == call_id and isinstance(spelling.get(key), str | None):
        return spelling
    return {**spelling, key: call_id}


def _listed(native: BaseMessage) -> Iterator[ToolCall]:
    """Give the calls of `tool_calls` and `invalid_tool_calls`."""
    if isinstance(native, AIMessage):
        yield from (read_call(call, _written) for call in native.tool_calls)
        yield from map(_read_invalid, native.invalid_tool_calls)


def _read_invalid(spelling: object) -> ToolCall:
    call = read_call(spelling, _written)
    return call if call.arguments else replace(call, arguments="{}")


def _written(arguments: object) -> str:
    """Write arguments as LangChain's clients do."""
    return json_text(arguments, blanks=True)


def _in_content(native: BaseMessage) -> Iterator[ToolCall]:
    """Give the calls in the blocks of a content, with the arguments as they are sent once they are listed."""
    for block in native.content if isinstance(native.content, list) else ():
        if isinstance(block, dict) and is_call(block):
            yield read_call(block, _written)


def _in_extra(native: BaseMessage) -> Iterator[ToolCall]:
    listed: object = native.additional_kwargs.get("tool_calls")
    for entry in cast("list[object]", listed) if isinstance(listed, list) else ():
        if mapped(entry) is not None:
            yield read_call(entry)


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
