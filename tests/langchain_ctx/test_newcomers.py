"""What somebody new to the package tries first, with LangChain's own objects."""

from __future__ import annotations

import logging
import operator
import pickle
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import pytest
from langchain_core.documents import Document
from langchain_core.exceptions import ContextOverflowError as LangChainOverflowError
from langchain_core.language_models import FakeListChatModel
from langchain_core.load import dumpd, dumps, load
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.utils import count_tokens_approximately, trim_messages
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory
from langgraph.graph import END, START, StateGraph  # pyright: ignore[reportMissingTypeStubs]
from langgraph.graph.message import add_messages  # pyright: ignore[reportMissingTypeStubs]

import ctx_core
from ctx_core import ContextBudget, HistoryPolicy, RollingSummary, Share
from ctx_core.errors import BudgetError, TokenizerError
from ctx_core.recipes import Chat
from langchain_ctx import (
    BudgetedChatMessageHistory,
    ContextOverflowError,
    ContextRunnable,
    InMemoryHistory,
    RetrieverMemory,
    budgeted_session_history,
    documents_as_memories,
)

if TYPE_CHECKING:
    from langchain_core.chat_history import BaseChatMessageHistory

TOOL = {"type": "function", "function": {"name": "look", "description": "d", "parameters": {"type": "object"}}}


def talk(turns: int) -> list[BaseMessage]:
    """Give a talk and a question."""
    said = [one for at in range(turns) for one in (HumanMessage(f"Question {at}?"), AIMessage(f"Answer {at}."))]
    return [*said, HumanMessage("And now?")]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"summarizer": lambda summary, messages: f"{summary} {len(messages)}"},
        {"model": FakeListChatModel(responses=["a"])},
        {"policy": HistoryPolicy(keep_first=1, preserve_recent_turns=1, max_messages=2)},
        {"on_overflow": "truncate"},
        {"enabled": False},
    ],
)
async def test_nothing_gives_back_nothing(options: dict[str, Any]) -> None:
    """An empty list, an empty tuple and a dict with one, sync and async."""
    options = {"counter": "gpt-4o", **options}
    step = ContextRunnable(1_000, **options)
    assert step.invoke([]) == step.invoke(()) == await step.ainvoke([]) == step.batch([[]])[0] == []
    assert step.invoke({"messages": [], "other": 1}) == {"messages": [], "other": 1}
    assert await step.ainvoke({"messages": []}) == {"messages": []}


@pytest.mark.parametrize(
    "step",
    [
        ContextRunnable(8_000, counter="gpt-4o"),
        ContextRunnable(
            ContextBudget.for_model("gpt-4o", reserve=1_000),
            reserve=Share(0.1),
            tools=[TOOL],
            policy=HistoryPolicy(keep_first=2, omission_marker="[{count} left out]"),
            summary=RollingSummary(),
            on_overflow="truncate",
            calibration=False,
            enabled=False,
            messages_key="talk",
            name="trimmer",
        ),
        ContextRunnable(900),
    ],
)
@pytest.mark.filterwarnings("ignore:The function `load` is in beta")
def test_what_is_data_is_dumped_and_loaded(step: ContextRunnable) -> None:
    """`load` is told what it may make; the step that comes back is the same, alone or in a chain."""
    allowed: dict[str, Any] = {"allowed_objects": [ContextRunnable], "valid_namespaces": ["langchain_ctx"]}
    again = load(dumpd(step), **allowed)
    assert dumps(again) == dumps(step)
    for name in ("budget", "reserve", "tools", "policy", "summary", "on_overflow", "enabled", "messages_key", "name"):
        assert getattr(again, name) == getattr(step, name)
    assert again.counter.count_text("some text") == step.counter.count_text("some text")
    messages = {"talk": talk(400)} if step.messages_key == "talk" else talk(400)
    assert again.invoke(messages) == step.invoke(messages)


@pytest.mark.parametrize(
    "options",
    [
        {"counter": len},
        {"counter": "gpt-4o", "layers": [lambda _: None]},
        {"counter": "gpt-4o", "summarizer": lambda _, __: "s"},
        {"counter": "gpt-4o", "on_report": print},
        {"counter": "gpt-4o", "policy": HistoryPolicy(pinned=lambda _: False)},
        {"counter": "gpt-4o", "states": {}},
    ],
)
def test_what_holds_code_is_described_only(options: dict[str, Any]) -> None:
    """Loading it would give something else."""
    assert dumpd(ContextRunnable(900, **options))["type"] == "not_implemented"


