"""Turns of LlamaIndex's agents, as long as a test wants them, and what is asked of each request in them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from llama_index.core.agent.workflow import AgentWorkflow, BaseWorkflowAgent, CodeActAgent, FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.tools import FunctionTool

from llamaindex_ctx.tool_calls import read_calls
from tests.llamaindex_ctx.spies import CallingSpy, ReasoningSpy, Request, says

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx_core import TokenCounter

IGNORED = (
    # Workflows look at every attribute of an agent, deprecated ones of pydantic included.
    "ignore:The `__fields.*` attribute is deprecated",
    "ignore:Accessing the 'model_.*' attribute on the instance is deprecated",
    # ReActAgent asks its workflow whether it runs, from within.
    "ignore:is_running called from within a step",
)
QUESTION = "Which page says when the ferry leaves?"


def page(number: int, words: int = 80) -> str:
    """Read a page of the timetable."""
    return f"Page {number}. " + "ferry harbor island " * (words // 3)


def calls(
    *numbers: int, words: int = 80, tool: str = "page", by: str = "call", asked: dict[str, Any] | None = None
) -> ChatMessage:
    """Make an answer that asks for pages, or for another tool with what it is asked."""
    blocks: list[Any] = [TextBlock(text="Let me see.")]
    for number in numbers:
        kwargs = {"number": number, "words": words} if asked is None else asked
        blocks.append(ToolCallBlock(tool_call_id=f"{by}-{number}", tool_name=tool, tool_kwargs=kwargs))
    return ChatMessage(role=MessageRole.ASSISTANT, blocks=blocks)


def reading(steps: int, words: int = 80) -> Callable[[Request], ChatMessage]:
    """Give answers of an agent that reads so many pages, and then says which."""
    told = iter(range(steps))

    def answer(_: Request) -> ChatMessage:
        number = next(told, None)
        return says("Page 7.") if number is None else calls(number, words=words)

    return answer


def thinking(steps: int, words: int = 80) -> Callable[[Request], ChatMessage]:
    """Give the same of an agent that reasons in text."""
    told = iter(range(steps))

    def answer(_: Request) -> ChatMessage:
        number = next(told, None)
        if number is None:
            return says("Thought: I can answer without using any more tools.\nAnswer: Page 7.")
        asked = f'{{"number": {number}, "words": {words}}}'
        return says(f"Thought: I need to use a tool to help me answer.\nAction: page\nAction Input: {asked}")

    return answer


def coding(steps: int) -> Callable[[Request], ChatMessage]:
    """Give the same of an agent that writes code."""
    told = iter(range(steps))

    def answer(_: Request) -> ChatMessage:
        number = next(told, None)
        return says("Page 7.") if number is None else says(f"<execute>\nprint(page({number}))\n</execute>")

    return answer


def executed(code: str) -> str:
    """Run code, or rather say what it would print."""
    return page(int("".join(filter(str.isdigit, code))))


def function_agent(llm: Any, **given: Any) -> FunctionAgent:
    """Make an agent that calls functions."""
    return FunctionAgent(tools=[FunctionTool.from_defaults(page)], llm=llm, system_prompt="Be brief.", **given)


def react_agent(llm: Any, **given: Any) -> ReActAgent:
    """Make an agent that reasons in text."""
    return ReActAgent(tools=[FunctionTool.from_defaults(page)], llm=llm, system_prompt="Be brief.", **given)


def code_agent(llm: Any, **given: Any) -> CodeActAgent:
    """Make an agent that writes code."""
    return CodeActAgent(code_execute_fn=executed, tools=[page], llm=llm, **given)


KINDS: dict[str, tuple[Callable[..., BaseWorkflowAgent], Callable[[int], Any]]] = {
    "function": (function_agent, lambda steps: CallingSpy.of(reading(steps))),
    "react": (react_agent, lambda steps: ReasoningSpy.of(thinking(steps))),
    "code": (code_agent, lambda steps: CallingSpy.of(coding(steps))),
}


async def ask(agent: BaseWorkflowAgent | AgentWorkflow, question: str = QUESTION, **given: Any) -> Any:
    """Run an agent."""
    return await agent.run(user_msg=question, max_iterations=1_000, **given)  # pyright: ignore[reportDeprecated]


def faults(request: Request, budget: int, counter: TokenCounter, question: str = QUESTION) -> list[str]:
    """Say what is wrong with a request: too long, a call without its result or the other way round, no question."""
    found: list[str] = []
    tokens = request.tokens(counter)
    if tokens > budget:
        found.append(f"{tokens} tokens")
    found.extend(_unpaired(request.messages))
    talk = [message for message in request.messages if message.role != MessageRole.SYSTEM]
    if not talk or talk[0].role != MessageRole.USER:
        found.append("does not begin with a user's message")
    if not any(question in (message.content or "") for message in talk):
        found.append("the question is not there")
    return found


def _unpaired(messages: Sequence[ChatMessage]) -> list[str]:
    waiting: set[str | None] = set()
    found: list[str] = []
    for message in messages:
        if message.role == MessageRole.TOOL:
            call_id = message.additional_kwargs.get("tool_call_id")
            if call_id not in waiting:
                found.append("a result without a call")
            waiting.discard(call_id)
            continue
        if waiting:
            found.append("a call without a result")
        waiting = {call.id for call in read_calls(message)}
    return [*found, *(["a call without a result at the end"] if waiting else [])]


def extending(requests: Sequence[Request]) -> int:
    """Count the requests that begin with all of the one before."""
    shown = [request.shown() for request in requests]
    return sum(after[: len(before)] == before for before, after in pairwise(shown))
