"""What somebody new to the package tries first, with LlamaIndex's own objects."""

from __future__ import annotations

import copy
import json
import pickle
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.core.storage.chat_store.base_db import MessageStatus
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore
from sqlalchemy.ext.asyncio import create_async_engine
from workflows import Context

from ctx_core import TokenCounter
from ctx_core.errors import BudgetError, MessageError
from llamaindex_ctx import ContextMemoryBuffer

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    # What LlamaIndex and pydantic say of one another is not about this.
    pytest.mark.filterwarnings("ignore:The `__fields.*` attribute is deprecated"),
    pytest.mark.filterwarnings("ignore:Accessing the 'model_.*' attribute on the instance is deprecated"),
    pytest.mark.filterwarnings("ignore:is_running called from within a step"),
]


def add(one: int, other: int) -> int:
    """Add two numbers."""
    return one + other


def agent() -> FunctionAgent:
    """Give an agent that answers at once."""
    llm = MockFunctionCallingLLM(response_generator=lambda _, **__: ChatMessage("ok", role="assistant"))
    return FunctionAgent(tools=[add], llm=llm, streaming=False)


async def ask(agent: FunctionAgent, question: str, **given: Any) -> None:
    """Run an agent."""
    await agent.run(question, **given)  # pyright: ignore[reportDeprecated]  # of its overloads, one is


async def test_the_memory_of_a_run_goes_on_in_its_context() -> None:
    """Later runs with the same context are in it, and a reset of it is one for them."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=4_000)
    other = ContextMemoryBuffer.from_defaults(token_limit=4_000)
    runs, others = agent(), agent()
    ctx, other_ctx = Context(runs), Context(others)
    await ask(runs, "1", memory=memory, ctx=ctx)
    await ask(others, "a", memory=other, ctx=other_ctx)
    for at in range(2, 5):
        await ask(runs, str(at), ctx=ctx)
    assert [message.content for message in memory.get_all()] == ["1", "ok", "2", "ok", "3", "ok", "4", "ok"]
    assert len(other.get_all()) == 2
    memory.reset()
    await ask(runs, "5", ctx=ctx)
    assert [message.content for message in memory.get_all()] == ["5", "ok"]


@pytest.mark.parametrize(
    "fork",
    [
        copy.deepcopy,
        lambda memory: pickle.loads(pickle.dumps(memory)),  # noqa: S301 - our own
        lambda memory: ContextMemoryBuffer.from_dict(memory.to_dict()),
        lambda memory: ContextMemoryBuffer.from_string(memory.to_string()),
    ],
)
def test_a_copy_is_a_conversation_of_its_own(fork: Any) -> None:
    """However it is made."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=4_000)
    memory.put(ChatMessage("1"))
    other = fork(memory)
    other.put(ChatMessage("2"))
    assert (len(memory.get_all()), len(other.get_all())) == (1, 2)


async def test_a_context_from_a_dump_is_a_conversation_of_its_own() -> None:
    """Made just now or of an earlier run, the one that it was made from goes on without it."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=4_000)
    runs = agent()
    ctx = Context(runs)
    await ask(runs, "1", memory=memory, ctx=ctx)
    older = json.dumps(ctx.to_dict())
    now = Context.from_dict(runs, ctx.to_dict())
    await ask(runs, "2", ctx=now)
    await ask(runs, "3", ctx=ctx)
    restored = Context.from_dict(runs, json.loads(older))
    await ask(runs, "4", ctx=restored)
    told = [message.content for message in memory.get_all()]
    assert told == ["1", "ok", "3", "ok"]
    kept = await restored.store.get("memory")
    assert [message.content for message in kept.get_all()] == ["1", "ok", "4", "ok"]


async def test_a_memory_that_a_tool_stores_is_a_conversation_of_its_own() -> None:
    """Within a run nothing is being started; an agent that is asked within one goes on with its own memory."""
    memory, inner = (ContextMemoryBuffer.from_defaults(token_limit=4_000) for _ in range(2))
    kept: list[ContextMemoryBuffer] = []
    asked = agent()
    inner_ctx = Context(asked)

    async def keep(ctx: Context) -> str:
        """Keep the conversation so far, and ask somebody else."""
        stored = await ctx.store.get("memory")
        kept.append(ContextMemoryBuffer.from_dict(stored.to_dict()))
        await ask(asked, "inner", memory=inner, ctx=inner_ctx)
        return "kept"

    keep.__annotations__ = {"ctx": Context, "return": str}  # LlamaIndex reads them as they are
    call = ToolCallBlock(tool_call_id="1", tool_name="keep", tool_kwargs={})
    answers = iter([ChatMessage(role="assistant", blocks=[call]), ChatMessage("ok", role="assistant")] * 2)
    llm = MockFunctionCallingLLM(response_generator=lambda _, **__: next(answers))
    runs = FunctionAgent(tools=[keep], llm=llm, streaming=False)
    ctx = Context(runs)
    for at in range(2):
        await ask(runs, str(at), memory=memory, ctx=ctx)
    kept[1].put(ChatMessage("mine"))
    assert [len(one.get_all()) for one in (memory, inner, *kept)] == [8, 4, 1, 6]


@pytest.mark.parametrize(
    "asked",
    [
        "q",
        ChatMessage("q"),
        QueryBundle("q"),
        TextNode(text="q"),
        TextBlock(text="q"),
        SimpleNamespace(content="q"),
        5,
        [],
        {},
        object(),
        b"q",
    ],
)
async def test_no_input_ends_a_turn(asked: Any) -> None:
    """Whatever an engine tells of its question."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=4_000)
    memory.put_messages([ChatMessage("a"), ChatMessage("b", role="assistant")])
    assert len(memory.get(asked)) == len(await memory.aget(asked)) == 2


