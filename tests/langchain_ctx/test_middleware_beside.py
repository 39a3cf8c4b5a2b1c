"""Beside the middlewares that agents have already."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from langchain.agents.middleware import (
    ContextEditingMiddleware,
    HumanInTheLoopMiddleware,
    LLMToolSelectorMiddleware,
    ModelFallbackMiddleware,
    ModelRetryMiddleware,
    SummarizationMiddleware,
    TodoListMiddleware,
    before_model,
)
from langchain.agents.middleware.context_editing import ClearToolUsesEdit
from langchain_core.callbacks import get_usage_metadata_callback
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.message import REMOVE_ALL_MESSAGES  # pyright: ignore[reportMissingTypeStubs]
from langgraph.types import Command

from langchain_ctx import ChatModelSummarizer, ContextMiddleware, token_counter
from tests.langchain_ctx.scripted import ScriptedModel, look, looking, question
from tests.langchain_ctx.scripted import agent as made

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

LIMIT = 1_500
THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}, "recursion_limit": 1_000}


def ours(**options: Any) -> ContextMiddleware:
    """Give the middleware."""
    return ContextMiddleware(LIMIT, counter="gpt-4o", **options)


class Counting:
    """A summarizer that counts how often it is asked."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self.asked = 0

    def __call__(self, summary: str, messages: Any) -> str:
        """Summarize."""
        self.asked += 1
        return f"{summary} {len(messages)} messages.".strip()


class FlakyError(Exception):
    """Fails and may be tried again."""


def flaky(times: int) -> Any:
    """Fail the first so many times of each request."""
    failed: dict[str, int] = {}

    def refuses(tokens: int) -> Exception | None:
        failed[str(tokens)] = failed.get(str(tokens), 0) + 1
        return FlakyError() if failed[str(tokens)] <= times else None

    return refuses


def retrying() -> ModelRetryMiddleware:
    """Give a middleware that tries three times."""
    return ModelRetryMiddleware(max_retries=2, initial_delay=0, jitter=False, on_failure="error")


def test_retries_send_the_same_request_and_pay_for_one_summary() -> None:
    """Each request is made three times; it is the same each time, and what was cut is summarized once."""
    summarizer = Counting()
    model = ScriptedModel(script=looking(20), refuses=flaky(2))
    made(model, [look], middleware=[retrying(), ours(summarizer=summarizer)]).invoke(question(), THREAD)
    plain, once = Counting(), ScriptedModel(script=looking(20))
    made(once, [look], middleware=[ours(summarizer=plain)]).invoke(question(), THREAD)
    sent = [request.messages for request in model.requests]
    assert sent[::3] == sent[1::3] == sent[2::3]
    assert [len(messages) for messages in sent[2::3]] == [len(one.messages) for one in once.requests]
    assert summarizer.asked == plain.asked > 0


def test_a_fallback_gets_what_fits_it() -> None:
    """The first model fails at every request; the second has a smaller window, and its own counter."""
    first = ScriptedModel(script=looking(30), refuses=lambda _: FlakyError(), profile={"max_input_tokens": 5_000})
    second = ScriptedModel(script=looking(30), model_name="gpt-4", profile={"max_input_tokens": 2_000})
    agent = made(first, [look], middleware=[ModelFallbackMiddleware(second), ContextMiddleware()])
    agent.invoke(question(), THREAD)
    assert 2_000 < max(first.sizes) <= 3_750
    assert max(second.sizes) <= 1_500


@pytest.mark.parametrize("asynchronous", [True, False])
async def test_each_model_of_with_fallbacks_gets_what_fits_it(asynchronous: bool) -> None:  # noqa: FBT001 - a row
    """A model with fallbacks of LangChain's own: the second is asked where the first fails, with less."""
    first = ScriptedModel(script=looking(30), refuses=lambda _: FlakyError(), profile={"max_input_tokens": 5_000})
    second = ScriptedModel(script=looking(30), model_name="gpt-4", profile={"max_input_tokens": 2_000})
    agent = made(first.with_fallbacks([second], exceptions_to_handle=(FlakyError,)), middleware=[ContextMiddleware()])
    await agent.ainvoke(question(), THREAD) if asynchronous else agent.invoke(question(), THREAD)
    assert 2_000 < max(first.sizes) <= 3_750
    assert max(second.sizes) <= 1_500


