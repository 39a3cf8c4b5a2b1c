"""The invariants of a context, checked on OpenAI-style dicts by code that shares nothing with the engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core import TokenCounter

OpenAIMessage = dict[str, Any]


def broken(
    source: Sequence[OpenAIMessage],
    sent: Sequence[OpenAIMessage],
    *,
    limit: int,
    counter: TokenCounter,
    tools: Sequence[dict[str, Any]] = (),
    truncated: bool = False,
) -> list[str]:
    """Name the invariants that a request breaks.

    Args:
        source: the conversation, its last user message being the current one.
        sent: what went out for it.
        limit: tokens that it may cost.
        counter: recounts it, from scratch.
        tools: tool definitions that went along.
        truncated: whether protected texts may have been cut.
    """
    found: list[str] = []
    if counter.count_messages(sent, tools=tools) > limit:
        found.append("I1 over budget")
    found += _pairing(source, sent)
    found += _roles(source, sent)
    positions = _positions(source, sent)
    found += _order(positions)
    if not truncated:
        found += _protected(source, sent)
    found += _holes(source, positions)
    return found


def _pairing(source: Sequence[OpenAIMessage], sent: Sequence[OpenAIMessage]) -> list[str]:
    found: list[str] = []
    open_ids: list[str | None] = []
    for message in sent:
        if message["role"] in ("tool", "function"):
            key = message.get("tool_call_id") if message["role"] == "tool" else None
            if key in open_ids:
                open_ids.remove(key)
            else:
                found.append("I2 orphan result")
            continue
        if open_ids:
            found.append("I2 unanswered call")
        open_ids = call_ids(message)
    in_flight = bool(sent) and bool(source) and sent[-1] is source[-1] and len(open_ids) == len(call_ids(sent[-1]))
    if open_ids and not in_flight:
        found.append("I2 unanswered call at the end")
    return found


def call_ids(message: OpenAIMessage) -> list[str | None]:
    """Give the ids of the calls of a message; a legacy call has none."""
    ids: list[str | None] = [call.get("id") for call in message.get("tool_calls") or ()]
    return [*ids, None] if message.get("function_call") else ids


def _roles(source: Sequence[OpenAIMessage], sent: Sequence[OpenAIMessage]) -> list[str]:
    talk = [message for message in sent if message["role"] not in ("system", "developer")]
    asked = any(message["role"] == "user" for message in source)
    if asked and (not talk or talk[0]["role"] != "user"):
        whole = sum(m["role"] not in ("system", "developer") for m in source) == len(talk)
        greeting = bool(talk) and _position_of(source, talk[0]) == _first_talk(source)
        if not (whole or greeting):
            return ["I3 does not start with a user message"]
    return []


def _first_talk(source: Sequence[OpenAIMessage]) -> int:
    return next(at for at, message in enumerate(source) if message["role"] not in ("system", "developer"))


def _position_of(source: Sequence[OpenAIMessage], message: OpenAIMessage) -> int | None:
    return next((at for at, original in enumerate(source) if original is message), None)


def _positions(source: Sequence[OpenAIMessage], sent: Sequence[OpenAIMessage]) -> list[int]:
    """Give the position of everything sent that is an original or an altered copy of one; what was made is left out."""
    exact = {id(message): at for at, message in enumerate(source)}
    used: set[int] = set()
    positions: list[int] = []
    for message in sent:
        at = exact.get(id(message))
        if at is None:
            at = next((i for i, original in enumerate(source) if i not in used and _is_copy(original, message)), None)
        if at is not None:
            positions.append(at)
            used.add(at)
    return positions


def _is_copy(original: OpenAIMessage, message: OpenAIMessage) -> bool:
    same = all(original.get(key) == message.get(key) for key in ("role", "tool_call_id", "name", "id"))
    return same and message["role"] in ("tool", "function")


def _order(positions: Sequence[int]) -> list[str]:
    found: list[str] = []
    if len(set(positions)) != len(positions):
        found.append("I4 duplicated")
    return found


def _protected(source: Sequence[OpenAIMessage], sent: Sequence[OpenAIMessage]) -> list[str]:
    found: list[str] = []
    ids = {id(message) for message in sent}
    if any(id(message) not in ids for message in source if message["role"] in ("system", "developer")):
        found.append("I5 system message lost or altered")
    questions = [message for message in source if message["role"] == "user"]
    if questions and id(questions[-1]) not in ids:
        found.append("I5 current message lost or altered")
    return found


def _holes(source: Sequence[OpenAIMessage], positions: Sequence[int]) -> list[str]:
    """The kept history is one stretch up to the present, with the question of a turn cut in its middle before it."""
    kept = sorted({at for at in positions if source[at]["role"] not in ("system", "developer")})
    if not kept:
        return []
    wanted = {at for at in range(len(source)) if source[at]["role"] not in ("system", "developer")} - _repairable(source)
    start = next(at for at in kept if not any(at < hole <= kept[-1] and hole not in kept for hole in wanted))
    found: list[str] = []
    if max(wanted) not in kept:
        found.append("I9 does not reach the present")
    before = [at for at in kept if at < start]
    if before:
        question = next((at for at in range(start, -1, -1) if source[at]["role"] == "user"), None)
        if before != [question]:
            found.append("I9 hole")
    elif source[start]["role"] != "user" and any(source[at]["role"] == "user" for at in range(start)):
        found.append("I9 answer without its question")
    return found


def _repairable(source: Sequence[OpenAIMessage]) -> set[int]:
    """Positions of results that no call stands before: they are rightly left out. Positions, never ids alone."""
    orphans: set[int] = set()
    waiting: list[tuple[str | None, str | None]] = []
    seen: list[OpenAIMessage] = []
    for at, message in enumerate(source):
        for call in message.get("tool_calls") or ():
            waiting.append((call.get("id"), None))
        if message.get("function_call"):
            waiting.append((None, message["function_call"].get("name")))
        if message["role"] in ("tool", "function"):
            key = (message.get("tool_call_id"), message.get("name") if message["role"] == "function" else None)
            if key in waiting:
                waiting.reverse()
                waiting.remove(key)
                waiting.reverse()
            else:
                orphans.add(at)
        if message.get("id") is not None and any(json.dumps(m, default=str) == json.dumps(message, default=str) for m in seen):
            orphans.add(at)
        seen.append(message)
    return orphans
