"""Real transcripts through LlamaIndex's agents, workflows and chat engines: every request that they make is right."""

from __future__ import annotations

import asyncio
import json
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent, JsonSerializer

from llamaindex_ctx import ContextMemoryBuffer, with_context_budget
from tests.llamaindex_ctx.replays import PLAYING, Kind, Replay, Transcript, Turn, agent, recorded, spy, tool
from tests.llamaindex_ctx.spies import COUNTER
from tests.llamaindex_ctx.turns import IGNORED, faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core import ContextReport
    from tests.llamaindex_ctx.spies import Request

pytestmark = [pytest.mark.filterwarnings(ignored) for ignored in IGNORED]

ROOM = {"function": 1_500, "react": 2_500, "code": 2_500}
"""Tokens beside prompt and question: those that act in text bring a long prompt of their own."""
KINDS: tuple[Kind, ...] = ("function", "react", "code")


async def ask(asked: Any, question: str, **given: Any) -> Any:
    """Run an agent or a workflow to its end."""
    return await asked.run(user_msg=question, max_iterations=1_000, **given)


def moved(requests: Sequence[Request], reports: Sequence[ContextReport]) -> list[int]:
    """Give the requests that do not extend the one before, though nothing was cut."""
    assert len(requests) == len(reports)
    shown = [request.shown() for request in requests]
    return [
        at
        for at, (before, after) in enumerate(pairwise(shown), 1)
        if after[: len(before)] != before and not reports[at].history.cut
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("source", recorded(tools=True))
async def test_an_agent_plays_a_transcript(source: Transcript, kind: Kind) -> None:
    """Turn after turn with a memory of ours: within the budget, in pairs, with the question, and with one beginning."""
    budget = source.protected + 60 * len(source.tools) + ROOM[kind]
    llm = spy(kind)
    reports: list[ContextReport] = []
    plays = agent(source, kind, llm, streaming=False)
    plays = with_context_budget(plays, budget, counter=COUNTER, on_report=reports.append)
    memory = ContextMemoryBuffer.from_agent(plays, counter=COUNTER)
    replay = Replay(source, kind)
    PLAYING.set(replay)
    context: Context[Any] = Context(plays)
    for turn in source.turns:
        before = len(llm.requests)
        await ask(plays, replay.ask(turn), memory=memory, ctx=context)
        asked = llm.requests[before:]
        assert [fault for one in asked for fault in faults(one, budget, COUNTER, turn.question)] == []
        assert moved(asked, reports[before:]) == []
    assert not replay.answers
    steps = sum(len(calls) if kind != "function" else 1 for turn in source.turns for _, calls in turn.steps)
    assert len(llm.requests) == steps + len(source.turns)
    assert memory.last_report is not None
    cut = any(report.history.cut for report in reports) or memory.last_report.history.omitted > 0
    assert cut or source.tokens < 1.5 * budget


def joined(source: Transcript, least: int) -> Turn:
    """Make one long turn of all that was done, again and again."""
    steps = [step for turn in source.turns for step in turn.steps]
    again = (step for _ in range(least) for step in steps)
    return Turn(question=source.turns[0].question, steps=list(islice(again, least)))


@pytest.mark.parametrize("source", recorded(tools=True)[:1])
async def test_a_turn_of_400_recorded_steps(source: Transcript) -> None:
    """As real as results are: each request fits, and only cuts move its beginning."""
    budget = source.protected + 60 * len(source.tools) + 600
    llm = spy("function")
    reports: list[ContextReport] = []
    plays = agent(source, "function", llm, streaming=False)
    plays = with_context_budget(plays, budget, counter=COUNTER, on_report=reports.append)
    replay = Replay(source, "function")
    PLAYING.set(replay)
    await ask(plays, replay.ask(joined(source, 400)))
    assert len(llm.requests) == 401
    assert [fault for one in llm.requests for fault in faults(one, budget, COUNTER, source.turns[0].question)] == []
    assert moved(llm.requests, reports) == []
    assert 0 < sum(report.history.cut for report in reports) < 200


@pytest.mark.parametrize("kind", KINDS)
async def test_thirty_transcripts_at_once_on_one_llm(kind: Kind) -> None:
    """Each keeps to itself: its own question, its own results."""
    sources = [one.values[0] for one in recorded(tools=True)]
    if sources == [None]:
        pytest.skip("no transcripts: there is no folder `shared` beside the repository")
    playing = [sources[at % len(sources)] for at in range(30)]
    budget = max(one.protected + 60 * len(one.tools) for one in playing) + ROOM[kind]
    llm = spy(kind)
    shared = with_context_budget(llm, budget, counter=COUNTER)

    async def play(number: int, source: Transcript) -> None:
        replay = Replay(source, kind)
        PLAYING.set(replay)
        plays = agent(source, kind, shared, streaming=bool(number % 2))
        turn = source.turns[0]
        await ask(plays, f"{replay.ask(turn)} Run {number}.")
        assert not replay.answers

    await asyncio.gather(*(play(number, source) for number, source in enumerate(playing)))
    runs = {
        number: [one for one in llm.requests if any(f" Run {number}." in shown for shown in one.shown())]
        for number in range(30)
    }
    assert sum(map(len, runs.values())) == len(llm.requests)
    for number, requests in runs.items():
        question = f"{playing[number].turns[0].question} Run {number}."
        assert requests
        assert [fault for one in requests for fault in faults(one, budget, COUNTER, question)] == []


@pytest.mark.parametrize("source", recorded(tools=True))
async def test_agents_hand_over_and_ask_somebody(source: Transcript) -> None:
    """Two agents share the turns, each asks a person, and there the context is stored, and goes on from the dump."""
    budget = source.protected + 60 * len(source.tools) + 2_000
    llm = spy("function")

    def workflow() -> AgentWorkflow:
        tools: list[Any] = [*(tool(name) for name in source.tools), FunctionTool.from_defaults(confirm)]
        agents = [
            FunctionAgent(
                name=name, description=name, can_handoff_to=[other], llm=llm, tools=tools, streaming=False,
                system_prompt=f"You are {name}. {source.prompt}",
            )
            for name, other in (("one", "two"), ("two", "one"))
        ]  # fmt: skip
        return with_context_budget(AgentWorkflow(agents=list(agents), root_agent="one"), budget, counter=COUNTER)

    replay = Replay(source, "function")
    PLAYING.set(replay)
    plays = workflow()
    context: Context[Any] = Context(plays)
    memory = ContextMemoryBuffer.from_agent(plays, counter=COUNTER)
    for at, turn in enumerate(source.turns):
        before = len(llm.requests)
        question = replay.ask(turn)
        other = "two" if at % 2 == 0 else "one"
        replay.answers.appendleft(_asks("confirm", at))
        replay.answers.appendleft(_asks("handoff", at, to_agent=other, reason="Its turn."))
        handler = plays.run(user_msg=question, max_iterations=1_000, memory=memory, ctx=context)  # pyright: ignore[reportDeprecated]
        async for event in handler.stream_events():
            if isinstance(event, InputRequiredEvent):
                stored = json.loads(json.dumps(handler.ctx.to_dict(serializer=JsonSerializer())))
                await handler.cancel_run()
                plays = workflow()
                context = Context.from_dict(plays, stored, serializer=JsonSerializer())
                break
        resumed = plays.run(ctx=context)  # pyright: ignore[reportDeprecated]
        resumed.ctx.send_event(HumanResponseEvent(response="yes"))  # type: ignore[call-arg]  # events take any field
        await resumed
        asked = llm.requests[before:]
        assert [fault for one in asked for fault in faults(one, budget, COUNTER, question)] == []
        assert any("They say yes." in shown for shown in asked[2].shown())
        assert f"You are {other}." in asked[-1].shown()[0]
    assert not replay.answers


async def confirm(ctx: Context[Any]) -> str:
    """Ask somebody."""
    asked = InputRequiredEvent(prefix="Go on?")  # type: ignore[call-arg]  # events take any field
    event = await ctx.wait_for_event(HumanResponseEvent, waiter_event=asked, waiter_id="go-on")
    return f"They say {event.response}."


confirm.__annotations__ = {"ctx": Context, "return": str}  # LlamaIndex reads them as they are


def _asks(name: str, at: int, **asked: Any) -> ChatMessage:
    return ChatMessage(
        role="assistant", blocks=[ToolCallBlock(tool_call_id=f"{name}-{at}", tool_name=name, tool_kwargs=asked)]
    )
