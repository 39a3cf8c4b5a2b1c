"""Learning from what LlamaIndex's models are billed."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata, ThinkingBlock
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.llms.callbacks import llm_chat_callback
from llama_index_instrumentation import get_dispatcher
from typing_extensions import override

from ctx_core import BudgetError, TokenCounter
from ctx_core.counting import Calibration, count_anchored
from llamaindex_ctx import CalibrationHandler, ChatMessageCodec, ContextMemoryBuffer, chat_anchor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MODEL = "claude-sonnet-4-5"
CODEC = ChatMessageCodec()
LONG = "Where were we, and what did we mean to do about the tide? " * 20


class Billing(MockLLM):
    """Bills more than is estimated."""

    named: str = MODEL
    factor: float = 1.1

    @property
    @override
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name=self.named)

    @llm_chat_callback()  # type: ignore[untyped-decorator, unused-ignore]  # LlamaIndex's, as in its own models
    @override
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """Answer, with the bill where Claude's client has it."""
        tools = kwargs.get("tools") or ()
        read = [CODEC.read(message) for message in messages]
        billed = round(TokenCounter.for_model(MODEL).measure(read, tools=tools).estimate * self.factor)
        answer = ChatMessage("Yes.", role="assistant")
        return ChatResponse(message=answer, raw={"usage": {"input_tokens": billed - 10, "cache_read_input_tokens": 10}})


def billing() -> Billing:
    """Make such a model."""
    return Billing(max_tokens=None)


@pytest.fixture(name="counter")
def _counter() -> Iterator[TokenCounter]:
    counter = TokenCounter.for_model(MODEL, calibration=Calibration())
    handler = CalibrationHandler(counter)
    dispatcher = get_dispatcher()
    dispatcher.add_event_handler(handler)
    yield counter
    dispatcher.event_handlers.remove(handler)


def known(counter: TokenCounter) -> list[list[int]]:
    """Give what a counter has learned."""
    assert counter.calibration is not None
    return counter.calibration.to_dict().get(MODEL, [])


def test_an_engine_teaches_the_counter_of_its_memory(counter: TokenCounter) -> None:
    """What chats are billed is known to whatever counts with it."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=100_000, counter=counter)
    engine = SimpleChatEngine.from_defaults(llm=billing(), memory=memory)
    for at in range(4):
        engine.chat(f"{at}: {LONG}")
    assert len(known(counter)) == 4
    assert counter.calibration is not None
    assert counter.calibration.ratio(MODEL) == pytest.approx(1.1, abs=0.01)
    read = [CODEC.read(message) for message in memory.get_all()]
    before, after = TokenCounter.for_model(MODEL).measure(read), counter.measure(read)
    assert after.estimate == pytest.approx(before.estimate * 1.1, abs=2)
    assert after.bound < before.bound


def test_bills_above_the_bound_make_views_smaller(counter: TokenCounter) -> None:
    """The memory keeps free what the bills show to be added."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=1_400, counter=counter)
    llm = billing()
    llm.factor = 1.8
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory)
    for at in range(4):
        engine.chat(f"{at}: {LONG}")
    view, plain = memory.get(), ContextMemoryBuffer.from_defaults(memory.get_all(), token_limit=1_400, counter=MODEL)
    assert len(view) < len(plain.get())
    assert memory.last_report is not None
    assert memory.last_report.layer("underestimate").used > 0
    assert TokenCounter.for_model(MODEL).measure(map(CODEC.read, view)).estimate * 1.8 <= 1_400


@pytest.mark.parametrize(
    "turned",
    [
        lambda memory: pickle.loads(pickle.dumps(memory)),  # noqa: S301 - what was pickled here
        lambda memory: ContextMemoryBuffer.from_dict(memory.to_dict()),
    ],
)
def test_a_stored_memory_keeps_learning(counter: TokenCounter, turned: Any) -> None:
    """Where this process finds the one that was stored; elsewhere it says what was left behind."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=100_000, counter=counter)
    assert turned(memory).counter.calibration is counter.calibration
    assert "counter" in memory.to_dict()["left_behind"]


def test_tools_of_a_chat_are_part_of_its_estimate(counter: TokenCounter) -> None:
    """An agent sends them along; they must not look like denser text."""
    tool = {"type": "function", "function": {"name": "look", "description": "Looks. " * 30, "parameters": {}}}
    billing().chat([ChatMessage(LONG, role="user")], tools=[tool])
    [[estimate, bound, billed]] = known(counter)
    assert billed == round(estimate * 1.1) <= bound


def test_other_models_teach_nothing(counter: TokenCounter) -> None:
    """The engine's condenser may be one of another family."""
    llm = billing()
    for other in ("claude-3-haiku", "gpt-4o-mini", "claude-sonnet-4"):
        llm.named = other
        llm.chat([ChatMessage(LONG, role="user")])
    assert known(counter) == []
    llm.named = f"{MODEL}-20250929"
    llm.chat([ChatMessage(LONG, role="user")])
    assert len(known(counter)) == 1


def test_a_handler_needs_something_that_learns() -> None:
    """A counter without a calibration, or for no model, is an error at once."""
    for counter in (TokenCounter.for_model(MODEL), TokenCounter(len, calibration=Calibration())):
        with pytest.raises(BudgetError, match="calibration=Calibration"):
            CalibrationHandler(counter)


def test_a_response_anchors_the_next_request() -> None:
    """Its bill is what everything that was sent is known to cost."""
    sent = [ChatMessage(LONG, role="user")]
    response = billing().chat(sent)
    anchor = chat_anchor(sent, response)
    assert anchor is not None
    more = [*sent, response.message, ChatMessage("And then?", role="user")]
    counter = TokenCounter.for_model(MODEL)
    found = count_anchored(counter, [CODEC.read(message) for message in more], anchor)
    assert found.anchored
    assert anchor.billed < found.estimate <= found.bound
    assert chat_anchor(sent, ChatResponse(message=response.message)) is None


def test_usage_beside_the_answer_is_read_too() -> None:
    """Some models put the figures into `additional_kwargs`, of the response or of the message."""
    message = ChatMessage("Yes.", role="assistant", additional_kwargs={"prompt_tokens": 12})
    assert CODEC.read(message).billed == 12
    anchor = chat_anchor([], ChatResponse(message=message, raw=None, additional_kwargs={"prompt_tokens": 13}))
    assert anchor is not None
    assert anchor.billed == 13


def test_encrypted_thoughts_of_a_block_are_seen() -> None:
    """OpenAI's reasoning items are thinking blocks here."""
    block = ThinkingBlock(content="hm", additional_information={"encrypted_content": "s" * 99})
    [part] = CODEC.read(ChatMessage(role="assistant", blocks=[block])).parts
    assert part.encrypted == 99  # type: ignore[union-attr]
