"""The tool by which an agent finds again what was cut of its own conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from langchain_core.tools import StructuredTool
from langgraph.prebuilt import ToolRuntime  # noqa: TC002 - the graph finds its place by the annotation

from ctx_core.memory import SEARCH_DESCRIPTION, SEARCH_PARAMETERS, SEARCH_TOOL, ContextSearch
from langchain_ctx.inputs import read_messages

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

_MESSAGES: Final = "messages"


def search_tool(search: ContextSearch, *, channel: str, messages_key: str = _MESSAGES) -> BaseTool:
    """Give the tool `search_context` for the agent in whose state the conversation and the state of its window are.

    Args:
        search: answers.
        channel: where in the agent's state that of the window is.
        messages_key: where the conversation is.
    """

    def search_context(
        runtime: ToolRuntime[Any, Any],
        query: Annotated[str, SEARCH_PARAMETERS["query"]] = "",
        id: Annotated[str, SEARCH_PARAMETERS["id"]] = "",  # noqa: A002 - the word that the model is told
        page: Annotated[int, SEARCH_PARAMETERS["page"]] = 1,
    ) -> str:
        messages = read_messages(_held(runtime.state, messages_key) or ())
        state = _held(runtime.state, channel)
        known = cast("Mapping[str, Any]", state) if isinstance(state, Mapping) else None
        return search.answer(messages, known, query=query, id=id, page=page)

    return StructuredTool.from_function(search_context, name=SEARCH_TOOL, description=SEARCH_DESCRIPTION)


def _held(state: object, key: str) -> object:
    """Give what a state, a dict or an object, holds under a name."""
    return cast("Mapping[str, Any]", state).get(key) if isinstance(state, Mapping) else getattr(state, key, None)
