"""Items of the Responses API: their types, their ids, and which go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ctx_core.conversation.fields import id_or_none, kind_of
from ctx_core.providers.checks.reading import Found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx_core.providers.checks.asked import Asked
    from ctx_core.providers.checks.reading import Turn
    from ctx_core.providers.rules import Rule

_OF_ANSWERS: Final = frozenset({"output_text", "refusal"})
_OF_CALLS: Final = ("call_id", "name", "arguments")


def items_known(rule: Rule, asked: Asked) -> Iterator[Found]:
    """Find items of unknown types; a message may say none."""
    for turn in _items(asked):
        kind = turn.raw.get("type", "message" if "role" in turn.raw else None)
        if kind not in rule.values:
            yield Found(path=turn.path)


def content_of_role(_: Rule, asked: Asked) -> Iterator[Found]:
    """Find blocks of answers in questions, and others than these in answers."""
    for turn in _items(asked):
        if turn.role not in {"user", "system", "assistant"} or "role" not in turn.raw:
            continue
        for block in turn.blocks:
            kind = kind_of(block.raw)
            if kind and (kind in _OF_ANSWERS) != (turn.role == "assistant"):
                yield Found(path=block.path)


def parameters_of_items(_: Rule, asked: Asked) -> Iterator[Found]:
    """Find items without what belongs to them."""
    for turn in _items(asked):
        kind = kind_of(turn.raw)
        if "role" in turn.raw and kind in {"", "message"}:
            absent = turn.raw.get("content") is None
        elif kind == "reasoning":
            absent = not isinstance(turn.raw.get("summary"), list)
        elif kind == "function_call":
            absent = any(turn.raw.get(key) is None for key in _OF_CALLS)
        elif kind == "function_call_output":
            absent = turn.raw.get("call_id") is None or turn.raw.get("output") is None
        else:
            absent = False
        if absent:
            yield Found(path=turn.path)


def items_unique(_: Rule, asked: Asked) -> Iterator[Found]:
    """Find items of an id that another has."""
    seen: set[str] = set()
    for turn in _items(asked):
        item = id_or_none(turn.raw.get("id"))
        if item is not None and item in seen:
            yield Found(path=turn.path)
        seen |= set() if item is None else {item}


def items_stored(_: Rule, asked: Asked) -> Iterator[Found]:
    """Find what the server would have to remember and does not."""
    unstored = asked.reading.request.get("store") is False
    for turn in _items(asked):
        kind, item = kind_of(turn.raw), id_or_none(turn.raw.get("id"))
        sealed = bool(turn.raw.get("encrypted_content"))
        by_id = kind == "item_reference" or (kind == "reasoning" and not sealed)
        stored = asked.known.stored
        if by_id and item is not None and (unstored or (stored is not None and item not in stored)):
            yield Found(path=turn.path)


def response_known(_: Rule, asked: Asked) -> Iterator[Found]:
    """Find a previous response that the server is known not to keep."""
    previous = asked.reading.request.get("previous_response_id")
    if isinstance(previous, str) and asked.known.responses is not None and previous not in asked.known.responses:
        yield Found(path="previous_response_id")


def open_in_previous(asked: Asked) -> frozenset[str] | None:
    """Give the ids of calls that what the request goes on from has left open; None where that is not known."""
    request = asked.reading.request
    previous = request.get("previous_response_id") or request.get("conversation")
    if previous is None:
        return frozenset()
    if asked.known.responses is None or not isinstance(previous, str):
        return None
    return frozenset(asked.known.responses.get(previous, ()))


def reasoning_followed(_: Rule, asked: Asked) -> Iterator[Found]:
    """Find reasoning without what was generated behind it, and what was generated behind reasoning without it."""
    if asked.reading.format != "responses":
        return
    turns, followers = asked.turns, asked.known.followers
    for at, turn in enumerate(turns):
        item = id_or_none(turn.raw.get("id"))
        if kind_of(turn.raw) == "reasoning" and not _is_followed(turn, turns[at + 1 :], followers.get(item or "")):
            yield Found(path=turn.path)
    present = {item for turn in turns if (item := id_or_none(turn.raw.get("id"))) is not None}
    for reasoning, follower in followers.items():
        if follower in present and reasoning not in present:
            yield from (Found(path=turn.path) for turn in turns if id_or_none(turn.raw.get("id")) == follower)


def _is_followed(turn: Turn, behind: tuple[Turn, ...], follower: str | None) -> bool:
    """Whether the item behind reasoning is, or may be, the one that was generated behind it."""
    if not behind:
        return False
    after = behind[0]
    item = id_or_none(after.raw.get("id"))
    if follower is not None:
        return item == follower
    if after.role in {"user", "system", "tool"}:
        return False
    # Sealed reasoning goes with items that have lost their ids, which the server has not stored.
    return item is not None or bool(turn.raw.get("encrypted_content"))


def _items(asked: Asked) -> tuple[Turn, ...]:
    """Give the items of a request in the provider's own format."""
    own = asked.reading.own and not isinstance(asked.reading.request.get("input"), str)
    return asked.reading.turns if own and asked.reading.format == "responses" else ()
