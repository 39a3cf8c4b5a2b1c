"""Policies as data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ctx_core import BudgetError, HistoryPolicy, Role, Share, ToolResultPolicy


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
        ({"min_tokens": None}, "min_tokens must be 0 or more, found None"),
        ({"priorities": {"read": "high"}}, "priorities must be whole numbers by the names of tools, found a text"),
        ({"priorities": {3: 1}}, "priorities must be whole numbers by the names of tools"),
        ({"overflow_share": 0}, "overflow_share must be above 0 and at most 1, found 0"),
        ({"overflow_share": 1.5}, "overflow_share must be above 0 and at most 1, found 1.5"),
        ({"overflow_share": float("nan")}, "overflow_share must be above 0 and at most 1, found nan"),
        ({"overflow_share": "0.5"}, "overflow_share"),
        ({"clear_rest": 1}, "clear_rest must be a bool, found int"),
        ({"keep_errors": None}, "keep_errors must be a bool, found None"),
        ({"superseded": "yes"}, "superseded must be a bool"),
        ({"error_words": "somewhere"}, "error_words must be one of at_start, anywhere"),
        ({"placeholder": ""}, "placeholder must be a text that says something"),
        ({"cut_marker": None}, "cut_marker must be a text that says something, found None"),
        ({"priorities": [1]}, "priorities must be a Mapping, found list"),
        ({"keep": "browse"}, "keep must be names of tools in a tuple, found a text of 6 characters"),
        ({"first": None}, "first must be names of tools in a tuple, found None"),
        ({"first": ("browse", 3)}, "first must be names of tools"),
        ({"keep": ("browse",), "first": ["browse"]}, "results of browse cannot be kept and cleared first"),
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
        ({"preserve_recent_turns": None}, "preserve_recent_turns must be 0 or more, found None"),
        ({"max_messages": "7"}, "max_messages"),
        ({"marker_role": "tool"}, "marker_role must be one of system, developer, user, found 'tool'"),
        ({"marker_role": Role.ASSISTANT}, "marker_role must be one of system, developer, user"),
        ({"marker_role": "somebody"}, "marker_role"),
        ({"marker_role": 3}, "marker_role"),
        ({"omission_marker": ""}, "omission_marker must be a text that says something, found an empty text"),
        ({"omission_marker": " \n"}, "omission_marker"),
        ({"omission_marker": 3}, "omission_marker must be a text that says something, found int"),
        ({"stub": ""}, "stub"),
        ({"pinned": True}, "pinned must be a function of a message, found bool"),
        ({"pinned": "tide"}, "pinned"),
        ({"results": None}, "results must be a ToolResultPolicy, found None"),
        ({"results": {"max_tokens": 5}}, "results must be a ToolResultPolicy, found dict"),
        ({"split_last_run": 1}, "split_last_run must be a bool, found int"),
        ({"start_with_user": "no"}, "start_with_user must be a bool, found a text of 2 characters"),
    ],
)
def test_a_misspelt_policy_is_refused(fields: dict[str, Any], found: str) -> None:
    """A policy that silently does something else would be found out by its bill."""
    with pytest.raises(BudgetError, match=found):
        HistoryPolicy(**fields)


@pytest.mark.parametrize("role", ["user", "system", "developer", Role.USER])
def test_a_role_may_be_a_text(role: Any) -> None:
    """As it comes from a file of settings."""
    policy = HistoryPolicy(marker_role=role)
    assert policy.marker_role is Role(role)
    assert policy == HistoryPolicy(marker_role=Role(role))


def test_names_of_tools_may_be_a_list() -> None:
    """As JSON has them."""
    names: Any = ["read"]
    assert ToolResultPolicy(keep=names) == ToolResultPolicy(keep=("read",))


def test_policies_are_values() -> None:
    """Equal if they say the same, and a changed one is another."""
    policy = HistoryPolicy(keep_first=Share(0.1), results=ToolResultPolicy(max_tokens=100))
    assert policy == HistoryPolicy(keep_first=Share(0.1), results=ToolResultPolicy(max_tokens=100))
    assert hash(policy) == hash(HistoryPolicy(keep_first=Share(0.1), results=ToolResultPolicy(max_tokens=100)))
    assert replace(policy, low_water=0.5) != policy
