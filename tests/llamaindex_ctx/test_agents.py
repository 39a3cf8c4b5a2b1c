"""`ContextMemoryBuffer` in LlamaIndex's agents: what they store, what they are given, and that it comes back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.agent.workflow import AgentWorkflow, BaseWorkflowAgent, CodeActAgent, FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.llms import MockFunctionCallingLLM, MockLLM
from llama_index.core.llms.mock import MockFunctionCallingLLMWithChatMemoryOfLastCall
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context, JsonSerializer
from pydantic import PrivateAttr
from typing_extensions import override

from ctx_core import HistoryPolicy, Role, TokenCounter, UsageLog
from llamaindex_ctx import ChatMessageCodec, ContextMemoryBuffer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence

# Workflows look at every attribute of an agent, deprecated ones of pydantic included.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The `__fields.*` attribute is deprecated"),
    pytest.mark.filterwarnings("ignore:Accessing the 'model_.*' attribute on the instance is deprecated"),
    # ReActAgent asks its workflow whether it runs, from within.
    pytest.mark.filterwarnings("ignore:is_running called from within a step"),
]

CODEC = ChatMessageCodec()
COUNTER = TokenCounter.for_model("gpt-4o")


class Script:
    """Answers one after the other, and the requests that they answer."""

    def __init__(self, answers: Iterable[ChatMessage]) -> None:
        """Take the answers."""
        self.answers = iter(answers)
        self.requests: list[list[ChatMessage]] = []

    def __call__(self, messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
        """Note the request, and answer."""
        self.requests.append([message.model_copy(deep=True) for message in messages])
        return next(self.answers)

    async def stream(self, messages: Sequence[ChatMessage], **_: Any) -> AsyncGenerator[ChatMessage, None]:
        """Do the same, as a stream of one."""
        yield self(messages)

    def shown(self) -> list[list[str]]:
        """Show the roles and texts of all requests."""
        return [[f"{message.role.value}: {message.content}" for message in request] for request in self.requests]


def says(text: str) -> ChatMessage:
    """Make an answer."""
    return ChatMessage(text, role="assistant")


def calls(name: str, call_id: str, **kwargs: Any) -> ChatMessage:
    """Make an answer that asks for a tool."""
    return ChatMessage(
        role="assistant",
        blocks=[
            TextBlock(text="let me see"),
            ToolCallBlock(tool_call_id=call_id, tool_name=name, tool_kwargs=kwargs),
        ],
    )


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def read(a: int) -> int:
    """Read a number."""
    return a


def function_agent(script: Script, *, streaming: bool = False, **kwargs: Any) -> FunctionAgent:
    """Make an agent with two tools."""
    generator = script.stream if streaming else script
    return FunctionAgent(
        tools=[FunctionTool.from_defaults(add), FunctionTool.from_defaults(read, return_direct=True)],
        llm=MockFunctionCallingLLM(response_generator=generator),
        streaming=streaming,
        **kwargs,
    )


class ScriptedLLM(MockLLM):
    """A model without tools that answers from a script, for agents that reason in text."""

    _script: Script = PrivateAttr()

    @classmethod
    def of(cls, script: Script) -> ScriptedLLM:
        """Make one: pydantic takes no private attributes in its constructor."""
        llm = cls(max_tokens=None, is_chat_model=True)
        llm._script = script
        return llm

    @override
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """Answer."""
        return ChatResponse(message=self._script(messages))

    @override
    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        """Answer as a stream of one."""
        answer = self._script(messages)

        async def stream() -> AsyncIterator[ChatResponse]:
            yield ChatResponse(message=answer, delta=answer.content)

        return stream()


def react_agent(script: Script, *, streaming: bool = False, **kwargs: Any) -> ReActAgent:
    """Make an agent that reasons in text."""
    llm = ScriptedLLM.of(script)
    return ReActAgent(tools=[FunctionTool.from_defaults(add)], llm=llm, streaming=streaming, **kwargs)


async def ask(agent: BaseWorkflowAgent | AgentWorkflow, **given: Any) -> Any:
    """Run an agent."""
    return await agent.run(**given)  # pyright: ignore[reportDeprecated]  # of its overloads, one is


def contents(messages: Sequence[ChatMessage]) -> list[str]:
    """Show roles and texts."""
    return [f"{message.role.value}: {message.content}" for message in messages]


@pytest.fixture
def memory() -> ContextMemoryBuffer:
    """A memory with a turn in it."""
    return ContextMemoryBuffer.from_defaults([ChatMessage("old q", role="user"), says("old a")])


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_function_agent_stores_its_turn(memory: ContextMemoryBuffer, *, streaming: bool) -> None:
    """Question, calls, results and answer are in the memory; each request had the conversation before it."""
    script = Script([calls("add", "c1", a=1, b=2), calls("add", "c2", a=3, b=4), says("seven")])
    await ask(function_agent(script, streaming=streaming, system_prompt="SYS"), user_msg="1+2, 3+4?", memory=memory)
    assert contents(memory.get_all()) == [
        "user: old q", "assistant: old a", "user: 1+2, 3+4?",
        "assistant: let me see", "tool: 3", "assistant: let me see", "tool: 7", "assistant: seven",
    ]  # fmt: skip
    assert [len(request) for request in script.requests] == [4, 6, 8]
    assert all(request[1].content == "old q" for request in script.requests)
    assert memory.get() == memory.get_all()


async def test_an_empty_memory_is_the_agents_memory() -> None:
    """An agent doesn't take an empty memory for none."""
    memory = ContextMemoryBuffer.from_defaults()
    await ask(function_agent(Script([says("hello")])), user_msg="hi", memory=memory)
    assert contents(memory.get_all()) == ["user: hi", "assistant: hello"]


