"""`create_agent` with a middleware of ours: what reaches the model fits, and the agent's state is as without us."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import pytest
from langchain.agents.middleware.types import AgentMiddleware, ExtendedModelResponse, ModelRequest, ModelResponse
from langchain.agents.structured_output import (
    AutoStrategy,
    ProviderStrategy,
    StructuredOutputValidationError,
    ToolStrategy,
)
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from ctx_core import ContextBudget, ContextOverflowError, HistoryPolicy, Layer, UsageLog
from ctx_core.errors import BudgetError, OptionError, UnknownModelError
from ctx_core.memory import MemoryItem, RankedMemory
from ctx_core.recipes import Assistant, Chat, Recipe, Rolling, counter_for
from langchain_ctx import ContextMiddleware
from tests.langchain_ctx.scripted import ScriptedModel, look, looking, question
from tests.langchain_ctx.scripted import agent as made

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.runnables import RunnableConfig

LIMIT = 1_500
THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}, "recursion_limit": 1_000}


class Answer(BaseModel):
    """When the ferry leaves, and from where; all that a traveler has to know of it in a single place."""

    time: str
    """The time."""
    harbor: str


class Refund(BaseModel):
    """That there is a refund, and how large it is."""

    amount: int


def agent(model: ScriptedModel, *middleware: Any, **options: Any) -> Any:
    """Give an agent with a tool."""
    options.setdefault("system_prompt", "You know all the ferries.")
    return made(model, [look], middleware=list(middleware), **options)


async def call(of: Any, how: str, given: Any, config: RunnableConfig) -> Any:
    """Call an agent through one of its doors, and give the messages of its state."""
    if how == "invoke":
        return of.invoke(given, config)["messages"]
    if how == "ainvoke":
        return (await of.ainvoke(given, config))["messages"]
    if how == "stream":
        return list(of.stream(given, config, stream_mode="values"))[-1]["messages"]
    return [value async for value in of.astream(given, config, stream_mode="values")][-1]["messages"]


def contents(messages: list[Any]) -> list[Any]:
    """Give what messages say, without the ids of this run."""
    return [(type(one), one.content, getattr(one, "tool_calls", None)) for one in messages]


@pytest.mark.parametrize("how", ["invoke", "ainvoke", "stream", "astream"])
async def test_every_request_fits_and_the_state_is_as_without_us(how: str) -> None:
    """Two turns of twenty steps: each request within the budget by a recount, and not a message of the state lost."""
    model, plain = ScriptedModel(script=looking(20)), ScriptedModel(script=looking(20))
    ours = agent(model, ContextMiddleware(LIMIT, counter="gpt-4o"), checkpointer=InMemorySaver())
    theirs = agent(plain, checkpointer=InMemorySaver())
    for at in range(2):
        messages = await call(ours, how, question(at), THREAD)
        assert contents(messages) == contents(await call(theirs, how, question(at), THREAD))
    assert max(plain.sizes) > LIMIT >= max(model.sizes)
    assert len(model.requests) == 42


def test_each_request_is_one_a_provider_accepts() -> None:
    """Instructions first, then the question; every result directly behind its call."""
    model = ScriptedModel(script=looking(25))
    agent(model, ContextMiddleware(LIMIT, counter="gpt-4o")).invoke(question(), THREAD)
    for request in model.requests:
        kinds = [type(one) for one in request.messages]
        assert kinds == [SystemMessage, HumanMessage, *[AIMessage, ToolMessage] * (len(kinds) // 2 - 1)]
        calls = [one.tool_calls[0]["id"] for one in request.messages if isinstance(one, AIMessage)]
        assert calls == [one.tool_call_id for one in request.messages if isinstance(one, ToolMessage)]
        assert request.messages[1].text == "When does ferry 0 leave?"


def test_the_beginning_of_the_prompt_stays_between_cuts() -> None:
    """A request begins as the one before it, unless something was cut on this turn."""
    log, model = UsageLog(), ScriptedModel(script=looking(60))
    reports: list[Any] = []
    middleware = ContextMiddleware(LIMIT, counter="gpt-4o", usage_log=log, on_report=reports.append)
    agent(model, middleware).invoke(question(), THREAD)
    moved = 0
    for before, after, report in zip(model.requests, model.requests[1:], reports[1:], strict=False):
        same = after.messages[: len(before.messages)] == before.messages
        assert same or report.history.cut
        moved += not same
    assert 3 < moved < 20


def test_the_state_of_the_window_is_private() -> None:
    """It is in the checkpoint, not in the output, and not taken from the input."""
    model = ScriptedModel(script=looking(20))
    ours = agent(model, ContextMiddleware(LIMIT, counter="gpt-4o"), checkpointer=InMemorySaver())
    given = {**question(), "ctx_layers": {"version": 2, "start": 99, "summary": "Injected."}}
    out = ours.invoke(given, THREAD)
    assert set(out) == {"messages"}
    state = ours.get_state(THREAD).values["ctx_layers"]
    assert state["start"] > 1
    assert "Injected" not in json.dumps(state)
    assert not any("Injected" in str(one.content) for request in model.requests for one in request.messages)


def test_a_stream_of_messages_shows_nothing_of_the_window() -> None:
    """LangGraph's streams of states show every channel; with `output_keys` they show what is asked for."""
    ours = agent(ScriptedModel(script=looking(20)), ContextMiddleware(LIMIT, counter="gpt-4o"))
    given: dict[str, Any] = question()
    shown = {
        mode: list(ours.stream(given, THREAD, stream_mode=mode, output_keys=["messages"]))
        for mode in ("values", "updates")
    }
    assert all(set(state) == {"messages"} for state in shown["values"])
    assert all(update is None or set(update) <= {"messages"} for one in shown["updates"] for update in one.values())


