"""`ContextRunnable` in chains: inputs, outputs, budgets, reports, and what is remembered between turns."""

from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompt_values import StringPromptValue
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import ConfigurableField, RunnableLambda
from langchain_core.tools import tool

from ctx_core import (
    ContextBudget,
    ContextOverflowError,
    ContextReport,
    HistoryPolicy,
    MessageError,
    TokenCounter,
    UsageLog,
)
from langchain_ctx import ContextRunnable, LangChainCodec, StateCache
from tests.langchain_ctx.echo import EchoModel

PROMPT = ChatPromptTemplate.from_messages([("system", "You are brief."), MessagesPlaceholder("talk"), ("human", "{q}")])


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


def talk(turns: int) -> list[BaseMessage]:
    """Make a conversation of so many turns."""
    return [
        message
        for at in range(turns)
        for message in (HumanMessage(f"question {at} of ten words one two three four five"), AIMessage(f"answer {at}"))
    ]


def counted(messages: list[BaseMessage]) -> int:
    """Count a request from scratch."""
    return TokenCounter(words).count_messages([LangChainCodec().read(message) for message in messages])


@tool
def lookup(city: str) -> str:
    """Look up the weather of a city."""
    return city


def test_one_line_between_prompt_and_model() -> None:
    """A chain with the step in it sends what fits and answers as before."""
    model = EchoModel()
    chain = PROMPT | ContextRunnable(100, counter=words) | model
    answer = chain.invoke({"talk": talk(50), "q": "and now?"})
    assert answer.content == "re: and now?"
    assert model.texts[0] == "You are brief."
    assert model.texts[1].startswith("question")
    assert model.texts[-1] == "and now?"
    assert counted(model.received[-1]) <= 100
    assert len(model.received[-1]) < 102


async def test_every_way_to_call_a_chain_sends_the_same() -> None:
    """Sync, async, stream and batch send the same messages."""
    model = EchoModel()
    chain = PROMPT | ContextRunnable(100, counter=words) | model | StrOutputParser()
    value = {"talk": talk(50), "q": "and now?"}
    answers = [
        chain.invoke(value),
        await chain.ainvoke(value),
        "".join(chain.stream(value)),
        "".join([piece async for piece in chain.astream(value)]),
        *chain.batch([value, value]),
        *await chain.abatch([value, value]),
    ]
    assert answers == ["re: and now?"] * 8
    assert len(model.received) == 8
    assert all(request == model.received[0] for request in model.received)


def test_the_answer_streams_through() -> None:
    """The step does not hold back the pieces of the model's answer."""
    chain = PROMPT | ContextRunnable(100, counter=words) | EchoModel() | StrOutputParser()
    pieces = list(chain.stream({"talk": [], "q": "why"}))
    assert [piece for piece in pieces if piece] == ["re: ", "why"]


@pytest.mark.parametrize(
    "value",
    [
        ChatPromptTemplate.from_messages([("human", "hi")]).invoke({}),
        StringPromptValue(text="hi"),
        "hi",
        ["hi"],
        [("user", "hi")],
        ({"role": "user", "content": "hi"},),
        [HumanMessage("hi")],
    ],
)
def test_takes_what_chat_models_take(value: Any) -> None:
    """Prompt values, texts, and lists of texts, tuples, dicts and messages give a list of messages."""
    assert ContextRunnable(100).invoke(value) == [HumanMessage("hi")]


def test_unaltered_messages_are_the_same_objects() -> None:
    """What fits goes through as it is, in a new list."""
    messages = talk(2)
    output = ContextRunnable(1_000, provider="openai").invoke(messages)
    assert output is not messages
    assert all(kept is own for kept, own in zip(output, messages, strict=True))


def test_dict_keeps_its_other_keys() -> None:
    """A graph's state comes back as a dict, with only its messages replaced."""
    state = {"messages": talk(50), "user": "ann"}
    output = ContextRunnable(100, counter=words).invoke(state)
    assert output["user"] == "ann"
    assert counted(output["messages"]) <= 100
    assert len(state["messages"]) == 100


