"""What Anthropic's own tools were asked and gave: both in one answer, or neither."""

from __future__ import annotations

from typing import Any, Final

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from ctx_core import ContextBudget, ContextBuilder, validate
from ctx_core.providers import PROVIDERS, Kind
from langchain_ctx.convert import CODEC as LANGCHAIN

Blocks = list[dict[str, Any]]

SEARCH: Final = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tide"}}
FOUND: Final[dict[str, Any]] = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
RUN: Final = {"type": "server_tool_use", "id": "srvtoolu_2", "name": "code_execution", "input": {"code": "1"}}
RAN: Final = {
    "type": "code_execution_tool_result",
    "tool_use_id": "srvtoolu_2",
    "content": {"type": "code_execution_result", "stdout": "1", "stderr": "", "return_code": 0, "content": []},
}
MCP: Final = {"type": "mcp_tool_use", "id": "mcptoolu_3", "name": "look", "server_name": "s", "input": {}}
GAVE: Final[dict[str, Any]] = {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_3", "is_error": False, "content": []}
THOUGHT: Final = {"type": "thinking", "thinking": "Hm.", "signature": "S"}
TIDE: Final = {"type": "text", "text": "High at six."}
USE: Final = {"type": "tool_use", "id": "toolu_4", "name": "look", "input": {}}
RESULT: Final = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_4", "content": "sunny"}]}
ASKED: Final = {"role": "user", "content": "When is the tide?"}
NEXT: Final = {"role": "user", "content": "And tomorrow?"}


def answer(*blocks: dict[str, Any]) -> dict[str, Any]:
    """Make an assistant message."""
    return {"role": "assistant", "content": list(blocks)}


TAKEN: Final[dict[str, Blocks]] = {
    "a search and what it found": [ASKED, answer(SEARCH, FOUND, TIDE), NEXT],
    "several tools at once": [ASKED, answer(SEARCH, RUN, MCP, GAVE, FOUND, RAN, TIDE), NEXT],
    "behind the caller's own tool": [ASKED, answer(SEARCH, USE), RESULT, answer(FOUND, TIDE), NEXT],
    "a paused answer that goes on": [ASKED, answer(SEARCH), answer(FOUND, TIDE), NEXT],
    "a paused answer at the end": [ASKED, answer(TIDE, SEARCH)],
    "left open beside the caller's own": [ASKED, answer(SEARCH, USE), RESULT],
}
BROKEN: Final[dict[str, tuple[Blocks, list[str], Blocks]]] = {
    "a result alone": ([ASKED, answer(FOUND, TIDE), NEXT], ["messages[1].content[0]"], [TIDE]),
    "code that ran": ([ASKED, answer(TIDE, RAN), NEXT], ["messages[1].content[1]"], [TIDE]),
    "of an MCP server": ([ASKED, answer(GAVE, TIDE), NEXT], ["messages[1].content[0]"], [TIDE]),
    "a call alone": ([ASKED, answer(TIDE, SEARCH), NEXT], ["messages[1].content[1]"], [TIDE]),
    "a call of MCP": ([ASKED, answer(MCP, TIDE), NEXT], ["messages[1].content[0]"], [TIDE]),
    "a result before its call": (
        [ASKED, answer(FOUND, SEARCH, TIDE), NEXT],
        ["messages[1].content[0]", "messages[1].content[1]"],
        [TIDE],
    ),
    "a result twice": (
        [ASKED, answer(SEARCH, FOUND, FOUND, TIDE), NEXT],
        ["messages[1].content[2]"],
        [SEARCH, FOUND, TIDE],
    ),
    "of another answer": ([ASKED, answer(TIDE), NEXT, answer(FOUND, TIDE), NEXT], ["messages[3].content[0]"], [TIDE]),
    "a thought of a call that goes": ([ASKED, answer(TIDE, THOUGHT, RUN), NEXT], ["messages[1].content[2]"], [TIDE]),
    "a thought before what stays": (
        [ASKED, answer(THOUGHT, FOUND, TIDE), NEXT],
        ["messages[1].content[1]"],
        [THOUGHT, TIDE],
    ),
}


@pytest.mark.parametrize("messages", TAKEN.values(), ids=TAKEN)
def test_what_is_whole_stays(messages: Blocks) -> None:
    """The messages are the very objects that came in."""
    assert validate(messages, "claude-sonnet-4-5", tools=[{"name": "look"}]).accepted
    context = ContextBuilder(ContextBudget(10_000), len).provider("anthropic").build(messages, codec="anthropic")
    assert all(one is other for one, other in zip(context.messages, messages, strict=True))


@pytest.mark.parametrize(("messages", "paths", "left"), BROKEN.values(), ids=BROKEN)
def test_one_without_the_other_is_refused_and_goes(messages: Blocks, paths: list[str], left: Blocks) -> None:
    """As dicts, and in LangChain's messages."""
    found = validate(messages, "claude-sonnet-4-5")
    assert [(refusal.kind, refusal.path) for refusal in found.refusals] == [
        (Kind.PROVIDER_TOOLS_PAIRED, path) for path in paths
    ]
    assert found.fixed.validation.accepted, str(found.fixed.validation)
    listed: Any = found.fixed.request
    answers = [message["content"] for message in listed if message["role"] == "assistant"]
    assert answers[-1] == left
    natives = [HumanMessage(one["content"]) if one["role"] == "user" else AIMessage(one["content"]) for one in messages]
    built = ContextBuilder(ContextBudget(10_000), len).provider("anthropic").build(natives, codec=LANGCHAIN)
    assert [one.content for one in built.messages if isinstance(one, AIMessage)][-1] == left


def test_an_answer_of_nothing_else_says_so() -> None:
    """A message without blocks would be refused."""
    fixed = validate([ASKED, answer(FOUND), NEXT], "claude-sonnet-4-5").fixed
    assert fixed.validation.accepted, str(fixed.validation)


def test_others_look_at_no_such_blocks() -> None:
    """The rule is Anthropic's."""
    assert [name for name, row in PROVIDERS.items() if row.asks(Kind.PROVIDER_TOOLS_PAIRED)] == ["anthropic", "unknown"]
