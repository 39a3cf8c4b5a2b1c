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
    remembered: bool = False,
    calls_may_go: bool = False,
) -> list[str]:
    """Name the invariants that a request breaks.

    Args:
        source: the conversation, `numbered`, its last user message being the current one.
        sent: what went out for it.
        limit: tokens that it may cost.
        counter: recounts it, from scratch.
        tools: tool definitions that went along.
        truncated: whether protected texts may have been cut.
        remembered: whether the cut may have been made on an earlier turn, in the middle of the turn that ran then.
        calls_may_go: whether calls without results were to be taken out, with messages that are nothing else.
    """
    found: list[str] = []
    if counter.count_messages(sent, tools=tools) > limit:
        found.append("I1 over budget")
    found += _pairing(source, sent)
    found += [] if truncated else _unchanged(source, sent)
    found += _roles(source, sent)
    positions = [message["n"] for message in sent if "n" in message]
    found += _order(source, positions)
    if not truncated:
        found += _protected(source, sent)
    may_go = _repairable(source) | (_only_calls(source) if calls_may_go else set())
    found += _holes(source, positions, may_go, remembered=remembered)
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
        greeting = bool(talk) and talk[0].get("n") == _first_talk(source)
        if not (whole or greeting):
            return ["I3 does not start with a user message"]
    return []


def _first_talk(source: Sequence[OpenAIMessage]) -> int:
    return next(at for at, message in enumerate(source) if message["role"] not in ("system", "developer"))


def numbered(source: Sequence[OpenAIMessage]) -> list[OpenAIMessage]:
    """Give every message its position in a field that no codec knows, so that even a shortened copy is recognised."""
    return [{**message, "n": at} for at, message in enumerate(source)]


def _order(source: Sequence[OpenAIMessage], positions: Sequence[int]) -> list[str]:
    """Order is the input's; only results that stood apart from their call may have moved to it."""
    found: list[str] = []
    if len(set(positions)) != len(positions):
        found.append("I4 duplicated")
    placed = [at for at in positions if source[at]["role"] not in ("tool", "function") or _stands_behind_call(source, at)]
    if placed != sorted(placed):
        found.append("I4 out of order")
    return found


def _stands_behind_call(source: Sequence[OpenAIMessage], at: int) -> bool:
    before = at - 1
    while before >= 0 and source[before]["role"] in ("tool", "function"):
        before -= 1
    return before >= 0 and (source[at].get("tool_call_id") if source[at]["role"] == "tool" else None) in call_ids(source[before])


def _unchanged(source: Sequence[OpenAIMessage], sent: Sequence[OpenAIMessage]) -> list[str]:
    """Only results, and answers whose calls or reasoning had to go, may be altered; everything else is the caller's own."""
    mine = [message for message in sent if message["role"] not in ("tool", "function", "assistant") and "n" in message]
    return ["I6 altered or copied"] if any(message is not source[message["n"]] for message in mine) else []


def _protected(source: Sequence[OpenAIMessage], sent: Sequence[OpenAIMessage]) -> list[str]:
    found: list[str] = []
    ids = {id(message) for message in sent}
    if any(id(message) not in ids for message in source if message["role"] in ("system", "developer")):
        found.append("I5 system message lost or altered")
    questions = [message for message in source if message["role"] == "user"]
    if questions and id(questions[-1]) not in ids:
        found.append("I5 current message lost or altered")
    return found


def _holes(source: Sequence[OpenAIMessage], positions: Sequence[int], may_go: set[int], *, remembered: bool) -> list[str]:
    """The kept history is one stretch up to the present, with the question of a turn cut in its middle before it."""
    kept = sorted({at for at in positions if source[at]["role"] not in ("system", "developer")})
    if not kept:
        return []
    wanted = {at for at in range(len(source)) if source[at]["role"] not in ("system", "developer")} - may_go
    start = next(at for at in kept if not any(at < hole <= kept[-1] and hole not in kept for hole in wanted))
    found: list[str] = []
    if max(wanted) not in kept:
        found.append("I9 does not reach the present")
    before = [at for at in kept if at < start]
    if before:
        question = next((at for at in range(start - 1, -1, -1) if source[at]["role"] == "user"), None)
        running = not any(source[at]["role"] == "user" for at in range(start, len(source)))
        if before != [question] or not (running or remembered):
            found.append("I9 hole")
    elif source[start]["role"] != "user" and any(source[at]["role"] == "user" for at in range(start)):
        found.append("I9 answer without its question")
    return found


def _only_calls(source: Sequence[OpenAIMessage]) -> set[int]:
    """Positions of messages that are nothing but calls of which no result stands behind them."""
    return {
        at
        for at, message in enumerate(source[:-1])
        if call_ids(message)
        and not str(message.get("content") or "").strip()
        and not (source[at + 1]["role"] in ("tool", "function") and source[at + 1].get("tool_call_id") in call_ids(message))
    }


def _repairable(source: Sequence[OpenAIMessage]) -> set[int]:
    """Positions of results that stand apart from their call, answer one that is answered, or none; and of doubles."""
    gone: set[int] = set()
    unanswered: dict[tuple[str | None, str | None], int] = {}
    seen: list[str] = []
    for at, message in enumerate(source):
        asked = [(call.get("id"), None) for call in message.get("tool_calls") or ()]
        if message.get("function_call"):
            asked.append((None, message["function_call"].get("name")))
        unanswered.update((key, asked.count(key)) for key in asked)
        if message["role"] in ("tool", "function"):
            key = (message.get("tool_call_id"), message.get("name") if message["role"] == "function" else None)
            if unanswered.get(key) and _stands_behind_call(source, at):
                unanswered[key] -= 1
            else:
                gone.add(at)
        if message.get("id") is not None and json.dumps(message, default=str) in seen:
            gone.add(at)
        seen.append(json.dumps(message, default=str))
    return gone