def test_a_repr_is_one_line() -> None:
    """How much, what counts, and what is unusual; in a chain too."""
    budget = ContextBudget(8_000, reserve=500)
    step = ContextRunnable(budget, counter="gpt-4o", tools=[TOOL], enabled=False, summarizer=lambda said, _: said)
    told = (
        "ContextRunnable(budget=8000, reserve=500, counter='gpt-4o', tools=1, summarizer='Summarizing', enabled=False)"
    )
    assert repr(step) == told
    assert repr(ContextRunnable(recipe=Chat(system="Xyzzy"))) == "ContextRunnable(recipe='Chat')"
    for made in (ContextRunnable(900), step | FakeListChatModel(responses=["a"])):
        assert max(map(len, repr(made).splitlines())) < 300


class State(TypedDict):
    """A graph's state."""

    messages: Annotated[list[AnyMessage], add_messages]


def graph_of(node: Any) -> Any:
    """Give a graph of one node."""
    graph = StateGraph(State)
    graph.add_node("fit", node)
    graph.add_edge(START, "fit")
    graph.add_edge("fit", END)
    return graph.compile()


async def test_a_node_that_trims_nothing_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    """And names what does."""
    graph = graph_of(ContextRunnable(100, counter="gpt-4o"))
    with caplog.at_level(logging.WARNING, "ctx_core.langchain"):
        for _ in range(2):
            assert len(graph.invoke({"messages": talk(30)})["messages"]) == 61
        await graph.ainvoke({"messages": talk(30)})
    assert [("ContextNode" in record.message, "nothing is trimmed" in record.message) for record in caplog.records] == [
        (True, True)
    ]


@pytest.mark.parametrize(
    "chain", [lambda step: step, lambda step: RunnableLambda(operator.itemgetter("messages")) | step]
)
def test_a_step_before_the_model_inside_a_node_is_as_it_should_be(caplog: pytest.LogCaptureFixture, chain: Any) -> None:
    """It is warned of a node that gives the state back, and of no other."""
    step = chain(ContextRunnable(100, counter="gpt-4o"))
    seen: list[int] = []

    def node(state: State) -> dict[str, Any]:
        given: Any = step.invoke(state)
        seen.append(len(given["messages"] if isinstance(given, dict) else given))
        return {"messages": [AIMessage("ok")]}

    with caplog.at_level(logging.WARNING, "ctx_core.langchain"):
        graph_of(node).invoke({"messages": talk(30)})
    assert seen[0] < 61
    assert not caplog.records


def test_an_overflow_is_an_error_of_both() -> None:
    """Of the step and of a history; it survives pickling."""
    step = ContextRunnable(50, counter="gpt-4o")
    history = BudgetedChatMessageHistory(InMemoryHistory([SystemMessage("word " * 200), HumanMessage("hi")]), 50)
    for act in (lambda: step.invoke([HumanMessage("word " * 200)]), lambda: history.messages):
        with pytest.raises(LangChainOverflowError) as caught:
            act()
        error = caught.value
        assert isinstance(error, ContextOverflowError)
        assert isinstance(error, ctx_core.ContextOverflowError)
        again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
        assert (type(again), again.needed, str(again)) == (type(error), error.needed, str(error))


class Pages(BaseRetriever):
    """Finds one page."""

    def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:
        return [Document(f"About {query}", metadata={"source": "a.md"})]


def test_retrievers_are_at_hand() -> None:
    """From the package itself."""
    step = ContextRunnable(1_000, counter="gpt-4o", layers=[RetrieverMemory(Pages())])
    assert "About ferries" in step.invoke([HumanMessage("ferries")])[0].text
    assert documents_as_memories([Document("a")])[0].text == "a"


def test_a_history_goes_into_a_prompt_with_a_placeholder() -> None:
    """The README's line, word by word."""
    stores: dict[str, BaseChatMessageHistory] = {}

    def my_store(session_id: str) -> BaseChatMessageHistory:
        return stores.setdefault(session_id, InMemoryHistory())

    prompt = ChatPromptTemplate(
        [("system", "You are a travel agent."), ("placeholder", "{history}"), ("user", "{question}")]
    )
    model = FakeListChatModel(responses=["At 16:40."])
    with pytest.warns(DeprecationWarning, match="RunnableWithMessageHistory"):
        chat = RunnableWithMessageHistory(
            prompt | model,
            budgeted_session_history(my_store, 8_000, counter="gpt-4o", reserve=500),
            input_messages_key="question",
            history_messages_key="history",
        )
    for _ in range(2):
        chat.invoke({"question": "When does the ferry leave?"}, {"configurable": {"session_id": "1"}})
    assert len(stores["1"].messages) == 4


