"""LlamaIndex's chat engines as they are known, with its memories and with ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole, TextBlock
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.chat_engine.multi_modal_condense_plus_context import MultiModalCondensePlusContextChatEngine
from llama_index.core.chat_engine.multi_modal_context import MultiModalContextChatEngine
from llama_index.core.query_engine import CustomQueryEngine
from llama_index.core.schema import ImageNode, NodeWithScore, QueryBundle, TextNode
from typing_extensions import override

from tests.frameworks.llamaindex.swapped import WARNINGS, every_swap, judged, said, texts
from tests.llamaindex_ctx.spies import CallingSpy, Request, says

if TYPE_CHECKING:
    from collections.abc import Callable

    from llama_index.core.chat_engine.types import BaseChatEngine

    from tests.frameworks.llamaindex.swapped import Swap

pytestmark = WARNINGS
PROMPT = "Talk like a pirate."


class Found(BaseRetriever):
    """Finds one page, and notes what it was asked."""

    def __init__(self, *, images: bool = False) -> None:
        """Find a picture too, or not."""
        super().__init__()
        self.asked: list[str] = []
        self._images = images

    @override
    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        self.asked.append(query_bundle.query_str)
        page = NodeWithScore(node=TextNode(text="The ferry leaves at noon."), score=0.9)
        image = NodeWithScore(node=ImageNode(image_url="https://example.com/ferry.png"), score=0.5)
        return [page, image] if self._images else [page]


class Asked(CustomQueryEngine):
    """Answers with the question."""

    def custom_query(self, query_str: str) -> str:
        """Say it back."""
        return f"asked: {query_str}"


def answer(request: Request) -> ChatMessage:
    """Condense a question, or say how many messages came."""
    last = request.messages[-1].content or ""
    if "tandalone question" in last:
        return says("condensed")
    return says(f"answer {len(request.messages)}")


def make(kind: str, llm: Any, memory: Any, found: Found) -> BaseChatEngine:
    """Make an engine."""
    given: dict[str, Any] = {"memory": memory, "system_prompt": PROMPT}
    if kind == "simple":
        return SimpleChatEngine.from_defaults(llm=llm, **given)
    if kind == "context":
        return ContextChatEngine.from_defaults(found, llm=llm, **given)
    if kind == "condense_plus_context":
        return CondensePlusContextChatEngine.from_defaults(found, llm=llm, **given)
    if kind == "condense_question":
        return CondenseQuestionChatEngine.from_defaults(query_engine=Asked(), llm=llm, memory=memory)
    if kind == "multi_modal_context":
        return MultiModalContextChatEngine.from_defaults(found, multi_modal_llm=llm, **given)
    return MultiModalCondensePlusContextChatEngine.from_defaults(found, multi_modal_llm=llm, **given)


async def by_chat(engine: BaseChatEngine, text: str, **given: Any) -> str:
    """Ask."""
    return str(engine.chat(text, **given))


async def by_achat(engine: BaseChatEngine, text: str, **given: Any) -> str:
    """Ask."""
    return str(await engine.achat(text, **given))


async def by_stream(engine: BaseChatEngine, text: str, **given: Any) -> str:
    """Ask, and read to the end."""
    return "".join(engine.stream_chat(text, **given).response_gen)


async def by_astream(engine: BaseChatEngine, text: str, **given: Any) -> str:
    """Ask, and read to the end."""
    response = await engine.astream_chat(text, **given)
    read = "".join([token async for token in response.async_response_gen()])
    if response.awrite_response_to_history_task is not None:
        await response.awrite_response_to_history_task
    return read


WAYS = [by_chat, by_achat, by_stream, by_astream]
KINDS = (
    "simple", "context", "condense_plus_context", "condense_question", "multi_modal_context", "multi_modal_condense",
)  # fmt: skip
CONTEXTS = tuple(kind for kind in KINDS if "context" in kind or "modal" in kind)
every_kind = pytest.mark.parametrize("kind", KINDS)
every_way = pytest.mark.parametrize("ask", WAYS)
every_kind_and_way = pytest.mark.parametrize(
    ("kind", "ask"),
    [
        pytest.param(kind, ask, id=f"{kind}-{ask.__name__}")
        for kind in KINDS
        for ask in WAYS
        if kind != "condense_question" or "stream" not in ask.__name__  # whose query engine would have to stream
    ],
)


@every_swap
@every_kind_and_way
async def test_a_talk_is_stored_turn_by_turn(swap: Swap, kind: str, ask: Callable[..., Any]) -> None:
    """Question and answer, in order; `chat_history` is the memory's."""
    llm = CallingSpy.of(answer)
    engine = make(kind, swap.around(llm), swap.buffer.from_defaults(), Found())
    answers = [await ask(engine, question) for question in ("What is up?", "And now?")]
    assert texts(engine.chat_history) == ["What is up?", answers[0], "And now?", answers[1]]
    assert [message.role.value for message in engine.chat_history] == ["user", "assistant"] * 2


@every_swap
@every_way
@pytest.mark.parametrize("kind", ["simple", *CONTEXTS])
async def test_the_model_is_sent_prompt_history_and_question(swap: Swap, kind: str, ask: Callable[..., Any]) -> None:
    """In this order; what was found stands in the first message, or with the question."""
    llm = CallingSpy.of(answer)
    engine = make(kind, swap.around(llm), swap.buffer.from_defaults(), Found())
    first = await ask(engine, "What is up?")
    await ask(engine, "And now?")
    request = llm.requests[-1].messages
    assert request[0].role == MessageRole.SYSTEM
    assert PROMPT in (request[0].content or "")
    assert texts(request[1:3]) == ["What is up?", first]
    assert "And now?" in (request[-1].content or "")
    if kind != "simple":
        assert "The ferry leaves at noon." in f"{request[0].content} {request[-1].content}"


