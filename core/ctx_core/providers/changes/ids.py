"""Ids by which a provider pairs calls and results: those that it would refuse are digests of them and their places."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain, count
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.fields import first_in, kind_of, mapped, mapping_in
from ctx_core.conversation.formats.pieces import blocks_of
from ctx_core.conversation.message_types import Piece
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.parts import OpaquePart
from ctx_core.conversation.results import is_result
from ctx_core.providers.rules import Kind, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ctx_core.providers.asked import Asked

_KEYS: Final = ("call_id", "toolUseId", "tool_use_id", "tool_call_id", "approval_request_id", "id")
_INNER: Final = ("toolUse", "toolResult", "functionCall", "function_call", "functionResponse", "function_response")
_ITEMS: Final = frozenset({"function_call", "custom_tool_call", "computer_call", "shell_call", "apply_patch_call"})
"""Items of Responses that have an id of their own beside the call's."""
_SIZE: Final = 12
"""Bytes of a digest: two are the same by chance once in 2^96."""
_ALPHABET: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_ID: Final = "id"
_NO_ID: Final = "no id"


@dataclass(slots=True)
class _Open:
    """A call that is not answered yet, and the id that it has from now on."""

    call: ToolCall
    given: str | None


@dataclass(slots=True)
class _Ids:
    required: bool
    rules: tuple[Rule, ...]
    """Of the form of ids."""
    unique: Rule | None
    older: frozenset[str]
    """Ids that older calls had first."""
    used: set[str] = field(default_factory=set[str])
    names: set[str] = field(default_factory=set[str])
    """Ids that are the names of the tools that were called, and say nothing more."""

    def begin(self) -> None:
        """Begin a message with calls."""
        if self.unique is not None and self.unique.within == "turn":
            self.used.clear()

    def of(self, call: ToolCall, place: int, number: int) -> str | None:
        """Give the id that a call has from now on: its own if that is taken, else a digest of it and of its place.

        Args:
            call: the call.
            place: where its message stands in the history, so that it is the same on every turn.
            number: which call of its message it is.
        """
        or_name = self.unique is not None and self.unique.or_name
        # A client that takes the name of the tool for an id does so where there is none.
        told = call.id or (call.name if or_name and not call.legacy else "")
        if not told and (not self.required or call.legacy):
            return None
        is_name = or_name and told == call.name
        repeated = self.unique is not None and (
            told in self.used or told in (() if is_name else self.older | self.names)
        )
        if told and self._is_taken(told) and not repeated:
            (self.names if is_name else self.used).add(told)
            return told
        made = (self._made((told, str(place), str(number), str(time))) for time in count())
        found = next(one for one in made if one not in self.used)
        self.used.add(found)
        return found

    def _is_taken(self, told: str) -> bool:
        return all(
            (rule.pattern is None or re.fullmatch(rule.pattern, told) is not None)
            and (rule.most is None or len(told) <= rule.most)
            for rule in self.rules
        )

    def _made(self, facts: tuple[str, ...]) -> str:
        digest = blake2b(digest_size=_SIZE)
        for fact in facts:
            data = fact.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big"))
            digest.update(data)
        number, letters = int.from_bytes(digest.digest(), "big"), ""
        while number:
            number, at = divmod(number, len(_ALPHABET))
            letters += _ALPHABET[at]
        lengths = (f"call_{letters}", *(letters[:size] for size in range(len(letters), 8, -1)))
        return next(filter(self._is_taken, lengths), lengths[0])


