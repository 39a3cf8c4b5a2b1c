"""Conversations as stores really hold them, in every provider's own format, at budgets from tiny to ample."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx_core import (
    ContextOverflowError,
    ContextSession,
    Framing,
    HistoryPolicy,
    TokenCounter,
    ToolResultPolicy,
    WindowState,
    fit,
)
from tests.formats.told import WRITERS, Call, Result, Said, Told, payload
from tests.payloads.judge import refusals

if TYPE_CHECKING:
    from ctx_core.conversation.formats.names import FormatName

WORDS: Final = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
MODELS: Final = {
    "anthropic": "claude-sonnet-4-5",
    "bedrock": "anthropic.claude-sonnet-4-5",
    "gemini": "gemini-2.5-flash",
}

_IDS: Final = st.sampled_from([None, "", 7, 8, "a", "b", "c", "x y", "toolu_1", "toolu_2"])
_CALLS: Final = st.builds(Call, id=_IDS, name=st.sampled_from(["look", "find"]))


@st.composite
def steps(draw: st.DrawFn) -> list[Told]:
    """Give the assistant's calls and their results: in any order, some missing, some twice."""
    calls = draw(st.lists(_CALLS, min_size=1, max_size=3))
    flags = {name: draw(st.booleans()) for name in ("searches", "thinks")}
    asked = Said(role="assistant", text=draw(st.sampled_from(["", "Let me look."])), calls=tuple(calls), **flags)
    answered = draw(st.lists(st.sampled_from(calls), max_size=4)) if draw(st.integers(0, 3)) == 0 else calls
    words = draw(st.integers(1, 30))
    return [asked, *(Result(call=call, text="sunny " * words + "today") for call in draw(st.permutations(answered)))]


@st.composite
def conversations(draw: st.DrawFn) -> list[Told]:
    """Give turns of a question, steps and perhaps an answer; now and then a result comes late."""
    told: list[Told] = []
    for number in range(draw(st.integers(1, 4))):
        told.append(Said(role="user", text=f"Question {number}? " + "Tell me. " * draw(st.integers(0, 12))))
        for _ in range(draw(st.integers(0, 2))):
            told += draw(steps())
        if draw(st.booleans()):
            told.append(Said(role="assistant", text="It is sunny.", searches=draw(st.booleans())))
    told.append(Said(role="user", text="And tomorrow?"))
    for _ in range(draw(st.integers(0, 2))):
        told += draw(steps())
    if draw(st.integers(0, 4)) == 0:
        late = [at for at, one in enumerate(told) if isinstance(one, Result)]
        if late:
            result = told.pop(draw(st.sampled_from(late)))
            told.insert(draw(st.integers(0, len(told))), result)
    while isinstance(told[-1], Said) and told[-1].calls:
        told.pop()  # calls that nobody has answered yet are not sent
    return told


POLICIES: Final = (
    HistoryPolicy(),
    HistoryPolicy(keep_first=2, results=ToolResultPolicy(max_tokens=6)),
    HistoryPolicy(unanswered="drop", results=ToolResultPolicy(clear_after_steps=0, min_tokens=0)),
)


@pytest.mark.parametrize("name", WRITERS)
@given(told=conversations(), budget=st.integers(5, 400), policy=st.sampled_from(POLICIES))
def test_what_goes_out_is_accepted_and_counted(
    name: FormatName, told: list[Told], budget: int, policy: HistoryPolicy
) -> None:
    """No provider refuses it for its pairs, it is within the budget, and a recount of it says the same."""
    natives = WRITERS[name](told)
    before = copy.deepcopy(natives)
    try:
        context = fit(natives, budget, counter=WORDS, format=name, policy=policy, state=WindowState())
    except ContextOverflowError:
        return
    assert natives == before
    sent: list[Any] = context.messages
    assert WORDS.count_messages(sent, format=name) <= context.tokens <= budget
    assert refusals(payload(name, sent), name, model=MODELS.get(name, ""), subjects=["pairing"]) == []
    assert "And tomorrow?" in json.dumps(sent)
    again = fit(sent, 10_000, counter=WORDS, format=name)
    assert again.messages == sent


@pytest.mark.parametrize("name", WRITERS)
@given(told=conversations(), budget=st.integers(20, 120))
def test_a_session_is_right_on_every_turn(name: FormatName, told: list[Told], budget: int) -> None:
    """As a conversation grows, with a state that goes through JSON: within the budget, and no pair is refused."""
    state: dict[str, Any] = {}
    session: ContextSession[Any] = ContextSession(budget=budget, counter=WORDS, codec=name)
    ends = [at for at, one in enumerate(told, 1) if isinstance(one, Result) or one.role == "user"]
    for end in ends:
        if end < len(told) and isinstance(told[end], Result):
            continue  # the rest of the results is still to come
        natives = WRITERS[name](told[:end])
        try:
            context = session.fit(natives, state=json.loads(json.dumps(state)))
        except ContextOverflowError:
            return
        state = context.state.to_dict()
        assert WORDS.count_messages(context.messages, format=name) <= context.tokens <= budget
        sent = payload(name, context.messages)
        assert refusals(sent, name, model=MODELS.get(name, ""), subjects=["pairing"]) == []
