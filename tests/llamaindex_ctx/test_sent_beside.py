"""Memories that keep room for what an engine or an agent sends beside the conversation, as the README has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.base.llms.types import LLMMetadata
from llama_index.core.chat_engine import ContextChatEngine, SimpleChatEngine
from llama_index.core.chat_engine.types import ChatMode
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context
from typing_extensions import override

from ctx_core import BudgetError, ContextBudget, Message
from ctx_core.recipes import Chat
from llamaindex_ctx import ContextMemoryBuffer, with_context_budget
from tests.llamaindex_ctx.spies import COUNTER, CallingSpy, asks, says
from tests.llamaindex_ctx.turns import IGNORED, calls, code_agent, function_agent, react_agent

if TYPE_CHECKING:
    from collections.abc import Callable

    from llama_index.core.agent.workflow import BaseWorkflowAgent

pytestmark = [
    *map(pytest.mark.filterwarnings, IGNORED),
    # LlamaIndex imports it.
    pytest.mark.filterwarnings("ignore:.langchain-community. is being sunset:DeprecationWarning"),
]
WINDOW = 4_096
ANSWER = 300
PROMPT = "You are a travel agent. " * 20
UNUSED = ContextMemoryBuffer.from_defaults()
"""In the place of LlamaIndex's own, which opens a database."""


class SmallSpy(CallingSpy):
    """An LLM with a small window."""

    @property
    @override
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(
            context_window=WINDOW, num_output=ANSWER, is_chat_model=True, is_function_calling_model=True,
            model_name="gpt-4o",
        )  # fmt: skip


def index(chunk_size: int = 1_024) -> VectorStoreIndex:
    """Index long pages, in pieces of a size."""
    ferries = " ".join(f"Ferry {at} leaves harbor {at % 7} at noon." for at in range(300))
    return VectorStoreIndex.from_documents(
        [Document(text=ferries) for _ in range(4)],
        embed_model=MockEmbedding(embed_dim=4),
        transformations=[SentenceSplitter(chunk_size=chunk_size, chunk_overlap=0)],
    )


def find(number: int) -> FunctionTool:
    """Make a tool with much to say of itself."""

    def timetable(query: str, limit: int = 10) -> str:  # noqa: ARG001 - what a model is told of
        """Find a ferry by the name of its harbor, its island and the day of the week, and give the first of them."""
        return "ferry harbor island " * 30

    return FunctionTool.from_defaults(timetable, name=f"find_{number}")


MODES = (ChatMode.BEST, ChatMode.CONTEXT, ChatMode.CONDENSE_QUESTION, ChatMode.SIMPLE)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("read", [False, True])
def test_a_chat_engine_talks_for_sixty_turns(mode: ChatMode, *, read: bool) -> None:
    """With a memory of its LLM, or of an engine like it: no request is over, and the prompt helper has room."""
    llm = SmallSpy.of(lambda _: says("The ferry leaves at sixteen forty from the north harbor. " * 6))
    pages = index()
    memory = ContextMemoryBuffer.from_defaults(llm=llm)
    if read:
        memory = ContextMemoryBuffer.from_engine(pages.as_chat_engine(mode, llm=llm, memory=memory))
    engine = pages.as_chat_engine(mode, llm=llm, memory=memory)
    for turn in range(65):
        engine.chat(f"And when does ferry number {turn} leave on a weekday, please? " * 3)
    assert len(memory.get_all()) == 130
    assert max(request.tokens() for request in llm.requests) <= WINDOW - ANSWER
    assert memory.last_report is not None
    assert memory.last_report.history.omitted > 60


@pytest.mark.parametrize("make", [ContextMemoryBuffer.from_agent, None])
async def test_an_agent_with_eight_tools_is_never_over(make: Callable[..., ContextMemoryBuffer] | None) -> None:
    """Sixty requests in a window of 4,096, with a memory of the agent or one of its LLM: all of them fit."""
    llm: CallingSpy = SmallSpy.of(
        lambda _: (
            says("At noon.")
            if len(llm.requests) % 6 == 0
            else calls(len(llm.requests), tool=f"find_{len(llm.requests) % 8}", asked={"query": "x"})
        )
    )
    agent = FunctionAgent(tools=[find(at) for at in range(8)], llm=llm, system_prompt=PROMPT, streaming=False)
    agent = with_context_budget(agent)
    memory = ContextMemoryBuffer.from_defaults(llm=llm) if make is None else make(agent)
    context: Context[Any] = Context(agent)
    for turn in range(10):
        await agent.run(f"When does ferry {turn} leave?", memory=memory, ctx=context, max_iterations=50)  # pyright: ignore[reportDeprecated]
    assert len(llm.requests) == 60
    assert max(request.tokens() for request in llm.requests) <= WINDOW - ANSWER


@pytest.mark.parametrize(("pieces", "size", "kept"), [(2, 512, 1_024), (3, 256, 768), (2, 1_024, 2_048)])
def test_what_is_found_has_room(pieces: int, size: int, kept: int) -> None:
    """So many pieces of the size that the index makes, beside the prompt that they stand in."""
    llm = SmallSpy.of()
    asked: dict[str, Any] = {"llm": llm, "similarity_top_k": pieces, "system_prompt": PROMPT, "memory": UNUSED}
    engine = index(size).as_chat_engine(ChatMode.CONTEXT, **asked)
    memory = ContextMemoryBuffer.from_engine(engine, counter=COUNTER)
    prompt = COUNTER.count_message(Message.system(PROMPT))
    assert memory.budget.reserve == ANSWER
    assert isinstance(memory.reserve, int)
    assert prompt < memory.reserve - kept < prompt + 100


