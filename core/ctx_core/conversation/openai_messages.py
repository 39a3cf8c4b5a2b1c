"""OpenAI-style dicts, in and out: for users of neither framework, and for the command line.

Read are the chat format with its variants in the wild: content null, a string or a list of parts,
`tool_calls`, the legacy `function_call` and `function` role, and the content blocks of Anthropic and
LangChain. Fields that are not known stay where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias, cast

from ctx_core.conversation.calls import as_called, is_call, merged, read_call
from ctx_core.conversation.content_blocks import read_content, settled
from ctx_core.conversation.fields import id_or_none, mapped, shown_role, string_or_none
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.natives import copied, plain_dicts
from ctx_core.conversation.openai_blocks import CHAT
from ctx_core.conversation.openai_fields import THOUGHTS_OUTSIDE, said_beside, with_thoughts_outside
from ctx_core.conversation.parts import Part, ReasoningPart, TextPart, same_parts
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

OpenAIMessage: TypeAlias = dict[str, Any]

_ROLES: Final = {
    "system": Role.SYSTEM,
    "developer": Role.DEVELOPER,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


class OpenAICodec:
    """The door for OpenAI-style dicts."""

    system_apart: ClassVar[bool] = False
    name: ClassVar = "openai"

    def role(self, native: OpenAIMessage) -> Role:
        """Give the role of a message dict."""
        role = _fields(native).get("role")
        known = _ROLES.get(role) if isinstance(role, str) else None
        if known is None:
            msg = f"unknown role {shown_role(role)}; known are {', '.join(_ROLES)}"
            raise MessageError(msg)
        return known

    def read(self, native: OpenAIMessage) -> Message:
        """Give the neutral message of a message dict."""
        role, fields = self.role(native), _fields(native)
        parts = read_content(fields.get("content"))
        calls = _read_calls(fields, parts) if role is Role.ASSISTANT else ()
        parts = settled(parts, calls)
        return Message(
            role=role,
            parts=with_thoughts_outside(parts, fields),
            tool_calls=calls,
            beside=said_beside(fields, role),
            tool_call_id=id_or_none(fields.get("tool_call_id")) if role is Role.TOOL else None,
            name=string_or_none(fields.get("name")),
            id=string_or_none(fields.get("id")),
            origin=native,
            altered=_has_two_ways(fields, calls),
        )

    def told_by(self, native: object) -> object:
        """Give all of a message dict; None for another mapping, which may tell each time something else."""
        return plain_dicts(native)

    def write(self, message: Message) -> OpenAIMessage:
        """Give the caller's own dict, or a changed copy of it, or a new one."""
        origin = message.origin
        fields = mapped(origin)
        if fields is None:
            return _new(message)
        return _altered_copy(message, dict(fields)) if message.altered else cast("OpenAIMessage", origin)

    def split(self, natives: Sequence[OpenAIMessage]) -> None:
        """Give None: each message is one by itself."""

    def join(self, messages: Sequence[Message]) -> list[OpenAIMessage]:
        """Give the messages to send."""
        return list(map(self.write, messages))


def _fields(native: object) -> Mapping[str, Any]:
    fields = mapped(native)
    if fields is None:
        msg = f"expected a message dict, found {type(native).__name__}"
        raise MessageError(msg)
    return fields


def _read_calls(native: Mapping[str, Any], parts: Iterable[Part]) -> tuple[ToolCall, ...]:
    listed = native.get("tool_calls")
    if listed is not None and not isinstance(listed, list | tuple):
        msg = f"tool_calls must be a list, found {type(listed).__name__}"
        raise MessageError(msg)
    entries = cast("Sequence[object]", listed or ())
    for at, call in enumerate(entries):
        if mapped(call) is None:
            msg = f"tool call {at + 1} must be a dict, found {type(call).__name__}"
            raise MessageError(msg)
    in_blocks = [read_call(part.raw) for part in parts if is_call(mapped(part.raw) or {})]
    legacy = None if mapped(native.get("function_call")) is None else read_call(native["function_call"])
    return merged(map(read_call, entries), [in_blocks], legacy)


