"""The invariants, over generated conversations, at the core."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx_core import ContextOverflowError, HistoryPolicy, TokenCounter, WindowState, fit
from ctx_core.counting import FourCharacters, Margin
from ctx_core.counting.families_openai import CHAT
from ctx_core.openai_messages import OpenAICodec
from tests.contract.conversations import budgets, conversations
from tests.contract.invariants import broken, numbered
from tests.contract.policies import pinning_policies, policies

if TYPE_CHECKING:
    from ctx_core import Context, Framing

OpenAIMessage = dict[str, Any]

# A failing conversation may be a long one: it is to be shown all the same.
pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")

COUNTER = TokenCounter(FourCharacters())
CODEC = OpenAICodec()


def fitted(
    messages: list[OpenAIMessage], budget: int, *, counter: TokenCounter = COUNTER, **options: Any
) -> tuple[Context[OpenAIMessage], int]:
    """Fit into the budget, or else into the smallest that is found to be possible; give that one too."""
    while True:
        try:
            return fit(messages, budget, counter=counter, **options), budget
        except ContextOverflowError as error:
            assert error.needed > budget  # noqa: PT017 - what it says is where to go on
            budget = error.needed


@settings(max_examples=max(200, settings().max_examples))
@given(conversations(), budgets, policies)
def test_every_invariant_holds(messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy) -> None:
    """I1 to I6 and I9 hold whatever the conversation, the budget and the policy."""
    source = numbered(messages)
    context, limit = fitted(source, budget, policy=policy)
    assert broken(source, context.messages, limit=limit, counter=COUNTER, policy=policy) == []


@settings(max_examples=max(200, settings().max_examples))
@given(conversations(), budgets, policies, st.sampled_from((CHAT, replace(CHAT, quoted_results=False))))
def test_every_invariant_holds_where_calls_made_at_once_are_rendered_as_one(
    messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy, framing: Framing
) -> None:
    """What a result costs may depend on the calls before it: the whole request is within the budget all the same."""
    counter = TokenCounter(FourCharacters(), framing=framing, margin=Margin(tools=1.1, per_call=3, per_request=5))
    source = numbered(messages)
    context, limit = fitted(source, budget, policy=policy, counter=counter)
    assert broken(source, context.messages, limit=limit, counter=counter, policy=policy) == []
    assert counter.measure(context.messages).bound == context.tokens


@given(conversations(), budgets, pinning_policies)
def test_every_invariant_holds_with_a_pinned_head_and_pinned_messages(
    messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy
) -> None:
    """What is pinned is there, and is the only thing in front of a gap."""
    source = numbered(messages)
    context, limit = fitted(source, budget, policy=policy)
    assert broken(source, context.messages, limit=limit, counter=COUNTER, policy=policy) == []


@given(conversations(), budgets, policies)
def test_the_reported_tokens_are_those_of_a_recount(
    messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy
) -> None:
    """I1: the report says what the request costs when it is counted from scratch."""
    context, _ = fitted(messages, budget, policy=policy)
    assert context.tokens == context.report.used == COUNTER.count_messages(context.messages)
    assert context.tokens == sum(layer.used for layer in context.report.layers)


@given(conversations(), budgets)
def test_an_overflow_is_real(messages: list[OpenAIMessage], budget: int) -> None:
    """I1: it is raised only if instructions, question and newest step, its results shortened, do not fit."""
    whole = fit(messages, 10**9, counter=COUNTER).messages
    question = max((at for at, message in enumerate(whole) if message["role"] == "user"), default=-1)
    instructions = {at for at, message in enumerate(whole) if message["role"] in ("system", "developer")}
    results = {at for at, message in enumerate(whole) if message["role"] in ("tool", "function")}
    steps = [at for at in range(question + 1, len(whole)) if at not in instructions | results]
    newest = set(range(steps[-1], len(whole))) if steps else set[int]()
    cut = "\n[… 999,999 tokens left out …]\n"

    def least(at: int) -> int:
        cost = COUNTER.count_message(CODEC.read(whole[at]))
        return min(cost, COUNTER.count_message(CODEC.read({**whole[at], "content": cut}))) if at in results else cost

    needed = COUNTER.primer + sum(map(least, instructions | newest | ({question} - {-1})))
    try:
        fit(messages, budget, counter=COUNTER)
    except ContextOverflowError as error:
        assert error.limit == budget < error.needed  # noqa: PT017 - most examples raise nothing
        assert needed > budget


@given(conversations(), budgets, policies)
def test_truncating_keeps_everything_protected_in_its_place(
    messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy
) -> None:
    """I5: with leave to truncate, protected messages are cut, marked and reported, and none is lost."""
    source = numbered(messages)
    context, limit = fitted(source, budget, policy=policy, on_overflow="truncate")
    sent = context.messages
    report = context.report.history
    cut = [
        m for m in sent if "n" in m and m["role"] not in ("tool", "function", "assistant") and m is not source[m["n"]]
    ]
    assert broken(source, sent, limit=limit, counter=COUNTER, policy=policy, truncated=bool(report.truncated)) == []
    assert report.truncated == len(cut)
    assert all(CODEC.read(message).text.endswith("[truncated]") for message in cut)
    there = {message["n"] for message in sent if "n" in message}
    assert {m["n"] for m in source if m["role"] in ("system", "developer") and "id" not in m} <= there


@given(conversations(), budgets, pinning_policies)
def test_the_input_is_never_mutated(messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy) -> None:
    """I6: the caller's messages are as they were, to the last field."""
    before = copy.deepcopy(messages)
    fitted(messages, budget, policy=policy, on_overflow="truncate")
    assert messages == before


