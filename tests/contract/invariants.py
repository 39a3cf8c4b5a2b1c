"""The invariants of a context, checked on OpenAI-style dicts by code that shares nothing with the engine."""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ctx_core import HistoryPolicy, Share
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.report.figures import HistoryReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctx_core import TokenCounter

OpenAIMessage = dict[str, Any]

_INSTRUCTIONS: Final = ("system", "developer")
_RESULTS: Final = ("tool", "function")
_MAY_CHANGE: Final = {
    "tool": {"content", "tool_call_id"},
    "function": {"content", "role", "tool_call_id"},
    "assistant": {"content", "tool_calls", "function_call", "reasoning_content"},
}
"""Fields in which an altered copy may differ from its source, by role."""


def numbered(source: Iterable[OpenAIMessage]) -> list[OpenAIMessage]:
    """Give every message its position in a field that no codec knows, so that even a shortened copy is recognized."""
    return [{**message, "n": at} for at, message in enumerate(source)]


def broken(
    source: Sequence[OpenAIMessage],
    sent: Sequence[OpenAIMessage],
    *,
    limit: int,
    counter: TokenCounter,
    policy: HistoryPolicy | None = None,
    tools: Sequence[dict[str, Any]] = (),
    report: HistoryReport | None = None,
    remembered: bool = False,
) -> list[str]:
    """Name the invariants that a request breaks.

    Args:
        source: the conversation, `numbered`, its last user message being the current one.
        sent: what went out for it.
        limit: tokens that it may cost.
        counter: recounts it, from scratch.
        policy: what was allowed to happen to it.
        tools: tool definitions that went along.
        report: says whether protected texts and arguments of calls were cut; None where neither may be.
        remembered: whether the cut may have been made on an earlier turn, in the middle of the turn that ran then.
    """
    policy = policy or HistoryPolicy()
    report = report or HistoryReport()
    truncated = bool(report.truncated or report.truncated_answers)
    calls_cut = bool(report.shortened_calls or report.cleared_calls)
    positions = [message["n"] for message in sent if "n" in message]
    may_go = _repairable(source) | (_only_calls(source) if policy.unanswered == "drop" else set[int]())
    return [
        *(["I1 over budget"] if counter.count_messages(sent, tools=tools) > limit else []),
        *_pairing(source, sent),
        *_roles(source, sent, may_go, policy),
        *_order(source, positions),
        *([] if truncated else _protected(source, sent)),
        *_unchanged(source, sent, policy, truncated=truncated, calls_cut=calls_cut),
        *_holes(source, positions, may_go, policy, remembered=remembered),
    ]


def call_ids(message: OpenAIMessage) -> list[str | None]:
    """Give the ids of the calls of a message; a legacy call has none."""
    ids: list[str | None] = [call.get("id") for call in message.get("tool_calls") or ()]
    return [*ids, None] if message.get("function_call") else ids


def pairs(source: Sequence[OpenAIMessage]) -> dict[int, int]:
    """Give the position of its call for every result that answers one: the newest before it that asks for its id."""
    found: dict[int, int] = {}
    asking: list[_Asking] = []
    doubles, run = _doubles(source), list[int]()
    for at, message in enumerate(source):
        if message["role"] in _RESULTS and at not in doubles:
            run.append(at)
        elif at not in doubles:
            _pair_run(source, run, asking, found)
            run.clear()
            if calls := _calls(message):
                asking.append(_Asking(at, calls, list(calls)))
    _pair_run(source, run, asking, found)
    return found


def _pair_run(
    source: Sequence[OpenAIMessage], run: Sequence[int], asking: Sequence[_Asking], found: dict[int, int]
) -> None:
    """Pair results that stand in a row: first all with a known id, then all with a name, then the rest in order."""
    named = {call.id for one in asking for call in one.calls if call.id}
    left = list(run)
    for at in [at for at in left if source[at].get("tool_call_id") in named]:
        left.remove(at)
        wanted = source[at]["tool_call_id"]
        newest = next(one for one in reversed(asking) if any(call.id == wanted for call in one.calls))
        slot = next((call for call in newest.open if call.id == wanted), None)
        if slot is not None:
            newest.open.remove(slot)
            found[at] = newest.at
    for by_name in (True, False):
        for at in list(left):
            result = source[at]
            for one in reversed(asking if by_name else asking[-1:]):
                slot = next((call for call in one.open if _goes(result, call, by_name=by_name)), None)
                if slot is not None:
                    one.open.remove(slot)
                    found[at] = one.at
                    left.remove(at)
                    break


class _Call(NamedTuple):
    id: str | None
    name: str


class _Asking(NamedTuple):
    at: int
    calls: list[_Call]
    open: list[_Call]


