"""Graphs: as a node, a hook, a prompt and in the functional API, what the model is given fits."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict, cast

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langgraph import prebuilt
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint  # pyright: ignore[reportMissingTypeStubs]
from langgraph.graph import END, START, StateGraph  # pyright: ignore[reportMissingTypeStubs]
from langgraph.graph.message import add_messages  # pyright: ignore[reportMissingTypeStubs]
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import BaseModel

from ctx_core import BudgetError, ContextReport, MessageError, OptionError
from langchain_ctx import ContextNode, ContextRunnable
from tests.langchain_ctx.scripted import ScriptedModel, look, looking, question

LIMIT = 1_500
THREAD: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 1_000}


def node(**options: Any) -> ContextNode:
    """Give a node that counts the tool of these graphs."""
    given: Any = {"tools": [look], **options}
    return ContextNode(LIMIT, counter="gpt-4o", **given)


def react(model: ScriptedModel, tools: Any = (look,), **options: Any) -> Any:
    """Give LangGraph's own agent, which it calls deprecated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cast("Any", prebuilt).create_react_agent(model, list(tools), **options)


async def run(graph: Any, how: str, given: Any) -> Any:
    """Run a graph through one of its doors, and give its last state."""
    if how == "invoke":
        return graph.invoke(given, THREAD)
    if how == "ainvoke":
        return await graph.ainvoke(given, THREAD)
    if how == "stream":
        return list(graph.stream(given, THREAD, stream_mode="values"))[-1]
    return [value async for value in graph.astream(given, THREAD, stream_mode="values")][-1]


DOORS = ["invoke", "ainvoke", "stream", "astream"]


@pytest.mark.parametrize("how", DOORS)
@pytest.mark.parametrize("place", ["pre_model_hook", "prompt"])
async def test_langgraphs_own_agent_is_given_what_fits(place: str, how: str) -> None:
    """As its hook and as its prompt: every request fits, and its state is whole."""
    model = ScriptedModel(script=looking(20))
    ours = {"pre_model_hook": node()} if place == "pre_model_hook" else {"prompt": node().prompt}
    graph = react(model, checkpointer=InMemorySaver(), **ours)
    state = [await run(graph, how, question(at)) for at in range(2)][-1]
    assert max(model.sizes) <= LIMIT
    assert len(state["messages"]) == 2 * 42
    assert ("llm_input_messages" in graph.get_state(THREAD).values) is (place == "pre_model_hook")


class Dict(TypedDict):
    """A state that is a dict, with a key of its own for messages."""

    talk: Annotated[list[Any], add_messages]
    window: dict[str, Any]
    fitting: list[Any]


class Model(BaseModel):
    """One that is a pydantic model."""

    talk: Annotated[list[Any], add_messages]
    window: dict[str, Any] = {}
    fitting: list[Any] = []


@dataclass
class Data:
    """One that is a dataclass."""

    talk: Annotated[list[Any], add_messages]
    window: dict[str, Any] = field(default_factory=dict[str, Any])
    fitting: list[Any] = field(default_factory=list[Any])


def value(state: Any, key: str) -> Any:
    """Give what a state of any kind has."""
    return state[key] if isinstance(state, dict) else getattr(state, key)


def graph_of(kind: Any, model: ScriptedModel, fit: ContextNode) -> Any:
    """Give a graph of a node of ours, a model and tools."""
    bound = model.bind_tools([look])

    def call(state: Any) -> Any:
        return {"talk": [bound.invoke([SystemMessage("Be kind."), *value(state, "fitting")])]}

    builder: Any = StateGraph(kind)
    builder.add_node("fit", fit)
    builder.add_node("model", call)
    builder.add_node("tools", ToolNode([look, *fit.tools], messages_key="talk"))
    builder.add_edge(START, "fit")
    builder.add_edge("fit", "model")
    builder.add_conditional_edges("model", lambda state: tools_condition(state, messages_key="talk"), ["tools", END])
    builder.add_edge("tools", "fit")
    return builder.compile(checkpointer=InMemorySaver())


@pytest.mark.parametrize("how", DOORS)
@pytest.mark.parametrize("kind", [Dict, Model, Data])
async def test_a_node_before_the_model_takes_any_state(kind: Any, how: str) -> None:
    """A dict, a pydantic model, a dataclass; its messages under any key, its window in the graph's own state."""
    model = ScriptedModel(script=looking(15))
    fit = node(messages_key="talk", output_key="fitting", state_key="window", reserve=30)
    graph = graph_of(kind, model, fit)
    state = await run(graph, how, {"talk": question()["messages"]})
    assert max(model.sizes) <= LIMIT
    assert len(value(state, "talk")) == 32
    assert graph.get_state(THREAD).values["window"]["start"] > 0


