"""`ChatModelSummarizer`: any chat model as a summarizer that nobody hears."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.callbacks import UsageMetadataCallbackHandler
from langchain_core.language_models import FakeMessagesListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tracers.run_collector import RunCollectorCallbackHandler

from ctx_core import BudgetError, Message, Role, RollingSummary, Summarizing, Tokens
from langchain_ctx import ChatModelSummarizer, ContextRunnable
from tests.langchain_ctx.echo import EchoModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.runnables import Runnable

MESSAGES = [Message.user("I am Ana"), Message.assistant("Hello Ana")]
SUMMARY = RollingSummary(role=Role.USER, cap=Tokens(60))


def words(text: str) -> int:
    """Count words."""
    return len(text.split())


def talk(turns: int) -> list[BaseMessage]:
    """Make a conversation."""
    past = [m for at in range(turns) for m in (HumanMessage(f"question {at}"), AIMessage(f"answer {at}"))]
    return [*past, HumanMessage("and now?")]


def answering(text: str) -> FakeMessagesListChatModel:
    """Make a model that always answers the same, and says what it used."""
    usage: Any = {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}
    answer = AIMessage(text, usage_metadata=usage, response_metadata={"model_name": "small"})
    return FakeMessagesListChatModel(responses=[answer])


def step(model: Any, **options: Any) -> ContextRunnable:
    """Make a step that has a model summarize."""
    summarizing = Summarizing(ChatModelSummarizer(model), **options)
    return ContextRunnable(200, counter=words, summarizer=summarizing, summary=SUMMARY)


async def test_the_model_is_asked_with_the_summary_so_far_and_the_messages() -> None:
    """In both doors, in one user message, which every provider takes."""
    model = EchoModel()
    summarizer = ChatModelSummarizer(model)
    for answer in (summarizer("They met.", MESSAGES), await summarizer.acall("They met.", MESSAGES)):
        assert answer.startswith("re: ")
    for request in model.received:
        (asked,) = request
        assert isinstance(asked, HumanMessage)
        assert "They met." in asked.text
        assert "user: I am Ana\nassistant: Hello Ana" in asked.text
    assert len(model.received) == 2


async def test_the_prompt_can_be_the_users_own() -> None:
    """A function of the same two things."""
    model = EchoModel()
    summarizer = ChatModelSummarizer(model, prompt=lambda summary, messages: f"{summary} + {len(messages)}")
    assert summarizer("s", MESSAGES) == await summarizer.acall("s", MESSAGES) == "re: s + 2"


def test_only_the_text_of_an_answer_counts() -> None:
    """Models that think aloud do so in blocks of their own."""
    blocks: Any = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "They met."}]
    model = FakeMessagesListChatModel(responses=[AIMessage(content=blocks)])
    assert ChatModelSummarizer(model)("", MESSAGES) == "They met."


@pytest.mark.parametrize(
    "wrap",
    [
        lambda model: model.with_retry(),
        lambda model: model.with_fallbacks([answering("other")]),
        lambda model: model.bind(stop=["."]),
    ],
)
async def test_a_model_in_wrappers_will_do(wrap: Callable[[Any], Runnable[Any, AIMessage]]) -> None:
    """Retries and fallbacks are what one wants for a summary."""
    summarizer = ChatModelSummarizer(wrap(answering("notes")))
    assert summarizer("", MESSAGES) == await summarizer.acall("", MESSAGES) == "notes"


def test_what_is_no_model_is_refused() -> None:
    """When it is made, not on the first cut."""
    model: Any = words
    with pytest.raises(BudgetError, match="found function"):
        ChatModelSummarizer(model)


def test_the_model_itself_is_left_as_it_is() -> None:
    """The same model may stream its answers elsewhere."""
    model = EchoModel()
    ChatModelSummarizer(model)
    assert model.disable_streaming is False


async def test_what_it_writes_is_no_event_of_the_answer() -> None:
    """Who streams a chain's events sees the tokens of the answer alone."""
    chain = step(GenericFakeChatModel(messages=iter([AIMessage("secret notes of all that was said")]))) | EchoModel()
    streamed = [
        event["data"].get("chunk", AIMessage("")).text
        async for event in chain.astream_events(talk(60))
        if event["event"] == "on_chat_model_stream"
    ]
    assert "".join(streamed).startswith("re: and now?")
    assert "secret" not in "".join(streamed)


async def test_what_it_writes_is_no_message_of_a_graph() -> None:
    """LangGraph streams what any model in a node says, unless it is told not to."""
    graphs = pytest.importorskip("langgraph.graph", reason="LangGraph is not installed")
    chain = step(GenericFakeChatModel(messages=iter([AIMessage("secret notes")]))) | EchoModel()

    async def node(state: dict[str, Any]) -> dict[str, Any]:
        return {"messages": [await chain.ainvoke(state["messages"])]}

    graph: Any = graphs.StateGraph(graphs.MessagesState)
    graph.add_node("model", node)
    graph.add_edge(graphs.START, "model")
    streamed = [
        message.text async for message, _ in graph.compile().astream({"messages": talk(60)}, stream_mode="messages")
    ]
    assert "re: and now?" in "".join(streamed)
    assert "secret" not in "".join(streamed)


async def test_its_run_is_a_part_of_the_steps_run() -> None:
    """Traces show who asked for it, under a name of its own, and what it used is counted."""
    runs, usage = RunCollectorCallbackHandler(), UsageMetadataCallbackHandler()
    await step(answering("notes")).ainvoke(talk(60), {"callbacks": [runs, usage], "tags": ["mine"]})
    (run,) = runs.traced_runs
    (child,) = run.child_runs
    assert (run.name, child.name) == ("ContextRunnable", "ctx_layers_summary")
    assert {"mine", "nostream"} <= set(child.tags or ())
    assert (child.extra or {})["metadata"]["lc_source"] == "summarization"
    assert usage.usage_metadata["small"]["total_tokens"] == 9


def test_in_the_sync_door_it_is_a_part_of_the_steps_run_too() -> None:
    """Where it runs in the thread of the turn."""
    runs = RunCollectorCallbackHandler()
    step(answering("notes"), timeout=None).invoke(talk(60), {"callbacks": [runs]})
    (run,) = runs.traced_runs
    assert [child.name for child in run.child_runs] == ["ctx_layers_summary"]