def _has_two_ways(fields: Mapping[str, Any], calls: Sequence[ToolCall]) -> bool:
    """Whether the legacy call stands beside others, which OpenAI refuses: it is left out."""
    legacy = fields.get("function_call")
    return bool(calls) and mapped(legacy) is not None and calls[0].raw is not legacy


def _altered_copy(message: Message, origin: OpenAIMessage) -> OpenAIMessage:
    copy = dict(origin)
    if message.step_result and copy.get("role") != "user":  # a tool's message that answers no call
        copy = {key: value for key, value in copy.items() if key not in {"tool_call_id", "name"}} | {"role": "user"}
    if not any(isinstance(part, ReasoningPart) for part in message.parts):
        for key in THOUGHTS_OUTSIDE:
            copy.pop(key, None)
    parts = [p for p in message.parts if not (isinstance(p, ReasoningPart) and p.raw is None)]
    content = origin.get("content")
    if not same_parts(parts, read_content(content)):
        # A list of nothing is refused; calls may stand without a content.
        copy["content"] = _content(parts, listed=isinstance(content, list | tuple) and bool(parts)) or (
            None if message.tool_calls else ""
        )
    if message.role is Role.TOOL and message.tool_call_id is not None:
        # A legacy result that answers a call with an id is a tool's from now on: providers refuse the mixture.
        copy["role"], copy["tool_call_id"] = "tool", message.tool_call_id
    if message.role is not Role.ASSISTANT:
        return copy  # nobody else calls: what looks like it is a field of its own
    if "tool_calls" in origin or any(call.raw is None for call in message.tool_calls):
        legacy = origin.get("function_call")
        copy["tool_calls"] = [_with_id(call) for call in message.tool_calls if legacy is None or call.raw is not legacy]
        if not copy["tool_calls"]:
            del copy["tool_calls"]
    altered = {call.id: call for call in message.tool_calls if call.altered and call.id}
    if altered and isinstance(said := copy.get("content"), list | tuple):
        copy["content"] = [_with_call(block, altered) for block in cast("list[object]", said)]
    if "function_call" in origin:
        legacy = [call for call in message.tool_calls if call.raw is origin["function_call"]]
        copy["function_call"] = as_called(legacy[0].raw, legacy[0]) if legacy else None
        if not legacy:
            del copy["function_call"]
    return copy


def _with_call(block: object, altered: Mapping[str, ToolCall]) -> object:
    """Give a block of a content as it is, or with other arguments if it spells one of these calls."""
    spelled = mapped(block)
    call = altered.get(read_call(block).id or "") if spelled is not None and is_call(spelled) else None
    return block if call is None else as_called(block, call)


def _with_id(call: ToolCall) -> object:
    if call.raw is None:
        return _new_call(call)
    told, spelled = (mapped(call.raw) or {}).get("id"), as_called(call.raw, call)
    return spelled if told == call.id or (call.id is None and not told) else copied(spelled, id=call.id)


def _new_call(call: ToolCall) -> object:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _new(message: Message) -> OpenAIMessage:
    native: OpenAIMessage = {"role": str(message.role), "content": _content(list(message.parts), listed=False)}
    if message.tool_calls:
        native["tool_calls"] = list(map(_new_call, message.tool_calls))
        native["content"] = native["content"] or None
    if message.tool_call_id is not None:
        native["tool_call_id"] = message.tool_call_id
    elif message.role is Role.TOOL:
        native["role"] = "function"
    if message.name is not None:
        native["name"] = message.name
    return native


def _content(parts: list[Part], *, listed: bool) -> str | list[object]:
    if not listed and all(isinstance(part, TextPart) for part in parts):
        return "".join(part.text for part in parts if isinstance(part, TextPart))
    return [CHAT.block(part) if part.raw is None else part.raw for part in parts]
