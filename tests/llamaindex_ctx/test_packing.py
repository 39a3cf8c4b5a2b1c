"""LlamaIndex's prompt helper has room in every context engine: at any length, in any mode, however it counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core import Settings
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import ChatMessage, LLMMetadata, ToolCallBlock
from llama_index.core.chat_engine import CondensePlusContextChatEngine, CondenseQuestionChatEngine, ContextChatEngine
from llama_index.core.indices.prompt_helper import PromptHelper
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.utilities.token_counting import TokenCounter as HelperCounter
from pydantic import BaseModel, PrivateAttr
from typing_extensions import override

from ctx_core import ContextBudget, ContextOverflowError
from ctx_core.errors import BudgetError
from llamaindex_ctx import ContextMemoryBuffer, with_context_budget
from llamaindex_ctx.packing import PADDING, Packed, Packing
from tests.llamaindex_ctx.spies import CallingSpy, Notes, Request, asks, says

if TYPE_CHECKING:
    from collections.abc import Callable

    from llama_index.core.chat_engine.types import BaseChatEngine

ENGLISH = "The ferry leaves at sixteen forty from the north harbor. "
HINDI = "नौका सोलह चालीस पर उत्तरी बंदरगाह से रवाना होती है। "
"""LlamaIndex's tokenizer, that of gpt-3.5-turbo, has four times as many tokens for it as that of gpt-4o."""
CONDENSES = "tandalone question"


class Sized(CallingSpy):
    """An LLM with a window and an answer of a size."""

    _window: int = PrivateAttr(default=4_096)
    _answer: int = PrivateAttr(default=256)

    @classmethod
    def sized(cls, window: int, answer: int, says_this: str) -> Sized:
        """Make one that answers a question with a text, and condenses one to a few words."""

        def answering(request: Request) -> ChatMessage:
            return says("When?" if CONDENSES in (request.messages[-1].content or "") else says_this)

        llm = cls(is_chat_model=True)
        llm._notes = Notes(answering)
        llm._window, llm._answer = window, answer
        return llm

    @property
    @override
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(
            context_window=self._window, num_output=self._answer, is_chat_model=True, is_function_calling_model=True,
            model_name="gpt-4o",
        )  # fmt: skip


class Finds(BaseRetriever):
    """Finds two pieces of a text."""

    similarity_top_k = 2
    _text: str = PrivateAttr()

    def holding(self, text: str) -> Finds:
        """Hold this."""
        self._text = text
        return self

    @override
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(text=self._text), score=1.0) for _ in range(2)]


def finding(text: str) -> Finds:
    """Make a retriever that finds this."""
    return Finds().holding(text)


ENGINES: dict[str, Callable[[Any, Finds, Any], BaseChatEngine]] = {
    "context": lambda llm, finds, memory: ContextChatEngine.from_defaults(
        finds, llm=llm, memory=memory, system_prompt="Be brief."
    ),
    "condense_plus_context": lambda llm, finds, memory: CondensePlusContextChatEngine.from_defaults(
        finds, llm=llm, memory=memory, system_prompt="Be brief."
    ),
    "condense_question": lambda llm, finds, memory: CondenseQuestionChatEngine.from_defaults(
        query_engine=RetrieverQueryEngine.from_args(finds, llm=llm), llm=llm, memory=memory
    ),
}


def read(engine: Callable[..., BaseChatEngine], llm: Sized) -> ContextMemoryBuffer:
    """Make a memory of an engine like it."""
    return ContextMemoryBuffer.from_engine(engine(llm, finding(ENGLISH * 4), ContextMemoryBuffer()))


MEMORIES: dict[str, Callable[[Callable[..., BaseChatEngine], Sized], ContextMemoryBuffer]] = {
    "llm": lambda _, llm: ContextMemoryBuffer.from_defaults(llm=llm),
    "engine": read,
    "limit": lambda _, llm: ContextMemoryBuffer.from_defaults(llm=llm, token_limit=llm.metadata.context_window),
    "reserve": lambda _, llm: ContextMemoryBuffer.from_defaults(llm=llm, reserve=10),
}