def _calls(message: OpenAIMessage) -> list[_Call]:
    calls = [_Call(call.get("id"), call["function"]["name"]) for call in message.get("tool_calls") or ()]
    legacy = message.get("function_call")
    return [*calls, _Call(None, legacy["name"])] if legacy else calls


def _goes(result: OpenAIMessage, call: _Call, *, by_name: bool) -> bool:
    if result.get("tool_call_id") and call.id:
        return False
    names = {result.get("name"), result.get("tool_call_id")} - {None, ""}
    return call.name in names if by_name else not result.get("name")


def _question_of(source: Sequence[OpenAIMessage], at: int, lost: set[int]) -> int | None:
    """Give the position of the user message that a position's turn begins with, but for copies that were left out."""
    return next((back for back in range(at, -1, -1) if source[back]["role"] == "user" and back not in lost), None)


def _pairing(source: Sequence[OpenAIMessage], sent: Sequence[OpenAIMessage]) -> list[str]:
    found: list[str] = []
    open_ids: list[str | None] = []
    for message in sent:
        if message["role"] in _RESULTS:
            key = message.get("tool_call_id") if message["role"] == "tool" else None
            if key in open_ids:
                open_ids.remove(key)
            else:
                found.append("I2 orphan result")
            continue
        if open_ids:
            found.append("I2 unanswered call")
        open_ids = call_ids(message)
    in_flight = (
        bool(sent)
        and bool(source)
        and sent[-1].get("n") == len(source) - 1
        and len(open_ids) == len(call_ids(sent[-1]))
    )
    if open_ids and not in_flight:
        found.append("I2 unanswered call at the end")
    return found


def _roles(
    source: Sequence[OpenAIMessage], sent: Sequence[OpenAIMessage], may_go: set[int], policy: HistoryPolicy
) -> list[str]:
    talk = [message for message in sent if message["role"] not in _INSTRUCTIONS]
    asked = any(message["role"] == "user" for message in source)
    if not asked or (talk and talk[0]["role"] == "user"):
        return []
    # What begins with a greeting may pass as it is, but only whole.
    wanted = {at for at in range(len(source)) if source[at]["role"] not in _INSTRUCTIONS} - may_go
    whole = wanted <= {message["n"] for message in talk if "n" in message}
    return [] if whole and not policy.start_with_user else ["I3 does not start with a user message"]


def _order(source: Sequence[OpenAIMessage], positions: Sequence[int]) -> list[str]:
    """Order is the input's; only results that stood apart from their call may have moved to it."""
    found: list[str] = []
    if len(set(positions)) != len(positions):
        found.append("I4 duplicated")
    standing = _standing(source)
    placed = [at for at in positions if source[at]["role"] not in _RESULTS or at in standing]
    if placed != sorted(placed):
        found.append("I4 out of order")
    return found


def _standing(source: Sequence[OpenAIMessage]) -> dict[int, int]:
    """Give the results that stand where they belong, directly behind their call, with the position of the call."""
    paired = pairs(source)
    standing: dict[int, int] = {}
    before = -1
    for at, message in enumerate(source):
        if message["role"] not in _RESULTS:
            before = at
        elif paired.get(at) == before:
            standing[at] = before
    return standing


def _protected(source: Sequence[OpenAIMessage], sent: Sequence[OpenAIMessage]) -> list[str]:
    found: list[str] = []
    ids = {id(message) for message in sent}
    doubles = _doubles(source)
    instructions = [m for at, m in enumerate(source) if m["role"] in _INSTRUCTIONS and at not in doubles]
    if any(id(message) not in ids for message in instructions):
        found.append("I5 system message lost or altered")
    questions = [at for at, message in enumerate(source) if message["role"] == "user" and at not in doubles]
    if questions and id(source[questions[-1]]) not in ids:
        found.append("I5 current message lost or altered")
    return found


def _unchanged(
    source: Sequence[OpenAIMessage],
    sent: Sequence[OpenAIMessage],
    policy: HistoryPolicy,
    *,
    truncated: bool,
    calls_cut: bool,
) -> list[str]:
    """Messages are the caller's own; an altered copy differs where it may, and keeps what nobody knows."""
    found: list[str] = []
    for message in sent:
        if "n" not in message or message is source[message["n"]]:
            continue
        mine = source[message["n"]]
        fields = _MAY_CHANGE.get(mine["role"], set[str]())
        if mine["role"] == "user" and policy.media is not None and names_pictures(mine, message):
            fields = {"content"}
        if mine["role"] == "assistant" and policy.reasoning == "keep" and policy.unanswered == "stub":
            fields = {"tool_calls", "function_call"}
        if truncated:  # whatever stays may lose text then
            fields = fields | {"content"}
        changed = {key for key in {*mine, *message} if mine.get(key) != message.get(key)}
        if not changed:
            found.append("I6 copied")
        elif not changed <= fields:
            found.append(f"I6 altered {mine['role']}: {', '.join(sorted(changed - fields))}")
        elif changed & {"tool_calls", "function_call"}:
            found += _altered_calls(source, mine, message, policy, cut=calls_cut)
    return found


