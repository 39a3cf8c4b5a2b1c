"""Every recipe works in five lines: from the core, through LangChain and through LlamaIndex, in both doors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms.mock import MockLLM

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "Where is it warm?"
RECIPES = {
    "Chat": "from ctx_core.recipes import Chat\nrecipe = Chat(system='You travel.')",
    "Assistant": "from ctx_core.recipes import Assistant\nrecipe = Assistant(system='You travel.', facts=['Tea.'])",
    "WorkspaceAgent": (
        "from ctx_core.recipes import WorkspaceAgent\nfrom ctx_core.workspace import Workspace\n"
        "recipe = WorkspaceAgent(workspace=Workspace(folder))"
    ),
    "Rolling": "from ctx_core.recipes import Rolling\nrecipe = Rolling.for_model('gpt-4o', system='You travel.')",
    "Phased": (
        "from ctx_core.recipes import Phased, Work\n"
        "recipe = Phased(system='You travel.', work=Work(design='A trip.', phase='implementation'))"
    ),
}
every = pytest.mark.parametrize("name", RECIPES)


def run(lines: str, given: dict[str, Any]) -> dict[str, Any]:
    """Run the lines of a newcomer, of which there are five at most."""
    assert len(lines.splitlines()) <= 5
    names = dict(given)
    exec(lines, names)  # noqa: S102 - the lines that stand above
    return names


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace."""
    (tmp_path / "SOUL.md").write_text("You travel.", encoding="utf-8")
    return tmp_path


@every
async def test_from_the_core_in_five_lines(name: str, folder: Path) -> None:
    """Messages in the caller's format, and the same by the other door."""
    history = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}]
    lines = f"{RECIPES[name]}\ncontext = recipe.build(history, '{QUESTION}')"
    made = run(lines, {"history": history, "folder": str(folder)})
    messages = made["context"].messages
    assert "You travel." in made["context"].system_prompt
    assert [one["content"] for one in messages[-3:]] == ["Hi", "Hello!", QUESTION]
    assert (await made["recipe"].abuild(history, QUESTION)).messages[1:] == messages[1:]


@every
async def test_through_langchain_in_five_lines(name: str, folder: Path) -> None:
    """What the model is sent begins with what the recipe says and ends in the question."""
    sent: list[list[BaseMessage]] = []

    def answer(messages: list[BaseMessage]) -> str:
        sent.append(messages)
        return "In Porto."

    lines = (
        f"from langchain_ctx import ContextRunnable\n{RECIPES[name]}\nchain = ContextRunnable(recipe=recipe) | model"
    )
    chain = run(lines, {"model": RunnableLambda(answer), "folder": str(folder)})["chain"]
    assert chain.invoke([HumanMessage(QUESTION)]) == await chain.ainvoke([HumanMessage(QUESTION)]) == "In Porto."
    for messages in sent:
        assert "You travel." in messages[0].text
        assert messages[-1].text == QUESTION


@every
async def test_through_llamaindex_in_five_lines(name: str, folder: Path) -> None:
    """What the model is sent begins with what the recipe says and ends in the question."""
    lines = (
        f"from llamaindex_ctx import ContextMemoryBuffer\n{RECIPES[name]}\n"
        "memory = ContextMemoryBuffer.from_defaults(recipe=recipe)"
    )
    memory = run(lines, {"folder": str(folder)})["memory"]
    engine = SimpleChatEngine.from_defaults(llm=MockLLM(is_chat_model=True), memory=memory)
    engine.chat("Hi")
    await engine.achat("Hi again")
    memory.put(ChatMessage(role="user", content=QUESTION))
    for view in (memory.get(), await memory.aget()):
        assert "You travel." in (view[0].content or "")
        assert view[-1].content == QUESTION
        assert len(view) == 6
