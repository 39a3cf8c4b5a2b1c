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
    """I1 to I6 and I9: whatever the conversation and the budget."""
    source = numbered(messages)
    context, recipe = served(KITCHEN[name], limit, source)
    plan = recipe.builder().plan
    truncated = bool(context.report.history.truncated)
    assert (
        broken(
            source,
            context.messages,
            limit=plan.budget.input_limit,
            counter=plan.counter,
            policy=plan.policy,
            truncated=truncated,
        )
        == []
    )
    assert context.tokens == plan.counter.count_messages(context.messages)
    assert truncated <= (recipe.on_overflow == "truncate")


@every_recipe
@given(messages=conversations(), limit=limits)
def test_protected_layers_are_whole(name: str, messages: list[dict[str, Any]], limit: int) -> None:
    """I5: the system prompt is there, unless the recipe's rule or overflow policy is to cut it: then with a mark."""
    context, recipe = served(KITCHEN[name], limit, messages)
    whole = recipe.builder().plan.layers[0].text
    prompt = context.system_prompt
    if context.report.layer("system").why:
        assert name in ("chat", "assistant")
        assert whole not in prompt
        assert "[truncated]" in prompt or not prompt.startswith(whole[:9])
    else:
        assert prompt.startswith(whole)
        assert whole == SYSTEM or name == "workspace"


@every_recipe
@given(messages=conversations(), limit=limits)
def test_the_same_input_gives_the_same_bytes_and_stays_as_it_was(
    name: str, messages: list[dict[str, Any]], limit: int
) -> None:
    """I6 and I7: the input is not mutated, and equal input gives equal output, report and state."""
    before = copy.deepcopy(messages)
    one, _ = served(KITCHEN[name], limit, messages)
    two, _ = served(KITCHEN[name], limit, before)
    assert messages == before
    assert json.dumps(one.messages) == json.dumps(two.messages)
    assert one.report == two.report
    assert one.state == two.state


@every_recipe
@settings(max_examples=max(20, settings().max_examples // 2))
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
                truncated=bool(context.report.history.truncated),
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
