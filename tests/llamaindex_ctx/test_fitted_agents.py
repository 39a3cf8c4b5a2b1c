"""Agents and workflows with a context budget: a running turn of any length, whatever the memory does."""

from __future__ import annotations

import asyncio
import json
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import ChatMemoryBuffer, Memory
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent, JsonSerializer
from pydantic import BaseModel

from ctx_core import ContextOverflowError, HistoryPolicy
from llamaindex_ctx import ContextMemoryBuffer, with_context_budget
from tests.llamaindex_ctx.spies import COUNTER, CallingSpy, ReasoningSpy, Request, says
from tests.llamaindex_ctx.turns import (
    IGNORED,
    KINDS,
    QUESTION,
    ask,
    calls,
    extending,
    faults,
    function_agent,
    page,
    react_agent,
    reading,
    thinking,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = [pytest.mark.filterwarnings(ignored) for ignored in IGNORED]
BUDGET = 2_000


def all_faults(requests: Sequence[Request], budget: int = BUDGET, question: str = QUESTION) -> list[str]:
    """Say what is wrong with any of the requests."""
    return [
        f"request {at}: {fault}"
        for at, request in enumerate(requests)
        for fault in faults(request, budget, COUNTER, question)
    ]


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_long_turn_fits(kind: str, *, streaming: bool) -> None:
    """Each request fits, begins with a user's message and asks the question; nearly all extend the one before."""
    make, llm_of = KINDS[kind]
    llm = llm_of(25)
    agent = make(llm, streaming=streaming)
    assert with_context_budget(agent, BUDGET, counter=COUNTER) is agent
    result = await ask(agent)
    assert "Page 7." in str(result)
    assert len(llm.requests) == 26
    assert all_faults(llm.requests) == []
    assert extending(llm.requests) >= 22


@pytest.mark.parametrize("kind", KINDS)
async def test_without_a_budget_it_does_not_fit(kind: str) -> None:
    """What is tested here is not so by itself, however small the memory is."""
    make, llm_of = KINDS[kind]
    llm = llm_of(25)
    await ask(make(llm, streaming=False), memory=ChatMemoryBuffer.from_defaults(token_limit=BUDGET))
    assert llm.requests[-1].tokens() > 1.4 * BUDGET


async def test_a_turn_of_400_steps_fits() -> None:
    """As long as nobody reads by hand."""
    llm = CallingSpy.of(reading(400, words=30))
    await ask(with_context_budget(function_agent(llm, streaming=False), 1_000, counter=COUNTER))
    assert len(llm.requests) == 401
    assert all_faults(llm.requests, 1_000) == []
    assert extending(llm.requests) > 320


@pytest.mark.parametrize("kind", KINDS)
async def test_a_result_larger_than_everything_is_cut_to_head_and_tail(kind: str) -> None:
    """The model sees how it begins and how it ends, in every request that follows."""
    make, _ = KINDS[kind]
    llms: dict[str, Any] = {
        "function": CallingSpy.of(iter([calls(1, words=40_000), calls(2), says("Page 7.")])),
        "react": ReasoningSpy.of(
            iter([thinking(1, 40_000)(Request([], {})), thinking(1)(Request([], {})), thinking(0)(Request([], {}))])
        ),
        "code": CallingSpy.of(iter([says("<execute>\npage(1)\n</execute>"), says("Page 7.")])),
    }
    llm = llms[kind]
    agent = make(llm, streaming=False)
    if kind == "code":
        agent = type(agent)(code_execute_fn=lambda code: page(1, 40_000), tools=[page], llm=llm, streaming=False)  # noqa: ARG005 - its name
    await ask(with_context_budget(agent, BUDGET, counter=COUNTER))
    assert all_faults(llm.requests) == []
    for request in llm.requests[1:]:
        assert any(". ferry" in shown and "tokens" in shown for shown in request.shown())


async def test_parallel_calls_stay_together() -> None:
    """A step of three calls goes as one, however many of them fit."""
    answers = [calls(3 * at, 3 * at + 1, 3 * at + 2) for at in range(12)]
    llm = CallingSpy.of(iter([*answers, says("Page 7.")]))
    await ask(with_context_budget(function_agent(llm, streaming=False), BUDGET, counter=COUNTER))
    assert len(llm.requests) == 13
    assert all_faults(llm.requests) == []


async def test_a_turn_that_ends_in_a_result_goes_on() -> None:
    """`return_direct`: the answer that repeats its call's id is an answer, in every later request."""
    tool = FunctionTool.from_defaults(page, return_direct=True)
    llm: CallingSpy = CallingSpy.of(lambda _: calls(len(llm.requests)))
    agent = with_context_budget(FunctionAgent(tools=[tool], llm=llm, streaming=False), BUDGET, counter=COUNTER)
    memory = ChatMemoryBuffer.from_defaults(token_limit=30_000)
    for at in range(25):
        await ask(agent, f"Question {at}?", memory=memory)
    assert len(llm.requests) == 25
    assert [
        fault for at, one in enumerate(llm.requests) for fault in faults(one, BUDGET, COUNTER, f"Question {at}?")
    ] == []


async def test_a_turn_that_is_stopped_early_leaves_no_call_open() -> None:
    """`generate` leaves the last call behind, and the next run sends it: it is closed there."""
    llm: CallingSpy = CallingSpy.of(lambda _: calls(len(llm.requests)) if len(llm.requests) % 9 else says("Stopped."))
    agent = function_agent(llm, streaming=False, early_stopping_method="generate")
    with_context_budget(agent, BUDGET, counter=COUNTER)
    context: Context[Any] = Context(agent)
    memory = ContextMemoryBuffer.from_defaults(token_limit=BUDGET)
    for _ in range(4):
        await agent.run(user_msg=QUESTION, memory=memory, ctx=context, max_iterations=8)  # pyright: ignore[reportDeprecated]
    assert len(llm.requests) == 36
    assert all_faults(llm.requests) == []
    assert any("not answered" in shown for request in llm.requests for shown in request.shown())


@pytest.mark.parametrize("unanswered", ["stub", "drop"])
def test_a_call_at_the_very_end_has_a_result_or_goes(unanswered: Any) -> None:
    """As the policy says; what was said beside the call stays, and the user has the last word where it is alone."""
    llm: Any = with_context_budget(
        CallingSpy.of(), BUDGET, counter=COUNTER, policy=HistoryPolicy(unanswered=unanswered)
    )
    llm.chat([ChatMessage(QUESTION, role="user"), calls(1, 2)])
    (request,) = llm.requests
    assert faults(request, BUDGET, COUNTER) == []
    assert "assistant: Let me see." in request.shown()
    assert len(request.messages) == (4 if unanswered == "stub" else 3)


async def test_an_answer_that_cannot_be_parsed_is_asked_for_again() -> None:
    """Parse retries bring the question twice and the faulty answer: they fit, and the turn goes on."""
    think, asked = thinking(20), count()

    def answer(request: Request) -> ChatMessage:
        return says("Action: nothing " * 40) if next(asked) % 4 == 3 else think(request)

    llm = ReasoningSpy.of(answer)
    await ask(with_context_budget(react_agent(llm, streaming=False), BUDGET, counter=COUNTER))
    assert len(llm.requests) > 25
    assert all_faults(llm.requests) == []
    retries = [request for request in llm.requests if any("Error while parsing" in one for one in request.shown())]
    assert retries


@pytest.mark.parametrize("memory", [ChatMemoryBuffer, Memory, ContextMemoryBuffer])
async def test_handoffs_fit_with_each_agents_own_prompt_and_tools(memory: type[Any]) -> None:
    """Two agents hand over to each other after long turns; LLMs that they share they go on sharing."""
    hand = {"one": "two", "two": "one"}

    def answer(request: Request) -> ChatMessage:
        at = len(llm.requests)
        who = "one" if "You are one." in request.shown()[0] else "two"
        if at > 30:
            return says("Page 7.")
        if at % 8:
            return calls(at)
        return calls(at, tool="handoff", asked={"to_agent": hand[who], "reason": "r"})

    llm = CallingSpy.of(answer)
    agents = [
        FunctionAgent(
            name=name, description=name, system_prompt=f"You are {name}.", can_handoff_to=[other], llm=llm,
            tools=[FunctionTool.from_defaults(page)], streaming=False,
        )
        for name, other in hand.items()
    ]  # fmt: skip
    workflow = AgentWorkflow(agents=list(agents), root_agent="one")
    assert with_context_budget(workflow, BUDGET, counter=COUNTER) is workflow
    assert agents[0].llm is agents[1].llm is not llm
    result = await ask(workflow, memory=memory.from_defaults(token_limit=30_000))
    assert str(result) == "Page 7."
    assert {request.shown()[0] for request in llm.requests} == {"system: You are one.", "system: You are two."}
    assert all_faults(llm.requests) == []


async def test_thirty_runs_at_once_on_one_llm_keep_to_themselves() -> None:
    """Each is as it would be alone: same question, same beginning, another turn."""

    def answer(request: Request) -> ChatMessage:
        asked = next(one.content or "" for one in request.messages if QUESTION in (one.content or ""))
        run = int(asked.split()[-1])
        steps = sum(f"run-{run}-" in str(one.blocks) for one in request.messages if one.role == MessageRole.ASSISTANT)
        number = counts[run] = counts.get(run, 0) + 1
        assert steps <= number
        if number > 12:
            return says(f"done {run}")
        return calls(number, by=f"run-{run}")

    counts: dict[int, int] = {}
    llm = CallingSpy.of(answer)
    fitted = with_context_budget(llm, 1_000, counter=COUNTER)
    agents = [function_agent(fitted, streaming=bool(run % 2)) for run in range(30)]
    results = await asyncio.gather(*(ask(agent, f"{QUESTION} Run {run}") for run, agent in enumerate(agents)))
    assert [str(result) for result in results] == [f"done {run}" for run in range(30)]
    assert len(llm.requests) == 30 * 13
    assert all_faults(llm.requests, 1_000) == []
    for request in llm.requests:
        (run,) = {int((one.content or "").split()[-1]) for one in request.messages if one.role == MessageRole.USER}
        ids = [str(one.additional_kwargs["tool_call_id"]) for one in request.messages if one.role == MessageRole.TOOL]
        assert all(call_id.startswith(f"run-{run}-") for call_id in ids)


async def test_a_human_in_the_loop_does_not_break_the_turn() -> None:
    """A tool waits for somebody; the turn goes on from where it was, and fits."""

    async def confirm(ctx: Context[Any], number: int) -> str:
        """Ask somebody about a page."""
        asked = InputRequiredEvent(prefix=f"Page {number}?")  # type: ignore[call-arg]  # events take any field
        event = await ctx.wait_for_event(HumanResponseEvent, waiter_event=asked, waiter_id=f"page-{number}")
        return f"They say {event.response}. " + page(number)

    # LlamaIndex reads them as they are, and not as the texts that they are in this module.
    confirm.__annotations__ = {"ctx": Context, "number": int, "return": str}
    told = iter(
        [
            *(calls(at) for at in range(10)),
            calls(10, tool="confirm", asked={"number": 10}),
            *(calls(at) for at in range(11, 20)),
        ]
    )

    llm = CallingSpy.of(lambda _: next(told, says("Page 7.")))
    tools: list[Any] = [page, FunctionTool.from_defaults(confirm)]
    agent = with_context_budget(FunctionAgent(tools=tools, llm=llm, streaming=False), BUDGET, counter=COUNTER)
    handler = agent.run(user_msg=QUESTION, max_iterations=100)  # pyright: ignore[reportDeprecated]
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            handler.ctx.send_event(HumanResponseEvent(response="yes"))  # type: ignore[call-arg]
    assert str(await handler) == "Page 7."
    assert all_faults(llm.requests) == []
    assert any("They say yes." in shown for request in llm.requests for shown in request.shown())


async def test_a_context_that_is_stored_in_the_middle_goes_on() -> None:
    """With ours as memory: cut turns before, then in another process another one."""
    llm: CallingSpy = CallingSpy.of(
        lambda _: says("Page 7.") if len(llm.requests) % 13 == 0 else calls(len(llm.requests))
    )
    agent = with_context_budget(function_agent(llm, streaming=False), BUDGET, counter=COUNTER)
    memory = ContextMemoryBuffer.from_defaults(token_limit=4_000)
    context: Context[Any] = Context(agent)
    await ask(agent, memory=memory, ctx=context)
    for at in range(3):
        stored = json.loads(json.dumps(context.to_dict(serializer=JsonSerializer())))
        agent = with_context_budget(function_agent(llm, streaming=False), BUDGET, counter=COUNTER)
        context = Context.from_dict(agent, stored, serializer=JsonSerializer())
        await ask(agent, f"Question {at}? {QUESTION}", ctx=context)
    assert len(llm.requests) == 52
    assert all_faults(llm.requests) == []
    assert "Question 2?" in str(llm.requests[-1].shown())


async def test_a_state_is_never_that_of_a_conversation_that_merely_begins_alike() -> None:
    """Conversations with one beginning, by turns on one LLM: each is sent what it would be sent alone."""
    trunk = [
        ChatMessage("Hello", role="user"),
        says("Hello!"),
        ChatMessage("I have a question.", role="user"),
        says("Ask."),
    ]

    def steps(name: str) -> list[list[ChatMessage]]:
        """Give the requests of one conversation as it grows."""
        grown = [*trunk, ChatMessage(QUESTION, role="user")]
        requests: list[list[ChatMessage]] = []
        for at in range(20):
            requests.append(list(grown))
            result = ChatMessage(f"{name} " * 80, role="tool", additional_kwargs={"tool_call_id": f"call-{at}"})
            grown += [calls(at), result]
        return requests

    llm: Any = with_context_budget(CallingSpy.of(), BUDGET, counter=COUNTER)
    names = ("red", "green", "blue")
    together: dict[str, list[list[str]]] = {name: [] for name in names}
    for requests in zip(*(steps(name) for name in names), strict=True):
        for name, messages in zip(names, requests, strict=True):
            await llm.achat(messages)
            together[name].append(llm.requests[-1].shown())
    for name in names:
        alone: Any = with_context_budget(CallingSpy.of(), BUDGET, counter=COUNTER)
        for messages in steps(name):
            await alone.achat(messages)
        assert [request.shown() for request in alone.requests] == together[name]


@pytest.mark.parametrize("memory", [ContextMemoryBuffer, ChatMemoryBuffer])
async def test_a_memory_beside_it_has_nothing_more_to_keep_free(memory: type[Any]) -> None:
    """Turn after turn with ours or LlamaIndex's memory: each request fits, with as much of the past as fits."""
    llm: CallingSpy = CallingSpy.of(
        lambda _: says("Page 7.") if len(llm.requests) % 4 == 0 else calls(len(llm.requests))
    )
    agent = with_context_budget(function_agent(llm, streaming=False), BUDGET, counter=COUNTER)
    remembers = memory.from_defaults(token_limit=BUDGET)
    for _ in range(10):
        await ask(agent, memory=remembers)
    assert all_faults(llm.requests) == []
    assert max(request.tokens() for request in llm.requests) > BUDGET * 0.5


async def test_a_structured_answer_of_an_agent_fits() -> None:
    """`output_cls` asks once more, with all that the memory gives as one text, which the memory has to keep small."""

    class Found(BaseModel):
        """What was found."""

        page: int

    def answer(request: Request) -> ChatMessage:
        if any(tool.metadata.name == "Found" for tool in request.kwargs.get("tools") or ()):
            return calls(1, tool="Found", asked={"page": 7})
        return read(request)

    read = reading(25)
    llm = CallingSpy.of(answer)
    agent = FunctionAgent(tools=[FunctionTool.from_defaults(page)], llm=llm, streaming=False, output_cls=Found)
    memory = ContextMemoryBuffer.from_defaults(token_limit=BUDGET // 2)
    result = await ask(with_context_budget(agent, BUDGET, counter=COUNTER), memory=memory)
    assert result.structured_response == {"page": 7}
    assert len(llm.requests) == 27
    assert all_faults(llm.requests) == []


async def test_what_cannot_fit_ends_the_run_with_the_numbers() -> None:
    """A prompt larger than the budget is an error of ours, and no request."""
    llm = CallingSpy.of()
    agent = FunctionAgent(tools=[FunctionTool.from_defaults(page)], llm=llm, system_prompt="word " * 3_000)
    with pytest.raises(ContextOverflowError, match="Max: 2,000"):
        await ask(with_context_budget(agent, BUDGET, counter=COUNTER))
    assert llm.requests == []
