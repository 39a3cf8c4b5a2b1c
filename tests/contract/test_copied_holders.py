"""Whatever holds a recipe is copied and pickled, and what comes of it sends the same."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.mock import MockLLM

from ctx_core import ContextSession
from ctx_core.recipes import WorkspaceAgent
from langchain_ctx import ContextMiddleware, ContextNode, ContextRunnable
from llamaindex_ctx import ContextMemoryBuffer, with_context_budget
from tests.core.recipes.kitchen import KITCHEN
from tests.langchain_ctx.scripted import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx_core.recipes import Recipe

COPIES: Final[dict[str, Callable[[Any], Any]]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda one: pickle.loads(pickle.dumps(one)),  # noqa: S301 - our own bytes
}
TALK: Final = [("user", "word " * 40), ("assistant", "word " * 40)] * 30 + [("user", "When?")]
LANGCHAIN: Final[list[BaseMessage]] = [
    HumanMessage(text, id=f"m{at}") if role == "user" else AIMessage(text, id=f"m{at}")
    for at, (role, text) in enumerate(TALK)
]
LLAMAINDEX: Final = [ChatMessage(role=role, content=text) for role, text in TALK]


def noon() -> datetime:
    """Give the same time always."""
    return datetime(2026, 11, 27, 12, tzinfo=UTC)


def recipe(name: str) -> Recipe:
    """Give a recipe whose clock can be pickled."""
    one = KITCHEN[name](3_000)
    return replace(one, clock=noon) if isinstance(one, WorkspaceAgent) else one


def of_session(session: ContextSession[Any]) -> list[Any]:
    """Give what a session sends."""
    return session.fit([{"role": role, "content": text} for role, text in TALK]).messages


def of_memory(memory: ContextMemoryBuffer) -> list[Any]:
    """Give the view of a memory."""
    memory.set(list(LLAMAINDEX))
    return memory.get()


def five(_: int) -> AIMessage:
    """Give the answer."""
    return AIMessage("five")


def of_agent(middleware: ContextMiddleware) -> list[Any]:
    """Give what an agent's model is sent."""
    model = ScriptedModel(script=five)
    agent: Any = create_agent(model, [], middleware=[middleware])
    agent.invoke({"messages": list(LANGCHAIN)})
    return [message.text for message in model.requests[-1].messages]


HOLDERS: Final[dict[str, tuple[Callable[[Recipe], Any], Callable[[Any], list[Any]]]]] = {
    "session": (ContextSession, of_session),
    "runnable": (lambda one: ContextRunnable(recipe=one), lambda step: step.invoke(list(LANGCHAIN))),
    "node": (
        lambda one: ContextNode(recipe=one),
        lambda node: node.invoke({"messages": list(LANGCHAIN)})["llm_input_messages"],
    ),
    "middleware": (lambda one: ContextMiddleware(recipe=one), of_agent),
    "middleware that searches": (lambda one: ContextMiddleware(recipe=one, recall=True), of_agent),
    "memory": (lambda one: ContextMemoryBuffer.from_defaults(recipe=one), of_memory),
    "llm": (lambda one: with_context_budget(MockLLM(), recipe=one), lambda llm: [llm.chat(LLAMAINDEX).message]),
}


@pytest.mark.parametrize("name", KITCHEN)
@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("how", COPIES)
def test_a_copy_sends_what_the_original_sends(name: str, holder: str, how: str) -> None:
    """Used or not."""
    hold, sends = HOLDERS[holder]
    original = hold(recipe(name))
    for _ in range(2):
        copied = COPIES[how](original)
        assert sends(copied) == sends(original)