def test_the_window_of_a_graphs_state_goes_on_in_another_process() -> None:
    """A new node over the same checkpoints begins where the old one did, without a new decision."""
    messages: list[BaseMessage] = [HumanMessage("Go.", id="q")]
    for at in range(30):
        call = {"name": "look", "args": {"place": "x"}, "id": f"c{at}", "type": "tool_call"}
        messages += [AIMessage("", tool_calls=[call], id=f"a{at}"), ToolMessage("r " * 90, tool_call_id=f"c{at}")]
    first = node(state_key="window").invoke({"messages": messages})
    again = node(state_key="window").invoke({"messages": messages, "window": first["window"]})
    assert again == {"llm_input_messages": first["llm_input_messages"]}


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_the_functional_api_takes_and_gives_lists(asynchronous: bool) -> None:  # noqa: FBT001 - a row
    """A node of ours is called with a list and gives one."""
    fit, model = node(), ScriptedModel(script=lambda _: AIMessage("Answer. " * 40))

    @entrypoint(checkpointer=InMemorySaver())
    def chat(said: Any, *, previous: Any = None) -> Any:
        messages = [*(previous or []), *said]
        answer = model.invoke(fit.invoke(messages))
        return entrypoint.final(value=answer, save=[*messages, answer])

    @entrypoint(checkpointer=InMemorySaver())
    async def achat(said: Any, *, previous: Any = None) -> Any:
        messages = [*(previous or []), *said]
        answer = await model.ainvoke(await fit.ainvoke(messages))
        return entrypoint.final(value=answer, save=[*messages, answer])

    for at in range(30):
        given = [HumanMessage(f"Question {at}.")]
        await achat.ainvoke(given, THREAD) if asynchronous else chat.invoke(given, THREAD)
    assert len(model.requests) == 30
    assert max(model.sizes) <= LIMIT
    assert len(model.requests[-1].messages) < 40


@pytest.mark.parametrize("how", ["stream", "astream"])
async def test_reports_reach_custom_streams(how: str) -> None:
    """One for each request, in numbers."""
    graph = react(ScriptedModel(script=looking(3)), pre_model_hook=node())
    if how == "stream":
        chunks = list(graph.stream(question(), THREAD, stream_mode="custom"))
    else:
        chunks = [chunk async for chunk in graph.astream(question(), THREAD, stream_mode="custom")]
    assert [chunk["context_report"]["limit"] for chunk in chunks] == [LIMIT] * 4
    assert "ferry" not in str(chunks)


@pytest.mark.parametrize("how", DOORS)
@pytest.mark.parametrize("state_key", [None, "window"])
async def test_remove_shortens_what_is_stored(state_key: str | None, how: str) -> None:
    """What is left out is gone from the state, calls with their results; the question stays."""
    model = ScriptedModel(script=looking(15))
    fit = node(messages_key="talk", output_key="fitting", state_key=state_key, remove=True, reserve=30)
    state = await run(graph_of(Dict, model, fit), how, {"talk": question()["messages"]})
    assert max(model.sizes) <= LIMIT
    kept = state["talk"]
    assert len(kept) < 20
    assert kept[0].text == "When does ferry 0 leave?"
    calls = {call["id"] for one in kept if isinstance(one, AIMessage) for call in one.tool_calls}
    assert calls == {one.tool_call_id for one in kept if isinstance(one, ToolMessage)}


def test_what_is_removed_is_summarized_in_the_stored_history() -> None:
    """The summary is a message in the place of what it speaks of, and the next one goes on from it."""
    told: list[int] = []

    def summarizer(summary: str, messages: Any) -> str:
        told.append(len(messages))
        return f"{summary} {sum(told)} messages so far.".strip()

    model = ScriptedModel(script=looking(6))
    fit = node(messages_key="talk", output_key="fitting", remove=True, reserve=30, summarizer=summarizer)
    graph = graph_of(Dict, model, fit)
    state = [graph.invoke({"talk": question(at)["messages"]}, THREAD) for at in range(5)][-1]
    assert max(model.sizes) <= LIMIT
    assert len(told) > 1
    stored = [one.text for one in state["talk"] if "messages so far." in one.text]
    assert len(stored) == 1
    assert len(state["talk"]) < 20
    assert state["talk"][-1].text == "Done 34."


