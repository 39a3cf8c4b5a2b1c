"""Reasoning by each provider's rule: whole or not there, where it was, and never back."""

from __future__ import annotations

from typing import Any, Final, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx_core import (
    ContextBuilder,
    ContextOverflowError,
    HistoryPolicy,
    Message,
    TokenCounter,
    ToolCall,
    ToolResultPolicy,
    WindowState,
    fit,
)
from ctx_core.budget import ContextBudget
from ctx_core.conversation.parts import ReasoningPart, TextPart
from ctx_core.providers import Target, provider_named
from ctx_core.sizes import Tokens
from tests.core.providers.bound_model import BoundModel, Native, recounted

COUNTER: Final = TokenCounter(lambda text: len(text.split()))
BOUND: Final = Target(provider=provider_named("anthropic"), model="claude-opus-5-5")
FREE: Final = Target(provider=provider_named("anthropic"), model="claude-opus-4-5")
POLICIES: Final = (
    HistoryPolicy(),
    HistoryPolicy(low_water=0.9, max_messages=9),
    HistoryPolicy(results=ToolResultPolicy(clear_after_steps=1, clear_rest=True, min_tokens=1)),
    HistoryPolicy(results=ToolResultPolicy(max_tokens=9), omission_marker="[{count} left out]"),
    HistoryPolicy(keep_first=2, pinned=lambda message: "q3" in message.text),
)


def turn(model: BoundModel, history: list[Native], sent: Any, steps: int, number: int) -> None:
    """Have a question answered, with so many steps of a tool before the answer."""
    history.append({"role": "user", "content": f"q{number} " * 6})
    for step in range(steps):
        used = {"type": "tool_use", "id": f"t{number}-{step}", "name": "look", "input": {"at": step}}
        history.append(sent(history, used))
        given_back = {"type": "tool_result", "tool_use_id": used["id"], "content": f"r{step} " * 12}
        history.append({"role": "user", "content": [given_back]})
    history.append(sent(history, {"type": "text", "text": f"a{number}"}))
    del model


@settings(max_examples=12, deadline=None)
@given(
    budget=st.integers(70, 400),
    policy=st.sampled_from(POLICIES),
    steps=st.lists(st.integers(0, 3), min_size=30, max_size=30),
    changes=st.lists(st.sampled_from(["system", "tools", "", "", "", "", "", ""]), min_size=30, max_size=30),
    last=st.booleans(),
    notes=st.booleans(),
)
def test_a_model_that_binds_its_thoughts_never_refuses(
    budget: int, policy: HistoryPolicy, steps: list[int], changes: list[str], *, last: bool, notes: bool
) -> None:
    """Thirty turns with tools at any budget, with instructions, tools and facts that change."""
    model, history, system = BoundModel(), list[Native](), "Be brief."
    state, asked = WindowState(), 0

    def sent(messages: list[Native], said: Native) -> Native:
        nonlocal state, asked
        asked += 1
        builder = ContextBuilder(budget, COUNTER).system(system).history(policy).provider(BOUND).tools(model.tools)
        if notes:
            builder = builder.memory([f"fact {asked}"]).place_volatile_last(last=last)
        context = builder.build(list(messages), codec="anthropic", state=state)
        assert context.tokens == recounted(COUNTER, context) + COUNTER.count_tools(model.tools) <= budget
        state = WindowState.from_dict(context.state.to_dict())
        return model.answer(context.system_prompt, context.messages, said)

    for number, (count, change) in enumerate(zip(steps, changes, strict=True)):
        if change == "system":
            system += " So."
        elif change == "tools":
            model.tools = [*model.tools, {"name": f"tool{number}", "input_schema": {"type": "object"}}][-2:]
        try:
            turn(model, history, sent, count, number)
        except ContextOverflowError:
            return


def test_thoughts_stay_as_long_as_nothing_changes() -> None:
    """The request of a turn begins with that of the turn before, thoughts and all."""
    model, history, state = BoundModel(), list[Native](), WindowState()
    before: list[Native] = []

    def sent(messages: list[Native], said: Native) -> Native:
        nonlocal state, before
        context = fit(list(messages), 10_000, counter=COUNTER, state=state, provider=BOUND, format="anthropic")
        assert context.messages[: len(before)] == before
        assert all(one is other for one, other in zip(context.messages, messages, strict=True))
        state, before = context.state, context.messages
        return model.answer("", context.messages, said)

    for number in range(30):
        turn(model, history, sent, number % 3, number)
    assert model.kept > 800
    assert not model.gone


def thought(text: str, *calls: ToolCall) -> Message:
    """Give an answer with signed thoughts."""
    parts = (ReasoningPart("hm", encrypted=200), TextPart(text))
    return Message(role=Message.assistant().role, parts=parts, tool_calls=calls)


def thinks(context: Any) -> list[bool]:
    """Say of each answer whether it has its thoughts."""
    answers = [message for message in context.messages if message.role == "assistant"]
    return [any(isinstance(part, ReasoningPart) for part in message.parts) for message in answers]


