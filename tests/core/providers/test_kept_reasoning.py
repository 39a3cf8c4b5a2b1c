"""DeepSeek wants the reasoning of each step beside its calls: a word stands where it was not kept."""

from __future__ import annotations

from typing import Any, Final

import pytest

from ctx_core import fit, validate
from ctx_core.providers import Kind

TOOLS: Final[list[dict[str, Any]]] = [{"type": "function", "function": {"name": "look", "parameters": {}}}]


def step(told: str, **beside: str) -> list[dict[str, Any]]:
    """Give a call and its result."""
    call = {"id": told, "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call], **beside},
        {"role": "tool", "tool_call_id": told, "content": "42"},
    ]


KEPT: Final = step("c1", reasoning_content="because")
LOST: Final = step("c2")
TALK: Final = [
    {"role": "user", "content": "Is it?"},
    *KEPT,
    {"role": "assistant", "content": "Yes."},
    {"role": "user", "content": "And?"},
    *LOST,
]


@pytest.mark.parametrize("model", ["deepseek-reasoner", "deepseek-v4-pro", "deepseek-v3.2"])
def test_a_step_without_reasoning_says_so(model: str) -> None:
    """Old turns too; what has its reasoning stays the object that came in."""
    sent = fit(TALK, 10_000, counter=len, provider="deepseek").messages
    assert sent[5]["reasoning_content"]
    assert {**sent[5], "reasoning_content": None} == {**LOST[0], "reasoning_content": None}
    assert [one is other for one, other in zip(sent, TALK, strict=True)].count(False) == 1
    request = {"model": model, "messages": TALK, "tools": TOOLS, "thinking": {"type": "enabled"}}
    found = validate(request)
    assert {refusal.kind for refusal in found.refusals} == {Kind.CALLS_KEEP_REASONING}
    assert found.fixed.validation.accepted, str(found.fixed.validation)


def test_models_that_do_not_think_get_none() -> None:
    """Nothing is changed."""
    sent = fit(TALK, 10_000, counter="deepseek-chat").messages
    assert all(one is other for one, other in zip(sent, TALK, strict=True))