def test_messages_key_may_be_another() -> None:
    """The messages of a dict may have another name."""
    assert ContextRunnable(100, messages_key="chat").invoke({"chat": "hi"}) == {"chat": [HumanMessage("hi")]}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"role": "user", "content": "secret"}, "has no key 'messages'"),
        ({}, "only none"),
        (HumanMessage("secret"), "put the message into a list"),
        (7, "found int"),
        ([("critic", "secret")], r"message 1 \(tuple\)"),
        ([HumanMessage("a"), {"content": "secret"}], r"message 2 \(dict\)"),
        ([HumanMessage("a"), None], r"message 2 \(NoneType\)"),
        (
            [HumanMessage("a"), RemoveMessage(id="1")],
            "message 2: a RemoveMessage of an id that no",
        ),
    ],
)
def test_other_inputs_are_refused_without_quoting_them(value: Any, said: str) -> None:
    """The error names the type and the place, and neither it nor its causes quote what a message says."""
    with pytest.raises(MessageError, match=said) as caught:
        ContextRunnable(100).invoke(value)
    error: BaseException | None = caught.value
    while error is not None:
        assert "secret" not in str(error)
        error = error.__cause__ or error.__context__


def test_overflow_raises_before_the_model_is_called() -> None:
    """What cannot fit is an error with the numbers, and no request."""
    model = EchoModel()
    chain = PROMPT | ContextRunnable(20, counter=words) | model
    with pytest.raises(ContextOverflowError) as caught:
        chain.invoke({"talk": [], "q": "word " * 100})
    assert caught.value.limit == 20
    assert model.received == []


def test_overflow_may_truncate() -> None:
    """If the caller allows it, an oversized question is cut and still sent."""
    model = EchoModel()
    question = HumanMessage("word " * 100, name="ann")
    (ContextRunnable(50, counter=words, on_overflow="truncate") | model).invoke([question])
    (sent,) = model.received[-1]
    assert isinstance(sent, HumanMessage)
    assert sent.name == "ann"
    assert counted([sent]) <= 50
    assert words(question.text) == 100


def test_broken_history_is_repaired_with_proper_messages() -> None:
    """A call that was never answered gets a stub result of LangChain's own class."""
    broken = [
        HumanMessage("q"),
        AIMessage("", tool_calls=[{"id": "1", "name": "lookup", "args": {}}]),
        HumanMessage("never mind"),
    ]
    output = ContextRunnable(1_000, provider="openai").invoke(broken)
    assert [type(message) for message in output] == [HumanMessage, AIMessage, ToolMessage, HumanMessage]
    assert output[2].tool_call_id == "1"


def test_tools_are_counted_whatever_they_are() -> None:
    """A tool, a function and a definition cost the same, and leave less for the history."""
    definition = {
        "type": "function",
        "function": {
            "name": "lookup",
            "description": "Look up the weather of a city.",
            "parameters": {"properties": {"city": {"type": "string"}}, "required": ["city"], "type": "object"},
        },
    }
    step, by_tool, by_dict = (
        ContextRunnable(300, counter=words, tools=tools) for tools in ([], [lookup], [definition])
    )
    assert by_tool.preview("hi").report.layer("tools").used == by_dict.preview("hi").report.layer("tools").used > 0
    assert len(by_tool.invoke(talk(40))) < len(step.invoke(talk(40)))


def test_tools_and_window_come_from_the_bound_model() -> None:
    """The model that is piped to says which tools it is bound to, how large its window is and what it is called."""
    model = EchoModel(model_name="gpt-4o", profile={"max_input_tokens": 5_000}).bind_tools([lookup])
    step = ContextRunnable(model=model)
    assert step.budget is not None
    assert step.budget.total == 5_000
    assert [definition["function"]["name"] for definition in step.tools] == ["lookup"]
    assert step.counter is not None
    assert step.counter.model == "gpt-4o"


def test_what_is_said_wins_over_the_model() -> None:
    """Budget, counter and tools that are given are not taken from the model."""
    model = EchoModel(profile={"max_input_tokens": 5_000}).bind_tools([lookup])
    step = ContextRunnable(ContextBudget(900, reserve=100), counter="gpt-4", tools=(), model=model)
    assert step.budget is not None
    assert step.counter is not None
    assert (step.budget.input_limit, step.counter.model, step.tools) == (800, "gpt-4", ())