async def test_long_talks_of_an_agent_are_cut_at_turns() -> None:
    """Over many turns with tools, each view is within the budget, complete, and begins with a question."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=300, counter=COUNTER)
    answers = [
        answer
        for number in range(12)
        for answer in (calls("add", f"c{number}", a=number, b=1), says(f"that is {number + 1}"))
    ]
    script = Script(answers)
    agent = function_agent(script)
    for number in range(12):
        await ask(agent, user_msg=f"what is {number} + 1?", memory=memory)
    assert len(memory.get_all()) == 48
    first = [request for request in script.requests if request[-1].role == MessageRole.USER]
    assert len(first) == 12
    for request in first:
        assert COUNTER.count_messages([CODEC.read(message) for message in request]) <= 300
        assert request[0].role == MessageRole.USER
        assert [message.role.value for message in request[:-1]] == ["user", "assistant", "tool", "assistant"] * (
            (len(request) - 1) // 4
        )


async def test_a_return_direct_answer_is_stored_and_goes_on(memory: ContextMemoryBuffer) -> None:
    """The answer that repeats the id of its call stays an answer in the next request."""
    script = Script([calls("read", "c1", a=5), says("as I said")])
    agent = function_agent(script)
    await ask(agent, user_msg="read 5", memory=memory)
    assert contents(memory.get_all())[2:] == ["user: read 5", "assistant: let me see", "tool: 5", "assistant: 5"]
    await ask(agent, user_msg="what was it?", memory=memory)
    assert script.shown()[1][2:] == [
        "user: read 5", "assistant: let me see", "tool: 5", "assistant: 5", "user: what was it?",
    ]  # fmt: skip


async def test_the_state_of_an_agent_is_not_stored(memory: ContextMemoryBuffer) -> None:
    """Agents write their state into the last message that they are given: the stored one stays as it was."""
    script = Script([says("ok")])
    await ask(function_agent(script, initial_state={"secret": 1}), user_msg="hi", memory=memory)
    assert "secret" in script.shown()[0][-1]
    assert contents(memory.get_all())[2:] == ["user: hi", "assistant: ok"]


async def test_a_history_given_to_run_takes_the_place_of_the_memory(memory: ContextMemoryBuffer) -> None:
    """`chat_history=` sets the memory, with or without a question."""
    script = Script([says("first"), says("second")])
    agent = function_agent(script)
    await ask(agent, chat_history=[ChatMessage("X", role="user")], memory=memory)
    assert script.shown()[0] == ["user: X"]
    await ask(agent, user_msg="Y", chat_history=[ChatMessage("Z", role="user"), says("z")], memory=memory)
    assert script.shown()[1] == ["user: Z", "assistant: z", "user: Y"]


async def test_a_run_that_fails_leaves_its_question(memory: ContextMemoryBuffer) -> None:
    """The next run goes on from there: two questions in a row."""

    def down(*_: object, **__: object) -> ChatMessage:
        msg = "llm down"
        raise RuntimeError(msg)

    agent = FunctionAgent(llm=MockFunctionCallingLLM(response_generator=down), streaming=False)
    with pytest.raises(RuntimeError, match="llm down"):
        await ask(agent, user_msg="hi", memory=memory)
    script = Script([says("ok")])
    await ask(function_agent(script), user_msg="hello?", memory=memory)
    assert script.shown()[0][2:] == ["user: hi", "user: hello?"]


async def test_an_agent_that_is_stopped_early_answers_from_the_memory(memory: ContextMemoryBuffer) -> None:
    """`early_stopping_method="generate"` asks with the view and stores the answer."""
    script = Script([calls("add", "c1", a=1, b=2), calls("add", "c2", a=1, b=2), says("forced")])
    agent = function_agent(script, early_stopping_method="generate")
    await ask(agent, user_msg="loop", memory=memory, max_iterations=2)
    assert contents(memory.get_all())[2:] == ["user: loop", "assistant: forced"]


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_react_agent_stores_its_turn(memory: ContextMemoryBuffer, *, streaming: bool) -> None:
    """Question and reasoning are in the memory, after a tool and an answer that could not be parsed."""
    script = Script(
        [
            says('Thought: I need a tool.\nAction: add\nAction Input: {"a": 1, "b": 2}'),
            says("Thought: I can answer.\nAnswer: 3"),
        ]
    )
    await ask(react_agent(script, streaming=streaming), user_msg="1+2?", memory=memory)
    stored = memory.get_all()
    assert contents(stored[:3]) == ["user: old q", "assistant: old a", "user: 1+2?"]
    assert (len(stored), stored[-1].role) == (4, MessageRole.ASSISTANT)
    assert all("old q" in " ".join(shown) for shown in script.shown())


async def test_a_react_agent_keeps_a_marker_that_a_user_says() -> None:
    """It throws a leading system message away, so that a marker must be a user's to be read."""
    answer = says("Thought: I can answer.\nAnswer: yes")
    reached: dict[Role, bool] = {}
    for role in (Role.SYSTEM, Role.USER):
        script = Script([answer])
        policy = HistoryPolicy(omission_marker="[{count} earlier messages omitted]", marker_role=role)
        memory = ContextMemoryBuffer.from_defaults(token_limit=48, counter=COUNTER, policy=policy)
        memory.put_messages([ChatMessage("old " * 30, role="user"), says("old a")])
        await ask(react_agent(script), user_msg="and?", memory=memory)
        reached[role] = any("2 earlier messages omitted" in shown for shown in script.shown()[0])
    assert reached == {Role.SYSTEM: False, Role.USER: True}