def written(of: Any) -> list[Any]:
    """Give the states of the window in all checkpoints, oldest first, those that follow one another once."""
    states = [one.values.get("ctx_layers") for one in of.get_state_history(THREAD)][::-1]
    return [state for at, state in enumerate(states) if state is not None and (at == 0 or state != states[at - 1])]


def test_a_cut_is_written_once_and_nothing_else_is() -> None:
    """As many states in the checkpoints as there were cuts; each is JSON."""
    reports: list[Any] = []
    model = ScriptedModel(script=looking(40))
    middleware = ContextMiddleware(LIMIT, counter="gpt-4o", on_report=reports.append)
    ours = agent(model, middleware, checkpointer=InMemorySaver())
    for at in range(2):
        ours.invoke(question(at), THREAD)
    states = written(ours)
    assert len(states) == sum(report.history.cut for report in reports) > 2
    assert [json.loads(json.dumps(state)) for state in states] == states


@pytest.mark.parametrize("recall", [False, True])
def test_a_state_stays_small_after_400_steps(recall: bool) -> None:  # noqa: FBT001 - a row of the table
    """Under 4 KB, and within the limit; driven as an agent drives it, without the agent's own work."""
    model, middleware = ScriptedModel(script=looking(1_000)), ContextMiddleware(LIMIT, counter="gpt-4o", recall=recall)
    messages = question()["messages"]
    state: dict[str, Any] = {"messages": messages}

    def answer(request: ModelRequest[Any]) -> ModelResponse[Any]:
        return ModelResponse(result=[model.invoke(request.messages)])

    for _ in range(400):
        request = ModelRequest(model=model, messages=list(messages), tools=[look], state=cast("Any", state))
        response = middleware.wrap_model_call(request, answer)
        if isinstance(response, ExtendedModelResponse):
            assert response.command is not None
            state |= cast("dict[str, Any]", response.command.update)
            response = response.model_response
        (said,) = cast("list[AIMessage]", response.result)
        (call,) = said.tool_calls
        messages += [said, ToolMessage("The ferry leaves at 16:40. " * 9, tool_call_id=call["id"])]
        assert len(json.dumps(state.get("ctx_layers"))) < 4_096
    assert state["ctx_layers"]["start"] > 300 or recall
    assert max(model.sizes[::20]) <= LIMIT


