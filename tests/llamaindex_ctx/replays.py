"""Real transcripts played again: their answers are those of an LLM, their results those of tools."""

from __future__ import annotations

import json
import os
from collections import deque
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, cast
from zlib import crc32

import pytest
from llama_index.core.agent.workflow import CodeActAgent, FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.tools import FunctionTool, ToolMetadata
from pydantic import BaseModel, ConfigDict

from tests.contract.shared import SHARED, transcripts
from tests.llamaindex_ctx.spies import COUNTER, CallingSpy, ReasoningSpy, says

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.agent.workflow import BaseWorkflowAgent

    from tests.contract.shared import OpenAIMessage
    from tests.llamaindex_ctx.spies import Request

Kind = Literal["function", "react", "code"]
TEXT: Final = "Thought: I need to use a tool to help me answer.\n"
DONE: Final = "Thought: I can answer without using any more tools.\nAnswer: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a tool, with what came of it."""

    name: str
    arguments: str
    result: str


@dataclass(slots=True, kw_only=True)
class Turn:
    """A question, what was done about it, and the answer."""

    question: str
    steps: list[tuple[str, list[Call]]] = field(default_factory=list[tuple[str, list[Call]]])
    """What was said, and what was called."""
    answer: str = "Done."


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A recorded conversation."""

    name: str
    prompt: str
    turns: tuple[Turn, ...]

    @property
    def tools(self) -> list[str]:
        """The names of all tools that it calls."""
        return sorted({call.name for turn in self.turns for _, calls in turn.steps for call in calls})

    @property
    def protected(self) -> int:
        """Tokens of what no request may be without: the prompt and the longest question."""
        return COUNTER.count_text(self.prompt) + max(COUNTER.count_text(turn.question) for turn in self.turns)

    @property
    def tokens(self) -> int:
        """Tokens of all that was said."""
        said = [text for turn in self.turns for text in (turn.question, turn.answer)]
        done = [text for turn in self.turns for told, calls in turn.steps for text in (told, *_texts(calls))]
        return sum(map(COUNTER.count_text, (*said, *done)))


def recorded(*, tools: bool) -> list[Any]:
    """Give the transcripts as parameters of a test: a fixed tenth of them, or all where `CTX_REPLAYS` is `all`.

    Args:
        tools: only those in which tools are called.
    """
    found: list[Any] = []
    for path in sorted((SHARED / "data" / "agents").glob("*.jsonl.gz")):
        for at, messages in enumerate(transcripts(path)):
            read = transcript(f"{path.name.partition('.')[0]}-{at}", messages)
            if read.turns and (read.tools or not tools):
                found.append(pytest.param(read, id=read.name))
    if os.environ.get("CTX_REPLAYS") != "all":
        found = [one for one in found if crc32(cast("Transcript", one.values[0]).name.encode()) % 10 == 0]
    absent = pytest.mark.skip(reason="no transcripts: there is no folder `shared` beside the repository")
    return found or [pytest.param(None, marks=absent)]


def transcript(name: str, messages: Sequence[OpenAIMessage]) -> Transcript:
    """Read a recorded conversation; of one in which a user tells what came of a step, the steps are those of code."""
    prompt = "\n".join(_text(one) for one in messages[:1] if one["role"] == "system")
    results = {one["tool_call_id"]: _text(one) for one in messages if one["role"] == "tool" and one.get("tool_call_id")}
    acts_in_text = name.startswith("swe_agent") and not results
    turns: list[Turn] = []
    for at, one in enumerate(messages):
        text, calls = _text(one), one.get("tool_calls") or ()
        if one["role"] == "user" and not (acts_in_text and turns):
            if turns and at and messages[at - 1]["role"] == "user":
                turns[-1].question += f"\n{text}"
            else:
                turns.append(Turn(question=text or "Go on."))
        elif one["role"] == "assistant" and turns:
            made = [
                Call(
                    name=call["function"]["name"],
                    arguments=call["function"]["arguments"],
                    result=results.get(call["id"], "none"),
                )
                for call in calls
            ]
            following = messages[at + 1] if at + 1 < len(messages) else None
            if acts_in_text and following is not None and following["role"] == "user":
                made = [Call(name="run", arguments=json.dumps({"command": text}), result=_text(following))]
            if made:
                turns[-1].steps.append((text, made))
            else:
                turns[-1].answer = text or "Done."
    return Transcript(name=name, prompt=prompt, turns=tuple(turns))


class Replay:
    """One conversation that is played again: the next answer, and the next result of each tool."""

    def __init__(self, source: Transcript, kind: Kind) -> None:
        """Take the transcript, and which agent plays it."""
        self.source = source
        self.kind = kind
        self.answers: deque[ChatMessage] = deque()
        self.results: dict[str, deque[str]] = {}

    def ask(self, turn: Turn) -> str:
        """Begin a turn, and give its question."""
        for said, calls in turn.steps:
            if self.kind == "function":
                self.answers.append(_calling(said, calls, f"{id(turn)}-{len(self.answers)}"))
            else:  # an agent that acts in text does one thing at a time
                self.answers.extend(_acting(said, call, self.kind) for call in calls)
            for call in calls:
                key = call.name if self.kind == "function" else ""
                self.results.setdefault(key, deque()).append(call.result)
        self.answers.append(says(f"{DONE}{turn.answer}" if self.kind == "react" else _without_tags(turn.answer)))
        return turn.question

    def result(self, name: str = "") -> str:
        """Give what the next call of a tool gives."""
        waiting = self.results.get(name if self.kind == "function" else "")
        return waiting.popleft() if waiting else "none"


PLAYING: Final[ContextVar[Replay]] = ContextVar("playing")
"""What is played in this task: many may share an LLM."""


def answering(_: Request) -> ChatMessage:
    """Give the next answer of what is played."""
    replay = PLAYING.get()
    return replay.answers.popleft() if replay.answers else says(f"{DONE}Done." if replay.kind == "react" else "Done.")


def spy(kind: Kind) -> Any:
    """Make the LLM of an agent."""
    return ReasoningSpy.of(answering) if kind == "react" else CallingSpy.of(answering)


class Anything(BaseModel):
    """What a tool is called with."""

    model_config = ConfigDict(extra="allow")


def tool(name: str) -> FunctionTool:
    """Make a tool that gives what it gave."""

    async def used(**_: Any) -> str:
        return PLAYING.get().result(name)

    said = f"Use {name.replace('_', ' ')}."
    return FunctionTool(async_fn=used, metadata=ToolMetadata(name=name, description=said, fn_schema=Anything))


async def executed(code: str) -> str:
    """Run code, or rather say what it gave."""
    del code
    return PLAYING.get().result()


def agent(source: Transcript, kind: Kind, llm: Any, **given: Any) -> BaseWorkflowAgent:
    """Make the agent that plays a transcript."""
    tools: list[Any] = [tool(name) for name in source.tools]
    prompt = source.prompt or None
    if kind == "function":
        return FunctionAgent(tools=tools, llm=llm, system_prompt=prompt, **given)
    if kind == "react":
        return ReActAgent(tools=tools, llm=llm, system_prompt=prompt, **given)
    return CodeActAgent(code_execute_fn=executed, tools=[], llm=llm, system_prompt=prompt, **given)


def _calling(said: str, calls: Sequence[Call], by: str) -> ChatMessage:
    blocks: list[Any] = [TextBlock(text=said)] if said else []
    for at, call in enumerate(calls):
        blocks.append(
            ToolCallBlock(tool_call_id=f"{by}-{at}", tool_name=call.name, tool_kwargs=_arguments(call.arguments))
        )
    return ChatMessage(role=MessageRole.ASSISTANT, blocks=blocks)


def _acting(said: str, call: Call, kind: str) -> ChatMessage:
    if kind == "react":
        return says(f"{TEXT}Action: {call.name}\nAction Input: {json.dumps({'arguments': call.arguments})}")
    return says(f"{_without_tags(said)}\n<execute>\n{call.name}({call.arguments!r})\n</execute>")


def _without_tags(text: str) -> str:
    return text.replace("<execute>", "").replace("</execute>", "")


def _arguments(text: str) -> dict[str, Any]:
    try:
        read: Any = json.loads(text)
    except ValueError:
        read = None
    return cast("dict[str, Any]", read) if isinstance(read, dict) else {"text": text}


def _texts(calls: Sequence[Call]) -> list[str]:
    return [text for call in calls for text in (call.arguments, call.result)]


def _text(message: OpenAIMessage) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(str(part.get("text", "")) for part in content)