def test_the_model_is_not_kept() -> None:
    """The step can be copied and pickled however heavy its model is."""
    step = ContextRunnable(500, model=EchoModel(meanwhile=lambda: None))
    assert pickle.loads(pickle.dumps(step)).budget == step.budget  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "give a budget"),
        ({"budget": 0}, "above 0"),
        ({"budget": 100, "model": RunnableLambda(str)}, "must be a language model"),
        ({"budget": 100, "tools": [object()]}, r"tool 1 \(object\)"),
        ({"budget": 100, "counter": 7}, "counter must be"),
        ({"budget": 100, "on_overflow": "ignore"}, "on_overflow"),
        ({"budget": 100, "policy": 7}, "policy"),
    ],
)
def test_what_cannot_work_is_refused_at_once(arguments: dict[str, Any], said: str) -> None:
    """A wrong budget, counter, tool, policy or model is an error where it is given."""
    with pytest.raises(ValueError, match=said):
        ContextRunnable(**arguments)


def test_misspelt_argument_is_refused() -> None:
    """No keyword is swallowed."""
    with pytest.raises(TypeError, match="polcy"):
        ContextRunnable(100, polcy=None)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue] - wrong on purpose


def test_name_in_graphs() -> None:
    """The step shows in graphs under its own name, or the one it was given."""

    def names(step: ContextRunnable) -> list[str]:
        return [node.name for node in (PROMPT | step | EchoModel()).get_graph().nodes.values()]

    assert "ContextRunnable" in names(ContextRunnable(100))
    assert "fit" in names(ContextRunnable(100, name="fit"))


async def test_events_carry_name_and_report() -> None:
    """Traces show the step by name, and its report as a custom event."""
    step = ContextRunnable(100, counter=words)
    events = [event async for event in (PROMPT | step).astream_events({"talk": talk(50), "q": "?"}, version="v2")]
    assert {event["event"] for event in events if event["name"] == "ContextRunnable"} == {
        "on_chain_start",
        "on_chain_end",
    }
    (report,) = [event["data"] for event in events if event["name"] == "context_report"]
    prompted = PROMPT.invoke({"talk": talk(50), "q": "?"})
    assert report == ContextRunnable(100, counter=words).preview(prompted).report.to_dict()


def test_schemas_can_be_made() -> None:
    """Servers can ask for the JSON schemas of the step's input and output."""
    step = ContextRunnable(100)
    assert step.get_input_jsonschema()
    assert step.get_output_jsonschema()["type"] == "array"


def test_every_report_is_told_in_its_own_call() -> None:
    """`on_report` and the usage log hear of every request, none of another's."""
    reports: list[ContextReport] = []
    log = UsageLog()
    step = ContextRunnable(100_000, counter=words, on_report=reports.append, usage_log=log)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(step.invoke, [talk(turns) for turns in range(1, 33)]))
    assert len(log.entries) == 32
    assert sorted(report.history.messages for report in reports) == [2 * turns for turns in range(1, 33)]


def test_preview_remembers_and_reports_nothing() -> None:
    """A preview gives the whole context, and leaves no trace."""
    reports: list[ContextReport] = []
    states: dict[str, Any] = {}
    step = ContextRunnable(100, counter=words, on_report=reports.append, states=states)
    context = step.preview(talk(50))
    assert context.tokens <= 100
    assert context.messages == step.invoke(talk(50))
    assert len(reports) == 1
    states.clear()
    step.preview({"messages": talk(50)})
    assert states == {}


def starts(step: ContextRunnable, turns: range, config: Any = None) -> list[str]:
    """Give the first message that is sent on each turn of a growing conversation."""
    return [step.invoke([*talk(turn), HumanMessage("?")], config)[0].text for turn in turns]


def test_the_start_stays_for_some_turns() -> None:
    """A cut is remembered, so that the prompt cache stays warm: the start moves rarely, not on every turn."""
    moved = len(set(starts(ContextRunnable(200, counter=words), range(10, 30))))
    assert 2 <= moved <= 6


def test_conversations_are_told_apart_without_a_config() -> None:
    """Two conversations that begin with the same greeting keep their own cuts."""
    greeting = [HumanMessage("Hi"), AIMessage("Hello")]
    ours = [*greeting, HumanMessage("ours"), *talk(40)[1:]]
    theirs = [*greeting, HumanMessage("theirs"), *talk(40)[1:]]
    states: dict[str, Any] = {}
    step = ContextRunnable(100, counter=words, states=states)
    step.invoke(ours)
    step.invoke(theirs)
    assert len(states) == 2