def names_pictures(mine: OpenAIMessage, sent: OpenAIMessage) -> bool:
    """Whether all that differs between two contents is that words stand for pictures."""
    if not (isinstance(mine["content"], list) and isinstance(sent["content"], list | str)):
        return False
    words = "".join(_words(block) for block in mine["content"])
    return words == (sent["content"] if isinstance(sent["content"], str) else "".join(map(_words, sent["content"])))


def _words(block: Any) -> str:
    """Give what a block says, with the words for a picture in the place of one; of what size it is is not looked at."""
    return re.sub(r"\[image [^]]*\]", "[image]", block["text"]) if "text" in block else "[image]"


def _altered_calls(
    source: Sequence[OpenAIMessage],
    mine: OpenAIMessage,
    sent: OpenAIMessage,
    policy: HistoryPolicy,
    *,
    cut: bool,
) -> list[str]:
    """Calls go only unanswered, new ids are given only where there were none of their own, arguments are shortened."""
    ids = [call.id for message in source for call in _calls(message) if call.id is not None]
    found: list[str] = []
    before, after = _written(mine), _written(sent)
    if policy.unanswered != "drop" and len(before) != len(after):
        found.append("I6 a call less")
    if not cut and not _within([call[1:] for call in after], [call[1:] for call in before]):
        found.append("I6 altered calls")
    if not _within([call[1] for call in after], [call[1] for call in before]):
        found.append("I6 renamed calls")
    if all(ids) and len(set(ids)) == len(ids) and not _within([c[0] for c in after], [c[0] for c in before]):
        found.append("I6 new ids for calls that had their own")
    return found


def _written(message: OpenAIMessage) -> list[tuple[str | None, str, str]]:
    """Give id, name and arguments of every call of a message."""
    functions = [(call.get("id"), call["function"]) for call in message.get("tool_calls") or ()]
    legacy = message.get("function_call")
    every = [*functions, *([(None, legacy)] if legacy else [])]
    return [(key, function["name"], _readable(function["arguments"])) for key, function in every]


def _readable(arguments: str) -> str:
    """Give arguments that are an object as they are; of others a provider that takes objects alone gets one made."""
    with contextlib.suppress(ValueError):
        read = json.loads(arguments or "{}")
        return json.dumps(read) if isinstance(read, dict) and "malformed_arguments" not in read else ""
    return ""


def _within(some: Sequence[object], whole: Sequence[object]) -> bool:
    """Whether the first are among the second, each so often."""
    return Counter(some) <= Counter(whole)


def _holes(
    source: Sequence[OpenAIMessage],
    positions: Sequence[int],
    may_go: set[int],
    policy: HistoryPolicy,
    *,
    remembered: bool,
) -> list[str]:
    """The kept history is one stretch up to the present, with the question of a turn cut in its middle before it."""
    talk = {at for at in range(len(source)) if source[at]["role"] not in _INSTRUCTIONS}
    kept, wanted = sorted(talk & set(positions)), talk - may_go
    lost = _doubles(source) - set(kept)
    pinned = _pinned(source, policy, lost)
    found = ["I5 pinned message left out"] if (pinned & talk) - may_go - set(kept) else []
    if not wanted:
        return found
    if remembered and policy.unanswered == "drop" and max(talk) not in wanted:
        return found  # a call that was in flight when the cut was made, and then came to nothing
    if not kept or kept[-1] < max(wanted):
        return [*found, "I9 does not reach the present"]
    missing = max((at for at in wanted if at not in kept), default=-1)
    start = next(at for at in kept if at > missing)
    first = next((at for at in kept if at >= start and at not in may_go), start)
    question = _question_of(source, first, lost)
    early = {at for at in kept if at < start} - may_go
    before = early - pinned - _head(source, policy) - _preserved(source, policy, question)
    running = not any(source[at]["role"] == "user" for at in range(first + 1, len(source)))
    split = policy.split_last_run and question is not None and question == _last_run(source, lost)
    if before - {question} or (before and not (running or remembered or split)):
        found.append("I9 hole")
    if question is not None and question not in kept:
        found.append("I9 answer without its question")
    return found