class Nothing(BaseRetriever):
    """Finds nothing much."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:  # noqa: ARG002 - LlamaIndex's signature
        return [NodeWithScore(node=TextNode(text="-"), score=1.0)]


def test_a_question_asked_again_after_a_broken_stream_has_its_room() -> None:
    """It is stored, without an answer, and the engine sends it once more."""
    counter = TokenCounter.for_model("gpt-4o")
    memory = ContextMemoryBuffer.from_defaults(token_limit=1_200, counter=counter)
    for at in range(60):
        memory.put_messages([ChatMessage(f"Question {at}?"), ChatMessage("Answer. " * 10, role="assistant")])
    question = "Long question. " * 90
    engine = ContextChatEngine.from_defaults(Nothing(), llm=MockLLM(max_tokens=2), memory=memory)
    next(iter(engine.stream_chat(question).response_gen))
    memory.set([*memory.get_all()[:120], ChatMessage(question)])
    sent = [*memory.get(question), ChatMessage(question)]
    texts = [{"role": message.role.value, "content": message.content} for message in sent]
    assert counter.count_messages(texts) <= 1_200
    assert sent[-2].content == question


async def test_an_agent_has_its_question_stored_and_needs_no_room_for_another() -> None:
    """It looks once without a question, and then with the one that is stored."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=1_000, counter="gpt-4o")
    question = "Long question. " * 250
    await memory.aput(ChatMessage(question))
    first = await memory.aget()
    assert first == await memory.aget(input=question)
    assert [message.content for message in first] == [question]


def test_a_buffer_that_was_dumped_is_loaded() -> None:
    """Where it held its messages itself."""
    store = {"store": {"talk": [{"role": "user", "blocks": [{"block_type": "text", "text": "a"}]}]}}
    dump = {"token_limit": 3_000, "chat_store": store, "chat_store_key": "talk", "class_name": "ChatMemoryBuffer"}
    memory = ContextMemoryBuffer.from_string(json.dumps(dump))
    assert (memory.token_limit, memory.chat_store_key) == (3_000, "talk")
    assert [message.content for message in memory.get_all()] == ["a"]


@pytest.mark.parametrize("kind", ["Memory", "VectorMemory", "ChatMemoryBuffer"])
def test_a_dump_without_messages_says_so(kind: str) -> None:
    """And what to give instead."""
    dump = {"class_name": kind, "token_limit": 3_000, "session_id": "s", "chat_store": {"class_name": "RedisChatStore"}}
    with pytest.raises(MessageError, match=rf"{kind} does not hold the messages.*chat_store="):
        ContextMemoryBuffer.from_dict(dump)


async def test_a_memory_is_loaded_beside_its_store(tmp_path: Path) -> None:
    """Its dump has the rest; `status` is that of `Memory`."""
    engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path / 'chat.db'}")
    store = SQLAlchemyChatStore(table_name="chats", async_engine=engine)
    await store.add_messages("s", [ChatMessage("old")], status=MessageStatus.ARCHIVED)
    await store.add_messages("s", [ChatMessage("new")])
    dump = {"class_name": "Memory", "token_limit": 2_000, "session_id": "s"}
    memory = ContextMemoryBuffer.from_dict(dump, chat_store=store)
    assert (memory.token_limit, memory.session_id) == (2_000, "s")
    for status, texts in ((None, ["old", "new"]), (MessageStatus.ACTIVE, ["new"]), (MessageStatus.ARCHIVED, ["old"])):
        assert [message.content for message in await memory.aget_all(status=status)] == texts
    await engine.dispose()


