"""The invariants, through every face, with the frameworks' own messages."""

from __future__ import annotations

import contextlib
import copy
import functools
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctx_core import ContextOverflowError, Framing, HistoryPolicy, TokenCounter
from ctx_core.counting import CallFraming, FourCharacters
from tests.contract.conversations import budgets, conversations
from tests.contract.faces import CORE, FACES, Conversation, Face, Sent, waits_for_a_tool
from tests.contract.invariants import broken, numbered
from tests.contract.policies import pinning_policies, policies

OpenAIMessage = dict[str, Any]

# A failing conversation may be a long one: it is to be shown all the same.
pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")

COUNTER = TokenCounter(FourCharacters())
NO_LIMIT = 10**9
"""The dicts are not what was counted: arguments are parsed on the way in. The face's own messages are recounted."""

WHOLE = tuple(face for face in FACES if face.name in ("runnable", "chain", "memory"))
"""Those that see the whole conversation at once, as the core does."""

each_face = pytest.mark.parametrize("face", FACES, ids=lambda face: face.name)


def sent(
    face: Face, source: list[OpenAIMessage], budget: int, policy: HistoryPolicy, on_overflow: str = "raise"
) -> tuple[Sent, int]:
    """Send a conversation once, within the budget or the smallest one that is found to be possible."""
    while True:
        try:
            return face.open(budget, COUNTER, policy, on_overflow).send(source), budget
        except ContextOverflowError as error:
            budget = max(budget + 1, error.needed)


@each_face
@settings(max_examples=settings().max_examples // 2)
@given(conversations(), budgets, pinning_policies)
def test_every_invariant_holds(face: Face, messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy) -> None:
    """I1 to I6 and I9 hold whatever the conversation, the budget and the policy."""
    assume(_calls_keep_their_order(messages))
    source = numbered(face.prepare(messages))
    out, limit = sent(face, source, budget, policy)
    assert out.tokens <= limit, "I1 over budget, recounted"
    assert broken(source, out.messages, limit=NO_LIMIT, counter=COUNTER, policy=policy, report=out.report.history) == []


@each_face
@settings(max_examples=settings().max_examples // 4)
@given(conversations(), budgets, pinning_policies)
def test_the_same_is_sent_and_nothing_is_mutated_or_lost_by_truncating(
    face: Face, messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy
) -> None:
    """I5 with leave to truncate, I6 for what the caller holds, and I7 for another face of the same kind."""
    source = numbered(face.prepare(messages))
    one, limit = sent(face, source, budget, policy)
    two, _ = sent(face, copy.deepcopy(source), limit, policy)
    wrong = [
        *(["I7 equal messages give other messages"] if one.messages != two.messages else []),
        *(["I7 equal messages give another report"] if str(one.report) != str(two.report) else []),
        *mutated(face, source, budget, policy),
        *wrong_if_truncated(face, source, budget, replace(policy, keep_first=0, pinned=None)),
    ]
    assert wrong == []


def mutated(face: Face, source: list[OpenAIMessage], budget: int, policy: HistoryPolicy) -> list[str]:
    """Name what is no longer as it was of what the caller holds."""
    conversation: Any = face.open(budget, COUNTER, policy, "truncate")
    natives = conversation.native(source)
    before = copy.deepcopy(natives)
    with contextlib.suppress(ContextOverflowError):
        conversation.send(source)
    return [] if natives == before else ["I6 the framework's messages were mutated"]


def wrong_if_truncated(face: Face, source: list[OpenAIMessage], budget: int, policy: HistoryPolicy) -> list[str]:
    """Name what breaks with leave to truncate: the request is within the budget, and nothing protected is lost."""
    out, limit = sent(face, source, budget, policy, "truncate")
    report = out.report.history
    wrong = broken(source, out.messages, limit=NO_LIMIT, counter=COUNTER, policy=policy, report=report)
    return [*wrong, *(["I1 over budget, recounted"] if out.tokens > limit else [])]


@each_face
@settings(max_examples=settings().max_examples // 4)
@given(conversations(max_turns=10), st.integers(30, 3_000), policies)
def test_every_invariant_holds_turn_by_turn(
    face: Face, messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy
) -> None:
    """With what the face remembers from turn to turn, each request is right."""
    assume(_calls_keep_their_order(messages))
    conversation = face.open(budget, COUNTER, policy, "raise")
    for source in requests(face, messages):
        try:
            out = conversation.send(source)
        except ContextOverflowError:
            continue
        assert out.tokens <= budget
        assert (
            broken(
                source,
                out.messages,
                limit=NO_LIMIT,
                counter=COUNTER,
                policy=policy,
                remembered=True,
                report=out.report.history,
            )
            == []
        )


def _calls_keep_their_order(messages: list[OpenAIMessage]) -> bool:
    """Whether results without an id are paired alike: LangChain lists calls with unreadable arguments last."""
    nameless = any(message["role"] == "tool" and not message.get("tool_call_id") for message in messages)
    calls = [call for message in messages for call in message.get("tool_calls") or ()]
    return not (nameless and any(not call["function"]["arguments"].startswith("{") for call in calls))


def requests(face: Face, messages: list[OpenAIMessage]) -> list[list[OpenAIMessage]]:
    """Give the conversation at every point where the model is called; a face that wants a question has one there."""
    whole = numbered(face.prepare(messages))
    last = "user" if face.name in ("history", "asked memory") else None
    ends = [
        at for at in range(1, len(whole)) if whole[at]["role"] == "assistant" and last in (None, whole[at - 1]["role"])
    ]
    parts = [whole[:end] for end in [*ends, len(whole)]]
    if face.name == "history":  # it cannot see that a question follows, and leaves a call open for its result
        parts = [part for part in parts if not waits_for_a_tool(part[:-1])]
    return [part for part in parts if any(message["role"] == "user" for message in part)]


@pytest.mark.parametrize("face", WHOLE, ids=lambda face: face.name)
@settings(max_examples=settings().max_examples // 4)
@given(conversations(max_turns=10), st.integers(30, 3_000), policies)
def test_the_faces_send_what_the_core_sends(
    face: Face, messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy
) -> None:
    """Turn by turn, the same messages at the same budget, where a framework's spelling changes no count."""
    counter = TokenCounter(letters, framing=Framing(calls=CallFraming(per_call=2)))
    core, other = CORE.open(budget, counter, policy, "raise"), face.open(budget, counter, policy, "raise")
    for source in requests(face, well_formed(messages)):
        if source[-1]["role"] != "assistant":
            assert outcome(core, source) == outcome(other, source)


def outcome(conversation: Conversation, source: list[OpenAIMessage]) -> Any:
    """Give what went out, by number; or what it would have needed."""
    try:
        return [(message["role"], message.get("n")) for message in conversation.send(source).messages]
    except ContextOverflowError as error:
        return error.needed


def well_formed(messages: list[OpenAIMessage]) -> list[OpenAIMessage]:
    """Give the conversation with arguments that are JSON: LangChain puts calls with others behind the rest."""
    return [
        {**message, "tool_calls": [_without_arguments(call) for call in message["tool_calls"]]}
        if "tool_calls" in message
        else message
        for message in messages
    ]


def _without_arguments(call: dict[str, Any]) -> dict[str, Any]:
    return {**call, "function": {**call["function"], "arguments": "{}"}}


@functools.lru_cache(maxsize=10_000)
def letters(text: str) -> int:
    """Count letters, of each text once: blanks and braces differ from framework to framework."""
    return sum(map(str.isalpha, text)) // 4
