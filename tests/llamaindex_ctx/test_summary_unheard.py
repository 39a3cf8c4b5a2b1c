"""What a summarizer's LLM writes is in no stream, and what it uses is in every count of usage."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core.agent.workflow import AgentStream
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.callbacks import CallbackManager, TokenCountingHandler
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.llm import LLMChatEndEvent
from llama_index.core.llms import MockLLM
from llama_index_instrumentation import get_dispatcher
from pydantic import Field
from typing_extensions import override

from ctx_core import Summarizing
from llamaindex_ctx import ContextMemoryBuffer, LLMSummarizer
from tests.llamaindex_ctx.test_agents import Script, function_agent, pytestmark, says

__all__ = ["pytestmark"]


class Ended(BaseEventHandler):
    """Hears of each chat that ends."""

    answers: list[str] = Field(default_factory=list)

    @override
    def handle(self, event: Any, **kwargs: Any) -> None:
        if isinstance(event, LLMChatEndEvent) and event.response is not None:
            self.answers.append(str(event.response.message.content))


def counted() -> tuple[TokenCountingHandler, MockLLM]:
    """Make an LLM that says five words, and what counts its tokens."""
    handler = TokenCountingHandler(tokenizer=str.split)
    return handler, MockLLM(max_tokens=5, is_chat_model=True, callback_manager=CallbackManager([handler]))


def talked(summarizer: Any) -> ContextMemoryBuffer:
    """Make a memory of a long conversation."""
    said = [ChatMessage(f"word {at} of many", role=("user", "assistant")[at % 2]) for at in range(200)]
    return ContextMemoryBuffer(
        chat_history=said, token_limit=300, counter=lambda text: len(text.split()), summarizer=summarizer
    )


@pytest.mark.parametrize("door", ["stream", "astream"])
@pytest.mark.parametrize("waits", [60, None])
async def test_a_streamed_engine_gives_the_answer_alone(door: str, waits: float | None) -> None:
    """The callbacks of the LLM that summarizes count what it was given and what it wrote; dispatchers hear of it."""
    handler, small = counted()
    heard, dispatcher = Ended(), get_dispatcher()
    dispatcher.add_event_handler(heard)
    memory = talked(Summarizing(LLMSummarizer(small), timeout=waits))
    engine = SimpleChatEngine.from_defaults(llm=MockLLM(max_tokens=2, is_chat_model=True), memory=memory)
    try:
        if door == "stream":
            tokens = list(engine.stream_chat("and now?").response_gen)
        else:
            tokens = [token async for token in (await engine.astream_chat("and now?")).async_response_gen()]
    finally:
        dispatcher.event_handlers.remove(heard)
    assert "".join(tokens).split() == ["text"] * 2
    assert "text text text text text" in str(memory.get()[0].content)
    assert handler.completion_llm_token_count >= 5
    assert handler.prompt_llm_token_count > 200
    assert "text text text text text" in heard.answers


async def test_an_agents_stream_is_the_answer_alone() -> None:
    """Events of an agent hold nothing of the summary."""
    handler, small = counted()
    agent = function_agent(Script([says("all is well")]), streaming=True)
    memory = talked(LLMSummarizer(small))
    running = agent.run(user_msg="and now?", memory=memory)  # pyright: ignore[reportDeprecated]  # of its overloads, one is
    streamed = [event.delta async for event in running.stream_events() if isinstance(event, AgentStream)]
    await running
    assert "".join(streamed) == "all is well"
    assert handler.completion_llm_token_count >= 5