async def test_a_react_agent_at_a_tiny_budget_gets_its_question() -> None:
    """It takes the first and the last message of the view without looking."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=24, counter=COUNTER)
    script = Script([says("Thought: I can answer.\nAnswer: yes")] * 3)
    for number in range(3):
        await ask(react_agent(script), user_msg=f"question {number}", memory=memory)
    assert [shown[-1] for shown in script.shown()] == [f"user: question {number}" for number in range(3)]
    assert len(memory.get_all()) == 6


async def test_a_code_agent_stores_its_turn(memory: ContextMemoryBuffer) -> None:
    """What it wrote, what came of it, and its answer."""
    script = Script([says("<execute>\n1 + 2\n</execute>"), says("three")])
    llm = MockFunctionCallingLLM(response_generator=script)
    agent = CodeActAgent(code_execute_fn=lambda code: "3", llm=llm, tools=[], streaming=False)  # noqa: ARG005 - its name
    await ask(agent, user_msg="1+2?", memory=memory)
    stored = memory.get_all()
    assert [message.role.value for message in stored[2:]] == ["user", "assistant", "user", "assistant"]
    assert stored[-1].content == "three"
    assert "user: old q" in script.shown()[1]


async def test_an_answer_that_does_not_fit_is_no_error() -> None:
    """An agent looks at the memory once more behind its answer: the run must not fail there."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=40, counter=COUNTER)
    result: Any = await ask(function_agent(Script([says("word " * 100)])), user_msg="hi", memory=memory)
    assert result.response.content == "word " * 100
    assert len(memory.get_all()) == 2
    assert contents(memory.get()) == ["user: hi"]
    assert memory.last_report is not None
    assert memory.last_report.layer("history").why == "no room for the answer"
    script = Script([says("ok")])
    await ask(function_agent(script), user_msg="and now?", memory=memory)
    assert script.shown() == [["user: and now?"]]


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("second_reasons", [False, True])
async def test_a_handoff_goes_on_from_the_same_memory(
    memory: ContextMemoryBuffer, *, second_reasons: bool, streaming: bool
) -> None:
    """The second agent gets the question, and what the first one did, with every call answered."""
    first = Script([calls("add", "c1", a=1, b=2), calls("handoff", "h1", to_agent="a2", reason="r")])
    second = Script([says("Thought: I can answer.\nAnswer: final") if second_reasons else says("final")])
    one = function_agent(first, streaming=streaming, name="a1", description="d", can_handoff_to=["a2"])
    make = react_agent if second_reasons else function_agent
    two = make(second, streaming=streaming, name="a2", description="d")
    await ask(AgentWorkflow(agents=[one, two], root_agent="a1"), user_msg="multi", memory=memory)
    (request,) = second.shown()
    assert "user: multi" in request
    assert sum(line.startswith("user: multi") for line in request) == 1
    stored = contents(memory.get_all())
    assert stored[2:6] == ["user: multi", "assistant: let me see", "tool: 3", "assistant: let me see"]
    assert "final" in stored[-1]


