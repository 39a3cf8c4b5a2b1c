"""Policies as data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ctx_core import BudgetError, HistoryPolicy, Share, ToolResultPolicy


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"max_messages": 0}, "max_messages must be 1 or more, or None, found 0"),
        ({"max_messages": -3}, "max_messages must be 1 or more, or None, found -3"),
        ({"keep_first": -1}, "keep_first must be 0 or more, found -1"),
        ({"preserve_recent_turns": -1}, "preserve_recent_turns must be 0 or more, found -1"),
        ({"low_water": 0}, "low_water must be above 0 and at most 1, found 0"),
        ({"low_water": 1.01}, "low_water must be above 0 and at most 1, found 1.01"),
        ({"low_water": float("nan")}, "low_water must be above 0 and at most 1, found nan"),
    ],
)
def test_history_policies_that_cannot_work_are_refused(fields: dict[str, Any], found: str) -> None:
    """When they are made, with what was found."""
    with pytest.raises(BudgetError, match=found):
        HistoryPolicy(**fields)


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"max_tokens": 0}, "max_tokens must be 1 or more, or None, found 0"),
        ({"clear_after_steps": -1}, "clear_after_steps must be 0 or more, found -1"),
        ({"min_tokens": -1}, "min_tokens must be 0 or more, found -1"),
        ({"overflow_share": 0}, "overflow_share must be above 0 and at most 1, found 0"),
        ({"overflow_share": 1.5}, "overflow_share must be above 0 and at most 1, found 1.5"),
        ({"overflow_share": float("nan")}, "overflow_share must be above 0 and at most 1, found nan"),
    ],
)
def test_result_policies_that_cannot_work_are_refused(fields: dict[str, Any], found: str) -> None:
    """When they are made, with what was found."""
    with pytest.raises(BudgetError, match=found):
        ToolResultPolicy(**fields)


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"reasoning": "forget"}, "reasoning"),
        ({"unanswered": "ignore"}, "unanswered"),
        ({"keep_first": 1.5}, "keep_first"),
        ({"keep_first": "2"}, "keep_first"),
        ({"max_messages": 2.5}, "max_messages"),
        ({"max_messages": "7"}, "max_messages"),
    ],
)
def test_a_misspelt_policy_is_refused(fields: dict[str, Any], found: str) -> None:
    """A policy that silently does something else would be found out by its bill."""
    with pytest.raises(BudgetError, match=found):
        HistoryPolicy(**fields)


def test_policies_are_values() -> None:
    """Equal if they say the same, and a changed one is another."""
    policy = HistoryPolicy(keep_first=Share(0.1), results=ToolResultPolicy(max_tokens=100))
    assert policy == HistoryPolicy(keep_first=Share(0.1), results=ToolResultPolicy(max_tokens=100))
    assert hash(policy) == hash(HistoryPolicy(keep_first=Share(0.1), results=ToolResultPolicy(max_tokens=100)))
    assert replace(policy, low_water=0.5) != policy
