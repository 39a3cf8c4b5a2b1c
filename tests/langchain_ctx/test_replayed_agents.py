"""Real agents' transcripts, replayed as answers and tools through LangChain's agents and LangGraph's.

The longest of each kind; `make replays` takes all.
"""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
)
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver

from ctx_core.conversation.messages import Role
from langchain_ctx import ContextMiddleware, ContextNode
from langchain_ctx.convert import CODEC
from tests.contract.shared import SHARED, transcripts
from tests.langchain_ctx.scripted import ScriptedModel, agent
from tests.langchain_ctx.test_node import react

if TYPE_CHECKING:
    from collections.abc import Iterator

THREAD: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 10_000}
FILES = ["tau_bench_airline", "openhands", "swe_agent", "toolbench", "glaive_toolcall", "aider_chats"]
EACH = None if os.environ.get("CTX_REPLAYS") == "all" else 1
"""Transcripts of each file: those with the most messages; None: all."""


@dataclass
class Replay:
    """A transcript, as turns of users and the answers to them, with the results of the tools that were called."""

    system: str = ""
    turns: list[tuple[list[BaseMessage], list[AIMessage]]] = field(default_factory=list[Any])
    results: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict[Any, list[str]](list))
    names: set[str] = field(default_factory=set[str])

    @classmethod
    def of(cls, source: list[dict[str, Any]]) -> Replay:
        """Read a transcript."""
        made, called = cls(), dict[str, str]()
        for message in convert_to_messages([one for one in source if one["role"] != "developer"]):
            if isinstance(message, SystemMessage):
                made.system = made.system or str(message.text)
            elif isinstance(message, HumanMessage):
                if not made.turns or made.turns[-1][1]:
                    made.turns.append(([], []))
                made.turns[-1][0].append(message)
            elif isinstance(message, AIMessage) and made.turns:
                answers = made.turns[-1][1]
                if not answers or answers[-1].tool_calls:
                    answers.append(AIMessage(message.content or "", tool_calls=message.tool_calls))
                called |= {str(call["id"]): call["name"] for call in message.tool_calls}
                made.names |= {call["name"] for call in message.tool_calls}
            elif isinstance(message, ToolMessage) and message.tool_call_id in called:
                made.results[called[message.tool_call_id], message.tool_call_id].append(str(message.text))
        made.turns = [turn for turn in made.turns if turn[1]]
        return made

    def tools(self) -> list[Any]:
        """Give tools that answer as they did then."""
        given = defaultdict[str, int](int)

        def named(name: str) -> StructuredTool:
            def answer(**_arguments: Any) -> str:
                told = [results for (known, _), results in self.results.items() if known == name]
                texts = [text for results in told for text in results] or ["Nothing."]
                given[name] += 1
                return str(texts[(given[name] - 1) % len(texts)])

            schema = {"type": "object", "properties": {}, "additionalProperties": True}
            return StructuredTool(name=name, description=f"Does {name}.", func=answer, args_schema=schema)

        return [named(name) for name in sorted(self.names)]

    def model(self) -> ScriptedModel:
        """Give a model that answers as it did then, and ends each turn."""
        answers = [one for _, said in self.turns for one in (said if not said[-1].tool_calls else [*said, DONE])]
        return ScriptedModel(script=lambda at: answers[at].model_copy())


DONE = AIMessage("Done.")


def replays() -> list[Any]:
    """Give the transcripts, as parameters."""
    found: list[Any] = []
    for name in FILES:
        path = SHARED / "data" / "agents" / f"{name}.jsonl.gz"
        sources = sorted(transcripts(path), key=len, reverse=True)[:EACH] if path.exists() else []
        found += [pytest.param(Replay.of(source), id=f"{name}-{at}") for at, source in enumerate(sources)]
    return found or [pytest.param(None, marks=pytest.mark.skip(reason="no folder `shared` beside the repository"))]


async def run(of: Any, replay: Replay, how: str) -> list[BaseMessage]:
    """Run all turns through one door, and give the messages of the state."""
    messages: list[BaseMessage] = []
    for users, _ in replay.turns:
        given = {"messages": [one.model_copy() for one in users]}
        if how == "sync":
            messages = of.invoke(given, THREAD)["messages"]
        elif how == "async":
            messages = (await of.ainvoke(given, THREAD))["messages"]
        else:
            messages = [value async for value in of.astream(given, THREAD, stream_mode="values")][-1]["messages"]
    return messages


def told(messages: list[BaseMessage]) -> list[Any]:
    """Give what messages say, without the ids of a run."""
    return [
        (one.type, one.content, getattr(one, "tool_calls", None), getattr(one, "tool_call_id", None))
        for one in messages
    ]


def faults(model: ScriptedModel, plain: ScriptedModel, reports: list[Any], limit: int) -> Iterator[str]:
    """Say what is wrong with requests, beside those without us."""
    before: list[BaseMessage] = []
    sizes = model.sizes
    for at, (request, whole, report) in enumerate(zip(model.requests, plain.requests, reports, strict=True)):
        messages = request.messages
        if sizes[at] > limit:
            yield f"request {at} has {sizes[at]} of {limit} tokens"
        question = next(one for one in reversed(whole.messages) if CODEC.role(one) is Role.USER)
        # One that is over the limit by itself is cut to it, as these ask for, and the report says so.
        if question.content not in [one.content for one in messages] and not report.history.truncated:
            yield f"request {at} has lost the question"
        open_calls: list[str] = []
        for one in messages:
            if isinstance(one, ToolMessage):
                if one.tool_call_id not in open_calls:
                    yield f"request {at} has a result without its call"
                else:
                    open_calls.remove(one.tool_call_id)
                continue
            if open_calls:
                yield f"request {at} has a call without its result"
            open_calls = [str(call["id"]) for call in one.tool_calls] if isinstance(one, AIMessage) else []
        if not report.history.cut and told(messages[: len(before)]) != told(before):
            yield f"request {at} begins anew without a cut"
        before = messages


@pytest.mark.parametrize("replay", replays())
@pytest.mark.parametrize("how", ["sync", "async", "streamed"])
@pytest.mark.parametrize("surface", ["middleware", "node"])
async def test_a_replayed_agent_fits_and_keeps_its_state(replay: Replay, how: str, surface: str) -> None:
    """At half of what it took: budget, pairs, question and prefix; the state as without us, a hundredth larger."""
    reports: list[Any] = []
    plain, model = replay.model(), replay.model()
    bare, saver = InMemorySaver(), InMemorySaver()
    system = replay.system or None
    tools = replay.tools()
    if surface == "middleware":
        theirs = agent(plain, tools, system_prompt=system, checkpointer=bare)
    else:
        theirs = react(plain, prompt=lambda state: state["messages"], checkpointer=bare, tools=tools)
    expected = await run(theirs, replay, "sync")
    sizes = plain.sizes
    limit = max(max(sizes) // 2, sizes[0] + 1_500)
    options: Any = {"counter": "gpt-4o", "on_report": reports.append, "on_overflow": "truncate"}
    if surface == "middleware":
        ours = agent(
            model,
            replay.tools(),
            system_prompt=system,
            checkpointer=saver,
            middleware=[ContextMiddleware(limit, **options)],
        )
    else:
        node = ContextNode(limit, tools=tools, **options)
        ours = react(model, prompt=node.prompt, checkpointer=saver, tools=replay.tools())
    messages = await run(ours, replay, how)
    assert told(messages) == told(expected)
    assert list(faults(model, plain, reports, limit)) == []
    size, without = (sum(len(data) for _, data in one.blobs.values()) for one in (saver, bare))
    assert size <= 1.01 * without + 2_000