async def test_the_frameworks_own_spy_agrees(memory: ContextMemoryBuffer) -> None:
    """What `MockFunctionCallingLLMWithChatMemoryOfLastCall` was sent last is what is stored before the answer."""
    llm = MockFunctionCallingLLMWithChatMemoryOfLastCall()
    agent = FunctionAgent(llm=llm, streaming=False, system_prompt="SYS")
    await ask(agent, user_msg="hi", memory=memory)
    assert llm.last_chat_messages is not None
    assert contents(llm.last_chat_messages) == ["system: SYS", "user: old q", "assistant: old a", "user: hi"]
    assert memory.get_all()[:-1] == list(llm.last_chat_messages)[1:]


async def test_a_reused_context_goes_on_with_its_memory(memory: ContextMemoryBuffer) -> None:
    """Workflows store and restore their state between runs; LlamaIndex's own memories are lost on the way."""
    script = Script([says("one"), says("two"), says("three")])
    agent = function_agent(script)
    context: Context[Any] = Context(agent)
    await ask(agent, user_msg="first", memory=memory, ctx=context)
    await ask(agent, user_msg="second", ctx=context)
    await ask(agent, user_msg="third", ctx=context)
    again = await context.store.get("memory")
    assert contents(again.get_all()) == [
        "user: old q", "assistant: old a", "user: first", "assistant: one",
        "user: second", "assistant: two", "user: third", "assistant: three",
    ]  # fmt: skip
    assert script.shown()[2] == contents(again.get_all())[:-1]