@every_swap
@pytest.mark.parametrize("kind", ["condense_plus_context", "multi_modal_condense"])
def test_what_is_looked_for_is_the_condensed_question(swap: Swap, kind: str) -> None:
    """Of a first question nothing is condensed."""
    found = Found()
    engine = make(kind, swap.around(CallingSpy.of(answer)), swap.buffer.from_defaults(), found)
    engine.chat("What is up?")
    engine.chat("And now?")
    assert found.asked == ["What is up?", "condensed"]


@every_swap
def test_a_query_engine_is_asked_the_condensed_question(swap: Swap) -> None:
    """And what it says is the answer."""
    engine = make("condense_question", swap.around(CallingSpy.of(answer)), swap.buffer.from_defaults(), Found())
    assert str(engine.chat("What is up?", chat_history=[])) in ("asked: What is up?", "asked: condensed")
    assert str(engine.chat("And now?")) == "asked: condensed"


@every_swap
@every_way
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "condense_question"])
async def test_a_history_that_is_given_takes_the_place(swap: Swap, kind: str, ask: Callable[..., Any]) -> None:
    """Of what the memory had."""
    llm = CallingSpy.of(answer)
    engine = make(kind, swap.around(llm), swap.buffer.from_defaults(), Found())
    await ask(engine, "forgotten")
    await ask(engine, "And now?", chat_history=said("hello", "hi"))
    assert texts(engine.chat_history)[:3] == ["hello", "hi", "And now?"]
    assert not any("forgotten" in shown for shown in llm.requests[-1].shown())


@every_swap
@every_kind
async def test_a_reset_forgets(swap: Swap, kind: str) -> None:
    """The next question is the first."""
    engine = make(kind, swap.around(CallingSpy.of(answer)), swap.buffer.from_defaults(), Found())
    await by_chat(engine, "What is up?")
    engine.reset()
    assert engine.chat_history == []
    await by_chat(engine, "And now?")
    assert texts(engine.chat_history)[0] == "And now?"


@every_swap
@pytest.mark.parametrize("kind", CONTEXTS)
async def test_sources_are_told(swap: Swap, kind: str) -> None:
    """With every answer."""
    engine = make(kind, swap.around(CallingSpy.of(answer)), swap.buffer.from_defaults(), Found())
    assert [node.score for node in engine.chat("When?").source_nodes] == [0.9]
    assert [node.score for node in (await engine.achat("When?")).source_nodes] == [0.9]


@every_swap
@pytest.mark.parametrize("kind", ["multi_modal_context", "multi_modal_condense"])
async def test_pictures_are_sent_with_the_question(swap: Swap, kind: str) -> None:
    """Beside its text."""
    llm = CallingSpy.of(answer)
    engine = make(kind, swap.around(llm), swap.buffer.from_defaults(), Found(images=True))
    engine.chat("When?")
    last = llm.requests[-1].messages[-1]
    assert any(isinstance(block, ImageBlock) for block in last.blocks)
    assert any(isinstance(block, TextBlock) and "When?" in block.text for block in last.blocks)


@every_swap
@every_kind_and_way
async def test_an_error_of_the_model_reaches_whoever_asks(swap: Swap, kind: str, ask: Callable[..., Any]) -> None:
    """And no answer is stored for it."""

    def down(_: Request) -> ChatMessage:
        msg = "down"
        raise RuntimeError(msg)

    memory = swap.buffer.from_defaults(chat_history=said("hello", "hi"))
    engine = make(kind, swap.around(CallingSpy.of(down)), memory, Found())
    with pytest.raises(RuntimeError, match="down"):
        await ask(engine, "And now?")
    assert len(memory.get_all()) <= 3


@judged("a memory that was made with its own window does not take another from an engine")
def test_a_class_of_memories_is_no_instance_of_the_buffer(swap: Swap) -> None:
    """`isinstance` of LlamaIndex's class."""
    from llama_index.core.memory import ChatMemoryBuffer

    assert isinstance(swap.buffer.from_defaults(), ChatMemoryBuffer)


@every_swap
def test_an_engine_makes_its_own_memory(swap: Swap) -> None:
    """Of a class that it is given, with its own limit."""
    engine = SimpleChatEngine.from_defaults(
        llm=swap.around(CallingSpy.of(answer)), memory_cls=swap.buffer, chat_history=said("hello", "hi")
    )
    assert texts(engine.chat_history) == ["hello", "hi"]
    engine.chat("And now?")
    assert len(engine.chat_history) == 4


@every_swap
def test_prefix_messages_stand_first(swap: Swap) -> None:
    """And a system prompt beside them is refused."""
    llm = CallingSpy.of(answer)
    prefix = [
        ChatMessage("One.", role="system"),
        ChatMessage("Two.", role="user"),
        ChatMessage("Three.", role="assistant"),
    ]
    engine = SimpleChatEngine.from_defaults(
        llm=swap.around(llm), memory=swap.buffer.from_defaults(), prefix_messages=prefix
    )
    engine.chat("And now?")
    assert texts(llm.requests[-1].messages) == ["One.", "Two.", "Three.", "And now?"]
    given: dict[str, Any] = {"system_prompt": "a", "prefix_messages": prefix, "memory": swap.buffer.from_defaults()}
    with pytest.raises(ValueError, match="both system_prompt and prefix_messages"):
        SimpleChatEngine.from_defaults(llm=llm, **given)
