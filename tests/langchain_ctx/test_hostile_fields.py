"""LangChain's messages whose fields were set to anything: each is sent, or refused with words, at every door."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.runnables import RunnableConfig

from ctx_core import BudgetError, MessageError
from langchain_ctx import (
    BudgetedChatMessageHistory,
    ContextMiddleware,
    ContextNode,
    ContextRunnable,
    InMemoryHistory,
)
from tests.hostile import ONE_OF_EACH, VALUES, works_or_refuses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CALL: Final = {"id": "1", "name": "f", "args": {}, "type": "tool_call"}
KINDS: Final[list[BaseMessage]] = [
    HumanMessage("a"),
    AIMessage("b", tool_calls=[CALL]),
    AIMessageChunk(content="b", tool_call_chunks=[{"id": "1", "name": "f", "args": "{}", "index": 0}]),
    ToolMessage("r", tool_call_id="1"),
    SystemMessage("s"),
    ChatMessage(content="c", role="user"),
    FunctionMessage(content="f", name="f"),
]
LISTED: Final = ("tool_calls", "invalid_tool_calls")


def around(message: BaseMessage) -> list[BaseMessage]:
    """Give a conversation in which a message stands where it belongs."""
    last = HumanMessage("z")
    if isinstance(message, AIMessage):
        return [HumanMessage("a"), message, ToolMessage("r", tool_call_id="1"), last]
    if isinstance(message, ToolMessage):
        return [HumanMessage("a"), AIMessage("", tool_calls=[CALL]), message, last]
    return [HumanMessage("a"), AIMessage("b"), message] if isinstance(message, HumanMessage) else [message, last]


def conversations(value: Any) -> Iterator[Any]:
    """Give conversations with a value in every field of every kind of message."""
    for kind in KINDS:
        for field in type(kind).model_fields:
            yield around(kind.model_copy(update={field: value}))
        yield around(type(kind).model_construct())
    for name in LISTED:
        for entry in (value, {}, *({**CALL, field: value} for field in CALL)):
            yield around(AIMessage("b").model_copy(update={name: [entry]}))
    for key in ("tool_calls", "function_call", "audio", "refusal", "tool_call_id", "reasoning_content"):
        for extra in (value, [value], [{"id": value, "function": value}]):
            yield around(AIMessage("b", tool_calls=[CALL], additional_kwargs={key: extra}))
    yield from ([value], [(value, value)], [{"role": value, "content": value}], value)


def in_middleware(messages: Any) -> None:
    """Have them sent by an agent."""
    request: ModelRequest[Any] = ModelRequest(
        model=FakeListChatModel(responses=["ok"]), messages=messages, state={"messages": messages}
    )
    middleware: Any = ContextMiddleware(300, counter="gpt-4o")
    middleware.wrap_model_call(request, lambda _: ModelResponse(result=[AIMessage("x")]))


def in_history(messages: Any) -> None:
    """Have them stored and read."""
    history = BudgetedChatMessageHistory(InMemoryHistory(), 300, counter="gpt-4o")
    history.add_messages(messages)
    assert history.messages


DOORS: Final[dict[str, Callable[[Any], object]]] = {
    "a runnable": ContextRunnable(300, counter="gpt-4o").invoke,
    "truncating": ContextRunnable(60, counter="claude-opus-5", on_overflow="truncate").invoke,
    "Mistral's": ContextRunnable(60, counter="mistral-large-latest").invoke,
    "a history": in_history,
    "a node": lambda messages: ContextNode(300, counter="gpt-4o").invoke({"messages": messages}),
    "a middleware": in_middleware,
}


@pytest.mark.parametrize("name", ONE_OF_EACH)
@pytest.mark.parametrize("door", DOORS)
def test_whatever_stands_in_a_field_is_sent_or_refused(name: str, door: str) -> None:
    """No other error comes out, and none that holds content or steers a terminal."""
    for messages in conversations(VALUES[name]):
        works_or_refuses(partial(DOORS[door], messages))


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (HumanMessage("a").model_copy(update={"name": {}}), "name of HumanMessage must be str or None, found dict"),
        (AIMessage("a").model_copy(update={"id": 5}), "id of AIMessage must be str or None, found int"),
        (HumanMessage.model_construct(), "HumanMessage without content"),
        (AIMessage("a").model_copy(update={"tool_calls": [5]}), "call 1 must be a dict, found int"),
        (HumanMessage("a").model_copy(update={"type": []}), "type of HumanMessage must be str, found list"),
    ],
)  # fmt: skip
def test_the_error_names_the_field(message: BaseMessage, said: str) -> None:
    """With what is wrong in it, and where the message stands."""
    with pytest.raises(MessageError, match=f"message 2 of 3: .*{said}"):
        ContextRunnable(300, counter="gpt-4o").invoke([HumanMessage("a"), message, HumanMessage("z")])


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_any_thread_is_a_conversation_or_refused(name: str) -> None:
    """What cannot be a name of one is none, and the messages tell it apart."""
    thread: Any = VALUES[name]
    step, config = ContextRunnable(300, counter="gpt-4o"), RunnableConfig(configurable={"thread_id": thread})
    if name == "a huge number":
        with pytest.raises(BudgetError, match="thread_id in the config must be the name of a conversation"):
            step.invoke("a", config)
    else:
        assert [message.text for message in step.invoke("a", config)] == ["a"]
