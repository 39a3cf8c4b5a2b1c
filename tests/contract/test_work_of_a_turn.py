"""A turn does as much on a long history as on a short one: what was read is not read, split or asked again."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from llama_index.core.base.llms.types import ChatMessage

from ctx_core import ContextSession, TokenCounter, WindowState, fit
from ctx_core.conversation.codecs import transcript_of
from ctx_core.conversation.held import Reading
from ctx_core.history.made_from import STATES_MADE, StatesMade
from langchain_ctx import BudgetedChatMessageHistory, ContextRunnable, InMemoryHistory
from llamaindex_ctx import ContextMemoryBuffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx_core.conversation.formats.names import FormatName

BUDGET = 2_000
SHORT, LONG = 300, 1_200
"""Messages of a history."""
MORE = 1.02
"""How much more calls of functions a turn on the long one may take: as good as none."""


def counter() -> TokenCounter:
    """Give one that counts letters by four."""
    return TokenCounter(lambda text: -(-len(text) // 4))


def text(at: int) -> str:
    """Give a text that no other message has: about 15 tokens."""
    return f"message number {at} of a long talk about the tide and the ferry"


def openai(at: int) -> dict[str, Any]:
    """Give a message of chat completions: every tenth pair is a call and its result, of an id that many have."""
    if at % 20 == 1:
        call = {"id": "same", "type": "function", "function": {"name": "tide", "arguments": "{}"}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    if at % 20 == 2:
        return {"role": "tool", "tool_call_id": "same", "content": text(at)}
    return {"role": ("user", "assistant")[at % 2], "content": text(at)}


def anthropic(at: int) -> dict[str, Any]:
    """Give a message of Anthropic's: every tenth pair is a call and its result."""
    if at % 20 == 1:
        return {"role": "assistant", "content": [{"type": "tool_use", "id": f"c{at}", "name": "tide", "input": {}}]}
    if at % 20 == 2:
        return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c{at - 1}", "content": text(at)}]}
    return {"role": ("user", "assistant")[at % 2], "content": [{"type": "text", "text": text(at)}]}


def bedrock(at: int) -> dict[str, Any]:
    """Give a message of Bedrock's."""
    return {"role": ("user", "assistant")[at % 2], "content": [{"text": text(at)}]}


def gemini(at: int) -> dict[str, Any]:
    """Give a content of Gemini's."""
    return {"role": ("user", "model")[at % 2], "parts": [{"text": text(at)}]}


def responses(at: int) -> dict[str, Any]:
    """Give an item of the Responses API."""
    return {"type": "message", "role": ("user", "assistant")[at % 2], "content": text(at)}


FORMATS: dict[str, Callable[[int], dict[str, Any]]] = {
    "openai": openai,
    "anthropic": anthropic,
    "bedrock": bedrock,
    "gemini": gemini,
    "responses": responses,
}


def fit_turns(make: Callable[[int], dict[str, Any]], form: FormatName | None = None) -> Callable[[int], Any]:
    """Give what sends a conversation through `fit`, which hands the state on."""
    messages, states, tokens = list[dict[str, Any]](), [WindowState()], counter()

    def send(size: int) -> object:
        messages.extend(map(make, range(len(messages), size)))
        context = fit(messages, BUDGET, counter=tokens, state=states[0], format=form)
        states[0] = context.state
        return context

    return send


def session_turns(make: Callable[[int], dict[str, Any]]) -> Callable[[int], Any]:
    """Give what sends a conversation through a session."""
    messages: list[dict[str, Any]] = []
    session: ContextSession[dict[str, Any]] = ContextSession(budget=BUDGET, counter=counter())

    def send(size: int) -> object:
        messages.extend(map(make, range(len(messages), size)))
        return session.fit(messages)

    return send


def langchain(at: int) -> BaseMessage:
    """Give a message of LangChain's: every tenth pair is a call and its result."""
    if at % 20 == 1:
        return AIMessage("", tool_calls=[{"id": f"c{at}", "name": "tide", "args": {}}])
    if at % 20 == 2:
        return ToolMessage(text(at), tool_call_id=f"c{at - 1}")
    return AIMessage(text(at)) if at % 2 else HumanMessage(text(at))


def runnable_turns() -> Callable[[int], Any]:
    """Give what sends a conversation through `ContextRunnable`."""
    messages: list[BaseMessage] = []
    step = ContextRunnable(BUDGET, counter=counter())
    config: Any = {"configurable": {"session_id": "s"}}

    def send(size: int) -> object:
        messages.extend(map(langchain, range(len(messages), size)))
        return step.invoke(messages, config)

    return send


def history_turns() -> Callable[[int], Any]:
    """Give what adds messages to a budgeted history, and reads it."""
    history = BudgetedChatMessageHistory(InMemoryHistory(), BUDGET, counter=counter())
    added = [0]

    def send(size: int) -> object:
        history.add_messages([*map(langchain, range(added[0], size))])
        added[0] = size
        return history.messages

    return send


