"""Turns, steps, and where a cut parts nothing."""

from __future__ import annotations

import pytest

from ctx_core import Message, Role, ToolCall
from ctx_core.history.cuts import Turn, safe_cuts, steps, turns
from ctx_core.history.places import Index, Position
from ctx_core.history.repair import Entry

_MADE = {
    "s": Message.system("s"),
    "u": Message.user("u"),
    "a": Message.assistant("a"),
    "c": Message.assistant(tool_calls=(ToolCall(name="f", id="c1"),)),
    "t": Message(role=Role.TOOL, tool_call_id="c1"),
}


def entries(roles: str) -> list[Entry]:
    """Make a conversation: s(ystem), u(ser), a(nswer), c(all), t(ool's result)."""
    return [Entry(Position(at), _MADE[role]) for at, role in enumerate(roles)]


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ("", []),
        ("u", [(0, 1, True)]),
        ("uaua", [(0, 2, True), (2, 4, True)]),
        ("uctauct", [(0, 4, True), (4, 7, True)]),
        ("uu", [(0, 1, True), (1, 2, True)]),
        ("au", [(0, 1, False), (1, 2, True)]),
        ("sua", [(0, 1, False), (1, 3, True)]),
        ("uasua", [(0, 3, True), (3, 5, True)]),
        ("act", [(0, 3, False)]),
    ],
)
def test_a_turn_is_a_question_and_all_up_to_the_next(roles: str, expected: list[tuple[int, int, bool]]) -> None:
    """What stands before the first question is a turn without one."""
    assert turns(entries(roles)) == [
        Turn(Index(start), Index(end), has_question=asked) for start, end, asked in expected
    ]


@pytest.mark.parametrize(
    ("roles", "expected"),
    [("", []), ("ua", []), ("uct", [(1, 3)]), ("ucttct", [(1, 4), (4, 6)]), ("uc", [(1, 2)]), ("uctua", [(1, 3)])],
)
def test_a_step_is_a_call_and_its_results(roles: str, expected: list[tuple[int, int]]) -> None:
    """A call in flight is a step without results."""
    assert steps(entries(roles)) == expected


@pytest.mark.parametrize(
    ("roles", "start", "end", "expected"),
    [
        ("ucttau", 0, 6, [0, 1, 4, 5]),
        ("ucttau", 1, 4, [1]),
        ("sua", 0, 3, [0, 1, 2]),
        ("ttu", 0, 3, [2]),
        ("u", 1, 1, []),
    ],
)
def test_a_stretch_may_begin_anywhere_but_at_a_result(roles: str, start: int, end: int, expected: list[int]) -> None:
    """It would stand there without its call."""
    assert safe_cuts(entries(roles), Index(start), Index(end)) == expected
