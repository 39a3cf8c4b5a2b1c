"""`token_counter` and `latest_anchor` with what LangChain has for counting functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware, SummarizationMiddleware
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage, trim_messages
from langchain_core.tools import tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel

from ctx_core import TokenCounter
from ctx_core.counting import count_anchored
from langchain_ctx import LangChainCodec, latest_anchor, token_counter
from tests.langchain_ctx.echo import EchoModel

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNTER = TokenCounter.for_model("gpt-4o")
CODEC = LangChainCodec()


class Weather(BaseModel):
    """The weather of a city."""

    city: str


def forecast(city: str) -> str:
    """Look up the forecast."""
    return city


@tool
def lookup(city: str) -> str:
    """Look up the weather of a city."""
    return city


FORMAT = {"type": "json_schema", "json_schema": {"name": "w", "schema": {"type": "object", "properties": {}}}}


def talk(turns: int) -> list[BaseMessage]:
    """Make a conversation of so many turns."""
    return [
        message
        for at in range(turns)
        for message in (HumanMessage(f"question {at} of ten words one two three"), AIMessage(f"answer {at}"))
    ]


def recount(messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]] = ()) -> int:
    """Count a request from scratch."""
    return COUNTER.count_messages([CODEC.read(message) for message in messages], tools=tools)


@pytest.mark.parametrize("counter", ["gpt-4o", COUNTER])
def test_trim_messages_keeps_as_many_as_we_count(counter: Any) -> None:
    """What is kept is within the limit by our count, and one turn more would not be."""
    messages = talk(30)
    kept = trim_messages(messages, max_tokens=100, token_counter=token_counter(counter), start_on="human")
    assert recount(kept) <= 100 < recount(messages[-len(kept) - 2 :])


@pytest.mark.parametrize("given", [lookup, forecast, Weather, convert_to_openai_tool(lookup), FORMAT])
def test_tools_of_every_kind_are_counted(given: Any) -> None:
    """A tool costs the same given for every request or for one, and more than none."""
    with_tool = token_counter(COUNTER, tools=[given])(talk(1))
    assert with_tool == token_counter(COUNTER)(talk(1), tools=[given]) > recount(talk(1))


def test_the_summarization_middleware_counts_with_it() -> None:
    """It summarizes above our count and not at it."""
    messages: list[Any] = talk(6)
    counts = [recount([*messages, HumanMessage("now?")]) + more for more in (0, 1)]
    lengths: list[int] = []
    for limit in counts:
        middleware = SummarizationMiddleware(
            EchoModel(), trigger=("tokens", limit), keep=("messages", 2), token_counter=token_counter(COUNTER)
        )
        agent = create_agent(EchoModel(), middleware=[middleware])
        lengths.append(len(agent.invoke({"messages": [*messages, HumanMessage("now?")]})["messages"]))
    assert lengths == [4, 14]


def test_the_context_editing_middleware_counts_with_it() -> None:
    """It clears old results above our count and not at it; the system prompt is part of what it counts."""
    messages: list[Any] = [HumanMessage("look")]
    for at in range(3):
        call = {"name": "lookup", "args": {"city": "x"}, "id": f"c{at}"}
        messages += [AIMessage("", tool_calls=[call]), ToolMessage("word " * 50, tool_call_id=f"c{at}")]
    total = recount(messages)
    cleared: list[bool] = []
    for limit in (total - 1, total):
        model = EchoModel()
        edit = ClearToolUsesEdit(trigger=limit, keep=1)
        middleware = ContextEditingMiddleware(edits=[edit], token_counter=token_counter(COUNTER))
        create_agent(model, middleware=[middleware]).invoke({"messages": messages})
        cleared.append(not str(model.received[-1][2].text).startswith("word"))
    assert cleared == [True, False]


def test_the_providers_figure_is_an_anchor() -> None:
    """What was billed before the latest answer is known; only the rest is estimated."""
    usage = {"input_tokens": 57, "output_tokens": 2, "total_tokens": 59}
    first = [SystemMessage("Be brief. " * 10), HumanMessage("one " * 10)]
    messages = [*first, AIMessage("two", usage_metadata=usage), HumanMessage("three")]
    anchor = latest_anchor(messages)
    assert anchor is not None
    assert (anchor.billed, len(anchor.sent)) == (57, 2)
    count = count_anchored(COUNTER, [CODEC.read(message) for message in messages], anchor)
    assert count.anchored
    assert count.estimate == 57 + recount(messages) - recount(first)


def test_without_a_figure_there_is_no_anchor() -> None:
    """Answers that carry no usage anchor nothing."""
    assert latest_anchor(talk(3)) is None
