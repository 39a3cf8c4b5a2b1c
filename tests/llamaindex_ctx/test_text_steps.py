"""Agents that act in text, with a memory: what came of their steps is a result there, and never the question."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from llama_index.core.agent.react.formatter import ReActChatFormatter
from llama_index.core.agent.react.types import ActionReasoningStep, BaseReasoningStep, ObservationReasoningStep
from llama_index.core.agent.workflow import CodeActAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.llms import MockFunctionCallingLLM

from ctx_core import HistoryPolicy, TokenCounter, ToolResultPolicy
from llamaindex_ctx import ChatMessageCodec, ContextMemoryBuffer
from llamaindex_ctx.questions import is_asked, was_asked
from tests.llamaindex_ctx.test_agents import Script, ask, contents, pytestmark, react_agent, says

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["pytestmark"]

COUNTER = TokenCounter.for_model("gpt-4o")
RAN = "Result of executing the code given:\n\n"


def tokens(messages: Sequence[ChatMessage]) -> int:
    """Count from scratch."""
    return COUNTER.count_messages([ChatMessageCodec().read(message) for message in messages])


def code_agent(script: Script, output: str, *, streaming: bool = False) -> CodeActAgent:
    """Make an agent whose code always gives the same."""
    generator = script.stream if streaming else script
    llm = MockFunctionCallingLLM(response_generator=generator)
    return CodeActAgent(code_execute_fn=lambda code: output, llm=llm, tools=[], streaming=streaming)  # noqa: ARG005 - its name


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_large_output_does_not_end_a_run(*, streaming: bool) -> None:
    """Code ran, the answer is there: the run gives it, and the next one is asked with the turn before it."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=400, counter=COUNTER)
    script = Script([says("<execute>\nprint(1)\n</execute>"), says("It is one."), says("As I said: one.")])
    agent = code_agent(script, "first " + "word " * 5_000 + "last", streaming=streaming)
    result: Any = await ask(agent, user_msg="What is it?", memory=memory)
    assert result.response.content == "It is one."
    stored = memory.get_all()
    assert [message.role.value for message in stored] == ["user", "assistant", "user", "assistant"]
    shown = memory.get()
    assert tokens(shown) <= 400
    assert [*shown[:2], shown[3]] == [*stored[:2], stored[3]]
    assert (shown[2].content or "").startswith(f"{RAN}first word")
    assert (shown[2].content or "").endswith("word last")
    await ask(agent, user_msg="What was it?", memory=memory)
    assert contents(script.requests[-1])[-2:] == ["assistant: It is one.", "user: What was it?"]


async def test_runs_of_code_are_cut_at_turns() -> None:
    """Over many turns each request begins with a question, and no output stands without the code that gave it."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=700, counter=COUNTER)
    script = Script([answer for at in range(10) for answer in (says(f"<execute>{at}</execute>"), says(f"It is {at}."))])
    agent = code_agent(script, "word " * 60)
    for at in range(10):
        await ask(agent, user_msg=f"What is {at}?", memory=memory)
        shown = contents(memory.get())
        assert shown[0].startswith("user: What is ")
        for before, message in pairwise(shown):
            assert not message.startswith("user: Result") or before.startswith("assistant: <execute>")
    assert len(memory.get_all()) == 40
    assert len(memory.get()) < 40


async def test_a_react_agent_with_a_large_observation_answers() -> None:
    """It stores all of its reasoning in one answer, which is left out where it does not fit; the run ends well."""
    memory = ContextMemoryBuffer.from_defaults(token_limit=120, counter=COUNTER)
    script = Script(
        [
            says(f"Thought: {'I need a tool. ' * 60}\nAction: add\nAction Input: {{'a': 1, 'b': 2}}"),
            says("Thought: I can answer.\nAnswer: 3"),
        ]
    )
    result: Any = await ask(react_agent(script), user_msg="1+2?", memory=memory)
    assert result.response.content == "3"
    assert contents(memory.get()) == ["user: 1+2?"]


@pytest.mark.parametrize("role", [MessageRole.USER, MessageRole.TOOL])
def test_what_a_react_agent_sends_fits(role: MessageRole) -> None:
    """The messages that its formatter makes: of a run that goes on observations give way, and the question stays."""
    steps: list[BaseReasoningStep] = [
        step
        for at in range(4)
        for step in (
            ActionReasoningStep(thought=f"step {at}", action="look", action_input={"at": at}),
            ObservationReasoningStep(observation=f"number {at} {'word ' * 100}end"),
        )
    ]
    asked = [ChatMessage("old " * 50, role="user"), says("old"), ChatMessage("How is the weather?", role="user")]
    formatter = ReActChatFormatter.from_defaults("Be brief.", observation_role=role)
    made = formatter.format([], asked, steps)
    policy = HistoryPolicy(results=ToolResultPolicy(clear_after_steps=1))
    memory = ContextMemoryBuffer.from_defaults(made, token_limit=360, counter=COUNTER, policy=policy)
    shown = memory.get()
    assert tokens(shown) <= 360
    assert contents(shown[:2]) == ["system: Be brief.", "user: How is the weather?"]
    observed = [message for message in shown[2:] if message.role == MessageRole.USER]
    assert len(observed) == len(shown[2:]) / 2 >= 2
    assert all((message.content or "").startswith("Observation: ") for message in observed)
    assert observed[-1].content == f"Observation: number 3 {'word ' * 100}end"


def test_a_question_behind_steps_is_known() -> None:
    """Agents tell their question again: what came of a step is not taken for it, nor the step for an answer."""
    question = ChatMessage("What is it?", role="user")
    running = [question, says("<execute>1</execute>"), ChatMessage(f"{RAN}1", role="user")]
    assert is_asked(question, running)
    assert was_asked(question, running)
    assert not is_asked(question, [*running, says("It is one.")])
    assert was_asked(question, [*running, says("It is one.")])
    assert not is_asked(ChatMessage(f"{RAN}1", role="user"), running)
