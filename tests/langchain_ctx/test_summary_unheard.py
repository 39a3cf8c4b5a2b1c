"""What a summarizer's model writes is in no stream, and what it uses is in every count of usage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.callbacks import get_usage_metadata_callback
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import ConfigurableField, RunnableLambda

from ctx_core import Summarizing
from langchain_ctx import ChatModelSummarizer, ContextRunnable
from tests.langchain_ctx.echo import EchoModel
from tests.langchain_ctx.test_summarizer import talk, words

if TYPE_CHECKING:
    from collections.abc import Callable

SECRET = "notes of all that was said"  # noqa: S105 - what must not be heard


def writer() -> GenericFakeChatModel:
    """Make a model that streams whenever somebody listens, and says what it used."""
    usage: Any = {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}
    return GenericFakeChatModel(
        messages=iter(
            AIMessage(SECRET, usage_metadata=usage, response_metadata={"model_name": "small"}) for _ in range(9)
        )
    )


WRAPS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda model: model,
    "retry": lambda model: model.with_retry(),
    "fallbacks": lambda model: model.with_fallbacks([writer()]),
    "second of fallbacks": lambda model: broken().with_fallbacks([model]),
    "bound": lambda model: model.bind(stop=["."]).with_config(tags=["mine"]),
    "chain": lambda model: model | StrOutputParser(),
    "alternatives": lambda model: model.configurable_alternatives(ConfigurableField(id="model"), other=broken()),
    "made alternative": lambda model: (
        broken()
        .configurable_alternatives(ConfigurableField(id="model"), other=lambda: model)
        .with_config(configurable={"model": "other"})
    ),
    "fields in retry": lambda model: model.configurable_fields(tags=ConfigurableField(id="tags")).with_retry(),
    "prompted": lambda model: RunnableLambda(lambda asked: asked) | model,
}


def broken() -> Any:
    """Make a model that has nothing to say."""
    return GenericFakeChatModel(messages=iter([]))


def chain(wrap: Callable[[Any], Any], timeout: float | None) -> Any:
    """Make a chain whose step has a model summarize."""
    summarizing = Summarizing(ChatModelSummarizer(wrap(writer())), timeout=timeout)
    return ContextRunnable(200, counter=words, summarizer=summarizing) | EchoModel()


async def _stream(runnable: Any, messages: list[BaseMessage]) -> list[str]:
    return [chunk.text for chunk in runnable.stream(messages)]


async def _astream(runnable: Any, messages: list[BaseMessage]) -> list[str]:
    return [chunk.text async for chunk in runnable.astream(messages)]


async def _events(runnable: Any, messages: list[BaseMessage]) -> list[str]:
    return [
        event["data"]["chunk"].text
        async for event in runnable.astream_events(messages)
        if event["event"] == "on_chat_model_stream"
    ]


def graph(runnable: Any) -> Any:
    """Make a graph of one node that invokes the chain."""
    graphs = pytest.importorskip("langgraph.graph", reason="LangGraph is not installed")

    def node(state: dict[str, Any]) -> dict[str, Any]:
        return {"messages": [runnable.invoke(state["messages"])]}

    async def anode(state: dict[str, Any]) -> dict[str, Any]:
        return {"messages": [await runnable.ainvoke(state["messages"])]}

    made: Any = graphs.StateGraph(graphs.MessagesState)
    made.add_node("model", RunnableLambda(node, anode))
    made.add_edge(graphs.START, "model")
    return made.compile()


async def _graph(runnable: Any, messages: list[BaseMessage]) -> list[str]:
    streamed = graph(runnable).stream({"messages": messages}, stream_mode="messages")
    return [message.text for message, _ in streamed]


async def _agraph(runnable: Any, messages: list[BaseMessage]) -> list[str]:
    streamed = graph(runnable).astream({"messages": messages}, stream_mode="messages")
    return [message.text async for message, _ in streamed]


@pytest.mark.parametrize("listen", [_stream, _astream, _events, _graph, _agraph])
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
@pytest.mark.parametrize("waits", [60, None])
async def test_no_token_of_it_is_streamed_and_all_of_them_are_counted(
    listen: Any, wrap: Callable[[Any], Any], waits: float | None
) -> None:
    """Through every way to listen, whatever is around the model, in a thread of its own and in that of the turn."""
    with get_usage_metadata_callback() as usage:
        heard = "".join(await listen(chain(wrap, waits), talk(60)))
    assert "re: and now?" in heard
    assert not set(SECRET.split()) & set(heard.split())
    assert usage.usage_metadata["small"]["total_tokens"] == 9


async def test_the_answer_itself_is_streamed() -> None:
    """The model that answers is left as it is."""
    answering = GenericFakeChatModel(messages=iter([AIMessage("one two three")]))
    runnable = ContextRunnable(200, counter=words, summarizer=ChatModelSummarizer(writer())) | answering
    assert len(await _events(runnable, [*talk(60)[:-1], HumanMessage("count")])) > 2
