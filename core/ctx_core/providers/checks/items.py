"""Items of the Responses API: their types, their ids, and which go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ctx_core.conversation.fields import id_or_none, kind_of
from ctx_core.providers.checks.reading import Found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx_core.providers.checks.checked import CheckedRequest
    from ctx_core.providers.checks.reading import Turn
    from ctx_core.providers.rules import Rule

_OF_ANSWERS: Final = frozenset({"output_text", "refusal"})
_OF_CALLS: Final = ("call_id", "name", "arguments")


def items_known(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find items of unknown types; a message may say none."""
    for turn in items_of(checked):
        kind = turn.raw.get("type", "message" if "role" in turn.raw else None)
        if kind not in rule.values:
            yield Found(path=turn.path)


def content_of_role(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find blocks of answers in questions, and others than these in answers."""
    for turn in items_of(checked):
        if turn.role not in {"user", "system", "assistant"} or "role" not in turn.raw:
            continue
        for block in turn.blocks:
            kind = kind_of(block.raw)
            if kind and (kind in _OF_ANSWERS) != (turn.role == "assistant"):
                yield Found(path=block.path)


def parameters_of_items(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find items without what belongs to them."""
    for turn in items_of(checked):
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


def items_unique(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find items of an id that another has."""
    seen: set[str] = set()
    for turn in items_of(checked):
        item = id_or_none(turn.raw.get("id"))
        if item is not None and item in seen:
            yield Found(path=turn.path)
        seen |= set() if item is None else {item}


def items_stored(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find what the server would have to remember and does not."""
    stored = checked.known.stored
    if stored is None:
        return
    for turn in items_of(checked):
        kind, item = kind_of(turn.raw), id_or_none(turn.raw.get("id"))
        encrypted = bool(turn.raw.get("encrypted_content"))
        by_id = kind == "item_reference" or (kind == "reasoning" and not encrypted)
        if by_id and item is not None and item not in stored:
            yield Found(path=turn.path)


def response_known(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find a previous response that the server is known not to keep."""
    previous = checked.reading.request.get("previous_response_id")
    if isinstance(previous, str) and checked.known.responses is not None and previous not in checked.known.responses:
        yield Found(path="previous_response_id")


def open_in_previous(checked: CheckedRequest) -> frozenset[str] | None:
    """Give the ids of calls that what the request goes on from has left open; None where that is not known."""
    request = checked.reading.request
    previous = request.get("previous_response_id") or request.get("conversation")
    if previous is None:
        return frozenset()
    if checked.known.responses is None or not isinstance(previous, str):
        return None
    return frozenset(checked.known.responses.get(previous, ()))


def reasoning_followed(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find reasoning without what was generated behind it, and what was generated behind reasoning without it."""
    if checked.reading.format != "responses":
        return
    turns, followers = checked.turns, checked.known.followers
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


def items_of(checked: CheckedRequest) -> tuple[Turn, ...]:
    """Give the items of a request in the provider's own format."""
    own = checked.reading.own and not isinstance(checked.reading.request.get("input"), str)
    return checked.reading.turns if own and checked.reading.format == "responses" else ()
