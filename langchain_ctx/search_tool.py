"""The tool by which an agent finds again what was cut of its own conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, cast

from langchain_core.tools import StructuredTool
from langgraph.prebuilt import ToolRuntime  # noqa: TC002 - the graph finds its place by the annotation

from ctx_core.conversation.fields import mapping_in
from ctx_core.memory import SEARCH_DESCRIPTION, SEARCH_PARAMETERS, SEARCH_TOOL, ContextSearch
from langchain_ctx.convert import CODEC
from langchain_ctx.inputs import read_messages
from langchain_ctx.tools import tool_definitions

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.tools import BaseTool

    from ctx_core.history.state import WindowState
    from ctx_core.session import SessionOptions


def search_tool(
    search: ContextSearch,
    known: Callable[[ToolRuntime[Any, Any]], WindowState | None],
    *,
    messages_key: str = "messages",
) -> BaseTool:
    """Give the tool `search_context` for the agent in whose state the conversation is.

    Args:
        search: answers.
        known: gives what is remembered of the window of the conversation in which it runs.
        messages_key: where in the state the conversation is.
    """

    def search_context(
        runtime: ToolRuntime[Any, Any],
        query: Annotated[str, SEARCH_PARAMETERS["query"]] = "",
        id: Annotated[str, SEARCH_PARAMETERS["id"]] = "",  # noqa: A002 - the word that the model is told
        page: Annotated[int, SEARCH_PARAMETERS["page"]] = 1,
    ) -> str:
        messages = read_messages(held(runtime.state, messages_key) or ())
        return search.answer(messages, known(runtime), query=query, id=id, page=page)

    return StructuredTool.from_function(search_context, name=SEARCH_TOOL, description=SEARCH_DESCRIPTION)


def with_search_tool(options: SessionOptions) -> SessionOptions:
    """Give options by which each request has the tool: counted once, whether or not it is among their tools already."""
    mine = tool_definitions([search_tool(ContextSearch(codec=CODEC), _nothing)])
    named = {function.get("name") for one in options.tools if (function := mapping_in(one, "function"))}
    return options if SEARCH_TOOL in named else replace(options, tools=(*options.tools, *mine))


def _nothing(runtime: ToolRuntime[Any, Any]) -> None:
    del runtime


def held(state: object, key: str) -> object:
    """Give what a state, a dict or an object, holds under a name."""
    return cast("Mapping[str, Any]", state).get(key) if isinstance(state, Mapping) else getattr(state, key, None)