@pytest.mark.parametrize("counter", ["approximate", count_tokens_approximately, "gpt-4o", FakeListChatModel])
@pytest.mark.parametrize("start_on", [None, "human", HumanMessage, ["human", "system"]])
@pytest.mark.parametrize("end_on", [None, ("human", "tool"), (HumanMessage, ToolMessage)])
def test_the_arguments_of_trim_messages_are_understood(counter: Any, start_on: Any, end_on: Any) -> None:
    """What both can do."""
    counts = lambda messages: sum(len(str(one.content)) for one in messages)  # noqa: E731 - of a model's own
    step = ContextRunnable.from_trim_messages(
        max_tokens=300,
        strategy="last",
        token_counter=counts if counter is FakeListChatModel else counter,
        start_on=start_on,
        end_on=end_on,
        include_system=True,
    )
    sent = step.invoke([SystemMessage("Be kind."), *talk(100)])
    assert [type(sent[0]), type(sent[1]), sent[-1].text] == [SystemMessage, HumanMessage, "And now?"]
    assert len(sent) < 60


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"strategy": "first"}, "keep_first"),
        ({"strategy": "middle"}, "must be 'last'"),
        ({"start_on": "ai"}, "begins with a message of the user"),
        ({"start_on": (AIMessage, "tool")}, "begins with a message of the user"),
        ({"end_on": "ai"}, "nothing is left out at the end"),
        ({"end_on": ToolMessage}, "nothing is left out at the end"),
        ({"include_system": False}, "system messages always stay"),
        ({"allow_partial": True}, "on_overflow='truncate'"),
        ({"text_splitter": str.split}, "messages stay whole"),
        ({"token_counter": len}, r"max_messages=300"),
        ({"max_tokens": 0}, "above 0, found 0"),
        ({"max_tokens": "300"}, "a whole number of tokens above 0, found '300'"),
        ({"max_tokens": 10**5_000}, "a number of 16,610 bits"),
        ({"max_tokens": 10**5_000, "token_counter": len}, "a number of 16,610 bits"),
        ({"token_counter": None}, "token_counter must be"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_helps(arguments: dict[str, Any], said: str) -> None:
    """Each in a sentence."""
    arguments = {"max_tokens": 300, "token_counter": "approximate", **arguments}
    with pytest.raises(BudgetError, match=said):
        ContextRunnable.from_trim_messages(**arguments)


@pytest.mark.parametrize("kinds", [(), [], "", BaseMessage, (AIMessage, BaseMessage)])
def test_kinds_that_leave_nothing_out_are_taken(kinds: Any) -> None:
    """No kinds are none at all, and a class has its subclasses with it, as for LangChain."""
    arguments: dict[str, Any] = {"max_tokens": 300, "token_counter": "approximate"}
    step = ContextRunnable.from_trim_messages(**arguments, start_on=kinds, end_on=kinds)
    assert isinstance(step.invoke(talk(100))[0], HumanMessage)


def of_one(message: BaseMessage) -> int:
    """Count one message."""
    return 3 + len(str(message.content))


of_one.__annotations__["message"] = BaseMessage  # which is how LangChain tells


COUNTERS: dict[str, Any] = {
    "a function that says nothing": lambda said: 5 * len(said),
    "a function of one message": of_one,
    "a function of messages": count_tokens_approximately,
    "a shortcut": "approximate",
    "a part of a function": partial(count_tokens_approximately, chars_per_token=3.0),
}


@pytest.mark.parametrize("counter", COUNTERS)
@pytest.mark.parametrize("max_tokens", [60, 90, 200, 10_000])
def test_what_both_mean_gives_what_trim_messages_gives(counter: str, max_tokens: int) -> None:
    """Of turns without tools, where nothing more is cut than has to be."""
    arguments: dict[str, Any] = {
        "max_tokens": max_tokens, "strategy": "last", "token_counter": COUNTERS[counter], "start_on": "human",
        "end_on": ("human", "tool"), "include_system": True,
    }  # fmt: skip
    messages = [SystemMessage("Be kind."), *talk(9)]
    step = ContextRunnable.from_trim_messages(**arguments, policy=HistoryPolicy(low_water=1))
    assert step.invoke(messages) == trim_messages(messages, **arguments)


def test_a_function_that_counts_nothing_is_told_at_once() -> None:
    """And not taken for one of texts."""
    with pytest.raises(TokenizerError, match="counter sum raised TypeError on 1 message"):
        ContextRunnable.from_trim_messages(max_tokens=300, token_counter=sum)
