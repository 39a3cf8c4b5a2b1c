"""An agent finds again what was cut of its own conversation, by a tool."""

from __future__ import annotations

import re
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, MessageRole

from ctx_core import BudgetError
from llamaindex_ctx import ContextMemoryBuffer, with_context_budget
from tests.llamaindex_ctx.spies import COUNTER, CallingSpy, ReasoningSpy, Request, says
from tests.llamaindex_ctx.turns import IGNORED, ask, calls, code_agent, faults, function_agent, react_agent, thinking

pytestmark = [pytest.mark.filterwarnings(ignored) for ignored in IGNORED]
BUDGET = 2_000


@pytest.mark.parametrize("by", ["id", "query"])
async def test_a_result_that_was_cleared_is_found_again(by: str) -> None:
    """By the id in its placeholder, or by words; the answer is a result like any other, and fits."""
    found: list[str] = []

    def answer(request: Request) -> ChatMessage:
        at = len(llm.requests)
        results = [one.content or "" for one in request.messages if one.role == MessageRole.TOOL]
        if found:
            found.append(results[-1])
            return says("Page 7.")
        placeholders = [match for one in results if (match := re.search(r'search_context\(id="(.+?)"\)', one))]
        if at < 20 or (not placeholders and at < 40):
            return calls(at, words=200)
        found.append("asked")
        asked = {"id": placeholders[0].group(1)} if by == "id" else {"query": "Page 2"}
        return calls(at, tool="search_context", asked=asked)

    llm: Any = CallingSpy.of(answer)
    agent = with_context_budget(function_agent(llm, streaming=False), BUDGET, counter=COUNTER, recall=True)
    await ask(agent, memory=ContextMemoryBuffer.from_defaults(token_limit=30_000))
    assert "ferry harbor island" in found[1]
    assert [fault for request in llm.requests for fault in faults(request, BUDGET, COUNTER)] == []
    with_context_budget(agent, BUDGET, counter=COUNTER, recall=True)
    assert [tool.metadata.name for tool in agent.tools or ()] == ["page", "search_context"]  # type: ignore[union-attr]


async def test_an_agent_that_reasons_in_text_finds_its_steps_too() -> None:
    """Its observations are in no memory, and in no message of a tool."""
    think, found = thinking(20, 200), list[str]()

    def answer(request: Request) -> ChatMessage:
        if len(llm.requests) <= 20:
            return think(request)
        if not found:
            found.append("asked")
            asked = 'Thought: I look.\nAction: search_context\nAction Input: {"query": "Page 1"}'
            return says(asked)
        found.append(request.messages[-1].content or "")
        return thinking(0)(request)

    llm: Any = ReasoningSpy.of(answer)
    agent = with_context_budget(react_agent(llm, streaming=False), BUDGET, counter=COUNTER, recall=True)
    await ask(agent, memory=ContextMemoryBuffer.from_defaults(token_limit=30_000))
    assert "ferry harbor" in found[1]


@pytest.mark.parametrize("kind", ["llm", "code agent"])
def test_who_calls_no_tools_cannot_recall(kind: str) -> None:
    """It is refused when it is made."""
    given: Any = CallingSpy.of() if kind == "llm" else code_agent(CallingSpy.of())
    with pytest.raises(BudgetError, match="recall=True needs an agent"):
        with_context_budget(given, BUDGET, recall=True)