def test_a_checkpoint_grows_by_a_hundredth_at_most() -> None:
    """All that a checkpointer has of a run of 60 steps, beside the same run without us."""
    saver, bare = InMemorySaver(), InMemorySaver()
    ours = agent(ScriptedModel(script=looking(60)), ContextMiddleware(4_000, counter="gpt-4o"), checkpointer=saver)
    theirs = agent(ScriptedModel(script=looking(60)), checkpointer=bare)
    ours.invoke(question(), THREAD)
    theirs.invoke(question(), THREAD)
    assert size_of(bare) < size_of(saver) <= 1.01 * size_of(bare)


def size_of(saver: InMemorySaver) -> int:
    """Give the bytes of all values that a checkpointer has."""
    return sum(len(data) for _, data in saver.blobs.values())


def test_a_run_goes_on_where_another_process_left_it() -> None:
    """A new middleware over the same checkpoints begins its requests where the old one did."""
    saver, log = InMemorySaver(), UsageLog()
    first, second = ScriptedModel(script=looking(20)), ScriptedModel(script=looking(0))
    agent(first, ContextMiddleware(LIMIT, counter="gpt-4o"), checkpointer=saver).invoke(question(), THREAD)
    start = [one.text for one in first.requests[-1].messages[:4]]
    again = agent(second, ContextMiddleware(LIMIT, counter="gpt-4o", usage_log=log), checkpointer=saver)
    again.invoke({"messages": []}, THREAD)
    assert [one.text for one in second.requests[0].messages[:4]] == start


def test_a_database_keeps_the_state_without_a_word_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """Plain JSON, that no checkpointer has to be told of."""
    sqlite = pytest.importorskip("langgraph.checkpoint.sqlite")
    model = ScriptedModel(script=looking(20))
    with sqlite.SqliteSaver.from_conn_string(":memory:") as saver:
        ours = agent(model, ContextMiddleware(LIMIT, counter="gpt-4o"), checkpointer=saver)
        for at in range(2):
            ours.invoke(question(at), THREAD)
        assert ours.get_state(THREAD).values["ctx_layers"]["start"] > 1
    assert max(model.sizes) <= LIMIT
    assert not [record for record in caplog.records if "unregistered" in record.getMessage()]


@pytest.mark.parametrize(
    ("form", "names"),
    [
        (Answer, {"look", "Answer"}),
        (AutoStrategy(Answer), {"look", "Answer"}),
        (ToolStrategy(Answer), {"look", "Answer"}),
        (ToolStrategy(Answer | Refund), {"look", "Answer", "Refund"}),
        (ProviderStrategy(Answer), {"look"}),
        ({"title": "Time", "type": "object", "properties": {"time": {"type": "string"}}}, {"look", "Time"}),
    ],
    ids=["class", "auto", "tool", "union", "provider", "schema"],
)
@pytest.mark.parametrize("structured_output", [False, True])
def test_the_schema_of_the_answer_is_counted_whichever_way_it_goes(
    form: Any,
    names: set[str],
    structured_output: bool,  # noqa: FBT001 - a row of the table
) -> None:
    """As tools, or as a format of the provider's: a recount of what was bound is within the limit."""
    reports: list[Any] = []
    model = ScriptedModel(script=looking(20), model_name="gpt-4", profile={"structured_output": structured_output})
    middleware = ContextMiddleware(LIMIT, counter="gpt-4", on_report=reports.append)
    with suppress(StructuredOutputValidationError):  # "Done." is no answer that follows the schema
        agent(model, middleware, response_format=form).invoke(question(), THREAD)
    bound = {one["function"]["name"] for one in model.requests[0].sent.get("tools", [])}
    assert bound == names or (structured_output and bound == {"look"})
    assert max(model.sizes) <= LIMIT
    assert all(0 <= report.used - size <= 60 for report, size in zip(reports, model.sizes, strict=False))


class Overrides(AgentMiddleware[Any, Any, Any]):
    """Changes each request in some way, as a middleware before ours."""

    def __init__(self, **overrides: Any) -> None:
        """Take what it changes."""
        super().__init__()
        self.overrides = overrides
        self.tools = []

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[..., Any]) -> Any:
        """Change it."""
        return handler(request.override(**cast("Any", self.overrides)))