def test_messages_without_ids_cannot_be_removed() -> None:
    """They are removed by their ids: it says which reducer gives them."""
    messages = [HumanMessage("why " * 300) for _ in range(9)]
    with pytest.raises(MessageError, match="have no id: use the reducer add_messages"):
        node(remove=True).invoke({"messages": messages})


def test_switched_off_it_gives_and_removes_nothing_else() -> None:
    """Off, the model is given everything."""
    fit = node(remove=True, enabled=False)
    messages = [HumanMessage("why " * 300, id=str(at)) for at in range(9)]
    assert fit.invoke({"messages": messages}) == {"llm_input_messages": messages}
    fit.enabled = True
    update = fit.invoke({"messages": messages})
    assert all(isinstance(one, RemoveMessage) for one in update["messages"])
    assert len(update["llm_input_messages"]) + len(update["messages"]) == 9


def test_the_state_that_came_in_is_never_changed() -> None:
    """Neither its list nor its messages."""
    messages: list[BaseMessage] = [HumanMessage("why " * 300, id=str(at)) for at in range(9)]
    state = {"messages": messages}
    before = [one.model_copy(deep=True) for one in messages]
    node().invoke(state)
    assert messages == before
    assert state["messages"] is messages


@pytest.mark.parametrize("state", [{}, {"talk": []}, None])
def test_a_state_without_messages_says_what_to_give(state: Any) -> None:
    """It names the keys that there are."""
    with pytest.raises(MessageError, match="messages_key="):
        node().invoke(state)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"states": {}, "state_key": "window"}, OptionError, "state_key"),
        ({"message_key": "x"}, OptionError, "did you mean 'messages_key'"),
        ({"budget": None}, BudgetError, "give a budget"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: Any, error: type[Exception], says: str) -> None:
    """When the node is made."""
    with pytest.raises(error, match=says):
        ContextNode(**cast("Any", {"budget": LIMIT, **options}))


def test_each_model_of_fallbacks_gets_what_fits_it() -> None:
    """The first fails; the second is given what fits its own, smaller window."""
    first = ScriptedModel(script=looking(0), refuses=lambda _: ValueError("down"), profile={"max_input_tokens": 6_000})
    second = ScriptedModel(script=looking(0), model_name="gpt-4", profile={"max_input_tokens": 2_000})
    steps = [ContextRunnable(model=model) | model for model in (first, second)]
    messages = [HumanMessage("why " * 50) for _ in range(200)]
    steps[0].with_fallbacks(steps[1:]).invoke(messages)
    assert 2_000 < first.sizes[0] <= 4_500
    assert second.sizes[0] <= 1_500
    least = ContextRunnable(model=first.with_fallbacks([second])).invoke(messages)
    assert len(least) <= len(first.requests[0].messages)


@pytest.mark.parametrize("state_key", [None, "window"])
def test_the_search_tool_finds_what_the_node_has_cut(state_key: str | None) -> None:
    """The graph binds `node.tools`; the tool reads the graph's own messages."""

    def script(at: int) -> AIMessage:
        name, args = ("search_context", {"query": "place 0"}) if at == 15 else ("look", {"place": f"place {at}"})
        call = {"name": name, "args": args, "id": f"call-{at}", "type": "tool_call"}
        return AIMessage("", tool_calls=[call]) if at < 16 else AIMessage("Done.")

    model = ScriptedModel(script=script)
    fit = node(messages_key="talk", output_key="fitting", state_key=state_key, recall=True)
    state = graph_of(Dict, model, fit).invoke({"talk": question()["messages"]}, THREAD)
    found = next(one for one in state["talk"] if isinstance(one, ToolMessage) and one.name == "search_context")
    assert "Of place 0 there is to be said" in found.text
    assert max(model.sizes) <= LIMIT


@pytest.mark.parametrize("told", [False, True])
def test_the_search_tool_is_counted_with_the_models_own(told: bool) -> None:  # noqa: FBT001 - a row of the table
    """Once, whether or not it is said that the model has it: it can be bound only when the node is there."""
    tools = node(recall=True).tools if told else []
    model = ScriptedModel(script=looking(20))
    reports: list[ContextReport] = []
    fit = node(recall=True, tools=[look, *tools], on_report=reports.append)
    react(model, [look, *fit.tools], pre_model_hook=fit, checkpointer=InMemorySaver()).invoke(question(), THREAD)
    assert [report.used for report in reports] == model.sizes
    assert max(model.sizes) <= LIMIT