TALK: Final = [message for at in range(9) for message in (Message.user(f"q{at} " * 5), thought(f"a{at}"))]
NOW: Final = Message.user("now")


@pytest.mark.parametrize(
    ("provider", "reasoning", "kept"),
    [
        (BOUND, "by_model", False),
        (BOUND, "keep", True),
        (FREE, "by_model", True),
        (FREE, "bound", False),
        ("openai", "by_model", True),
        ("deepseek", "by_model", True),
        ("unknown", "by_model", False),
        (False, "by_model", True),
    ],
)
def test_at_a_cut_thoughts_go_where_the_model_binds_them(provider: Any, reasoning: Any, *, kept: bool) -> None:
    """By default as the model is; the policy can say otherwise. With a state and without."""
    for state in (None, WindowState()):
        policy = HistoryPolicy(reasoning=reasoning)
        context = fit([*TALK, NOW], 60, counter=COUNTER, policy=policy, provider=provider, state=state)
        assert thinks(context)
        assert all(thinks(context)) if kept else not any(thinks(context))
        whole = fit([*TALK, NOW], 10_000, counter=COUNTER, policy=policy, provider=provider, state=state)
        assert all(thinks(whole))


def test_what_has_gone_does_not_come_back() -> None:
    """With more room, everything else is there again."""
    first = fit([*TALK, NOW], 60, counter=COUNTER, provider=BOUND, state=WindowState())
    assert first.report.changes["reasoning dropped"] == len(thinks(first))
    later = fit([*TALK, NOW, thought("yes"), NOW], 10_000, counter=COUNTER, provider=BOUND, state=first.state)
    assert thinks(later)[:9] == [False] * 9
    assert later.report.history.omitted == 0


def test_a_cut_waits_for_the_end_of_a_running_loop() -> None:
    """Where the budget has room beside the history's part; else the loop's thoughts go too."""
    calls = [ToolCall(name="look", id=f"t{at}") for at in range(4)]
    running = [Message.user("q"), *(
        message for call in calls for message in (thought("so", call), Message.tool("r " * 9, tool_call_id=call.id))
    )]  # fmt: skip
    parts = {"history": Tokens(150)}
    for total, waits in ((1_000, True), (160, False)):
        builder = ContextBuilder(ContextBudget(total, parts=parts), COUNTER).provider(BOUND)
        context = builder.build([*TALK, *running], state=WindowState())
        assert all(thinks(context)) is waits
        assert (context.report.history.omitted == 0) is waits
        after = builder.build([*TALK, *running, thought("done"), NOW], state=context.state)
        assert after.report.history.omitted > 0
        assert after.tokens <= 160 + 20


def test_gemini_is_told_of_calls_that_nobody_signed() -> None:
    """The first of each step in the current turn, with the value that Google documents; others stay."""
    call: Native = {"functionCall": {"name": "look", "args": {}}}
    own: Native = {**call, "thoughtSignature": "c2ln" * 9}
    given_back: Native = {"functionResponse": {"name": "look", "response": {"output": "sunny"}}}

    def step(*parts: Native) -> list[Native]:
        return [{"role": "model", "parts": list(parts)}, {"role": "user", "parts": [given_back] * len(parts)}]

    natives = [
        {"role": "user", "parts": [{"text": "hi"}]}, *step(call), {"role": "model", "parts": [{"text": "so"}]},
        {"role": "user", "parts": [{"text": "now"}]}, *step(call, {**call}), *step(own),
    ]  # fmt: skip
    newest = Target(provider=provider_named("gemini"), model="gemini-3-pro")
    context = fit(cast("list[Any]", natives), 1_000, counter=COUNTER, provider=newest)
    signed = [part.get("thoughtSignature") for message in context.messages for part in message["parts"]]
    skips = "skip_thought_signature_validator"
    assert [one for one in signed if one] == [skips, "c2ln" * 9]
    assert context.messages[5]["parts"][0] == {**call, "thoughtSignature": skips}
    assert context.messages[1] is natives[1]
    older = Target(provider=provider_named("gemini"), model="gemini-2.5-flash")
    assert fit(natives, 1_000, counter=COUNTER, provider=older).report.changes == {}


def test_an_answer_at_the_end_that_thinks_is_not_gone_on_with() -> None:
    """Neither with thinking nor without is that taken."""
    context = fit([NOW, thought("so")], 1_000, counter=COUNTER, provider=FREE)
    assert [message.text for message in context.messages] == ["now", "so", "[Go on.]"]


def test_thoughts_of_a_call_that_goes_go_with_it() -> None:
    """Nothing would stand behind them."""
    call = ToolCall(name="look", id="a")
    lone = Message(role=thought("").role, parts=(TextPart("so"), ReasoningPart("hm", encrypted=9)), tool_calls=(call,))
    context = fit([NOW, lone, NOW], 1_000, counter=COUNTER, provider="openai", policy=HistoryPolicy(unanswered="drop"))
    assert [message.parts for message in context.messages] == [NOW.parts, (TextPart("so"),), NOW.parts]