def test_a_forced_tool_is_counted() -> None:
    """What the provider adds for it is in the report."""
    reports: list[Any] = []
    model = ScriptedModel(script=looking(2), model_name="claude-3-7-sonnet-latest")
    middleware = ContextMiddleware(LIMIT, on_report=reports.append)
    agent(model, middleware).invoke(question(), THREAD)
    free = reports[0].used
    agent(model, Overrides(tool_choice="look"), middleware).invoke(question(), THREAD)
    assert reports[3].used > free


@pytest.mark.parametrize(
    ("settings", "profile", "limit"),
    [
        ({}, {"max_input_tokens": 9_000}, 9_000 - 2_250),
        ({"max_tokens": 500}, {"max_input_tokens": 9_000}, 8_500),
        ({"max_completion_tokens": 700}, {"max_input_tokens": 9_000}, 8_300),
        ({"max_tokens": 500}, None, 128_000 - 500),
        ({}, None, 128_000 - 4_096),
    ],
)
def test_room_for_the_answer_is_that_of_settings_model_or_family(
    settings: dict[str, Any], profile: Any, limit: int
) -> None:
    """Without a budget each model has its own window."""
    reports: list[Any] = []
    model = ScriptedModel(script=looking(1), model_name="gpt-4o", profile=profile)
    middleware = ContextMiddleware(on_report=reports.append)
    agent(model, Overrides(model_settings=settings), middleware).invoke(question(), THREAD)
    assert reports[0].limit == limit


def test_each_model_has_its_own_window_and_counter() -> None:
    """A model that a middleware puts in the place of the agent's own gets what fits it, counted as it counts."""
    reports: list[Any] = []
    large = ScriptedModel(script=looking(1), profile={"max_input_tokens": 50_000})
    small = ScriptedModel(script=looking(1), model_name="claude-sonnet-4-5", profile={"max_input_tokens": 3_000})
    middleware = ContextMiddleware(on_report=reports.append)
    agent(large, middleware).invoke(question(), THREAD)
    agent(large, Overrides(model=small), middleware).invoke(question(), THREAD)
    assert [report.total for report in reports[::2]] == [50_000, 3_000]
    assert [report.model for report in reports[::2]] == ["gpt-4o", "claude-sonnet-4-5"]


def test_a_budget_never_exceeds_a_smaller_window() -> None:
    """With a budget of 5,000 tokens a model of 2,000 has its own all the same."""
    model = ScriptedModel(script=looking(30), profile={"max_input_tokens": 2_000})
    agent(model, ContextMiddleware(5_000)).invoke(question(), THREAD)
    assert max(model.sizes) <= 1_500


def test_without_a_window_it_says_what_to_give() -> None:
    """A model that nothing knows, and no budget."""
    model = ScriptedModel(script=looking(1), model_name="of-my-own")
    with pytest.raises(UnknownModelError, match="give it in tokens"):
        agent(model, ContextMiddleware()).invoke(question(), THREAD)


def test_what_cannot_fit_is_said_and_not_sent() -> None:
    """A question over the whole budget."""
    model = ScriptedModel(script=looking(1))
    with pytest.raises(ContextOverflowError, match="Cannot fit request"):
        agent(model, ContextMiddleware(300, counter="gpt-4o")).invoke(
            {"messages": [HumanMessage("why " * 400)]}, THREAD
        )
    assert model.requests == []


def test_it_can_be_switched_off_and_on() -> None:
    """Off, everything is sent and nothing written; on, requests fit again."""
    model = ScriptedModel(script=looking(20))
    middleware = ContextMiddleware(LIMIT, counter="gpt-4o", enabled=False)
    ours = agent(model, middleware, checkpointer=InMemorySaver())
    ours.invoke(question(), THREAD)
    assert max(model.sizes) > LIMIT
    assert "ctx_layers" not in ours.get_state(THREAD).values
    middleware.enabled = True
    ours.invoke(question(1), THREAD)
    assert max(model.sizes[21:]) <= LIMIT


def test_layers_stand_behind_the_agents_own_instructions_and_are_counted() -> None:
    """Text of the caller's, and of facts what fits the question; both in every request."""
    facts = [MemoryItem("Mrs. Aalto travels by ferry with a guide dog."), MemoryItem("The kiosk closes at noon.")]
    rules = Layer(name="rules", text="Answer briefly.", protected=True)
    model = ScriptedModel(script=looking(20))
    middleware = ContextMiddleware(LIMIT, counter="gpt-4o", layers=[rules, RankedMemory(facts, max_items=1)])
    agent(model, middleware).invoke(question(), THREAD)
    said = [[one.text for one in request.messages if isinstance(one, SystemMessage)] for request in model.requests]
    assert all(own == "You know all the ferries." and "Answer briefly." in layers for own, layers in said)
    assert "guide dog" in said[0][1]
    assert max(model.sizes) <= LIMIT


