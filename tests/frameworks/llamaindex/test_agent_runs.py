"""LlamaIndex's agents and workflows as they are known, with and without a budget around their LLMs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.agent.workflow import (
    AgentInput,
    AgentOutput,
    AgentStream,
    AgentWorkflow,
    CodeActAgent,
    FunctionAgent,
    ReActAgent,
    ToolCall,
    ToolCallResult,
)
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent, JsonSerializer
from pydantic import BaseModel

from tests.frameworks.llamaindex.swapped import WARNINGS, every_swap, said, texts
from tests.llamaindex_ctx.spies import CallingSpy, ReasoningSpy, says

if TYPE_CHECKING:
    from llama_index.core.agent.workflow import BaseWorkflowAgent

    from tests.frameworks.llamaindex.swapped import Swap

pytestmark = WARNINGS


def add(one: int, other: int) -> int:
    """Add two numbers."""
    return one + other


def fail(one: int) -> int:
    """Fail."""
    msg = f"cannot take {one}"
    raise ValueError(msg)


def asks(name: str, by: str = "1", **kwargs: Any) -> ChatMessage:
    """Make an answer that asks for a tool."""
    return ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_call_id=by, tool_name=name, tool_kwargs=kwargs)])


def function(swap: Swap, *answers: ChatMessage, **given: Any) -> tuple[CallingSpy, FunctionAgent]:
    """Make an agent that calls functions."""
    llm = CallingSpy.of(iter(answers))
    made: dict[str, Any] = {"tools": [add, fail], "streaming": False, "system_prompt": "Be brief.", **given}
    return llm, FunctionAgent(llm=swap.around(llm), **made)


async def run(agent: BaseWorkflowAgent | AgentWorkflow, *asked: Any, **given: Any) -> Any:
    """Run it to its end."""
    return await agent.run(*asked, **given)  # pyright: ignore[reportDeprecated]


async def events_of(agent: BaseWorkflowAgent | AgentWorkflow, *asked: Any, **given: Any) -> tuple[list[Any], Any]:
    """Run it, and give its events and its result."""
    handler = agent.run(*asked, **given)  # pyright: ignore[reportDeprecated]
    events = [event async for event in handler.stream_events()]
    return events, await handler


@every_swap
@pytest.mark.parametrize("streaming", [False, True])
async def test_a_function_is_called_and_its_result_answered(swap: Swap, *, streaming: bool) -> None:
    """The second request has prompt, question, call and result."""
    llm, agent = function(swap, asks("add", one=1, other=2), says("3"), streaming=streaming)
    result = await run(agent, "1+2?")
    assert str(result) == "3"
    assert [message.role.value for message in llm.requests[1].messages] == ["system", "user", "assistant", "tool"]
    assert llm.requests[1].messages[-1].content == "3"
    assert [tool.metadata.name for tool in llm.requests[0].kwargs["tools"]] == ["add", "fail"]
    assert result.tool_calls[0].tool_output.raw_output == 3


@every_swap
async def test_events_tell_what_happens(swap: Swap) -> None:
    """Input, output, calls and results, and deltas where it streams."""
    _, agent = function(swap, asks("add", one=1, other=2), says("3"), streaming=True)
    events, _ = await events_of(agent, "1+2?")
    told = {type(event) for event in events}
    assert {AgentInput, AgentOutput, AgentStream, ToolCall, ToolCallResult} <= told
    assert [event.delta for event in events if isinstance(event, AgentStream)][-1] == "3"
    (done,) = [event for event in events if isinstance(event, ToolCallResult)]
    assert (done.tool_name, done.tool_kwargs, done.tool_output.content) == ("add", {"one": 1, "other": 2}, "3")


@every_swap
async def test_calls_at_once_are_all_answered(swap: Swap) -> None:
    """Each with its own result."""
    blocks: list[Any] = [
        ToolCallBlock(tool_call_id=f"{at}", tool_name="add", tool_kwargs={"one": at, "other": 1}) for at in range(3)
    ]
    llm, agent = function(swap, ChatMessage(role="assistant", blocks=blocks), says("done"))
    await run(agent, "add")
    results = {
        message.additional_kwargs["tool_call_id"]: message.content
        for message in llm.requests[1].messages
        if message.role == MessageRole.TOOL
    }
    assert results == {"0": "1", "1": "2", "2": "3"}


@every_swap
async def test_an_error_of_a_tool_is_its_result(swap: Swap) -> None:
    """The model is told, and goes on."""
    llm, agent = function(swap, asks("fail", one=1), says("sorry"))
    assert str(await run(agent, "fail")) == "sorry"
    assert "cannot take 1" in (llm.requests[1].messages[-1].content or "")


@every_swap
async def test_a_tool_that_is_not_there_is_told_of(swap: Swap) -> None:
    """As the result of its call."""
    llm, agent = function(swap, asks("subtract", one=1), says("sorry"))
    assert str(await run(agent, "subtract")) == "sorry"
    assert "subtract" in (llm.requests[1].messages[-1].content or "")


@every_swap
async def test_a_direct_result_ends_the_run(swap: Swap) -> None:
    """Without another request."""
    tool = FunctionTool.from_defaults(add, return_direct=True)
    llm, agent = function(swap, asks("add", one=1, other=2), tools=[tool])
    assert str(await run(agent, "1+2?")) == "3"
    assert len(llm.requests) == 1


@every_swap
async def test_a_run_that_goes_on_too_long_is_an_error(swap: Swap) -> None:
    """Or ends with an answer that is asked for."""
    answers = [asks("add", by=f"{at}", one=at, other=1) for at in range(10)]
    _, agent = function(swap, *answers)
    with pytest.raises(Exception, match=r"(?i)max iterations"):
        await run(agent, "add", max_iterations=3)
    _, stopping = function(swap, *answers[:3], says("so far 3"), early_stopping_method="generate")
    assert "so far 3" in str(await run(stopping, "add", max_iterations=3))


@every_swap
async def test_a_question_may_be_a_message(swap: Swap) -> None:
    """With a picture in it."""
    llm, agent = function(swap, says("A ferry."))
    blocks: list[Any] = [TextBlock(text="What is it?"), ImageBlock(url="https://example.com/a.png")]
    await run(agent, user_msg=ChatMessage(role="user", blocks=blocks))
    assert llm.requests[0].messages[-1].blocks == blocks


@every_swap
async def test_a_history_that_is_given_comes_before(swap: Swap) -> None:
    """Its last message is the question, where there is no other."""
    llm, agent = function(swap, says("ok"), says("ok"))
    await run(agent, user_msg="And now?", chat_history=said("hello", "hi"))
    assert texts(llm.requests[0].messages) == ["Be brief.", "hello", "hi", "And now?"]
    await run(agent, chat_history=said("hello", "hi", "So?"))
    assert texts(llm.requests[1].messages) == ["Be brief.", "hello", "hi", "So?"]


@every_swap
async def test_a_memory_goes_on_from_run_to_run(swap: Swap) -> None:
    """With the steps of each."""
    llm, agent = function(swap, asks("add", one=1, other=2), says("3"), says("Yes."))
    memory = swap.buffer.from_defaults()
    await run(agent, "1+2?", memory=memory)
    await run(agent, "Sure?", memory=memory)
    assert [message.role.value for message in memory.get_all()] == [
        "user", "assistant", "tool", "assistant", "user", "assistant",
    ]  # fmt: skip
    assert [message.role.value for message in llm.requests[-1].messages] == [
        "system", "user", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip


@every_swap
async def test_a_context_goes_on_from_run_to_run(swap: Swap) -> None:
    """And from one that was stored, with a memory that can be."""
    llm, agent = function(swap, *(says(f"{at}") for at in range(3)))
    context: Context[Any] = Context(agent)
    await run(agent, "one", ctx=context)
    if swap.buffer.__name__ == "ContextMemoryBuffer":  # LlamaIndex's cannot be stored with this pydantic
        context = Context(agent)
        await run(agent, "one", ctx=context, memory=swap.buffer.from_defaults())
        stored = json.loads(json.dumps(context.to_dict(serializer=JsonSerializer())))
        context = Context.from_dict(agent, stored, serializer=JsonSerializer())
        await run(agent, "two", ctx=context)
        assert texts(llm.requests[-1].messages) == ["Be brief.", "one", "1", "two"]


@every_swap
async def test_a_state_is_told_with_the_question(swap: Swap) -> None:
    """And tools may change it."""

    async def note(ctx: Context[Any], text: str) -> str:
        """Note something."""
        async with ctx.store.edit_state() as state:
            state["state"]["notes"].append(text)
        return "noted"

    note.__annotations__ = {"ctx": Context, "text": str, "return": str}  # LlamaIndex reads them as they are
    llm, agent = function(swap, asks("note", text="tide"), says("ok"), tools=[note], initial_state={"notes": []})
    context: Context[Any] = Context(agent)
    await run(agent, "note it", ctx=context)
    assert "notes" in (llm.requests[0].messages[-1].content or "")
    assert (await context.store.get("state"))["notes"] == ["tide"]


class Sum(BaseModel):
    """A sum."""

    total: int


@every_swap
async def test_an_answer_may_have_a_class(swap: Swap) -> None:
    """Asked for behind the run, or made by a function."""
    _, agent = function(swap, says("3"), asks("Sum", total=3), output_cls=Sum)
    assert (await run(agent, "1+2?")).structured_response == {"total": 3}
    _, making = function(swap, says("3"), structured_output_fn=lambda _: Sum(total=3).model_dump())
    assert (await run(making, "1+2?")).get_pydantic_model(Sum) == Sum(total=3)


@every_swap
async def test_a_person_may_be_asked(swap: Swap) -> None:
    """And the run waits for the answer."""

    async def confirm(ctx: Context[Any]) -> str:
        """Ask."""
        asked = InputRequiredEvent(prefix="Sure?")  # type: ignore[call-arg]  # events take any field
        return str((await ctx.wait_for_event(HumanResponseEvent, waiter_event=asked)).response)

    confirm.__annotations__ = {"ctx": Context, "return": str}
    llm, agent = function(swap, asks("confirm"), says("ok"), tools=[confirm])
    handler = agent.run("go")  # pyright: ignore[reportDeprecated]
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            handler.ctx.send_event(HumanResponseEvent(response="yes"))  # type: ignore[call-arg]
    assert str(await handler) == "ok"
    assert llm.requests[1].messages[-1].content == "yes"


THOUGHT = 'Thought: I need to use a tool.\nAction: add\nAction Input: {"one": 1, "other": 2}'
ANSWER = "Thought: I can answer without using any more tools.\nAnswer: 3"


def react(swap: Swap, *answers: str, **given: Any) -> tuple[ReasoningSpy, ReActAgent]:
    """Make an agent that reasons in text."""
    llm = ReasoningSpy.of(iter(map(says, answers)))
    return llm, ReActAgent(llm=swap.around(llm), tools=[FunctionTool.from_defaults(add)], **given)


@every_swap
@pytest.mark.parametrize("streaming", [False, True])
async def test_a_thought_an_action_and_an_answer(swap: Swap, *, streaming: bool) -> None:
    """What was observed is in the second request."""
    llm, agent = react(swap, THOUGHT, ANSWER, streaming=streaming)
    memory = swap.buffer.from_defaults()
    assert str(await run(agent, "1+2?", memory=memory)) == "3"
    assert "Observation: 3" in llm.requests[1].shown()[-1]
    assert texts(memory.get_all())[0] == "1+2?"
    assert len(memory.get_all()) == 2


@every_swap
async def test_what_cannot_be_parsed_is_asked_for_again(swap: Swap) -> None:
    """With the error."""
    llm, agent = react(swap, "Action: nothing that anybody knows", ANSWER, streaming=False)
    assert str(await run(agent, "1+2?")) == "3"
    assert "Error while parsing" in str(llm.requests[1].shown())


@every_swap
async def test_a_history_of_a_reasoning_agent_comes_before(swap: Swap) -> None:
    """Behind its own prompt."""
    llm, agent = react(swap, ANSWER, streaming=False)
    await run(agent, user_msg="1+2?", chat_history=said("hello", "hi"))
    assert texts(llm.requests[0].messages)[1:] == ["hello", "hi", "1+2?"]
    assert "add" in llm.requests[0].shown()[0]


@every_swap
async def test_code_is_run_and_its_output_answered(swap: Swap) -> None:
    """As a user's message."""
    llm = CallingSpy.of(iter([says("<execute>\nprint(add(1, 2))\n</execute>"), says("3")]))
    agent = CodeActAgent(
        code_execute_fn=lambda code: f"ran {len(code)}", llm=swap.around(llm), tools=[add], streaming=False
    )
    assert str(await run(agent, "1+2?")) == "3"
    assert "ran 16" in llm.requests[1].shown()[-1]
    assert "def add" in llm.requests[0].shown()[0]