def test_a_status_means_the_same_without_a_database() -> None:
    """Nothing is archived in a list."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=2_000, chat_history=[ChatMessage("a")])
    assert len(memory.get_all(status=MessageStatus.ACTIVE)) == 1
    assert memory.get_all(status=MessageStatus.ARCHIVED) == []


def test_the_limit_can_be_set() -> None:
    """It is what is given, whatever is kept free, and holds from the next request on."""
    memory = ContextMemoryBuffer.from_defaults(budget=5_000, reserve=500, counter="gpt-4o")
    for at in range(100):
        memory.put_messages([ChatMessage(f"Question {at}?"), ChatMessage("Answer.", role="assistant")])
    assert (memory.token_limit, len(memory.get())) == (4_500, 200)
    memory.token_limit = 300
    assert memory.token_limit == 300
    assert len(memory.get()) < 60
    with pytest.raises(BudgetError, match="found str"):
        memory.token_limit = "300"  # type: ignore[assignment]  # what is tried  # noqa: S105 - tokens of a budget


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"llm": "gpt-4o"}, "llm must be an LLM.*found str.*for_model"),
        ({"tools": add}, "tools must be a list of tools, found function: put it into a list"),
        ({"tools": {"type": "function"}}, "tools must be a list of tools, found dict"),
        (
            {"chat_history": [{"role": "user", "content": "secret"}]},
            "expected a ChatMessage, found dict.*model_validate",
        ),
        ({"chat_history": ["secret"]}, "expected a ChatMessage, found str"),
        ({"chat_history": [TextBlock(text="secret")]}, r"found TextBlock.*blocks=\["),
    ],
)
def test_an_error_says_what_helps(options: dict[str, Any], said: str) -> None:
    """Of what newcomers give."""
    options = {"token_limit": 2_000, **options}
    with pytest.raises((BudgetError, MessageError), match=said) as caught:
        ContextMemoryBuffer.from_defaults(**options)
    assert "secret" not in str(caught.value)


TEXTS = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
BUFFER = {"token_limit": 3_000, "chat_store_key": "talk"}


@pytest.mark.parametrize(
    "dump",
    [
        {"token_limit": 3_000, "chat_history": TEXTS},
        {"token_limit": 3_000, "chat_history": TEXTS, "class_name": "ChatMemoryBuffer"},
        {**BUFFER, "chat_store": {"store": {"talk": TEXTS}}},
        {**BUFFER, "chat_store": {"store": {"talk": TEXTS}}, "class_name": "ChatSummaryMemoryBuffer"},
        {**BUFFER, "chat_store": SimpleChatStore(store={"talk": [ChatMessage("a"), ChatMessage("b")]})}
        | {"class_name": "ChatMemoryBuffer"},
        {
            "class_name": "SimpleComposableMemory",
            "primary_memory": {**BUFFER, "chat_store": {"store": {"talk": TEXTS}}},
        },
    ],
    ids=["older", "older, named", "unnamed", "summary", "loaded in part", "of two"],
)
def test_dumps_of_every_age_are_loaded(dump: dict[str, Any]) -> None:
    """Of older versions, without a name, with the store as `ChatMemoryBuffer.from_dict` leaves it in the dict."""
    memory = ContextMemoryBuffer.from_dict(dump)
    assert [message.content for message in memory.get_all()] == ["a", "b"]
    assert memory.token_limit == 3_000


@pytest.mark.parametrize("kept", ["list", "chat store"])
def test_a_status_is_one_that_there_is(kept: str) -> None:
    """By its name too; anything else is refused, and never taken for all messages."""
    store = SimpleChatStore() if kept == "chat store" else None
    memory = ContextMemoryBuffer.from_defaults(token_limit=2_000, chat_store=store, chat_history=[ChatMessage("a")])
    assert [len(memory.get_all(status=status)) for status in ("active", "archived", None)] == [1, 0, 1]  # type: ignore[arg-type]  # names
    for wrong in ("gone", 5, ["active"]):
        with pytest.raises(BudgetError, match="status must be a MessageStatus, or one of active, archived"):
            memory.get_all(status=wrong)  # type: ignore[arg-type]  # what is tried
