"""Nothing foreign, wherever LangChain and LangGraph tell conversations apart, and wherever they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import ConfigurableField, RunnableConfig, RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_core.runnables.utils import ConfigurableFieldSpec
from langgraph.graph import END, START, StateGraph  # pyright: ignore[reportMissingTypeStubs]  # it has none

from ctx_core import ContextBuilder, ContextOverflowError, Framing, TokenCounter
from ctx_core.memory import ConversationMemory, MemoryItem, RankedMemory
from langchain_ctx import ContextRunnable, InMemoryHistory
from langchain_ctx.memory_source import RetrieverMemory
from tests.langchain_ctx.echo import EchoModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.callbacks import CallbackManagerForRetrieverRun

    from ctx_core.conversation.messages import Message

pytestmark = pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")

WORDS = TokenCounter(lambda text: len(text.split()), framing=Framing.free())
LIMIT = 40


def talk(turns: int, name: str = "my") -> list[BaseMessage]:
    """Make a conversation of so many answered turns, and a last question."""
    past = [
        make(f"{name} {text} {at}")
        for at in range(turns)
        for make, text in ((HumanMessage, "question"), (AIMessage, "answer"))
    ]
    return [*past, HumanMessage(f"{name} question {turns}")]


def quoting(summary: str, messages: Sequence[Message]) -> str:
    """Summarize by quoting the first message."""
    return summary or f"told: {messages[0].text}"


def counts(messages: Sequence[BaseMessage]) -> int:
    """Count words."""
    return sum(len(str(message.content).split()) for message in messages)


class Said(TypedDict):
    """State of a graph."""

    mine: list[BaseMessage]
    hers: list[BaseMessage]


def test_two_nodes_of_a_graph_that_share_a_step_keep_apart() -> None:
    """On one thread, at once in one step of the graph, run after run: each node has a cut and a summary of its own."""
    calls: list[str] = []

    def summarizer(summary: str, messages: Sequence[Message]) -> str:
        calls.append(messages[0].text)
        return quoting(summary, messages)

    step = ContextRunnable(LIMIT, counter=WORDS, summarizer=summarizer)

    def node(key: str) -> Any:
        def work(state: Said, config: RunnableConfig) -> dict[str, Any]:
            return {key: step.invoke(state[key], config)}  # type: ignore[literal-required]  # a key of it

        return work

    graph = StateGraph(Said)
    for key in ("mine", "hers"):
        graph.add_node(f"ask {key}", node(key))
        graph.add_edge(START, f"ask {key}")
        graph.add_edge(f"ask {key}", END)
    app = graph.compile()
    for turns in range(8, 30):
        sent = app.invoke({"mine": talk(turns), "hers": talk(turns, "her")}, {"configurable": {"thread_id": "t"}})
        assert not any("her" in str(message.content) for message in sent["mine"])
        assert not any("my" in str(message.content) for message in sent["hers"])
    both, single = len(calls), ContextRunnable(LIMIT, counter=WORDS, summarizer=summarizer)
    for turns in range(8, 30):
        single.invoke(talk(turns))
    assert both == 2 * (len(calls) - both)


def test_a_subgraph_keeps_apart_from_its_parent() -> None:
    """The same step in a node of a graph and in a node of its subgraph, on one thread."""
    step = ContextRunnable(LIMIT, counter=WORDS, summarizer=quoting)

    def mine(state: Said, config: RunnableConfig) -> dict[str, Any]:
        return {"mine": step.invoke(state["mine"], config)}

    def hers(state: Said, config: RunnableConfig) -> dict[str, Any]:
        return {"hers": step.invoke(state["hers"], config)}

    inner = StateGraph(Said)
    inner.add_node("ask", hers)
    inner.add_edge(START, "ask")
    outer = StateGraph(Said)
    outer.add_node("ask", mine)
    outer.add_node("below", inner.compile())
    outer.add_edge(START, "ask")
    outer.add_edge("ask", "below")
    app = outer.compile()
    for turns in range(8, 20):
        sent = app.invoke({"mine": talk(turns), "hers": talk(turns, "her")}, {"configurable": {"thread_id": "t"}})
        assert not any("her" in str(message.content) for message in sent["mine"])
        assert not any("my" in str(message.content) for message in sent["hers"])
    assert len(step.states._states) == 2  # noqa: SLF001 - one for each


def test_a_fallback_and_the_model_before_it_share_a_memory() -> None:
    """The larger window is used again when the first model is back, and neither is sent more than fits."""
    states: dict[str, Any] = {}
    large, small = (ContextRunnable(limit, counter=WORDS, states=states) for limit in (150, 40))
    down = [False]

    def first(messages: list[BaseMessage]) -> list[BaseMessage]:
        if down[0]:
            raise ConnectionError
        return messages

    app = (large | RunnableLambda(first)).with_fallbacks([small])
    for turns, is_down in ((20, False), (21, True), (22, False), (23, True), (24, True), (25, False)):
        down[0] = is_down
        sent = app.invoke(talk(turns), {"configurable": {"thread_id": "t"}})
        assert counts(sent) <= (40 if is_down else 150)
        assert is_down or len(sent) > 20
        assert sent[-1] == talk(turns)[-1]


def test_a_history_factorys_own_keys_tell_users_apart() -> None:
    """Two tenants with equal chat numbers, over one chain: what one has said is never sent for the other."""
    stores: dict[tuple[str, int], InMemoryHistory] = {}

    def history(tenant: str, chat: int) -> InMemoryHistory:
        return stores.setdefault((tenant, chat), InMemoryHistory())

    model = EchoModel()
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("past"), ("human", "{question}")])
    step = ContextRunnable(LIMIT, counter=WORDS, summarizer=quoting)
    app = RunnableWithMessageHistory(
        prompt | step | model,
        history,
        input_messages_key="question",
        history_messages_key="past",
        history_factory_config=[
            ConfigurableFieldSpec(id="tenant", annotation=str),
            ConfigurableFieldSpec(id="chat", annotation=int),
        ],
    )
    for turn in range(20):
        for tenant in ("red", "blue"):
            app.invoke({"question": f"{tenant} question {turn}"}, {"configurable": {"tenant": tenant, "chat": 1}})
            other = "blue" if tenant == "red" else "red"
            assert not any(other in str(message.content) for message in model.received[-1])
    assert len(step.states._states) == 2  # noqa: SLF001 - one for each


@pytest.mark.parametrize("door", ["invoke", "ainvoke"])
async def test_budget_counter_and_tools_come_with_a_request(door: str) -> None:
    """They hold for that request; a limit that grows is a new decision, and back again."""
    step = ContextRunnable(LIMIT, counter=WORDS)

    async def ask(**configurable: Any) -> list[BaseMessage]:
        config: Any = {"configurable": {"thread_id": "t", **configurable}}
        sent = step.invoke(talk(20), config) if door == "invoke" else await step.ainvoke(talk(20), config)
        return list(sent)

    assert counts(await ask()) <= LIMIT
    assert await ask(budget=1_000) == talk(20)
    assert counts(await ask(budget=20)) <= 20
    assert counts(await ask()) <= LIMIT
    tool = {"type": "function", "function": {"name": "f", "description": "word " * 500, "parameters": {}}}
    with pytest.raises(ContextOverflowError):
        await ask(tools=[tool])
    letters = await ask(counter=TokenCounter(len, framing=Framing.free()))
    assert sum(len(str(message.content)) for message in letters) <= LIMIT


def test_fields_are_configurable() -> None:
    """As LangChain's own runnables have it."""
    step = ContextRunnable(LIMIT, counter=WORDS)
    flexible = step.configurable_fields(
        budget=ConfigurableField(id="most"), enabled=ConfigurableField(id="trims"), policy=ConfigurableField(id="cut")
    )
    assert counts(flexible.with_config(configurable={"most": 20}).invoke(talk(20))) <= 20
    assert flexible.with_config(configurable={"trims": False}).invoke(talk(20)) == talk(20)
    assert counts(flexible.invoke(talk(20))) <= LIMIT