def test_the_first_error_comes_out_where_all_fallbacks_fail() -> None:
    """As LangChain has it; an error that is not to be handled comes out at once."""
    first = ScriptedModel(script=looking(1), refuses=lambda _: FlakyError("first"))
    second = ScriptedModel(script=looking(1), refuses=lambda _: FlakyError("second"))
    with pytest.raises(FlakyError, match="first"):
        made(first.with_fallbacks([second]), middleware=[ours()]).invoke(question(), THREAD)
    with pytest.raises(FlakyError, match="first"):
        made(first.with_fallbacks([second], exceptions_to_handle=(KeyError,)), middleware=[ours()]).invoke(question())
    assert (len(first.requests), len(second.requests)) == (2, 1)


@pytest.mark.parametrize("first", [True, False])
def test_beside_langchains_summaries(first: bool) -> None:  # noqa: FBT001 - a row of the table
    """They shorten the stored history; ours holds what is left of it within the budget, from turn to turn."""
    writer = ScriptedModel(script=lambda _: AIMessage("They asked for ferries."))
    theirs = SummarizationMiddleware(
        writer, trigger=("tokens", 2_500), keep=("messages", 6), token_counter=token_counter("gpt-4o")
    )
    model = ScriptedModel(script=looking(8))
    both = [theirs, ours()] if first else [ours(), theirs]
    agent = made(model, [look], middleware=both, checkpointer=InMemorySaver())
    messages = [agent.invoke(question(at), THREAD)["messages"] for at in range(6)][-1]
    assert writer.requests
    assert max(model.sizes) <= LIMIT
    assert any("They asked for ferries." in one.text for one in messages)
    assert all(f"When does ferry {at} leave?" in str(model.requests[at * 9].messages) for at in range(6))


def test_beside_context_editing() -> None:
    """It clears old results on a copy; the state keeps them, and what is sent fits."""
    editing = ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=1_000, keep=2)])
    model = ScriptedModel(script=looking(20))
    messages = made(model, [look], middleware=[editing, ours()]).invoke(question(), THREAD)["messages"]
    assert max(model.sizes) <= LIMIT
    assert any("[cleared]" in one.text for one in model.requests[-1].messages)
    assert not any("[cleared]" in one.text for one in messages)


def test_a_run_that_waits_for_a_human_goes_on_where_it_was() -> None:
    """A call that is approved later: the request behind it begins as the one before the interrupt."""
    human = HumanInTheLoopMiddleware(interrupt_on={"look": True})
    model = ScriptedModel(script=looking(15))
    agent = made(model, [look], middleware=[human, ours()], checkpointer=InMemorySaver())
    result = agent.invoke(question(), THREAD)
    while "__interrupt__" in result:
        result = agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), THREAD)
    assert result["messages"][-1].text == "Done 15."
    assert max(model.sizes) <= LIMIT
    assert {request.messages[0].text for request in model.requests} == {"When does ferry 0 leave?"}
    assert len(model.requests) == 16


def test_a_rejected_call_fits_too() -> None:
    """What a human says in place of the result is a result."""
    human = HumanInTheLoopMiddleware(interrupt_on={"look": True})
    model = ScriptedModel(script=looking(2))
    agent = made(model, [look], middleware=[human, ours()], checkpointer=InMemorySaver())
    result = agent.invoke(question(), THREAD)
    while "__interrupt__" in result:
        result = agent.invoke(Command(resume={"decisions": [{"type": "reject", "message": "No."}]}), THREAD)
    assert any("with reason: No." in one.text for one in model.requests[-1].messages)


