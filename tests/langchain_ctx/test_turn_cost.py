"""A turn of an agent reads and prices its new messages only, however long the run is, and nothing out of date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain.agents.middleware.types import ExtendedModelResponse, ModelRequest, ModelResponse
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    ToolMessage,
    message_to_dict,
    messages_from_dict,
)

from ctx_core import TokenCounter
from ctx_core.conversation.transcript import read_natives
from langchain_ctx import ContextMiddleware
from langchain_ctx.convert import CODEC, LangChainCodec

if TYPE_CHECKING:
    from ctx_core.conversation.messages import Message

LIMIT = 2_000
LONG = 10_000
"""Messages of the run."""


class Recording:
    """Counts letters by four, and remembers how many texts it was asked for."""

    name = "recording"

    def __init__(self) -> None:
        """Begin with none."""
        self.asked = 0

    def count(self, text: str) -> int:
        """Count, and note that it was asked."""
        self.asked += bool(text)
        return -(-len(text) // 4)


class Run:
    """A long run of an agent, driven as `create_agent` drives the middleware."""

    def __init__(self, size: int, provider: str = "openai") -> None:
        """Begin with a run of so many messages."""
        self.recording = Recording()
        self.middleware = ContextMiddleware(LIMIT, counter=TokenCounter(self.recording), provider=provider)
        self.messages: list[BaseMessage] = [HumanMessage("When does the ferry leave?", id="q")]
        self.state: dict[str, Any] = {}
        while len(self.messages) < size:
            self.step()

    def step(self) -> None:
        """Add a call and its result."""
        at = len(self.messages)
        call = {"name": "look", "args": {"place": f"pier {at}"}, "id": f"call-{at}", "type": "tool_call"}
        self.messages += [
            AIMessage(f"Step {at}.", tool_calls=[call], id=f"a{at}"),
            ToolMessage(f"Of pier {at} there is to be said: it is calm.", tool_call_id=f"call-{at}", id=f"t{at}"),
        ]

    def sent(self) -> list[BaseMessage]:
        """Give what the model is sent now."""
        request: ModelRequest[Any] = ModelRequest(
            model=FakeListChatModel(responses=["x"]),
            messages=list(self.messages),  # type: ignore[arg-type]
            state=self.state,  # type: ignore[arg-type]
        )
        seen: list[BaseMessage] = []

        def handler(given: ModelRequest[Any]) -> ModelResponse[Any]:
            seen.extend(given.messages)
            return ModelResponse(result=[AIMessage("x")])

        response = self.middleware.wrap_model_call(request, handler)
        if isinstance(response, ExtendedModelResponse) and response.command is not None:
            self.state.update(response.command.update or {})
        return seen

    def tokens(self, messages: list[BaseMessage]) -> int:
        """Count from scratch, by copies that nobody has seen."""
        copies: list[BaseMessage] = [one.model_copy(deep=True) for one in messages]
        return TokenCounter(Recording()).count_messages(read_natives(copies, CODEC))


class Reads:
    """How many messages were read."""

    count = 0


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    """Record every message that is read."""
    record, read = Reads(), LangChainCodec.read

    def counted(codec: LangChainCodec, native: BaseMessage) -> Message:
        record.count += 1
        return read(codec, native)

    monkeypatch.setattr(LangChainCodec, "read", counted)
    return record


def test_a_turn_reads_and_tokenizes_its_new_messages_only(reads: Reads) -> None:
    """Of 10,000 messages the two of the step are read, and their texts counted; a cut looks at no others."""
    run = Run(LONG)
    run.sent()
    told: list[tuple[int, int]] = []
    for _ in range(40):
        reads.count = run.recording.asked = 0
        run.step()
        run.sent()
        told.append((reads.count, run.recording.asked))
    assert max(read for read, _ in told) <= 3  # and the answer, for its bill
    assert max(asked for _, asked in told) <= 4  # their texts, the name and the arguments of the call


@pytest.mark.parametrize("provider", ["openai", "anthropic", "unknown"])
def test_a_turn_looks_at_its_window_only(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not at the steps that were cut, whatever the provider holds reasoning to: ten times the run is the same work."""
    looked, told_by = [0], LangChainCodec.told_by

    def counted(codec: LangChainCodec, native: BaseMessage) -> object:
        looked[0] += 1
        return told_by(codec, native)

    monkeypatch.setattr(LangChainCodec, "told_by", counted)
    for size in (LONG // 10, LONG):
        run = Run(size, provider)
        run.sent()
        for _ in range(10):
            run.step()
            looked[0] = 0
            sent = run.sent()
            assert looked[0] <= len(sent) + 10


def test_a_turn_reads_its_new_messages_only_where_instructions_are_made_anew(reads: Reads) -> None:
    """A system message that is another object on each turn costs itself."""
    run = Run(1_000)
    middleware, states = run.middleware, run.state

    def turn(number: int) -> None:
        request: ModelRequest[Any] = ModelRequest(
            model=FakeListChatModel(responses=["x"]),
            system_prompt=f"It is {number} o'clock.",
            messages=list(run.messages),  # type: ignore[arg-type]
            state=states,  # type: ignore[arg-type]
        )
        response = middleware.wrap_model_call(request, lambda _: ModelResponse(result=[AIMessage("x")]))
        if isinstance(response, ExtendedModelResponse) and response.command is not None:
            states.update(response.command.update or {})

    turn(1)
    reads.count = 0
    run.step()
    turn(2)
    assert reads.count <= 5  # and the instructions as they were, and the answer


@pytest.mark.parametrize("change", ["text", "block", "arguments", "kwargs", "replaced"])
def test_a_message_that_was_changed_since_is_read_anew(change: str) -> None:
    """However it was changed, in its place or by another object, the request is counted as it is sent."""
    run, long = Run(20), "The tide is out, and the pier is dry. " * 20
    asking, block = run.messages[-2], {"type": "text", "text": "calm"}
    assert isinstance(asking, AIMessage)
    run.messages[-1] = ToolMessage([block], tool_call_id=str(asking.tool_calls[0]["id"]))
    before = run.tokens(run.sent())
    match change:
        case "text":
            asking.content = long
        case "block":
            content: Any = run.messages[-1].content
            content[0]["text"] = long
        case "arguments":
            asking.tool_calls[0]["args"]["place"] = long
        case "kwargs":
            asking.additional_kwargs["reasoning_content"] = long
        case _:
            run.messages[-2] = asking.model_copy(update={"content": long})
    sent = run.sent()
    assert before + 150 < run.tokens(sent) <= LIMIT


def test_messages_from_a_checkpoint_are_read_once(reads: Reads) -> None:
    """What a checkpoint gives are other objects that say the same: they are read once, and the cut stays."""
    run = Run(400)
    first = run.sent()
    run.messages = messages_from_dict([message_to_dict(one) for one in run.messages])
    assert [one.id for one in run.sent()] == [one.id for one in first]
    reads.count = 0
    run.step()
    run.sent()
    assert reads.count <= 3


def test_other_conversations_take_nothing_away(reads: Reads) -> None:
    """Two runs through one middleware are each read once."""
    one, other = Run(300), Run(300)
    other.middleware = one.middleware
    other.messages[0] = HumanMessage("Is there a bus?", id="b")
    for run in (one, other):
        run.sent()
    reads.count = 0
    for run in (one, other, one, other):
        run.step()
        run.sent()
    assert reads.count <= 12