async def test_a_reused_context_keeps_store_and_counter(words: TokenCounter, caplog: pytest.LogCaptureFixture) -> None:
    """What is not stored is found again within the process: later runs write to the same store."""
    store, log = SimpleChatStore(), UsageLog()
    memory = ContextMemoryBuffer.from_defaults(chat_store=store, counter=words, usage_log=log)
    agent = function_agent(Script([says("one"), says("two")]))
    context: Context[Any] = Context(agent)
    await ask(agent, user_msg="first", memory=memory, ctx=context)
    await ask(agent, user_msg="second", ctx=context)
    assert contents(store.get_messages("chat_history")) == contents(memory.get_all())
    assert contents(memory.get_all())[2:] == ["user: second", "assistant: two"]
    again = await context.store.get("memory")
    assert (again.chat_store, again.counter, again.usage_log) == (store, words, log)
    assert caplog.text == ""


@pytest.mark.parametrize(
    "serializer", [JsonSerializer(), JsonSerializer(allowed_types=[ContextMemoryBuffer])], ids=["any", "strict"]
)
async def test_a_stored_context_comes_back_with_its_memory(
    serializer: JsonSerializer, memory: ContextMemoryBuffer
) -> None:
    """LlamaIndex's own memories are lost here on pydantic 2.14; ours goes on, without a warning."""
    script = Script([calls("add", "c1", a=1, b=2), says("three"), says("again three")])
    agent = function_agent(script)
    context: Context[Any] = Context(agent)
    memory.policy = HistoryPolicy(keep_first=1)
    await ask(agent, user_msg="1+2?", memory=memory, ctx=context)
    stored = json.loads(json.dumps(context.to_dict(serializer=serializer)))
    restored: Context[Any] = Context.from_dict(agent, stored, serializer=serializer)
    await ask(agent, user_msg="again?", ctx=restored)
    again = await restored.store.get("memory")
    assert isinstance(again, ContextMemoryBuffer)
    assert again is not memory
    assert again.policy == HistoryPolicy(keep_first=1)
    assert contents(again.get_all()) == [
        *contents(memory.get_all()), "user: again?", "assistant: again three",
    ]  # fmt: skip


async def test_a_stored_context_with_odd_extras_comes_back(user: Callable[[str], ChatMessage]) -> None:
    """One object in a message that JSON cannot hold doesn't cost the conversation."""
    memory = ContextMemoryBuffer.from_defaults(
        [user("hi"), ChatMessage("hello", role="assistant", additional_kwargs={"client": object()})]
    )
    agent = function_agent(Script([says("ok"), says("fine")]))
    context: Context[Any] = Context(agent)
    await ask(agent, user_msg="more", memory=memory, ctx=context)
    restored: Context[Any] = Context.from_dict(
        agent, json.loads(json.dumps(context.to_dict(serializer=JsonSerializer()))), serializer=JsonSerializer()
    )
    await ask(agent, user_msg="and more", ctx=restored)
    again = await restored.store.get("memory")
    assert contents(await again.aget_all())[:4] == ["user: hi", "assistant: hello", "user: more", "assistant: ok"]
    assert len(await again.aget_all()) == 6


async def test_an_edit_of_the_state_keeps_the_memory(memory: ContextMemoryBuffer) -> None:
    """Workflows copy their state while a step edits it."""
    agent = function_agent(Script([says("ok")]))
    context: Context[Any] = Context(agent)
    await ask(agent, user_msg="hi", memory=memory, ctx=context)
    async with context.store.edit_state() as state:
        state["note"] = "edited"
    kept = await context.store.get("memory")
    assert contents(kept.get_all()) == contents(memory.get_all())
