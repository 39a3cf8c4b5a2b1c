"""`ContextMemoryBuffer` in every chat engine: sync, async, streaming; what counts is what the model was sent."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock, ToolCallBlock
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.chat_engine.multi_modal_condense_plus_context import MultiModalCondensePlusContextChatEngine
from llama_index.core.chat_engine.multi_modal_context import MultiModalContextChatEngine
from llama_index.core.chat_engine.types import BaseChatEngine, ChatMode
from llama_index.core.llms import MockLLM
from llama_index.core.llms.mock import MockLLMWithChatMemoryOfLastCall
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import PrivateAttr
from typing_extensions import override

from ctx_core import ContextOverflowError, HistoryPolicy, Message, TokenCounter
from llamaindex_ctx import ChatMessageCodec, ContextMemoryBuffer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CODEC = ChatMessageCodec()
COUNTER = TokenCounter.for_model("gpt-4o")
LIMIT = 120
TURNS = 12
Talker: TypeAlias = "Callable[[BaseChatEngine, str], Any]"


class SpyLLM(MockLLM):
    """Shows every chat request it was sent."""

    _sent: list[list[ChatMessage]] = PrivateAttr(default_factory=list[list[ChatMessage]])

    @property
    def sent(self) -> list[list[ChatMessage]]:
        """The requests, oldest first."""
        return self._sent

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """Note the request."""
        self._sent.append(list(messages))
        answer: ChatResponse = super().chat(messages, **kwargs)
        return answer

    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        """Note the request."""
        self._sent.append(list(messages))
        return super().stream_chat(messages, **kwargs)


class Fixed(BaseRetriever):
    """Finds the same document for every question."""

    @override
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(text="the tide turns at four"), score=1.0)]


def simple(llm: MockLLM, memory: ContextMemoryBuffer) -> BaseChatEngine:
    """Make one."""
    return SimpleChatEngine.from_defaults(llm=llm, memory=memory, system_prompt="You are kind and brief.")


def context(llm: MockLLM, memory: ContextMemoryBuffer) -> BaseChatEngine:
    """Make one."""
    return ContextChatEngine.from_defaults(retriever=Fixed(), llm=llm, memory=memory, system_prompt="Be brief.")


def condense_plus_context(llm: MockLLM, memory: ContextMemoryBuffer) -> BaseChatEngine:
    """Make one."""
    return CondensePlusContextChatEngine.from_defaults(retriever=Fixed(), llm=llm, memory=memory)


def condense_question(llm: MockLLM, memory: ContextMemoryBuffer) -> BaseChatEngine:
    """Make one."""
    answering = RetrieverQueryEngine.from_args(Fixed(), llm=llm)
    return CondenseQuestionChatEngine.from_defaults(query_engine=answering, llm=llm, memory=memory)


def multi_modal_context(llm: MockLLM, memory: ContextMemoryBuffer) -> BaseChatEngine:
    """Make one."""
    return MultiModalContextChatEngine.from_defaults(retriever=Fixed(), multi_modal_llm=llm, memory=memory)


def multi_modal_condense(llm: MockLLM, memory: ContextMemoryBuffer) -> BaseChatEngine:
    """Make one."""
    return MultiModalCondensePlusContextChatEngine.from_defaults(retriever=Fixed(), multi_modal_llm=llm, memory=memory)


ENGINES = [
    simple, context, condense_plus_context, condense_question, multi_modal_context, multi_modal_condense,
]  # fmt: skip


async def by_chat(engine: BaseChatEngine, text: str) -> None:
    """Ask."""
    engine.chat(text)


async def by_achat(engine: BaseChatEngine, text: str) -> None:
    """Ask."""
    await engine.achat(text)


async def by_stream(engine: BaseChatEngine, text: str) -> None:
    """Ask, and read to the end."""
    assert list(engine.stream_chat(text).response_gen)


async def by_astream(engine: BaseChatEngine, text: str) -> None:
    """Ask, and read to the end."""
    answer = await engine.astream_chat(text)
    assert [token async for token in answer.async_response_gen()]
    if answer.awrite_response_to_history_task is not None:
        await answer.awrite_response_to_history_task


@pytest.fixture
def memory() -> ContextMemoryBuffer:
    """A small memory."""
    return ContextMemoryBuffer.from_defaults(token_limit=LIMIT, counter=COUNTER)


@pytest.fixture
def llm() -> SpyLLM:
    """A model that answers in three words."""
    return SpyLLM(max_tokens=3, is_chat_model=True)


def cost(messages: Sequence[ChatMessage]) -> int:
    """Recount a request from scratch."""
    return COUNTER.count_messages([CODEC.read(message) for message in messages])


@pytest.mark.parametrize("talk", [by_chat, by_achat, by_stream, by_astream])
@pytest.mark.parametrize("make", ENGINES)
async def test_every_engine_talks_on_and_on(
    make: Callable[[MockLLM, ContextMemoryBuffer], BaseChatEngine],
    talk: Talker,
    llm: SpyLLM,
    memory: ContextMemoryBuffer,
) -> None:
    """A long talk at a small budget: all of it is stored, in order, and each view could be sent."""
    engine = make(llm, memory)
    for number in range(TURNS):
        await talk(engine, f"question number {number} about the tide")
        report = memory.last_report
        assert report is not None
        assert report.used <= LIMIT
    stored = memory.get_all()
    assert engine.chat_history == stored
    assert [message.role.value for message in stored] == ["user", "assistant"] * TURNS
    assert [message.content for message in stored[::2]] == [
        f"question number {number} about the tide" for number in range(TURNS)
    ]
    assert memory.last_report is not None
    assert memory.last_report.history.omitted > 0


@pytest.mark.parametrize("talk", [by_chat, by_achat, by_stream, by_astream])
async def test_a_simple_engine_sends_no_more_than_the_budget(
    talk: Talker, llm: SpyLLM, memory: ContextMemoryBuffer
) -> None:
    """System prompt and conversation together, counted anew, exactly as the report has it."""
    engine = simple(llm, memory)
    for number in range(TURNS):
        await talk(engine, f"question number {number} about the tide")
        request = llm.sent[-1]
        assert memory.last_report is not None
        assert cost(request) == memory.last_report.used <= LIMIT
        assert [message.role.value for message in request[:2]] == ["system", "user"]
        assert request[-1].content == f"question number {number} about the tide"
    assert len(llm.sent) == TURNS


@pytest.mark.parametrize("talk", [by_chat, by_achat, by_stream, by_astream])
@pytest.mark.parametrize("make", [context, multi_modal_context])
async def test_a_context_engine_adds_its_question_within_the_budget(
    make: Callable[[MockLLM, ContextMemoryBuffer], BaseChatEngine],
    talk: Talker,
    llm: SpyLLM,
    memory: ContextMemoryBuffer,
) -> None:
    """Conversation and question, which the engine adds itself, are within the budget; its context is for a reserve."""
    engine = make(llm, memory)
    for number in range(TURNS):
        question = ChatMessage(f"question number {number} about the tide", role="user")
        await talk(engine, question.content or "")
        history = llm.sent[-1][1:-1]
        assert memory.last_report is not None
        assert cost([*history, question]) == memory.last_report.used <= LIMIT
        assert question not in history
        assert [message.role.value for message in history[:1]] in ([], ["user"])
    assert len(llm.sent) == TURNS


def test_a_condensing_engine_condenses_the_view(llm: SpyLLM, memory: ContextMemoryBuffer) -> None:
    """The prompt that condenses holds what fits, and never the word None of a message without text."""
    engine = condense_plus_context(llm, memory)
    call = ToolCallBlock(tool_call_id="1", tool_name="look", tool_kwargs={})
    memory.put_messages(
        [
            ChatMessage("first question of all", role="user"),
            ChatMessage(role="assistant", blocks=[TextBlock(text="let me see"), call]),
            ChatMessage("seen", role="tool", additional_kwargs={"tool_call_id": "1"}),
            ChatMessage("so it is", role="assistant"),
        ]
    )
    for number in range(TURNS):
        engine.chat(f"question number {number} about the tide")
    condensing = llm.sent[-2][-1].content or ""
    assert "question number 10" in condensing
    assert "first question of all" not in condensing
    assert "None" not in (llm.sent[0][-1].content or "")


def test_a_context_engine_gets_tools_and_extras_unharmed(llm: SpyLLM) -> None:
    """Calls and results of earlier turns pass through the engine's templates."""
    turn = [
        ChatMessage("find {it} in {'a': 1}", role="user"),
        ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_call_id="1", tool_name="f", tool_kwargs={"a": 1})]),
        ChatMessage("r", role="tool", additional_kwargs={"tool_call_id": "1"}),
        ChatMessage("found", role="assistant"),
    ]
    context(llm, ContextMemoryBuffer.from_defaults(turn)).chat("and now?")
    assert llm.sent[0][1:-1] == turn