def test_beside_a_todo_list() -> None:
    """Its tool and its instructions are counted as they are sent."""
    model = ScriptedModel(script=looking(20))
    middleware = ContextMiddleware(2_500, counter="gpt-4o")
    made(model, [look], middleware=[TodoListMiddleware(), middleware]).invoke(question(), THREAD)
    assert {one["function"]["name"] for one in model.requests[0].sent["tools"]} == {"write_todos", "look"}
    assert max(model.sizes) <= 2_500


@tool
def book(ferry: str) -> str:
    """Book a ferry."""
    return f"Booked {ferry}."


def test_beside_a_tool_selector() -> None:
    """The tools that were chosen for a request are those that are counted."""
    chooser = ScriptedModel(script=lambda _: AIMessage(json.dumps({"tools": ["look"]})))
    reports: list[Any] = []
    model = ScriptedModel(script=looking(3))
    selector = LLMToolSelectorMiddleware(model=Choosing(script=chooser.script), max_tools=1)
    made(model, [look, book], middleware=[selector, ours(on_report=reports.append)]).invoke(question(), THREAD)
    assert [one["function"]["name"] for one in model.requests[0].sent["tools"]] == ["look"]
    assert all(0 <= report.used - size <= 60 for report, size in zip(reports, model.sizes, strict=True))


class Choosing(ScriptedModel):
    """A model whose structured answer is what its script says."""

    def with_structured_output(self, schema: Any, **_kwargs: Any) -> Any:
        """Give what chooses."""
        del schema
        return self | (lambda answer: json.loads(answer.text))


def test_a_subagent_has_a_window_of_its_own() -> None:
    """An agent that is another one's tool: each keeps its own state, and both fit."""
    inner_model = ScriptedModel(script=looking(15))
    inner = made(inner_model, [look], middleware=[ours()])

    @tool
    def ask(what: str) -> str:
        """Ask the one who knows."""
        return str(inner.invoke({"messages": [HumanMessage(what)]}, {"recursion_limit": 100})["messages"][-1].text)

    def script(at: int) -> AIMessage:
        call = {"name": "ask", "args": {"what": "More. " * 60}, "id": f"c{at}", "type": "tool_call"}
        return AIMessage("", tool_calls=[call]) if at < 8 else AIMessage("All asked.")

    outer_model = ScriptedModel(script=script)
    saver = InMemorySaver()
    outer = made(outer_model, [ask], middleware=[ours()], checkpointer=saver)
    assert outer.invoke(question(), THREAD)["messages"][-1].text == "All asked."
    assert max(outer_model.sizes) <= LIMIT
    assert max(inner_model.sizes) <= LIMIT
    assert len(inner_model.requests) == 8 * 16


def test_a_fork_from_the_history_has_the_cut_of_its_own_past() -> None:
    """From an old checkpoint the request is the one that was sent then, and nothing of the later turns is in it."""
    model = ScriptedModel(script=looking(6))
    agent = made(model, [look], middleware=[ours(summarizer=Counting())], checkpointer=InMemorySaver())
    for at in range(4):
        agent.invoke(question(at), THREAD)
    first = next(one for one in agent.get_state_history(THREAD) if len(one.values.get("messages", ())) == 15)
    then = [one.text for one in model.requests[7].messages[:2]]
    assert "ferry 1" in str(model.requests[7].messages)
    agent.invoke({"messages": [HumanMessage("And back?")]}, {**first.config, "recursion_limit": 1_000})
    forked = model.requests[28].messages
    assert [one.text for one in forked[:2]] == then or "ferry 0" in forked[0].text
    assert not any(f"ferry {at}" in one.text for one in forked for at in (2, 3))
    assert model.sizes[28] <= LIMIT


def test_a_thread_that_is_emptied_begins_anew() -> None:
    """`REMOVE_ALL_MESSAGES`: no cut and no summary of what is gone."""

    @before_model
    def emptied(state: Any, _runtime: Any) -> Any:
        """Remove all but the last message, where it says so."""
        last = state["messages"][-1]
        if last.text != "Forget it all.":
            return None
        return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), last]}

    model = ScriptedModel(script=looking(12))
    agent = made(model, [look], middleware=[emptied, ours(summarizer=Counting())], checkpointer=InMemorySaver())
    agent.invoke(question(), THREAD)
    assert any("Summary" in one.text for one in model.requests[-1].messages)
    agent.invoke({"messages": [HumanMessage("Forget it all.")]}, THREAD)
    assert [one.text for one in model.requests[13].messages] == ["Forget it all."]
    assert max(model.sizes) <= LIMIT


