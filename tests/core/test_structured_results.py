"""Results that are JSON: what is cut of them is an object of the same keys still, and counted as it is sent."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from ctx_core import Framing, HistoryPolicy, TokenCounter, ToolResultPolicy, WindowState, fit
from ctx_core.conversation.transcript import read_natives
from langchain_ctx import ContextRunnable
from tests.payloads.judge import refusals
from tests.payloads.natives import payload_of

if TYPE_CHECKING:
    from collections.abc import Callable

COUNTER: Final = TokenCounter(lambda text: (len(text) + 3) // 4, framing=Framing.free())
ROWS: Final = [{"id": at, "name": f"row {at}", "price": at * 1.5, "sold": None} for at in range(300)]
VALUES: Final[dict[str, dict[str, Any]]] = {
    "a list": {"status": "ok", "rows": ROWS, "more": True},
    "a text": {"status": "ok", "page": "word " * 900, "count": 3},
    "texts": {"pages": [{"text": "word " * 300}, {"text": "other " * 300}], "status": "ok"},
    "numbers": {"rows": list(range(2_000)), "status": "ok"},
    "one key": {"rows": ROWS},
    "an error": {"error": "bad " * 900, "code": 404},
}
BUDGET: Final = 300


def gemini(value: Any) -> list[Any]:
    """Give a step with such a response."""
    return [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": value}}]},
    ]


def bedrock(value: Any) -> list[Any]:
    """Give a step with such a result beside a text."""
    result = {"toolUseId": "a", "content": [{"json": value}, {"text": "note"}]}
    return [
        {"role": "user", "content": [{"text": "go"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "look", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": result}]},
    ]


def of_gemini(message: Any) -> Any:
    """Give the response in a message."""
    return message["parts"][0]["functionResponse"]["response"]


def of_bedrock(message: Any) -> Any:
    """Give the JSON in a message, and check the text beside it."""
    content = message["content"][0]["toolResult"]["content"]
    assert content[1:] == [{"text": "note"}]
    return content[0]["json"]


FORMATS: Final[dict[str, tuple[Callable[[Any], list[Any]], Callable[[Any], Any]]]] = {
    "gemini": (gemini, of_gemini),
    "bedrock": (bedrock, of_bedrock),
}


def refused(form: Any, messages: list[Any]) -> list[str]:
    """Give what the provider refuses of messages; that calls need tools it says of all."""
    return refusals(payload_of(form, messages), form)


POLICIES: Final = {
    "on overflow": HistoryPolicy(),
    "at first sight": HistoryPolicy(results=ToolResultPolicy(max_tokens=120)),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("form", FORMATS)
def test_what_is_cut_stays_an_object_of_the_same_keys(form: Any, name: str, policy: str) -> None:
    """What is small in it stays as it is; a list that is too large becomes a text, visibly cut."""
    make, said_in = FORMATS[form]
    messages, value = make(VALUES[name]), VALUES[name]
    untouched = copy.deepcopy(messages)
    context = fit(messages, BUDGET, counter=COUNTER, policy=POLICIES[policy], format=form, state=WindowState())
    told = said_in(context.messages[-1])
    assert list(told) == list(value)
    small = {key: held for key, held in value.items() if not isinstance(held, list) and len(str(held)) < 20}
    assert {key: told[key] for key in small} == small
    assert "left out" in json.dumps(told)
    assert messages == untouched
    assert context.report.history.shortened == 1 or policy == "at first sight"
    sent = list(read_natives(context.messages, context.transcript.codec))
    assert COUNTER.count_messages(sent) == context.tokens <= BUDGET
    assert refused(form, context.messages) == refused(form, messages)
    again = fit(messages, BUDGET, counter=COUNTER, policy=POLICIES[policy], format=form, state=context.state)
    assert again.messages == context.messages


@pytest.mark.parametrize("form", FORMATS)
def test_a_cleared_one_is_an_object_or_a_text(form: Any) -> None:
    """The placeholder is no JSON."""
    make, _ = FORMATS[form]
    answer = (
        {"role": "model", "parts": [{"text": "ok"}]} if form == "gemini" else bedrock({})[0] | {"role": "assistant"}
    )
    messages = [*make(VALUES["a list"]), answer, *make({"small": 1})]
    policy = HistoryPolicy(results=ToolResultPolicy(clear_rest=True, overflow_share=1.0))
    context = fit(messages, BUDGET, counter=COUNTER, policy=policy, format=form, state=WindowState())
    assert context.report.history.cleared == 1
    assert refused(form, context.messages) == refused(form, messages)
    cleared = json.dumps(context.messages[2])
    assert "content truncated - 1 steps ago" in cleared
    assert "row 0" not in cleared


@pytest.mark.parametrize("key", ["output", "result", "error"])
def test_a_mere_text_keeps_its_key(key: str) -> None:
    """Gemini's clients write results under one of these."""
    context = fit(gemini({key: "word " * 900}), BUDGET, counter=COUNTER)
    assert list(of_gemini(context.messages[-1])) == [key]


def test_where_not_even_the_keys_fit_it_is_a_text() -> None:
    """An object with a text all the same."""
    context = fit(gemini({f"key {at}": at for at in range(900)}), 60, counter=COUNTER)
    told = of_gemini(context.messages[-1])
    assert list(told) == ["output"]
    assert "left out" in told["output"]


CALLS: Final[list[tuple[Any, Callable[[Any], Any], Callable[[Any], Any]]]] = [
    (
        AIMessage("", tool_calls=[{"id": "a", "name": "look", "args": {}}]),
        lambda value: ToolMessage([{"json": value}], tool_call_id="a"),
        lambda message: message.content[0]["json"],
    ),
    (
        AIMessage([{"toolUse": {"toolUseId": "a", "name": "look", "input": {}}}]),
        lambda value: HumanMessage([{"toolResult": {"toolUseId": "a", "content": [{"json": value}]}}]),
        lambda message: message.content[0]["toolResult"]["content"][0]["json"],
    ),
    (
        AIMessage([{"functionCall": {"id": "a", "name": "look", "args": {}}}]),
        lambda value: HumanMessage([{"functionResponse": {"id": "a", "name": "look", "response": value}}]),
        lambda message: message.content[0]["functionResponse"]["response"],
    ),
]


@pytest.mark.parametrize("call", CALLS, ids=["a tool message", "Bedrock's blocks", "Gemini's parts"])
@pytest.mark.parametrize("name", VALUES)
def test_blocks_in_langchains_messages_do_the_same(name: str, call: tuple[Any, Any, Any]) -> None:
    """Whichever message they stand in."""
    asking, answered, said_in = call
    said = [HumanMessage("go"), asking, answered(VALUES[name])]
    sent = ContextRunnable(BUDGET, counter=COUNTER, provider=False).invoke(said)
    told = said_in(sent[-1])
    assert list(told) == list(VALUES[name])
    assert "left out" in json.dumps(told)
