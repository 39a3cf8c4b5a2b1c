"""Calls whose arguments are no JSON, where a message is rewritten for another reason."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from ctx_core import HistoryPolicy
from langchain_ctx import ContextRunnable
from tests.core.talks import WORDS


def malformed(key: str) -> Any:
    """Give an invalid call."""
    return {"type": "invalid_tool_call", "id": key, "name": "look", "args": "not json at all", "error": None}


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_malformed_call_is_counted_as_it_goes_out_beside_one_that_is_dropped(provider: str) -> None:
    """OpenAI's client sends it as it is, so that it stays invalid; for others it becomes an object that says so."""
    answer = AIMessage("", invalid_tool_calls=[malformed("c1"), malformed("c2")])
    messages = [HumanMessage("go"), answer, ToolMessage("14:05", tool_call_id="c1"), HumanMessage("and?")]
    reports: list[Any] = []
    step = ContextRunnable(
        1_000,
        counter=WORDS,
        provider=provider,
        policy=HistoryPolicy(unanswered="drop"),
        on_report=reports.append,
    )
    sent = step.invoke(messages)
    (left,) = [message for message in sent if isinstance(message, AIMessage)]
    invalid = [call["id"] for call in left.invalid_tool_calls]
    listed = {call["id"]: call["args"] for call in left.tool_calls}
    assert (invalid, listed) == (
        (["c1"], {}) if provider == "openai" else ([], {"c1": {"malformed_arguments": "not json at all"}})
    )
    assert ("calls as sent" in reports[-1].changes) is False
    assert reports[-1].used == step.preview(sent).tokens
