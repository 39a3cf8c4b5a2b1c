"""An agent that asks for what was cut of its conversation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from ctx_core import HistoryPolicy
from langchain_ctx import ContextMiddleware
from tests.langchain_ctx.scripted import ScriptedModel, look, looking, question
from tests.langchain_ctx.scripted import agent as made

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

LIMIT = 3_000
THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}, "recursion_limit": 1_000}


@tool
def read(part: int) -> str:
    """Read a part of the log."""
    return f"Part {part}, code word {part * part + 1_000}. " + f"Line of part {part}. " * 60


def call(name: str, at: int, **arguments: Any) -> AIMessage:
    """Give a call of a tool."""
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{at}", "type": "tool_call"}])


def asking(model: ScriptedModel, steps: int, **arguments: Any) -> None:
    """Have a model read so many parts, then search, then answer. An id is that of the first placeholder it sees."""

    def script(at: int) -> AIMessage:
        if at < steps:
            return call("read", at, part=at)
        if at == steps:
            seen = str([one.content for one in model.requests[-1].messages])
            return call("search_context", at, **(arguments or {"id": re.findall(r'id="([0-9a-f]{8})"', seen)[0]}))
        return AIMessage("Done.")

    model.script = script


def found(messages: list[Any]) -> list[str]:
    """Give what the tool answered."""
    return [one.text for one in messages if isinstance(one, ToolMessage) and one.name == "search_context"]


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_cleared_result_is_given_back_by_the_name_in_its_placeholder(asynchronous: bool) -> None:  # noqa: FBT001
    """The result comes back whole, in a request that fits."""
    model = ScriptedModel(script=looking(1))
    asking(model, 20)
    agent = made(model, [read], middleware=[ContextMiddleware(LIMIT, counter="gpt-4o", recall=True)])
    state = await agent.ainvoke(question(), THREAD) if asynchronous else agent.invoke(question(), THREAD)
    (answer,) = found(state["messages"])
    results = {one.text for one in state["messages"] if isinstance(one, ToolMessage) and one.name == "read"}
    assert answer in results
    assert answer in [one.text for one in model.requests[-1].messages]
    assert max(model.sizes) <= LIMIT


def test_steps_that_were_left_out_are_found_by_words() -> None:
    """Of a run of 100 steps most have no placeholder any more."""
    model = ScriptedModel(script=looking(1))
    asking(model, 100, query="code word 1009")
    agent = made(model, [read], middleware=[ContextMiddleware(LIMIT, counter="gpt-4o", recall=True)])
    (answer,) = found(agent.invoke(question(), THREAD)["messages"])
    assert "Part 3, code word 1009." in answer
    assert max(model.sizes) <= LIMIT


def test_the_tool_is_bound_and_counted() -> None:
    """With the agent's own, and only where it was asked for."""
    model = ScriptedModel(script=looking(1))
    made(model, middleware=[ContextMiddleware(LIMIT, counter="gpt-4o", recall=True)]).invoke(question())
    (own,) = [one for one in model.requests[0].sent["tools"] if one["function"]["name"] == "search_context"]
    assert set(own["function"]["parameters"]["properties"]) == {"query", "id", "page"}
    assert own["function"]["parameters"].get("required", []) == []
    made(model, middleware=[ContextMiddleware(LIMIT, counter="gpt-4o")]).invoke(question())
    assert [one["function"]["name"] for one in model.requests[-1].sent["tools"]] == ["look"]


def test_nothing_of_another_thread_is_found() -> None:
    """A thread that has cut nothing finds nothing, whatever others have said."""
    model = ScriptedModel(script=looking(1))
    asking(model, 30, query="code word")
    middleware = ContextMiddleware(LIMIT, counter="gpt-4o", recall=True)
    agent = made(model, [read], middleware=[middleware], checkpointer=InMemorySaver())
    agent.invoke(question(), THREAD)
    model.asked = 30
    other = agent.invoke(question(), {"configurable": {"thread_id": "2"}})
    (answer,) = found(other["messages"])
    assert answer == "Nothing of this conversation has been left out: all of it is shown."


def test_a_policy_of_the_callers_has_placeholders_with_names() -> None:
    """How results are cut is theirs; what stands for them tells how to have them back."""
    model = ScriptedModel(script=looking(20))
    policy = HistoryPolicy(max_messages=6)
    made(model, middleware=[ContextMiddleware(LIMIT, counter="gpt-4o", recall=True, policy=policy)]).invoke(
        question(), THREAD
    )
    last = [one.text for one in model.requests[-1].messages]
    assert any("search_context(query=…) searches them]" in text for text in last)


def test_with_a_summary_the_tool_finds_what_the_summary_leaves_out() -> None:
    """What a summary speaks of is still stored, and so still found."""
    model = ScriptedModel(script=looking(1))
    asking(model, 60, query="code word 1025")
    middleware = ContextMiddleware(LIMIT, counter="gpt-4o", recall=True, summarizer=lambda *_: "Parts were read.")
    (answer,) = found(made(model, [read], middleware=[middleware]).invoke(question(), THREAD)["messages"])
    assert "Part 5, code word 1025." in answer
    assert look.name not in answer