def _last_run(source: Sequence[OpenAIMessage], lost: set[int]) -> int | None:
    """Give the question of the newest finished turn with calls: its oldest steps may be missing."""
    questions = [at for at, message in enumerate(source) if message["role"] == "user" and at not in lost]
    runs = [
        start
        for start, end in pairwise(questions)
        if any(_calls(source[at]) for at in range(start, end) if at not in lost)
    ]
    return runs[-1] if runs else None


def _pinned(source: Sequence[OpenAIMessage], policy: HistoryPolicy, lost: set[int]) -> set[int]:
    """Positions of pinned messages, with the calls and results that belong to them and the question of their turn."""
    if policy.pinned is None:
        return set()
    found: set[int] = set()
    paired, codec = pairs(source), OpenAICodec()
    for at, message in enumerate(source):
        if at in lost or not policy.pinned(codec.read(message)):
            continue
        call = paired.get(at, at)
        if message["role"] in _RESULTS and call == at:
            # A second result is joined to that of the newest call that asks for it, and pins it.
            asks = (one for one in range(at - 1, -1, -1) if message.get("tool_call_id") in call_ids(source[one]))
            call = next(asks, at) if message.get("tool_call_id") else at
            if call == at:
                continue
        question = _question_of(source, call, lost)
        found |= {call, *(one for one in paired if paired[one] == call)} | (
            {question} if question is not None else set()
        )
    return found


def _preserved(source: Sequence[OpenAIMessage], policy: HistoryPolicy, question: int | None) -> set[int]:
    """Positions of the turns before a question that are kept even where its own turn loses its oldest steps."""
    if not policy.preserve_recent_turns or question is None:
        return set()
    doubles = _doubles(source)
    before = [at for at in range(question) if source[at]["role"] == "user" and at not in doubles]
    return set(range(before[-policy.preserve_recent_turns :][0], question)) if before else set()


def _head(source: Sequence[OpenAIMessage], policy: HistoryPolicy) -> set[int]:
    """Positions that may be kept at the front: so many messages from the first question on, in whole steps."""
    first = next((at for at, message in enumerate(source) if message["role"] == "user"), None)
    if first is None or policy.keep_first == 0:
        return set()
    if isinstance(policy.keep_first, Share):
        return set(range(first, len(source)))
    head: set[int] = set()
    paired = pairs(source)
    unanswered = _only_calls(source) - set(paired.values()) if policy.unanswered == "drop" else set[int]()
    gone = _doubles(source) | unanswered
    for at in range(first, len(source)):
        lost = at in gone or (source[at]["role"] in _RESULTS and at not in paired)
        if source[at]["role"] in _INSTRUCTIONS or at in head or lost:
            continue
        if len(head) >= policy.keep_first:
            return head
        head |= {at, *(one for one in paired if paired[one] == at)}
    return head


def _only_calls(source: Sequence[OpenAIMessage]) -> set[int]:
    """Positions of messages that are nothing but calls of which no result stands behind them."""
    answered = set(_standing(source).values())
    return {
        at
        for at, message in enumerate(source[:-1])
        if call_ids(message) and at not in answered and not _text(message).strip()
    }


def _text(message: OpenAIMessage) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content if part["type"] == "text")


def _repairable(source: Sequence[OpenAIMessage]) -> set[int]:
    """Positions of results that stand apart from their call, answer one that is answered, or none; and of doubles."""
    results = {at for at, message in enumerate(source) if message["role"] in _RESULTS}
    return _doubles(source) | (results - _standing(source).keys()) | _ambiguous(source)


def _ambiguous(source: Sequence[OpenAIMessage]) -> set[int]:
    """Positions of results side by side of which one has no id: whose it is hangs on the order of the calls."""
    found: set[int] = set()
    run: list[int] = []
    for at in range(len(source) + 1):
        if at < len(source) and source[at]["role"] in _RESULTS:
            run.append(at)
            continue
        if len(run) > 1 and any(not source[one].get("tool_call_id") for one in run):
            found.update(run)
        run = []
    return found


def _doubles(source: Sequence[OpenAIMessage]) -> set[int]:
    """Positions of messages, results aside, that stood before with the same id and content.

    The current one is none: where it stands right behind its copy, the copy is the double.
    """
    firsts: dict[str, int] = {}
    doubles: set[int] = set()
    current = max((at for at, message in enumerate(source) if message["role"] == "user"), default=-1)
    for at, message in enumerate(source):
        if not message.get("id") or message["role"] in _RESULTS:
            continue
        first = firsts.setdefault(message["id"], at)
        if first == at or _said(source[first]) != _said(message):
            continue
        if at != current:
            doubles.add(at)
        elif first == max(b for b in range(at) if b not in doubles and source[b]["role"] not in _RESULTS):
            doubles.add(first)
    return doubles


def _said(message: OpenAIMessage) -> OpenAIMessage:
    return {key: value for key, value in message.items() if key != "n"}
