"""Thoughts that the server is known to refuse: taken out of a request before it is made one that is accepted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.fields import kind_of, mapped
from ctx_core.conversation.natives import copied, without
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctx_core.providers.resolve import Target

_KINDS: Final = frozenset({
    Kind.SIGNATURES_VALID, Kind.THINKING_UNMODIFIED, Kind.THINKING_BOUND, Kind.REASONING_FOLLOWED,
})  # fmt: skip
"""What only who knows the server finds, and no build."""
_CONTENTS: Final = ("content", "parts")
_SIGNATURES: Final = ("thoughtSignature", "thought_signature")


def without_refused_thoughts(
    messages: Sequence[Any], refused: Sequence[tuple[Kind, str]], target: Target
) -> Sequence[Any]:
    """Give messages without the thoughts that are refused; the very same where none is.

    A block of thoughts goes, an item of Responses goes with the id of what stands behind it, a signature beside a call
    of Gemini's goes alone. Where thoughts are bound to those before them, all of them go.

    Args:
        messages: in the provider's own format.
        refused: kind and path of what is refused, as `messages[2].content[0]`.
        target: where they go.
    """
    places = [_place(path) for kind, path in refused if kind in _KINDS]
    if not places:
        return messages
    if target.asks(Kind.THINKING_BOUND) is not None:
        places = [(at, block) for at, message in enumerate(messages) for block in _thoughts(message)]
    given: list[Any] = list(messages)
    for at, blocks in _by_message([place for place in places if place[0] < len(given)]).items():
        given[at] = _without_blocks(given[at], blocks) if blocks else _without_item(given, at)
    return [message for message in given if message is not None]


def _place(path: str) -> tuple[int, int | None]:
    numbers = [int(number) for number in re.findall(r"\[(\d+)\]", path)]
    return numbers[0] if numbers else 0, numbers[1] if numbers[1:] else None


def _by_message(places: Sequence[tuple[int, int | None]]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for at, block in places:
        found.setdefault(at, set()).update(() if block is None else (block,))
    return found


def _without_item(items: list[Any], at: int) -> object:
    """Give what stands for an item: nothing for reasoning, for anything else the same without its id."""
    if kind_of(mapped(items[at]) or {}) != "reasoning":
        return without(items[at], "id")
    behind = at + 1
    if behind < len(items) and "id" in (mapped(items[behind]) or {}):
        items[behind] = without(items[behind], "id")
    return None


def _without_blocks(message: object, places: set[int]) -> object:
    key, blocks = _listed(message)
    left = [block for at, one in enumerate(blocks) if (block := _unsigned(one) if at in places else one) is not None]
    return copied(message, **{key: left})


def _unsigned(block: object) -> object | None:
    """Give a block without its signature, where it is one of Gemini's that says something else; None for a thought."""
    fields: Mapping[str, Any] = mapped(block) or {}
    signed = [key for key in _SIGNATURES if key in fields]
    if not signed or fields.get("thought") is True:
        return None
    for key in signed:
        block = without(block, key)
    return block


def _thoughts(message: object) -> list[int]:
    return [at for at, block in enumerate(_listed(message)[1]) if _is_thought(mapped(block) or {})]


def _is_thought(fields: Mapping[str, Any]) -> bool:
    return kind_of(fields) in {"thinking", "redacted_thinking"} or "reasoningContent" in fields


def _listed(message: object) -> tuple[str, Sequence[object]]:
    fields: Mapping[str, Any] = mapped(message) or {}
    for key in _CONTENTS:
        held: object = fields.get(key)
        if isinstance(held, list | tuple):
            return key, cast("Sequence[object]", held)
    return _CONTENTS[0], ()