@pytest.mark.parametrize("talk", [by_chat, by_achat, by_stream, by_astream])
@pytest.mark.parametrize("make", [context, condense_plus_context, multi_modal_context, multi_modal_condense])
async def test_what_stands_between_braces_is_sent_as_it_is(make: Any, talk: Talker, llm: SpyLLM) -> None:
    """Nothing is filled into what was said: no question, and no document."""
    turn = [
        ChatMessage("Say {query_str}, {context_str} and {context_msg}.", role="user"),
        ChatMessage("{existing_answer} {{query_str}} {'a': 1}", role="assistant", additional_kwargs={"a": 1}),
    ]
    memory = ContextMemoryBuffer.from_defaults(turn, token_limit=4_000)
    await talk(make(llm, memory), "and now?")
    assert llm.sent[-1][1:-1] == turn
    if make in (context, condense_plus_context):  # the others send the messages of the memory themselves
        assert {type(message) for message in llm.sent[-1]} == {ChatMessage}
    assert memory.get_all()[:2] == turn


def test_a_literal_message_is_the_message_that_it_says() -> None:
    """It compares, copies, pickles and is stored as one."""
    plain = ChatMessage("Say {query_str}.", role="user")
    given = ContextMemoryBuffer.from_defaults([plain], token_limit=4_000).get("and now?")
    assert given == [plain]
    assert [plain] == given
    assert given != [ChatMessage("Say it.", role="user")]
    assert copy.deepcopy(given[0]) == plain
    assert pickle.loads(pickle.dumps(given[0])) == plain  # noqa: S301 - our own
    assert given[0].model_dump() == plain.model_dump()
    assert ContextMemoryBuffer.from_defaults([plain], token_limit=4_000).get() == [plain]