@given(conversations(), budgets, pinning_policies)
def test_the_same_input_gives_the_same_bytes(messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy) -> None:
    """I7: equal messages, other objects and another counter give the same output, report and state."""
    one, limit = fitted(messages, budget, policy=policy)
    two = fit(copy.deepcopy(messages), limit, counter=TokenCounter(FourCharacters()), policy=policy)
    assert json.dumps(one.messages) == json.dumps(two.messages)
    assert str(one.report) == str(two.report)
    assert one.state == two.state


@given(conversations(), budgets, policies)
def test_neutral_messages_fare_like_dicts(messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy) -> None:
    """The door is all that differs between dicts and neutral messages."""
    neutral = [CODEC.read(message) for message in messages]
    context, limit = fitted(messages, budget, policy=policy)
    through = fit(neutral, limit, counter=COUNTER, policy=policy)
    assert [CODEC.write(message) for message in through.messages] == context.messages
    kept = {id(message) for message in neutral}
    assert all(
        id(message) in kept for message in through.messages if not message.altered and message.origin is not None
    )


@given(conversations(), budgets, policies)
def test_a_request_that_fits_passes_a_second_time_untouched(
    messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy
) -> None:
    """What went out is a fixed point: fitting it again changes nothing."""
    policy = replace(policy, omission_marker=None, max_messages=None)
    once, limit = fitted(messages, budget, policy=policy)
    assert fit(once.messages, limit, counter=COUNTER, policy=policy).messages == once.messages


@given(conversations(), st.integers(300, 3_000), policies)
def test_tools_are_part_of_the_request(messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy) -> None:
    """I1 holds with tool definitions, which are never cut."""
    tools = [{"type": "function", "function": {"name": "search", "description": "Searches. " * 20, "parameters": {}}}]
    source = numbered(messages)
    context, limit = fitted(source, budget, policy=policy, tools=tools)
    assert broken(source, context.messages, limit=limit, counter=COUNTER, policy=policy, tools=tools) == []
    assert context.report.layer("tools").used == COUNTER.count_tools(tools)


@given(conversations(), conversations(), budgets, policies)
def test_a_state_of_another_conversation_does_no_harm(
    messages: list[OpenAIMessage], others: list[OpenAIMessage], budget: int, policy: HistoryPolicy
) -> None:
    """A state is a hint: whatever it says, the request is right."""
    state = fitted(others, budget, policy=policy, state=WindowState())[0].state
    source = numbered(messages)
    context, limit = fitted(source, budget, policy=policy, state=state)
    assert broken(source, context.messages, limit=limit, counter=COUNTER, policy=policy, remembered=True) == []


