"""What becomes of requests is told on LlamaIndex's dispatcher; what a memory assumed wrongly is said once."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.workflow import Context
from llama_index_instrumentation import get_dispatcher
from pydantic import Field

from ctx_core import ContextOverflowError
from llamaindex_ctx import ContextMemoryBuffer, with_context_budget
from llamaindex_ctx.events import ContextCutEvent, ContextExceededEvent, ContextOverflowEvent, ContextSummaryEvent
from tests.llamaindex_ctx.spies import COUNTER, CallingSpy, asks, says, talk
from tests.llamaindex_ctx.turns import IGNORED, ask, function_agent, reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from llama_index.core.instrumentation.events import BaseEvent

pytestmark = [pytest.mark.filterwarnings(ignored) for ignored in IGNORED]
OURS = (ContextCutEvent, ContextSummaryEvent, ContextOverflowEvent, ContextExceededEvent)


class Heard(BaseEventHandler):
    """Keeps our events."""

    events: list[Any] = Field(default_factory=list)

    def handle(self, event: BaseEvent, **_: Any) -> None:
        """Keep an event."""
        if isinstance(event, OURS):
            self.events.append(event)


@pytest.fixture
def heard() -> Iterator[list[Any]]:
    """What is told while a test runs."""
    handler = Heard()
    get_dispatcher().add_event_handler(handler)
    yield handler.events
    get_dispatcher().event_handlers.remove(handler)


@pytest.mark.parametrize("surface", ["llm", "memory"])
def test_a_cut_is_told_of_when_it_is_made(heard: list[Any], surface: str) -> None:
    """In counts; a request that is cut as the one before is no news."""
    messages = talk(30)
    if surface == "llm":
        llm = with_context_budget(CallingSpy.of(), 400, counter=COUNTER)
        llm.chat(messages)
        llm.chat([*messages, says("So."), asks("And?")])
    else:
        memory = ContextMemoryBuffer.from_defaults(messages, token_limit=400, counter=COUNTER)
        memory.get()
        memory.get()
    (event,) = heard
    assert isinstance(event, ContextCutEvent)
    assert (event.surface, event.limit, event.class_name()) == (surface, 400, "ContextCutEvent")
    assert event.tokens <= 400
    assert event.omitted > 40
    assert "word" not in str(event.model_dump())


def test_a_summary_and_an_overflow_are_told_of(heard: list[Any]) -> None:
    """A summary behind its cut; an overflow with what each layer needs."""
    llm = with_context_budget(CallingSpy.of(), 400, counter=COUNTER, summarizer=lambda _, gone: f"{len(gone)} messages")
    llm.chat(talk(30))
    assert [type(event) for event in heard] == [ContextCutEvent, ContextSummaryEvent]
    assert heard[1].messages > 40
    with pytest.raises(ContextOverflowError):
        llm.chat([asks("word " * 1_000)])
    assert isinstance(heard[-1], ContextOverflowEvent)
    assert (heard[-1].limit, heard[-1].needed > 1_000, set(heard[-1].layers)) == (400, True, {"current", "framing"})


async def test_what_a_memory_cannot_see_is_noticed_and_said_once(
    heard: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    """The running turn of an agent grows beside its memory: an event each time, one warning for all."""
    agent = function_agent(CallingSpy.of(reading(25)), streaming=False)
    context: Context[Any] = Context(agent)
    memory = ContextMemoryBuffer.from_defaults(token_limit=1_000, counter="gpt-4o", chat_store_key="exceeded")
    await ask(agent, "noticed?", memory=memory, ctx=context)
    exceeding = [event for event in heard if isinstance(event, ContextExceededEvent)]
    assert len(exceeding) > 10
    assert all(event.tokens > 1_000 == event.limit and event.remembered == 1 for event in exceeding)
    agent.llm = CallingSpy.of(reading(25))
    await ask(agent, "noticed again?", ctx=context)
    warnings = [record for record in caplog.records if "with_context_budget" in record.message]
    assert len(warnings) == 1
    assert warnings[0].levelno == logging.WARNING
    assert "noticed" not in warnings[0].message


async def test_with_a_budget_beside_it_there_is_nothing_to_say(
    heard: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Neither there, nor where requests are within what the memory assumed, nor for other memories."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=1_000, counter="gpt-4o")
    fitted = with_context_budget(CallingSpy.of(reading(25)), 1_000, counter=COUNTER)
    await ask(function_agent(fitted, streaming=False), memory=memory)
    SimpleChatEngine.from_defaults(llm=CallingSpy.of(), memory=ContextMemoryBuffer.from_defaults()).chat("hi")
    await ask(function_agent(CallingSpy.of(reading(25)), streaming=False), memory=ChatMemoryBuffer.from_defaults())
    assert not [event for event in heard if isinstance(event, ContextExceededEvent)]
    assert "with_context_budget" not in caplog.text


def test_events_are_json(heard: list[Any]) -> None:
    """As tracers store them."""
    with_context_budget(CallingSpy.of(), 400, counter=COUNTER).chat([*talk(30)[:-1], ChatMessage("q", role="user")])
    assert json.loads(heard[0].model_dump_json())["surface"] == "llm"
