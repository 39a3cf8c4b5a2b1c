"""Items of the Responses API: what belongs to them is completed, and ids that are refused go."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.fields import first_in, id_or_none, kind_of, mapped, string_or_none
from ctx_core.conversation.message_types import Piece
from ctx_core.conversation.natives import copied, without
from ctx_core.conversation.tied import TIED_TO_THOUGHTS
from ctx_core.providers.rules import Kind, Rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctx_core.conversation.messages import Message
    from ctx_core.providers.asked import Asked

_ROW: Final = "responses"
_BY_ID: Final = TIED_TO_THOUGHTS | {"reasoning", "item_reference"}
"""Types of items that cannot be sent without their id."""
_EMPTY: Final = {
    "message": ("content", ""),
    "function_call": ("arguments", "{}"),
    "custom_tool_call": ("input", ""),
    "function_call_output": ("output", ""),
    "custom_tool_call_output": ("output", ""),
}
"""What must be there, by the type of an item, and how it is said that there is none."""
_OF_ANSWERS: Final = frozenset({"output_text", "refusal"})
_SHOWN: Final = {"input_image": "[a picture]", "input_file": "[a file]", "input_audio": "[a recording]"}
"""What stands in an answer for what only a question may have."""


@dataclass(slots=True)
class _Items:
    forms: tuple[Rule, ...]
    """Of the form of ids."""
    unique: bool
    """Whether no two items may have one id."""
    completed: bool
    """Whether what belongs to an item must be there."""
    by_role: bool
    """Whether blocks must be those of the role."""
    stored: frozenset[str] | None
    """Ids of the items that the server keeps; None: all."""
    used: set[str] = field(default_factory=set[str])
    others: dict[int, object] = field(default_factory=dict[int, object])
    """What stands for blocks and items that were changed, by the identity of these."""

    def given(self, natives: Sequence[object]) -> list[object]:
        """Give the items that go out for those of one message: the very same, changed copies, or less of them."""
        given: list[object] = []
        lost_reasoning = False
        for native in natives:
            fields = mapped(native) or {}
            kind, told = kind_of(fields), id_or_none(fields.get("id"))
            is_free = told is None or self._is_taken(told)
            if (not is_free and kind in _BY_ID) or self._is_not_kept(kind, fields):
                lost_reasoning = kind == "reasoning"
                continue
            if lost_reasoning and kind in TIED_TO_THOUGHTS:
                continue  # without its id it cannot be sent, and by it the server would look for the reasoning
            item = self._completed(native, fields)
            if told is not None and ((lost_reasoning and kind != "reasoning") or not is_free):
                item = without(item, "id")  # by which the server would look for it, or for its reasoning
            elif told is not None:
                self.used.add(told)
            lost_reasoning = False
            if item is not native:
                self.others[id(native)] = item
            given.append(item)
        return given

    def _is_not_kept(self, kind: str, fields: Mapping[str, Any]) -> bool:
        """Whether an item says nothing but an id that the server does not know."""
        by_id = kind == "item_reference" or (kind == "reasoning" and not fields.get("encrypted_content"))
        told = id_or_none(fields.get("id"))
        return by_id and told is not None and self.stored is not None and told not in self.stored

    def _is_taken(self, told: str) -> bool:
        return not (self.unique and told in self.used) and all(
            (rule.pattern is None or re.fullmatch(rule.pattern, told) is not None)
            and (rule.most is None or len(told) <= rule.most)
            for rule in self.forms
        )

    def _completed(self, native: object, fields: Mapping[str, Any]) -> object:
        kind, content = kind_of(fields), fields.get("content")
        if self.completed and kind == "reasoning" and not isinstance(fields.get("summary"), list):
            return copied(native, summary=[])
        lacking = _EMPTY.get(kind or "message") if self.completed else None
        if lacking is not None and fields.get(lacking[0]) is None and (kind or "role" in fields):
            return copied(native, **dict([lacking]))
        if not self.by_role or kind not in {"", "message"} or not isinstance(content, list | tuple):
            return native
        blocks = cast("Sequence[object]", content)
        listed = [self._of_role(block, is_answer=fields.get("role") == "assistant") for block in blocks]
        same = all(one is other for one, other in zip(blocks, listed, strict=True))
        return native if same else copied(native, content=listed)

    def _of_role(self, block: object, *, is_answer: bool) -> object:
        fields = mapped(block) or {}
        kind = kind_of(fields)
        if not kind or (kind in _OF_ANSWERS) == is_answer:
            return block
        text = string_or_none(first_in(fields, "text", "refusal")) or _SHOWN.get(kind, "")
        told = {"type": "output_text" if is_answer else "input_text", "text": text}
        self.others[id(block)] = told
        return told


def taken_items(messages: Sequence[Message], asked: Asked) -> tuple[list[Message], int]:
    """Give messages whose items have what belongs to them, blocks of their role, and ids that are taken or none."""
    target = asked.of_row(_ROW)
    if target is None:
        return list(messages), 0
    items = _Items(
        forms=tuple(rule for kind in (Kind.IDS_PLAIN, Kind.IDS_SHORT) if (rule := target.asks(kind)) is not None),
        unique=target.asks(Kind.ITEMS_UNIQUE) is not None,
        completed=target.asks(Kind.PARAMETERS_PRESENT) is not None,
        by_role=target.asks(Kind.CONTENT_OF_ROLE) is not None,
        stored=None if target.asks(Kind.ITEMS_STORED) is None else target.stored,
    )
    sent: list[Message] = []
    count = 0
    for message in messages:
        piece = message.origin
        given = list[object]() if not isinstance(piece, Piece) else items.given(piece.natives)
        if not isinstance(piece, Piece) or _are(given, piece.natives):
            sent.append(message)
            continue
        count += 1
        sent += [_with(message, piece, given, items.others)] if given else []
    return sent, count


def _are(given: Sequence[object], natives: Sequence[object]) -> bool:
    return len(given) == len(natives) and all(one is other for one, other in zip(given, natives, strict=True))


def _with(message: Message, piece: Piece, given: Sequence[object], others: Mapping[int, object]) -> Message:
    """Give a message of these items; what it says of them is of the new ones."""
    left = {id(item) for item in given}
    gone = {id(native) for native in piece.natives if id(others.get(id(native), native)) not in left}
    parts = tuple(
        replace(part, raw=others[id(part.raw)]) if id(part.raw) in others else part
        for part in message.parts
        if id(part.raw) not in gone
    )
    calls = tuple(
        replace(call, raw=others[id(call.raw)]) if id(call.raw) in others else call
        for call in message.tool_calls
        if id(call.raw) not in gone
    )
    # Of several items for one message only what is left matters; where they stood is asked of none any more.
    origin = replace(piece, natives=tuple(given))
    return replace(message, parts=parts, tool_calls=calls, origin=origin)
