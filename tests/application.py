"""An application as the snippets of the pages assume it: its models answer by themselves, and what was made is used.

`python -m tests.application` runs the snippet that it is given on its standard input.
"""

from __future__ import annotations

import ast
import asyncio
import sys
import warnings
from inspect import iscoroutine
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Final

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableWithMessageHistory
from langchain_core.utils.function_calling import convert_to_openai_tool
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, LLMMetadata
from llama_index.core.llms import MockFunctionCallingLLM
from typing_extensions import override

from ctx_core import Context, TokenCounter
from tests.langchain_ctx.echo import EchoModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from langchain_core.runnables import Runnable

Names = dict[str, Any]

QUESTION: Final = "When does the last ferry leave?"
MODEL: Final = "gpt-3.5-turbo-0613"
WINDOW: Final = 4_096
TURNS: Final = 600
"""Turns of a conversation that overflows the budgets and windows of the snippets."""
SAID: Final = [(role, f"{role} says word {at} about ferries") for at in range(TURNS) for role in ("user", "assistant")]


class SmallLLM(MockFunctionCallingLLM):
    """An LLM with the window of the other model, which keeps what it was sent."""

    @property
    @override
    def metadata(self) -> LLMMetadata:
        return super().metadata.model_copy(update={"context_window": WINDOW})


def look(place: str) -> str:
    """Look at a place."""
    return f"At {place} the last ferry leaves at 16:40."


def agent_of(model: str, tools: Sequence[Any], **options: Any) -> Any:
    """Make LangChain's agent with a model that needs no key, in the place of the one that is named."""
    assert model.startswith("openai:")
    return create_agent(EchoModel(model_name=MODEL), tools, **options)


def with_history(*args: Any, **options: Any) -> Runnable[Any, Any]:
    """Make LangChain's runnable, without the warning that it will be removed, of which the README tells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return RunnableWithMessageHistory(*args, **options)


def index_of(text: str) -> VectorStoreIndex:
    """Make an index, without the warnings of packages that LlamaIndex looks for when it is given an embedding."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return VectorStoreIndex.from_documents([Document(text=text)], embed_model=MockEmbedding(embed_dim=8))


def application() -> Names:
    """Give the names that snippets take from an application."""
    prompt = [("system", "You are a travel agent."), ("placeholder", "{history}"), ("user", "{question}")]
    return {
        "FunctionAgent": FunctionAgent,
        "RunnableWithMessageHistory": with_history,
        "create_agent": agent_of,
        "index": index_of("The last ferry leaves at 16:40. " * 200),
        "llm": SmallLLM(),
        "messages": [*({"role": role, "content": text} for role, text in SAID), {"role": "user", "content": QUESTION}],
        "model": EchoModel(model_name=MODEL),
        "prompt": ChatPromptTemplate(prompt),
        "tool_definitions": [convert_to_openai_tool(look)],
        "tools": [look],
    }


def _use_chain(names: Names) -> None:
    answer = names["chain"].invoke({"history": SAID, "question": QUESTION})
    assert answer.text == f"re: {QUESTION}"
    (sent,) = names["model"].received
    assert 10 < len(sent) < len(SAID)


def _use_agent(names: Names) -> None:
    if hasattr(names["agent"], "llm"):  # it is LlamaIndex'
        said = [ChatMessage(text, role=role) for role, text in SAID]
        names["agent"].llm.chat([*said, ChatMessage(QUESTION)])
        assert 0 < names["agent"].llm.last_report.used <= WINDOW
        return
    stored = [(HumanMessage if role == "user" else AIMessage)(text) for role, text in SAID]
    state = names["agent"].invoke({"messages": [*stored, HumanMessage(QUESTION)]})
    assert len(state["messages"]) == len(SAID) + 2
    assert state["messages"][-1].text == f"re: {QUESTION}"


def _use_engine(names: Names) -> None:
    for role, text in SAID:
        names["memory"].put(ChatMessage(text, role=role))
    names["engine"].chat(QUESTION)
    assert 0 < names["memory"].last_report.used <= WINDOW


def _use_chat(names: Names) -> None:
    for _ in range(2):
        names["chat"].invoke({"question": QUESTION}, {"configurable": {"session_id": "1"}})
    assert [len(store.messages) for store in names["histories"].values()] == [4]
    assert len(names["model"].texts) == 4


def _use_messages(names: Names) -> None:
    assert TokenCounter.for_model("gpt-4o").count_messages(names["messages"]) <= 8_000
    assert 10 < len(names["messages"]) < len(SAID)


def _use_context(names: Names) -> None:
    assert isinstance(names["context"], Context)
    assert names["context"].report.history.omitted


_OURS: Final = r"(snippet|ctx_core|langchain_ctx|llamaindex_ctx)(\.|$)"
"""Whose warnings are errors: LlamaIndex' agents warn of pydantic and of each other."""
_USES: Final[Mapping[str, Callable[[Names], None]]] = {
    "agent": _use_agent,
    "chain": _use_chain,
    "chat": _use_chat,
    "context": _use_context,
    "engine": _use_engine,
    "messages": _use_messages,
}
"""How what a snippet makes is used, by the name that it gives it."""


def run(snippet: str) -> None:
    """Run a snippet in an application, and use what it has made.

    Raises:
        AssertionError: if it makes nothing that is used here, or what it makes does not work.
    """
    names = {"__name__": "snippet", **application()}
    given = dict(names)
    warnings.filterwarnings("error", module=_OURS)
    code = compile(snippet, "snippet", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    assert isinstance(code, CodeType)
    waiting = FunctionType(code, names)()
    if iscoroutine(waiting):
        asyncio.run(waiting)
    made = [name for name in _USES if name in names and names[name] is not given.get(name)]
    assert made, f"nothing is made of {sorted(_USES)}"
    for name in made:
        _USES[name](names)


if __name__ == "__main__":
    run(sys.stdin.read())