@pytest.mark.parametrize("key", ["session_id", "thread_id", "conversation_id"])
def test_the_config_names_the_conversation(key: str) -> None:
    """A conversation that is named in the config is remembered under that name."""
    states: dict[str, Any] = {}
    step = ContextRunnable(100, counter=words, states=states)
    step.invoke(talk(40), {"configurable": {key: "s1"}})
    assert list(states) == [f"{key}:s1"]


def test_two_conversations_under_one_key_are_both_right() -> None:
    """What is remembered of another conversation is seen not to match, and does no harm."""
    step = ContextRunnable(100, counter=words)
    config: Any = {"configurable": {"session_id": "s"}}
    other = [HumanMessage("other"), AIMessage("x"), HumanMessage("end")]
    step.invoke(talk(40), config)
    assert step.invoke(other, config) == other
    output = step.invoke(talk(40), config)
    assert counted(output) <= 100
    assert output == ContextRunnable(100, counter=words).invoke(talk(40))


def test_states_can_be_kept_by_the_user() -> None:
    """A plain dict of JSON carries the cut over to another process."""
    states: dict[str, Any] = {}
    config: Any = {"configurable": {"session_id": "s"}}
    first = starts(ContextRunnable(200, counter=words, states=states), range(10, 17), config)[-1]
    kept = json.loads(json.dumps(states))
    assert starts(ContextRunnable(200, counter=words, states=kept), range(17, 18), config) == [first]


def test_short_conversations_leave_nothing_to_remember() -> None:
    """Nothing is stored for a conversation that was never cut."""
    states: dict[str, Any] = {}
    ContextRunnable(10_000, states=states).invoke(talk(3))
    assert states == {}


def test_copies_work_alike_and_start_without_memory() -> None:
    """A deep copy and a pickled one give the same messages; their memory is their own."""
    step = ContextRunnable(200, counter="gpt-4o", policy=HistoryPolicy(keep_first=1), usage_log=None)
    step.invoke(talk(40))
    for other in (copy.deepcopy(step), pickle.loads(pickle.dumps(step))):  # noqa: S301 - our own bytes
        assert isinstance(other, ContextRunnable)
        assert isinstance(other.states, StateCache)
        assert other.states is not step.states
        assert other.invoke(talk(40)) == ContextRunnable(200, counter="gpt-4o", policy=step.policy).invoke(talk(40))
        assert "at most 1024" in repr(other.states)
        assert "of 1 conversations" in repr(other.states)


def test_configurable_fields_keep_the_memory() -> None:
    """A field that is set per call makes a step anew, with the counter's cache and the memory of the first."""
    step = ContextRunnable(100, counter=words)
    flexible = step.configurable_fields(budget=ConfigurableField(id="budget"))
    small = flexible.with_config(configurable={"budget": 60, "session_id": "s"}).invoke(talk(40))
    assert counted(small) <= 60
    assert step.states.get("session_id:s") is not None


def test_threads_share_one_step() -> None:
    """Many conversations at once in one step give what each gives alone."""
    step = ContextRunnable(100, counter=words)
    alone = [ContextRunnable(100, counter=words).invoke(talk(turns)) for turns in range(20, 40)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(step.invoke, [talk(turns) for turns in range(20, 40)]))
    assert [counted(messages) <= 100 for messages in together] == [True] * 20
    assert [messages[-1] for messages in together] == [messages[-1] for messages in alone]


def test_repr_has_no_content() -> None:
    """Nothing of a conversation shows in the repr of a step that has seen it."""
    step = ContextRunnable(100, counter=words)
    step.invoke([HumanMessage("secret " * 5), *talk(40)])
    assert "secret" not in repr(step)


def test_system_messages_stay_first() -> None:
    """System messages in the list are kept in their places."""
    output = ContextRunnable(100, counter=words).invoke([SystemMessage("rules"), *talk(40), HumanMessage("?")])
    assert output[0] == SystemMessage("rules")
    assert isinstance(output[1], HumanMessage)