def test_layers_are_the_instructions_of_an_agent_without_any() -> None:
    """Where there is no system prompt, they are it."""
    model = ScriptedModel(script=looking(1))
    middleware = ContextMiddleware(LIMIT, layers=[Layer(name="rules", text="Answer briefly.")])
    agent(model, middleware, system_prompt=None).invoke(question(), THREAD)
    assert [one.type for one in model.requests[0].messages] == ["system", "human"]


def test_a_recipe_is_taken_whole() -> None:
    """Its budget, its counter and its policy hold."""
    model = ScriptedModel(script=looking(30))
    recipe = Rolling(budget=ContextBudget(2_000), counter=counter_for("gpt-4o"))
    agent(model, ContextMiddleware(recipe=recipe)).invoke(question(), THREAD)
    assert max(model.sizes) <= 2_000
    assert any("content truncated" in one.text for request in model.requests for one in request.messages)


RECIPES = [
    Chat(counter=counter_for("gpt-4o")),
    Rolling(budget=ContextBudget(50_000), counter=counter_for("gpt-4o")),
    Assistant(counter=counter_for("gpt-4o")),
]


@pytest.mark.parametrize("recipe", RECIPES, ids=type)
def test_a_recipe_never_exceeds_a_smaller_window(recipe: Recipe) -> None:
    """A recipe of 60,000 tokens and more, and a model that takes 2,000: each request is within the model's window."""
    model = ScriptedModel(script=looking(30), profile={"max_input_tokens": 2_000})
    agent(model, ContextMiddleware(recipe=recipe)).invoke(question(), THREAD)
    assert 700 < max(model.sizes) <= 1_500


def test_a_policy_and_overflow_of_the_callers_hold() -> None:
    """As on every other surface."""
    model = ScriptedModel(script=looking(10))
    policy = HistoryPolicy(max_messages=4)
    middleware = ContextMiddleware(LIMIT, counter="gpt-4o", policy=policy, on_overflow="truncate")
    agent(model, middleware).invoke({"messages": [HumanMessage("why " * 4_000)]}, THREAD)
    assert max(model.sizes) <= LIMIT
    assert max(len(request.messages) for request in model.requests) <= 6


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"states": {}}, OptionError, "give create_agent a checkpointer"),
        ({"tools": [look]}, OptionError, "those of each request are counted"),
        ({"model": "gpt-4o"}, OptionError, "each request has its own"),
        ({"polcy": 1}, OptionError, "did you mean 'policy'"),
        ({"budget": -1}, BudgetError, "above 0"),
        ({"budget": 100, "policy": 7}, BudgetError, "a HistoryPolicy"),
    ],
)
def test_options_that_make_no_sense_are_refused_at_once(options: Any, error: type[Exception], says: str) -> None:
    """When it is made, with what to do instead."""
    with pytest.raises(error, match=says):
        ContextMiddleware(**options)


def test_two_in_one_agent_have_states_of_their_own() -> None:
    """Under names of their own; the inner one fits what the outer one leaves."""
    model = ScriptedModel(script=looking(30))
    outer = ContextMiddleware(3_000, counter="gpt-4o", name="outer")
    ours = agent(model, outer, ContextMiddleware(LIMIT, counter="gpt-4o"), checkpointer=InMemorySaver())
    ours.invoke(question(), THREAD)
    assert max(model.sizes) <= LIMIT
    assert {"ctx_layers", "ctx_layers_outer"} <= set(ours.get_state(THREAD).values)


def test_an_agent_without_messages_is_called_as_it_is() -> None:
    """There is nothing to fit."""
    model = ScriptedModel(script=looking(0))
    agent(model, ContextMiddleware(LIMIT)).invoke({"messages": []})
    assert [one.type for one in model.requests[0].messages] == ["system"]