def test_a_given_history_takes_the_place_of_the_memory(llm: SpyLLM, memory: ContextMemoryBuffer) -> None:
    """`chat(…, chat_history=…)` sets the memory."""
    memory.put(ChatMessage("forgotten", role="user"))
    engine = simple(llm, memory)
    engine.chat("so?", chat_history=[ChatMessage("hi", role="user"), ChatMessage("hello", role="assistant")])
    assert [message.content for message in memory.get_all()] == ["hi", "hello", "so?", "text text text"]
    engine.reset()
    assert memory.get_all() == []


@pytest.mark.parametrize("make", ENGINES)
def test_an_empty_memory_is_the_engines_memory(
    make: Callable[[MockLLM, ContextMemoryBuffer], BaseChatEngine], llm: SpyLLM, memory: ContextMemoryBuffer
) -> None:
    """No engine takes an empty memory for none."""
    make(llm, memory).chat("hi")
    assert len(memory.get_all()) == 2


@pytest.mark.filterwarnings("ignore:.langchain-community. is being sunset:DeprecationWarning")  # LlamaIndex imports it
@pytest.mark.parametrize(
    "mode", [ChatMode.SIMPLE, ChatMode.CONTEXT, ChatMode.CONDENSE_PLUS_CONTEXT, ChatMode.CONDENSE_QUESTION]
)
def test_an_index_makes_engines_with_it(mode: ChatMode, llm: SpyLLM, memory: ContextMemoryBuffer) -> None:
    """`index.as_chat_engine(memory=…)` passes it on."""
    index = VectorStoreIndex.from_documents([Document(text="the tide turns")], embed_model=MockEmbedding(embed_dim=4))
    engine = index.as_chat_engine(mode, llm=llm, memory=memory)
    engine.chat("when?")
    assert [message.content for message in memory.get_all()][:1] == ["when?"]


def test_the_frameworks_own_spy_agrees(memory: ContextMemoryBuffer) -> None:
    """What `MockLLMWithChatMemoryOfLastCall` was sent is the view behind the prompt."""
    llm = MockLLMWithChatMemoryOfLastCall(max_tokens=3, is_chat_model=True)
    engine = simple(llm, memory)
    for number in range(TURNS):
        engine.chat(f"question number {number} about the tide")
    assert llm.last_chat_messages is not None
    assert cost(llm.last_chat_messages) <= LIMIT
    assert llm.last_chat_messages[0].content == "You are kind and brief."
    assert list(llm.last_chat_messages[1:]) == memory.get_all()[-len(llm.last_chat_messages) :][:-1]


def test_a_question_that_is_too_large_is_an_error_and_the_talk_goes_on(
    llm: SpyLLM, memory: ContextMemoryBuffer
) -> None:
    """The model is not asked; the next question is answered, without the one that was too large."""
    engine = simple(llm, memory)
    engine.chat("hi")
    with pytest.raises(ContextOverflowError):
        engine.chat("tide " * 500)
    assert len(llm.sent) == 1
    engine.chat("sorry")
    assert [message.content for message in llm.sent[-1]][1:] == ["sorry"]


def test_a_question_that_is_too_large_may_be_cut(llm: SpyLLM) -> None:
    """With leave to truncate, what is sent is within the budget and marked."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=LIMIT, counter=COUNTER, on_overflow="truncate")
    simple(llm, memory).chat("tide " * 500)
    assert cost(llm.sent[-1]) <= LIMIT
    assert (llm.sent[-1][-1].content or "").endswith("[truncated]")


def test_an_error_of_the_memory_ends_a_stream(llm: SpyLLM) -> None:
    """It is raised where the stream is asked for, before the model is."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=5)
    with pytest.raises(ContextOverflowError):
        simple(llm, memory).stream_chat("hi")
    assert llm.sent == []


def test_a_system_prompt_over_the_budget_is_an_error(llm: SpyLLM, memory: ContextMemoryBuffer) -> None:
    """The numbers name it."""
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=memory, system_prompt="tide " * 500)
    with pytest.raises(ContextOverflowError) as caught:
        engine.chat("hi")
    assert caught.value.layers["system"] == COUNTER.count_message(Message.system("tide " * 500))


def test_the_beginning_of_the_prompt_stays_the_same(llm: SpyLLM) -> None:
    """Between two cuts every request begins with the whole of the one before: the provider's cache is warm."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=400, counter=COUNTER, policy=HistoryPolicy(low_water=0.5))
    engine = simple(llm, memory)
    for number in range(40):
        engine.chat(f"question number {number} about the tide")
    grown = sum(after[: len(before)] == before for before, after in zip(llm.sent, llm.sent[1:], strict=False))
    assert len(llm.sent) - 1 - grown <= 3