def pair(swap: Swap, *answers: ChatMessage, **given: Any) -> tuple[CallingSpy, AgentWorkflow]:
    """Make a workflow of two agents."""
    llm = CallingSpy.of(iter(answers))
    around = swap.around(llm)
    agents = [
        FunctionAgent(
            name=name, description=f"Knows {name}.", system_prompt=f"You are {name}.", llm=around, tools=[add],
            can_handoff_to=[other], streaming=False,
        )
        for name, other in (("one", "two"), ("two", "one"))
    ]  # fmt: skip
    return llm, AgentWorkflow(agents=list(agents), root_agent="one", **given)


@every_swap
async def test_agents_hand_over(swap: Swap) -> None:
    """The next one has its own prompt, and what went before."""
    handed = asks("handoff", to_agent="two", reason="It knows.")
    llm, workflow = pair(swap, handed, asks("add", by="2", one=1, other=2), says("3"))
    events, result = await events_of(workflow, "1+2?")
    assert str(result) == "3"
    assert [request.shown()[0] for request in llm.requests] == ["system: You are one.", *["system: You are two."] * 2]
    assert "1+2?" in str(llm.requests[1].shown())
    assert result.current_agent_name == "two"
    assert [event.tool_name for event in events if isinstance(event, ToolCall)] == ["handoff", "add"]