def test_a_part_is_left_to_the_conversation() -> None:
    """However much is found: LlamaIndex packs it into what is left."""
    engine = index().as_chat_engine(ChatMode.CONTEXT, llm=SmallSpy.of(), similarity_top_k=20, memory=UNUSED)
    assert ContextMemoryBuffer.from_engine(engine).token_limit == WINDOW // 4


class LongSpy(SmallSpy):
    """An LLM whose answer takes most of its window."""

    @property
    @override
    def metadata(self) -> LLMMetadata:
        return super().metadata.model_copy(update={"num_output": 3_072})


def test_the_prompts_of_an_engine_have_room_beside_a_long_answer() -> None:
    """LlamaIndex's prompt helper raises where nothing is left of a window."""
    llm = LongSpy.of(lambda _: says("At noon."))
    pages = index()
    memory = ContextMemoryBuffer.from_engine(pages.as_chat_engine(ChatMode.CONTEXT, llm=llm, memory=UNUSED))
    engine = pages.as_chat_engine(ChatMode.CONTEXT, llm=llm, memory=memory)
    for turn in range(12):
        engine.chat(f"And when does ferry number {turn} leave on a weekday, please? " * 4)
    assert len(memory.get_all()) == 24
    assert max(request.tokens() for request in llm.requests) <= WINDOW - 3_072


def test_a_simple_engine_tells_the_rest() -> None:
    """Nothing is kept for a prompt that it tells the memory of on each request."""
    engine = SimpleChatEngine.from_defaults(llm=SmallSpy.of(), system_prompt=PROMPT, memory=UNUSED)
    assert ContextMemoryBuffer.from_engine(engine).token_limit == WINDOW - ANSWER


def workflow(llm: Any) -> AgentWorkflow:
    """Make a workflow of two agents that hand over, of which one has a long prompt."""
    agents = [
        FunctionAgent(name=name, description=f"Knows of {name}.", system_prompt=prompt, llm=llm, tools=[find(1)])
        for name, prompt in (("ferries", "Be brief."), ("trains", PROMPT))
    ]
    return AgentWorkflow(agents=list(agents), root_agent="ferries")


AGENTS: dict[str, tuple[Callable[[Any], BaseWorkflowAgent | AgentWorkflow], str]] = {
    "function": (function_agent, "Be brief."),
    "state": (lambda llm: function_agent(llm, initial_state={"notes": PROMPT}), PROMPT),
    "react": (react_agent, "Read a page of the timetable."),
    "code": (lambda llm: code_agent(llm, system_prompt=PROMPT), PROMPT),
    "workflow": (workflow, PROMPT),
}


@pytest.mark.parametrize("kind", AGENTS)
def test_an_agent_has_room_for_prompt_tools_and_steps(kind: str) -> None:
    """For steps a quarter of the window, and nothing where its requests fit anyway; tools count as they go out."""
    make, prompt = AGENTS[kind]
    least = COUNTER.count_message(Message.system(prompt))
    alone = ContextMemoryBuffer.from_agent(make(SmallSpy.of()), counter=COUNTER)
    beside = ContextMemoryBuffer.from_agent(with_context_budget(make(SmallSpy.of())), counter=COUNTER)
    assert isinstance(alone.reserve, int)
    assert isinstance(beside.reserve, int)
    assert alone.reserve - beside.reserve == WINDOW // 4
    assert least <= beside.reserve < least + 900
    assert bool(alone.tools) == (kind not in ("react", "code"))
    assert ("handoff" in str(alone.tools)) == (kind == "workflow")


def test_a_budget_of_an_agent_is_that_of_its_memory() -> None:
    """Whatever the window of its LLM is."""
    agent = with_context_budget(function_agent(SmallSpy.of()), ContextBudget(9_000, reserve=1_000))
    assert ContextMemoryBuffer.from_agent(agent).budget == ContextBudget(9_000, reserve=1_000)


def test_what_is_given_takes_the_place_of_what_is_read() -> None:
    """A reserve, a limit, tools, and all that a memory can be made with."""
    agent = function_agent(SmallSpy.of())
    history = [asks("Hello."), says("Hello!")]
    memory = ContextMemoryBuffer.from_agent(agent, reserve=100, token_limit=2_000, tools=[], chat_history=history)
    assert (memory.token_limit, memory.tools, memory.get_all()) == (1_900, [], history)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ContextMemoryBuffer.from_engine("engine"), "chat engine of LlamaIndex with an LLM, found str"),  # type: ignore[arg-type]
        (lambda: ContextMemoryBuffer.from_agent(SmallSpy.of()), "an agent or an AgentWorkflow.*found SmallSpy"),  # type: ignore[arg-type]
        (lambda: ContextMemoryBuffer.from_agent(function_agent(SmallSpy.of()), recipe=Chat()), "both recipe and llm"),
        (lambda: ContextMemoryBuffer.from_agent(function_agent(SmallSpy.of()), token_limits=3), "token_limit"),  # type: ignore[call-arg]
    ],
)
def test_an_error_says_what_helps(make: Callable[[], object], said: str) -> None:
    """Of something else than an engine or an agent, and of options that cannot work."""
    with pytest.raises(BudgetError, match=said):
        make()


def test_an_engine_of_somebodys_own_retriever_has_its_prompt_only() -> None:
    """Where nothing tells how much is found, the window keeps what it always does beside a question."""
    llm = SmallSpy.of()
    engine = ContextChatEngine.from_defaults(retriever=index().as_retriever(), llm=llm, memory=UNUSED)
    engine._retriever = object()  # type: ignore[assignment]  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001
    memory = ContextMemoryBuffer.from_engine(engine)
    assert isinstance(memory.reserve, int)
    assert 0 < memory.reserve < 100