def memory_turns() -> Callable[[int], Any]:
    """Give what puts messages into a memory, and asks it."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=BUDGET, counter=counter())
    put = [0]

    def send(size: int) -> object:
        roles = ("user", "assistant")
        memory.put_messages([ChatMessage(text(at), role=roles[at % 2]) for at in range(put[0], size)])
        put[0] = size
        return memory.get(input="and when does the next one leave?")

    return send


DOORS: dict[str, Callable[[], Callable[[int], Any]]] = {
    **{f"fit, {name}": partial(fit_turns, make) for name, make in FORMATS.items()},
    "fit, format said": partial(fit_turns, anthropic, "anthropic"),
    **{f"session, {name}": partial(session_turns, make) for name, make in FORMATS.items()},
    "runnable": runnable_turns,
    "history": history_turns,
    "memory": memory_turns,
}


def functions_called(send: Callable[[], object]) -> int:
    """Count the calls of functions, Python's and C's, that something takes."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        send()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_a_turn_does_as_much_on_a_long_history_as_on_a_short_one(door: Callable[[], Callable[[int], Any]]) -> None:
    """Counted in calls of functions: on four times as many messages there are no more of them."""
    called: list[int] = []
    for size in (SHORT, LONG):
        send = door()
        for more in (0, 2, 4):
            send(size + more)
        called.append(functions_called(partial(send, size + 6)))
    assert called[1] <= MORE * called[0]


@pytest.mark.parametrize("make", FORMATS.values(), ids=FORMATS)
def test_what_goes_on_gives_what_a_first_look_gives(make: Callable[[int], dict[str, Any]]) -> None:
    """Turn by turn, the state handed on as an object or as JSON: the messages are the same."""
    tokens, state, stored = counter(), WindowState(), WindowState()
    messages: list[dict[str, Any]] = []
    for size in range(90, 160, 3):
        messages.extend(map(make, range(len(messages), size)))
        held = fit(messages, 900, counter=tokens, state=state)
        read = fit(copy.deepcopy(messages), 900, counter=tokens, state=stored)
        assert held.messages == read.messages
        state, stored = held.state, WindowState.from_dict(json.loads(json.dumps(read.state.to_dict())))


@pytest.mark.parametrize("in_place", [True, False], ids=["where it stands", "another object"])
def test_an_edit_in_the_window_is_seen(*, in_place: bool) -> None:
    """What goes out is what is there now."""
    messages, tokens = [openai(at) for at in range(200)], counter()
    state = fit(messages, 900, counter=tokens, state=WindowState()).state
    if in_place:
        messages[-3]["content"] = "quite another thing"
    else:
        messages[-3] = {**messages[-3], "content": "quite another thing"}
    sent = fit([*messages, openai(200)], 900, counter=tokens, state=state)
    assert "quite another thing" in [message["content"] for message in sent.messages]
    assert sent.tokens == fit([*copy.deepcopy(messages), openai(200)], 900, counter=tokens, state=state).tokens


def test_an_edit_of_what_is_left_out_is_seen() -> None:
    """An instruction that stands now where a message was left out goes out."""
    messages, tokens = [openai(at) for at in range(200)], counter()
    state = fit(messages, 900, counter=tokens, state=WindowState()).state
    messages[20] = {"role": "system", "content": "be brief"}
    assert messages[20] in fit([*messages, openai(200)], 900, counter=tokens, state=state).messages


def test_a_message_that_became_results_is_split() -> None:
    """The last of the messages that were sent is changed where it stands: the question of then brings results now."""
    messages, tokens = [anthropic(at) for at in range(120)], counter()
    messages += [
        {"role": "user", "content": [{"type": "text", "text": "the tide?"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "last", "name": "tide", "input": {}}]},
        {"role": "user", "content": [{"type": "text", "text": "well?"}]},
    ]
    state = fit(messages, 900, counter=tokens, state=WindowState()).state
    messages[-1]["content"].insert(0, {"type": "tool_result", "tool_use_id": "last", "content": "at noon"})
    assert fit(messages, 900, counter=tokens, state=state).messages[-1] is messages[-1]


def test_what_a_state_was_made_from_goes_with_it() -> None:
    """Nothing is held of a state that is gone, nor by its copies: they are checked by their digest."""
    messages, tokens = [openai(at) for at in range(200)], counter()
    gc.collect()
    before = len(STATES_MADE)
    state = fit(messages, 900, counter=tokens, state=WindowState()).state
    assert len(STATES_MADE) == before + 1
    for other in (copy.deepcopy(state), pickle.loads(pickle.dumps(state)), WindowState.from_dict(state.to_dict())):  # noqa: S301 - our own
        assert other == state
        assert STATES_MADE.of(other) is None
        assert fit([*messages, openai(200)], 900, counter=tokens, state=other).state.start == state.start
    del state, other
    gc.collect()
    assert len(STATES_MADE) == before


def test_of_many_states_the_last_are_held() -> None:
    """Somebody who keeps the states of thousands of conversations keeps none of their messages with them."""
    made = StatesMade(most=500)
    states: list[WindowState] = []
    for number in range(10):
        messages = [openai(at) for at in range(number, 150 + number)]
        states.append(fit(messages, 900, counter=counter(), state=WindowState()).state)
        made.hold(states[-1], transcript_of(messages, None, None, Reading()))
    assert 1 <= len(made) < len(states)
    assert made.of(states[-1]) is not None
    assert made.of(states[0]) is None
