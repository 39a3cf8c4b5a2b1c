"""What repair costs: as many steps as there are messages, whatever stands in the way."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from ctx_core import ContextBuilder
from ctx_core.history import pairing, repair
from ctx_core.providers.changes import ids

FILES = {module.__file__ for module in (ids, pairing, repair)}
assert all(name and Path(name).is_file() for name in FILES)


def calls(*ids: str, name: str = "look") -> dict[str, Any]:
    """Give a message that asks for calls."""
    listed = [{"id": one, "type": "function", "function": {"name": name, "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": listed}


def result(told: str | None, text: str, **more: str) -> dict[str, Any]:
    """Give a result."""
    return {"role": "tool", "content": text, **({} if told is None else {"tool_call_id": told}), **more}


def strangers(size: int) -> list[dict[str, Any]]:
    """Give pairs of a call and a result of nothing."""
    return [one for at in range(size) for one in (calls(f"c{at}"), result(f"o{at}", "r"))]


def nameless(size: int) -> list[dict[str, Any]]:
    """Give pairs without ids, whose names differ."""
    return [one for at in range(size) for one in (calls(""), result("", "r", name=f"other{at}"))]


def late(size: int) -> list[dict[str, Any]]:
    """Give all calls, and then all results."""
    return [*(calls(f"c{at}") for at in range(size)), *(result(f"c{at}", "r") for at in range(size))]


def backwards(size: int) -> list[dict[str, Any]]:
    """Give all calls, and then all results, the last first."""
    return [*(calls(f"c{at}") for at in range(size)), *(result(f"c{at}", "r") for at in reversed(range(size)))]


def wide(size: int) -> list[dict[str, Any]]:
    """Give one message with all calls, and their results."""
    return [calls(*(f"c{at}" for at in range(size))), *(result(f"c{at}", "r") for at in range(size))]


def wide_strangers(size: int) -> list[dict[str, Any]]:
    """Give one message with all calls, and results of nothing."""
    return [calls(*(f"c{at}" for at in range(size))), *(result(f"o{at}", "r") for at in range(size))]


def wide_named(size: int) -> list[dict[str, Any]]:
    """Give one message with all calls, and results that say the tool's name only."""
    return [calls(*(f"c{at}" for at in range(size))), *(result(None, f"r{at}", name="look") for at in range(size))]


def same_id(size: int) -> list[dict[str, Any]]:
    """Give one message with calls of one id, and their results."""
    return [calls(*["c"] * size), *(result("c", f"r{at}") for at in range(size))]


def seconds(size: int) -> list[dict[str, Any]]:
    """Give one call, and many results of it that differ."""
    return [calls("c"), *(result("c", f"r{at}") for at in range(size))]


def steps_of(messages: list[dict[str, Any]]) -> int:
    """Give the lines that are run in the modules that repair."""
    ran = 0

    def trace(frame: Any, _event: str, _argument: object) -> Any:
        return count if frame.f_code.co_filename in FILES else None

    def count(_frame: Any, event: str, _argument: object) -> Any:
        nonlocal ran
        ran += event == "line"
        return count

    history = [{"role": "user", "content": "q"}, *messages, {"role": "user", "content": "and?"}]
    builder = ContextBuilder(100_000_000, len)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        builder.build(history=history)
    finally:
        sys.settrace(before)
    return ran


@pytest.mark.parametrize(
    "make", [strangers, nameless, late, backwards, wide, wide_strangers, wide_named, same_id, seconds]
)
def test_twice_the_messages_are_twice_the_steps(make: Any) -> None:
    """However calls and results miss each other."""
    once, twice = steps_of(make(150)), steps_of(make(300))
    assert once > 150
    assert twice < 2.3 * once


def test_many_results_of_one_call_are_joined_in_order() -> None:
    """Each once, with a line break between them; what was said already is not said again."""
    history = [{"role": "user", "content": "q"}, *seconds(3), result("c", "r1"), {"role": "user", "content": "and?"}]
    context = ContextBuilder(10_000, len).build(history=history)
    assert [message["content"] for message in context.messages if message["role"] == "tool"] == ["r0\nr1\nr2"]
    assert context.report.history.repairs == {"duplicates": 1, "joined": 2}