def taken_ids(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give repaired messages in which every call has an id as the provider asks, and its result the same.

    Messages whose ids are so already are the very messages that came in. Ids that are no texts become texts.
    """
    forms = tuple(rule for kind in (Kind.IDS_PLAIN, Kind.IDS_SHORT) if (rule := asked.asks(kind)) is not None)
    required = asked.asks(Kind.IDS_PRESENT) is not None
    ids = _Ids(required, forms, asked.asks(Kind.IDS_UNIQUE), asked.ids_taken)
    places = chain(asked.call_places, count())
    named = asked.asks(Kind.RESULTS_NAMED) is not None
    sent: list[Message] = []
    waiting = _Waiting(())
    for message in messages:
        if message.role is Role.TOOL:
            sent.append(_answer(message, waiting, named=named))
        elif message.tool_calls:
            ids.begin()
            place = next(places)
            asking = [_Open(call, ids.of(call, place, number)) for number, call in enumerate(message.tool_calls)]
            waiting = _Waiting(asking)
            sent.append(_asking(message, asking))
        else:
            waiting = _Waiting(())
            sent.append(message)
    # A result that has the id of its call from now on is the same change.
    changed = ((one, other) for one, other in zip(messages, sent, strict=True) if one is not other)
    return sent, sum(bool(one.tool_calls) or one.name != other.name for one, other in changed)


def _asking(message: Message, asked: Sequence[_Open]) -> Message:
    if all(one.call.id == one.given for one in asked) and _worked_out(
        message, lambda: all(_as_told(one.call.raw, one.given) for one in asked)
    ):
        return message
    renamed = tuple(replace(one.call, id=one.given) for one in asked)
    given = {id(one.call.raw): one.given or "" for one in asked if one.call.raw is not None}
    parts = tuple(
        replace(part, call_id=given[id(part.raw)]) if isinstance(part, OpaquePart) and id(part.raw) in given else part
        for part in message.parts
    )
    return replace(message, parts=parts, tool_calls=renamed, altered=message.origin is not None)


class _Waiting:
    """Calls that no result has answered yet, in order. Finding that of a result does not ask each of them."""

    def __init__(self, asked: Sequence[_Open]) -> None:
        self._asked = asked
        self._answered: set[int] = set()
        self._by_key: dict[object, deque[int]] = {}
        for at, one in enumerate(asked):
            for key in _keys(one.call):
                self._by_key.setdefault(key, deque()).append(at)

    def answered_by(self, result: Message) -> _Open | None:
        """Give the call that a result answers, which then waits no more; None for a result of none of them."""
        told, name = result.tool_call_id, result.name
        searched = (
            ((_ID, told, name),),
            ((_ID, told),),
            # A call without an id is answered by the tool's name, or by what is left over, whatever id its result has.
            ((_NO_ID, name), (_NO_ID, told)),
            ((_NO_ID,),),
        )
        for keys in searched:
            found = [at for key in keys if (at := self._first(key)) is not None]
            if found:
                self._answered.add(min(found))
                return self._asked[min(found)]
        return None

    def _first(self, key: object) -> int | None:
        """Give the first that waits; what has been answered since is dropped, once."""
        numbers = self._by_key.get(key)
        while numbers and numbers[0] in self._answered:
            numbers.popleft()
        return numbers[0] if numbers else None


def _keys(call: ToolCall) -> Iterator[object]:
    yield (_ID, call.id, call.name)
    yield (_ID, call.id)
    if not call.id:
        yield (_NO_ID, call.name)
        yield (_NO_ID,)


def _answer(message: Message, waiting: _Waiting, *, named: bool) -> Message:
    """Give a result the id of the call that it answers, which is then answered."""
    told = message.tool_call_id
    one = waiting.answered_by(message)
    if one is None:
        return message
    name = one.call.name if named else message.name
    same = told == one.given and name == message.name
    if same and (message.origin is None or _worked_out(message, lambda: _as_told(_told_in(message), one.given))):
        return message
    return replace(message, tool_call_id=one.given, name=name, altered=message.origin is not None)


def _worked_out(message: Message, is_so: Callable[[], bool]) -> bool:
    """Whether the ids of a message are written as they are, which is worked out once."""
    known = message.figures.get(taken_ids)
    if known is None:
        known = message.figures[taken_ids] = is_so()
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
    return next(block for block in blocks_of(piece) if is_result(mapped(block) or {}))


def _as_told(spelling: object, given: str | None) -> bool:
    """Whether an id is written as it should be; what was made here has none yet."""
    fields = mapped(spelling)
    if fields is None:
        return True
    keys = _KEYS[:1] if kind_of(fields) in _ITEMS else _KEYS
    told: object = first_in(mapping_in(fields, *_INNER) or fields, *keys)
    return told == given or (given is None and not told)