@every_swap
async def test_nobody_is_handed_to_who_is_not_there(swap: Swap) -> None:
    """The model is told who is."""
    llm, workflow = pair(swap, asks("handoff", to_agent="three", reason="?"), says("ok"))
    assert str(await run(workflow, "go")) == "ok"
    assert "three" in str(llm.requests[1].shown())


@every_swap
async def test_a_workflow_keeps_a_memory_and_a_state(swap: Swap) -> None:
    """Over its runs."""
    llm, workflow = pair(swap, says("ok"), says("ok"), initial_state={"notes": 1})
    memory = swap.buffer.from_defaults()
    context: Context[Any] = Context(workflow)
    await run(workflow, "one", memory=memory, ctx=context)
    await run(workflow, "two", memory=memory, ctx=context)
    assert "notes" in str(llm.requests[0].shown())
    assert len(llm.requests[1].messages) == 4


@every_swap
async def test_a_workflow_of_tools_has_one_agent(swap: Swap) -> None:
    """Of the kind that its LLM can be."""
    llm = CallingSpy.of(iter([asks("add", one=1, other=2), says("3")]))
    workflow = AgentWorkflow.from_tools_or_functions([add], llm=swap.around(llm), system_prompt="Be brief.")
    assert str(await run(workflow, "1+2?")) == "3"


@every_swap
async def test_an_agent_is_asked_as_a_tool(swap: Swap) -> None:
    """One run within another, on one LLM."""
    llm = CallingSpy.of(
        iter([asks("ask", question="1+2?"), asks("add", by="2", one=1, other=2), says("3"), says("It is 3.")])
    )
    around = swap.around(llm)
    inner = FunctionAgent(llm=around, tools=[add], streaming=False, system_prompt="You add.")

    async def ask(question: str) -> str:
        """Ask somebody who adds."""
        return str(await run(inner, question))

    outer = FunctionAgent(llm=around, tools=[ask], streaming=False, system_prompt="You ask.")
    assert str(await run(outer, "What is 1+2?")) == "It is 3."
    assert [request.shown()[0] for request in llm.requests] == [
        "system: You ask.", "system: You add.", "system: You add.", "system: You ask.",
    ]  # fmt: skip