def edited(agent: Any, text: str) -> None:
    """Change the first message of a thread."""
    first = agent.get_state(THREAD).values["messages"][0]
    agent.update_state(THREAD, {"messages": [HumanMessage(text, id=first.id)]})


def test_an_edit_in_what_was_left_out_leads_to_a_new_decision() -> None:
    """The summary of the old text is not shown any more."""
    model = ScriptedModel(script=looking(6))
    agent = made(model, [look], middleware=[ours(summarizer=Counting())], checkpointer=InMemorySaver())
    for at in range(3):
        agent.invoke(question(at), THREAD)
    before = model.requests[-1].messages
    edited(agent, "Something else.")
    agent.invoke(question(3), THREAD)
    assert any("Summary" in one.text for one in before)
    after = model.requests[21].messages
    assert [one.text for one in after[:2]] != [one.text for one in before[:2]]


def test_summaries_stay_out_of_the_stream_and_are_in_the_usage() -> None:
    """What a model writes for the summary is nobody's answer, and is paid for."""
    writer = ScriptedModel(script=lambda _: AIMessage("Ferries were asked for."), bills=True, model_name="gpt-4")
    model = ScriptedModel(script=looking(15), bills=True)
    agent = made(model, [look], middleware=[ours(summarizer=ChatModelSummarizer(writer))])
    with get_usage_metadata_callback() as usage:
        streamed = [chunk for chunk, _ in agent.stream(question(), THREAD, stream_mode="messages")]
    assert writer.requests
    assert not any("Ferries were asked for." in chunk.text for chunk in streamed)
    assert set(usage.usage_metadata) == {"gpt-4", "gpt-4o"}
    assert any("Ferries were asked for." in one.text for request in model.requests for one in request.messages)


def test_inside_a_deep_agent() -> None:
    """With its files, its subagents and its own middlewares: what is sent fits."""
    deepagents = pytest.importorskip("deepagents")
    model = ScriptedModel(script=looking(20))
    middleware = ContextMiddleware(12_000, counter="gpt-4o")
    agent = deepagents.create_deep_agent(
        model, [look], middleware=[middleware], checkpointer=InMemorySaver(), system_prompt="You know all the ferries."
    )
    for at in range(4):
        agent.invoke(question(at), THREAD)
    assert len(model.requests) == 84
    assert max(model.sizes) <= 12_000 < sum(model.sizes[-1:]) + 12_000
    assert agent.get_state(THREAD).values["ctx_layers"]["start"] > 0


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_deep_agent_finds_again_what_was_cut(asynchronous: bool) -> None:  # noqa: FBT001 - a row of the table
    """With `recall` it is given back what was said on a step that no request holds any more."""
    deepagents = pytest.importorskip("deepagents")

    def script(asked: int) -> AIMessage:
        if asked < 90:
            return looking(100)(asked)
        if asked > 90:
            return AIMessage("Done.")
        call = {"name": "search_context", "args": {"query": "place 3"}, "id": "again", "type": "tool_call"}
        return AIMessage("", tool_calls=[call])

    model = ScriptedModel(script=script)
    middleware = ContextMiddleware(9_000, counter="gpt-4o", recall=True)
    agent = deepagents.create_deep_agent(model, [look], middleware=[middleware])
    state = await agent.ainvoke(question(), THREAD) if asynchronous else agent.invoke(question(), THREAD)
    (answer,) = [one.text for one in state["messages"] if isinstance(one, ToolMessage) and one.name == "search_context"]
    assert "Of place 3 there is to be said" in answer
    assert not any("place 3 " in one.text for one in model.requests[89].messages)
    assert max(model.sizes) <= 9_000