def test_a_budget_of_a_request_leaves_a_recipe_its_parts() -> None:
    """A builder, or a recipe, under a smaller window."""
    step = ContextRunnable(recipe=ContextBuilder(1_000, WORDS).system("Be brief."))
    assert step.invoke(talk(20))[1:] == talk(20)
    sent = step.invoke(talk(20), {"configurable": {"budget": 20}})
    assert sent[0].content == "Be brief."
    assert counts(sent) <= 20


class Finder(BaseRetriever):
    """Finds one thing."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        del run_manager
        return [Document(f"found for {query}")]


@pytest.mark.parametrize("door", ["invoke", "ainvoke"])
async def test_layers_bring_facts_a_retriever_and_cut_turns(door: str) -> None:
    """Without a recipe class of one's own, for as many conversations as there are."""
    facts = RankedMemory([MemoryItem("the ferry leaves at noon")], name="facts")
    step = ContextRunnable(120, counter=WORDS, layers=[facts, RetrieverMemory(Finder()), ConversationMemory()])
    for name in ("red", "blue"):
        messages = [HumanMessage(f"the {name} password is fish{name}"), AIMessage("noted"), *talk(40, name)]
        messages[-1] = HumanMessage("which password is it?")
        sent = step.invoke(messages) if door == "invoke" else await step.ainvoke(messages)
        assert "ferry leaves at noon" in str(sent[0].content)
        assert f"fish{name}" in str(sent[0].content)
        assert counts(sent) <= 120


def test_enabled_is_switched_while_it_runs() -> None:
    """The messages are the very objects that came in, and it goes on where it was."""
    step = ContextRunnable(LIMIT, counter=WORDS)
    first = step.invoke(talk(20))
    step.enabled = False
    messages = talk(20)
    assert all(one is other for one, other in zip(step.invoke(messages), messages, strict=True))
    step.enabled = True
    assert step.invoke(talk(20)) == first


async def test_an_async_listener_hears_of_requests() -> None:
    """Awaited on the loop of the request."""
    heard: list[int] = []

    async def hear(report: Any) -> None:
        heard.append(report.used)

    step = ContextRunnable(LIMIT, counter=WORDS, on_report=hear)
    await (step | RunnableLambda(len)).ainvoke(talk(20))
    assert len(heard) == 1