@given(conversations(), st.integers(30, 2_000), policies, st.integers(1, 12))
def test_a_state_survives_a_store_that_forgets(
    messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy, forgotten: int
) -> None:
    """Where the oldest messages have gone from the store, the state still does no harm."""
    state = fitted(messages, budget, policy=policy, state=WindowState())[0].state
    last = max(at for at, message in enumerate(messages) if message["role"] == "user")
    rest = numbered(messages[min(forgotten, last) :])
    context, limit = fitted(rest, budget, policy=policy, state=state)
    assert broken(rest, context.messages, limit=limit, counter=COUNTER, policy=policy, remembered=True) == []


def requests(messages: list[OpenAIMessage]) -> list[list[OpenAIMessage]]:
    """Give the conversation at every point where the model is called."""
    ends = [at for at in range(1, len(messages)) if messages[at]["role"] == "assistant"]
    cuts = [messages[:end] for end in [*ends, len(messages)]]
    return [part for part in cuts if any(message["role"] == "user" for message in part)]


@given(conversations(max_turns=12), st.integers(30, 3_000), policies)
def test_every_invariant_holds_turn_by_turn(messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy) -> None:
    """With a state carried from turn to turn as JSON, each request is right, and asked again it is the same."""
    state = WindowState()
    for source in requests(numbered(messages)):
        try:
            context = fit(source, budget, counter=COUNTER, policy=policy, state=state)
        except ContextOverflowError:
            continue
        assert broken(source, context.messages, limit=budget, counter=COUNTER, policy=policy, remembered=True) == []
        again = fit(source, budget, counter=COUNTER, policy=policy, state=context.state)
        assert again.messages == context.messages
        assert again.state == context.state
        state = WindowState.from_dict(json.loads(json.dumps(context.state.to_dict())))


@given(conversations(max_turns=12), st.integers(30, 3_000), policies)
def test_the_prompt_grows_at_its_end_until_the_next_cut(
    messages: list[OpenAIMessage], budget: int, policy: HistoryPolicy
) -> None:
    """Where nothing was cut, what the last request had is the beginning of this one, byte for byte."""
    policy = replace(policy, reasoning="drop_at_cut" if policy.reasoning == "drop_old_turns" else policy.reasoning)
    state, before, mended = WindowState(), list[str](), False
    for source in requests(messages):
        try:
            context = fit(source, budget, counter=COUNTER, policy=policy, state=state)
        except ContextOverflowError:
            continue
        sent = [json.dumps(message) for message in context.messages]
        report = context.report.history
        if not (report.cut or report.repairs or mended):
            assert sent[: len(before)] == before
        state, before, mended = context.state, sent, bool(report.repairs)


_PROGRAM = """
import json, sys
from ctx_core import HistoryPolicy, TokenCounter, ToolResultPolicy, WindowState, fit
messages = json.loads(sys.stdin.read())
results = ToolResultPolicy(clear_after_steps=1, min_tokens=5)
policy = HistoryPolicy(results=results, omission_marker="[{count} left out]")
context = fit(messages, 400, counter=lambda text: len(text) // 4, policy=policy, state=WindowState())
print(json.dumps([context.messages, context.report.to_dict(), context.state.to_dict()]), context.report)
"""


def test_another_process_gives_the_same_bytes() -> None:
    """I7 does not hang on the seed that Python hashes strings with."""
    messages: list[OpenAIMessage] = [{"role": "system", "content": "Be brief."}]
    for turn in range(12):
        calls = [
            {"id": f"c{turn}{one}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            for one in range(3)
        ]
        messages += [
            {"role": "user", "content": f"question {turn} " * 8},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *({"role": "tool", "tool_call_id": call["id"], "content": "result " * 40} for call in calls),
            {"role": "assistant", "content": "answer " * 5},
        ]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            input=json.dumps(messages[:-1]),
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1
    assert "result" in outputs.pop()


@pytest.mark.parametrize("budget", [1, 2, 3])
def test_a_budget_of_almost_nothing_is_an_overflow(budget: int) -> None:
    """No message fits into the primer alone: that is an error, not an empty request."""
    with pytest.raises(ContextOverflowError) as caught:
        fit([{"role": "user", "content": "hi"}], budget, counter=COUNTER)
    assert caught.value.limit == budget
