"""Ids by which a provider pairs calls and results: it refuses those that are missing, malformed or used before."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from ctx_core.conversation.fields import first_in, mapped, mapping_in
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.results import is_result
from ctx_core.conversation.transcript import Piece

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_KEYS: Final = ("call_id", "toolUseId", "tool_use_id", "tool_call_id", "approval_request_id", "id")
_INNER: Final = ("toolUse", "toolResult", "functionCall", "function_call", "functionResponse", "function_response")
_OTHERS: Final = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class IdRule:
    """What a provider asks of ids, beside that they are texts."""

    required: bool = True
    """Whether every call has one."""
    plain: bool = False
    """Whether they are letters, digits, underscores and hyphens."""
    unique: bool = False
    """Whether none comes twice in a request."""
    named: bool = False
    """Whether a result needs the name of its call."""


@dataclass(slots=True)
class _Open:
    """A call that is not answered yet, and the id that it has from now on."""

    call: ToolCall
    given: str | None


@dataclass(slots=True)
class _Ids:
    rule: IdRule
    used: set[str] = field(default_factory=set[str])
    times: dict[str, int] = field(default_factory=dict[str, int])
    """How often an id was asked for that was taken: from there on the next one is looked for."""

    def of(self, call: ToolCall) -> str | None:
        """Give the id that a call has from now on."""
        told, rule = call.id or "", self.rule
        if not told and not rule.required:
            return None
        base = (_OTHERS.sub("_", told) if rule.plain else told) or f"call_{_OTHERS.sub('_', call.name)}"
        # One that was made here must not be somebody else's.
        found = base
        while found in self.used and (rule.unique or not told):
            self.times[base] = self.times.get(base, 1) + 1
            found = f"{base}_{self.times[base]}"
        self.used.add(found)
        return found


def with_sound_ids(
    messages: Sequence[Message], rule: IdRule, is_legacy: Callable[[ToolCall, Message], bool] | None = None
) -> list[Message]:
    """Give repaired messages in which every call has an id as the provider asks, and its result the same.

    Messages whose ids are so already are the very messages that came in.

    Args:
        messages: what goes out.
        rule: what the provider asks.
        is_legacy: whether a call of a message is the one of OpenAI's first function API, which has no id; by default it
            is looked for where dicts have it.
    """
    ids, legacy = _Ids(rule), is_legacy or _is_legacy
    sound: list[Message] = []
    waiting: list[_Open] = []
    for message in messages:
        if message.role is Role.TOOL:
            sound.append(_answer(message, waiting, rule))
        elif message.tool_calls:
            waiting = [_Open(call, None if legacy(call, message) else ids.of(call)) for call in message.tool_calls]
            sound.append(_asking(message, waiting))
        else:
            waiting = []
            sound.append(message)
    return sound


def _is_legacy(call: ToolCall, message: Message) -> bool:
    """Whether a call is the one of OpenAI's first function API, in a dict."""
    fields = mapped(message.origin)
    return call.id is None and fields is not None and call.raw is fields.get("function_call")


def _asking(message: Message, asked: Sequence[_Open]) -> Message:
    if all(one.call.id == one.given for one in asked) and _calls_as_told(message):
        return message
    renamed = tuple(replace(one.call, id=one.given) for one in asked)
    return replace(message, tool_calls=renamed, altered=True)


def _answer(message: Message, waiting: list[_Open], rule: IdRule) -> Message:
    """Give a result the id of the call that it answers, which is then answered."""
    told = message.tool_call_id
    rules: tuple[Callable[[ToolCall], bool], ...] = (
        lambda call: told == call.id and message.name in {None, call.name},
        lambda call: told == call.id,
        # A call without an id is answered by the tool's name, or by what is left over, whatever id its result brings.
        lambda call: not call.id and call.name in (message.name, told),
        lambda call: not call.id,
    )
    # The first that is found ends the search: results mostly come in the order of their calls.
    chosen = next((at for fits in rules for at, one in enumerate(waiting) if fits(one.call)), None)
    if chosen is None:
        return message
    one = waiting.pop(chosen)
    name = one.call.name if rule.named else message.name
    if message.origin is None:
        return replace(message, tool_call_id=one.given, name=name)
    if told == one.given and name == message.name and _result_as_told(message):
        return message
    return replace(message, tool_call_id=one.given, name=name, altered=True)


def _calls_as_told(message: Message) -> bool:
    """Whether the ids of its calls are written as they were read; looked up once."""
    known = message.figures.get(_calls_as_told)
    if known is None:
        known = all(_as_told(call.raw, call.id) for call in message.tool_calls)
        message.figures[_calls_as_told] = known
    return bool(known)


def _result_as_told(message: Message) -> bool:
    """Whether the id of its call is written as it was read; looked up once."""
    known = message.figures.get(_result_as_told)
    if known is None:
        known = message.figures[_result_as_told] = _as_told(_told_in(message), message.tool_call_id)
    return bool(known)


def _told_in(message: Message) -> object:
    """Give the dict or the object that says which call a result answers."""
    piece = message.origin
    if not isinstance(piece, Piece):
        # A message may have an id of its own, which says nothing about the call.
        fields = mapped(piece)
        return fields and {key: told for key, told in fields.items() if key != "id"}
    if piece.blocks is None:
        return piece.natives[0]
    fields = mapped(piece.natives[0])
    # A framework's message has them under its own name.
    blocks: Any = piece.natives[0].content if fields is None else first_in(fields, "content", "parts")
    return next(block for at in piece.blocks if is_result(mapped(block := blocks[at]) or {}))


def _as_told(spelling: object, given: str | None) -> bool:
    """Whether an id is written as it should be; what was made here has none yet."""
    fields = mapped(spelling)
    if fields is None:
        return True
    told: object = first_in(mapping_in(fields, *_INNER) or fields, *_KEYS)
    return told == given or (given is None and not told)
