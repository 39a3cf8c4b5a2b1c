"""The invariants hold for every recipe, over generated conversations."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx_core import ContextOverflowError, WindowState
from tests.contract.conversations import conversations
from tests.contract.invariants import broken, numbered
from tests.core.recipes.kitchen import KITCHEN, SYSTEM, served

limits = st.one_of(st.integers(20, 400), st.integers(20, 3_000), st.integers(20, 100_000))
every_recipe = pytest.mark.parametrize("name", KITCHEN)


@every_recipe
@settings(max_examples=settings().max_examples)
@given(messages=conversations(), limit=limits)
def test_every_invariant_holds(name: str, messages: list[dict[str, Any]], limit: int) -> None:
    """I1 to I7 and I9: whatever the conversation and the budget."""
    source = numbered(messages)
    before, equal = copy.deepcopy(source), copy.deepcopy(source)
    context, recipe = served(KITCHEN[name], limit, source)
    again, _ = served(KITCHEN[name], limit, equal)
    plan = recipe.builder().plan
    report = context.report.history
    kept = {
        "I1 the report counts what was sent": context.tokens == plan.counter.count_messages(context.messages),
        "I5 only what may be truncated is": bool(report.truncated) <= (recipe.on_overflow == "truncate"),
        "I5 the system prompt is whole, or cut with a mark": protected(name, context, plan.layers[0].text),
        "I6 the input stays as it was": source == before,
        "I7 equal input gives equal messages": json.dumps(context.messages) == json.dumps(again.messages),
        "I7 equal input gives an equal report": context.report == again.report,
        "I7 equal input gives an equal state": context.state == again.state,
    }
    wrong = broken(
        source,
        context.messages,
        limit=plan.budget.input_limit,
        counter=plan.counter,
        policy=plan.policy,
        report=report,
    )
    assert [*wrong, *(f"not: {promise}" for promise, true in kept.items() if not true)] == []


def protected(name: str, context: Any, whole: str) -> bool:
    """Whether the system prompt is there, unless the recipe's rule or overflow policy is to cut it."""
    prompt = context.system_prompt
    if context.report.layer("system").why:
        marked = "[truncated]" in prompt or not prompt.startswith(whole[:9])
        return name in ("chat", "assistant") and whole not in prompt and marked
    return prompt.startswith(whole) and (whole == SYSTEM or name == "workspace")


@every_recipe
@settings(max_examples=settings().max_examples // 2)
@given(messages=conversations(max_turns=12), limit=st.integers(100, 2_000))
def test_every_invariant_holds_turn_by_turn(name: str, messages: list[dict[str, Any]], limit: int) -> None:
    """With a state, each request of a growing conversation is right."""
    recipe, state = KITCHEN[name](limit), WindowState()
    plan = recipe.builder().plan
    whole = numbered(messages)
    for end in [at + 1 for at, message in enumerate(whole) if message["role"] == "user"]:
        source = whole[:end]
        try:
            context = recipe.build(source, state=state)
        except ContextOverflowError:
            continue
        assert (
            broken(
                source,
                context.messages,
                limit=plan.budget.input_limit,
                counter=plan.counter,
                policy=plan.policy,
                report=context.report.history,
                remembered=True,
            )
            == []
        )
        state = WindowState.from_dict(json.loads(json.dumps(context.state.to_dict())))


@every_recipe
def test_no_content_in_logs_errors_and_reports(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """I8: counts, names and ids only, cut or not."""
    caplog.set_level("DEBUG")
    messages = [{"role": role, "content": "zanzibar " * 90} for _ in range(40) for role in ("user", "assistant")][:-1]
    told: list[object] = []
    for limit in (30, 400, 3_000, 60_000):
        try:
            context = KITCHEN[name](limit).build(messages)
        except ContextOverflowError as error:
            told.append(error)
        else:
            told += [context, context.report, context.report.to_dict()]
    assert "zanzibar" not in "".join(map(str, told)) + caplog.text
