"""What thousands of calls and results cost, in every order: twice as many more cost twice as much more."""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from ctx_core import HistoryPolicy, TokenCounter, fit, validate
from ctx_core.counting import FourCharacters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COUNTER = TokenCounter(FourCharacters())
ASK: Final = {"role": "user", "content": "go"}
FEW: Final = 40
ROOM: Final = 10_000_000


def call(*ids: str, name: str = "f") -> dict[str, Any]:
    """Make a message with calls of these ids."""
    calls = [{"id": one, "type": "function", "function": {"name": name, "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(call_id: str, text: str = "done", **fields: str) -> dict[str, Any]:
    """Make a result."""
    return {"role": "tool", "tool_call_id": call_id, "content": text, **fields}


def mixed(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give messages in an order that is the same on every run."""
    random.Random(7).shuffle(messages)  # noqa: S311 - no secret
    return messages


def orders(count: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Give conversations with so many calls, by what is odd about them."""
    ids = [f"c{at}" for at in range(count)]
    calls, results = [call(one) for one in ids], [result(one) for one in ids]
    yield "in order", [message for at in range(count) for message in (calls[at], results[at])]
    yield "calls first", [*calls, *results]
    yield "calls first, results backwards", [*calls, *reversed(results)]
    yield "results first", [*results, *calls]
    yield "shuffled", mixed([*calls, *results])
    yield "each call with an orphan", [message for one in ids for message in (call(one), result(f"{one}?"))]
    yield "one id for all", [message for at in range(count) for message in (call("x"), result("x", f"{at}"))]
    yield "no ids", [*(call("") for _ in ids), *(result("", one) for one in ids)]
    yield "names, no ids", [*(call("", name=one) for one in ids), *(result("", name=one) for one in ids)]
    yield "names as ids", [*(call(one, name=f"f{one}") for one in ids), *(result(f"f{one}") for one in ids)]
    yield "parallel", [call(*ids), *results]
    yield "parallel, results backwards", [call(*ids), *reversed(results)]
    yield "parallel, of one id", [call(*("x" for _ in ids)), *(result("x", one) for one in ids)]
    yield "parallel, no ids", [call(*("" for _ in ids)), *(result("", one) for one in ids)]
    yield "one call, many results", [call("x"), *(result("x", one) for one in ids)]
    yield "orphans", results
    yield "orphans between questions", [message for one in results for message in (one, ASK)]
    yield "open calls between questions", [message for one in calls for message in (one, ASK)]


DOORS: Final[dict[str, Callable[[list[dict[str, Any]]], object]]] = {
    "whole": lambda messages: fit(messages, ROOM, counter=COUNTER),
    "open calls go": lambda messages: fit(messages, ROOM, counter=COUNTER, policy=HistoryPolicy(unanswered="drop")),
    "for Anthropic": lambda messages: fit(messages, ROOM, counter=COUNTER, provider="anthropic"),
    "for Gemini": lambda messages: fit(messages, ROOM, counter=COUNTER, provider="gemini"),
    "validated": lambda messages: validate(messages, "claude-opus-5"),
    "corrected": lambda messages: validate(messages, "gpt-4o").fixed,
}


def work(door: str, messages: list[dict[str, Any]]) -> int:
    """Give how many functions are called."""
    called = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal called
        called += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        DOORS[door](messages)
    finally:
        sys.setprofile(before)
    return called


@pytest.mark.parametrize("door", DOORS)
def test_calls_and_results_cost_what_their_number_is(door: str) -> None:
    """Whatever order they stand in, and whether they know of one another or not."""
    sizes = (4 * FEW, 2 * FEW, FEW)
    for (case, most), (_, more), (_, few) in zip(*map(orders, sizes), strict=True):
        work(door, [ASK, *most])  # so that the largest does not count what the others know then
        largest, middle, least = (work(door, [ASK, *messages]) for messages in (most, more, few))
        assert largest - middle < 2.08 * (middle - least), case