@pytest.mark.parametrize("memory_of", MEMORIES)
@pytest.mark.parametrize("text", [ENGLISH, HINDI], ids=["english", "hindi"])
@pytest.mark.parametrize("share", [16, 4, 2])
@pytest.mark.parametrize("name", ENGINES)
async def test_no_conversation_ends_in_the_prompt_helper(name: str, share: int, text: str, memory_of: str) -> None:
    """With an answer of a sixteenth to a half of the window, in two scripts, over and over the window's length."""
    llm = Sized.sized(2_304, 2_304 // share, text * 8)
    memory = MEMORIES[memory_of](ENGINES[name], llm)
    engine = ENGINES[name](llm, finding(text * 8), memory)
    for turn in range(12):
        asked = f"{turn}: {text * 2}"
        await engine.achat(asked) if turn % 2 else engine.chat(asked)
    assert len(memory.get_all()) == 24
    assert max(request.tokens() for request in llm.requests) <= 2_304 - 2_304 // share


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("memory_of", MEMORIES)
def test_an_answer_of_three_quarters_of_a_window_leaves_enough(name: str, memory_of: str) -> None:
    """What is found does not fit at once: an answer goes with the next piece, and its room is that of the history."""
    llm = Sized.sized(4_096, 3_072, ENGLISH * 30)
    memory = MEMORIES[memory_of](ENGINES[name], llm)
    engine = ENGINES[name](llm, finding(ENGLISH * 50), memory)
    for turn in range(8):
        engine.chat(f"{turn}: {ENGLISH}")
    assert len(memory.get_all()) == 16


def test_it_happens_without_ours() -> None:
    """What is tested here is not so by itself."""
    llm = Sized.sized(4_096, 1_024, ENGLISH * 10)
    memory = ContextMemoryBuffer.from_defaults(token_limit=100_000)
    engine = ENGINES["context"](llm, finding(ENGLISH * 4), memory)
    memory.put_messages([asks(ENGLISH * 10), says(ENGLISH * 10)] * 12)
    with pytest.raises(ValueError, match="is not positive"):
        engine.chat(ENGLISH)


def test_a_conversation_keeps_its_beginning_from_turn_to_turn() -> None:
    """Where LlamaIndex counts more than the model, it is cut as seldom as where both count alike."""

    def begins(text: str) -> int:
        llm = Sized.sized(4_096, 1_024, text * 4)
        engine = ENGINES["context"](llm, finding(ENGLISH * 4), ContextMemoryBuffer.from_defaults(llm=llm))
        for turn in range(40):
            engine.chat(f"{turn}: {text}")
        return len({request.messages[1].content for request in llm.requests})

    assert begins(HINDI) < 40 / 2
    assert begins(ENGLISH) < 40 / 4


def test_a_question_asked_again_has_its_room_here_too() -> None:
    """A stream broke off, and the engine sends what is stored already once more."""
    llm = Sized.sized(4_096, 1_024, HINDI * 4)
    memory = ContextMemoryBuffer.from_defaults(llm=llm)
    engine = ENGINES["context"](llm, finding(ENGLISH * 4), memory)
    for turn in range(12):
        engine.chat(f"{turn}: {HINDI}")
    memory.put(asks(HINDI * 8))
    assert str(engine.chat(HINDI * 8)) == HINDI * 4


def test_a_long_question_does_not_cost_the_turns_after_it() -> None:
    """What was kept for it is kept no longer than it is needed."""
    llm = Sized.sized(4_096, 256, ENGLISH)
    memory = ContextMemoryBuffer.from_defaults(llm=llm)
    engine = ENGINES["context"](llm, finding(ENGLISH * 4), memory)
    for turn in range(40):
        engine.chat(f"{turn}: {ENGLISH}")
    usual = len(memory.get("And now?"))
    memory.get(HINDI * 60)
    for _ in range(8):
        memory.get("And now?")
    assert len(memory.get("And now?")) >= usual / 2


BUDGETED: dict[str, tuple[tuple[int, int], Any, dict[str, Any]]] = {
    "tokens": ((8_192, 256), 2_000, {"counter": "gpt-4o"}),
    "longer answer": ((8_192, 2_048), 2_000, {"counter": "gpt-4o"}),
    "reserve": ((8_192, 256), ContextBudget(4_000, reserve=1_000), {"counter": "gpt-4o"}),
    "window": ((4_096, 256), None, {}),
    "estimate": ((4_096, 256), None, {"counter": "nobodys-model"}),
    "claude": ((4_096, 256), None, {"counter": "claude-sonnet-4-5"}),
}
"""What an LLM is told and asked for, what its budget is, and what counts."""


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("case", BUDGETED)
def test_what_is_packed_for_an_llm_with_a_budget_fits(case: str, name: str, caplog: pytest.LogCaptureFixture) -> None:
    """LlamaIndex takes an error of ours for a bad answer, and says "Empty Response": there is none to take."""
    sizes, budget, options = BUDGETED[case]
    spy = Sized.sized(*sizes, ENGLISH * 5)
    llm = with_context_budget(spy, budget, **options)
    engine = ENGINES[name](llm, finding(ENGLISH * 250), ContextMemoryBuffer.from_defaults(llm=llm))
    for turn in range(4):
        assert str(engine.chat(f"{turn}: {ENGLISH}")) == ENGLISH * 5
    assert spy.requests
    assert "Structured response error" not in caplog.text


def test_a_text_that_is_denser_than_expected_is_packed_less_from_then_on() -> None:
    """What did not fit by the LLM's own count is what the next prompt is packed by."""
    llm = with_context_budget(Sized.sized(4_096, 256, ENGLISH), counter=lambda text: 3 * text.count("z") + 1)
    before = llm.metadata.context_window
    with pytest.raises(ContextOverflowError):
        llm.chat([ChatMessage("z " * 2_000, role="system"), asks("When?")])
    assert 256 < llm.metadata.context_window < before
    assert isinstance(llm, Sized)


def test_an_engine_that_can_send_nothing_says_so_at_once() -> None:
    """Prompts and answer leave nothing of the window: the error has the numbers, and what helps."""
    llm = Sized.sized(2_048, 1_536, ENGLISH)
    for name in ("context", "condense_plus_context"):
        with pytest.raises(BudgetError, match=r"window of 2,048 the answer takes 1,536.*max_tokens"):
            read(ENGINES[name], llm)
    assert read(ENGINES["condense_question"], llm).get_all() == []


def test_what_can_never_be_sent_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    """Nobody knows whose memory this is; whose questions leave no room is told before the engine fails."""
    memory = ContextMemoryBuffer.from_defaults(llm=Sized.sized(2_048, 1_536, ENGLISH))
    for _ in range(3):
        memory.get("When does it leave? " * 4)
    (said,) = [one.getMessage() for one in caplog.records if "context engine" in one.getMessage()]
    assert "of the window of 2048 the answer takes 1536" in said
    assert "leave" not in said


@pytest.mark.parametrize(
    "message",
    [
        asks(ENGLISH),
        ChatMessage(
            role="assistant", blocks=[ToolCallBlock(tool_call_id="1", tool_name="page", tool_kwargs={"number": 3})]
        ),
        ChatMessage("seen", role="tool", additional_kwargs={"tool_call_id": "1"}),
        ChatMessage(role="user", blocks=[]),
    ],
    ids=["text", "call", "result", "empty"],
)
def test_messages_cost_what_the_helper_says(message: ChatMessage) -> None:
    """Counted once, and remembered."""
    packed = Packed()
    wanted = HelperCounter().estimate_tokens_in_messages([message, message])
    assert packed.count([message, message]) == packed.count([message, message]) == wanted


def test_a_helper_that_is_set_for_all_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """`Settings.prompt_helper` takes the place of what each LLM says."""
    packing = Packing.of(Sized.sized(4_096, 256, ENGLISH))
    assert packing.left == 4_096 - 256
    monkeypatch.setattr(Settings, "_prompt_helper", PromptHelper(context_window=1_000, num_output=100))
    assert packing.left == 900


def test_prompts_of_an_llm_count() -> None:
    """Its own, and the definition of what its structured answers are like."""

    class Answer(BaseModel):
        """When a ferry leaves."""

        hour: int

    llm = Sized.sized(4_096, 256, ENGLISH)
    without = Packing.of(llm, ["Be brief."]).prompts
    asked = llm.model_copy(update={"system_prompt": ENGLISH})
    assert without is not None
    assert (Packing.of(asked, ["Be brief."]).prompts or 0) > without
    assert (Packing.of(llm.as_structured_llm(Answer), ["Be brief."]).prompts or 0) > without + 20
    assert Packing.of(llm).beside() > PADDING


def test_what_it_knows_is_stored_with_the_memory() -> None:
    """In another process it is as it was; an older dump and a broken one have none."""
    memory = read(ENGINES["context"], Sized.sized(4_096, 1_024, ENGLISH))
    data = json.loads(json.dumps(memory.to_dict()))
    assert memory.packing is not None
    assert memory.packing.prompts is not None
    assert ContextMemoryBuffer.from_dict(data).packing == memory.packing
    for held in (None, {}, {"window": "x"}):
        assert ContextMemoryBuffer.from_dict({**data, "packing": held}).packing is None
