"""Numbers of more digits than Python writes: no client can send them, wherever they stand."""

from __future__ import annotations

from typing import Any, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from ctx_core import MessageError, fit
from langchain_ctx import ContextRunnable

HUGE: Final = 10**5000
GO: Final = {"role": "user", "content": "go"}
CALLS: Final[dict[str, list[dict[str, Any]]]] = {
    "a block": [{"role": "user", "content": [{"type": "weird", "x": HUGE}]}],
    "arguments": [
        GO,
        {
            "role": "assistant",
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": {"a": HUGE}}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
    ],
    "an input": [
        GO,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {"a": -HUGE}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "ok"}]},
    ],
}


@pytest.mark.parametrize("name", CALLS)
def test_a_number_that_nobody_can_write_is_refused(name: str) -> None:
    """With words and its size, and not by whatever writes it first."""
    with pytest.raises(MessageError, match="a number of some 5000 digits"):
        fit(CALLS[name], 1_000, counter=len)


def test_it_is_refused_in_langchain_too() -> None:
    """In the arguments of a call."""
    call: Any = {"name": "f", "args": {"a": HUGE}, "id": "c", "type": "tool_call"}
    with pytest.raises(MessageError, match="a number of some 5000 digits"):
        ContextRunnable(1_000, counter="gpt-4o").invoke([HumanMessage("go"), AIMessage("", tool_calls=[call])])
