"""Tools of every kind that LangChain takes, as the definitions that are counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel

from ctx_core.errors import BudgetError


def tool_definitions(tools: Iterable[object]) -> tuple[dict[str, Any], ...]:
    """Give the definitions of tools: of `BaseTool`, functions and pydantic classes, and of providers' own dicts.

    A dict that is in no format LangChain knows (a provider's built-in tool) is taken as it is.

    Raises:
        BudgetError: for something that no definition can be made of.
    """
    given: object = tools
    found = type(given).__name__
    if isinstance(given, Mapping | str | BaseTool) or not isinstance(given, Iterable):
        msg = f"tools must be a list of tools, found {found}: put it into a list"
        raise BudgetError(msg)
    return tuple(_definition(tool, at) for at, tool in enumerate(tools))


def _definition(tool: object, at: int) -> dict[str, Any]:
    try:
        return convert_to_openai_tool(cast("Any", tool))
    except Exception as error:  # noqa: BLE001 - it may raise anything
        raised = type(error).__name__
    if isinstance(tool, Mapping):
        return dict(cast("Mapping[str, Any]", tool))
    if isinstance(tool, BaseModel):  # a client's own object for it, as Cohere's
        return tool.model_dump(mode="json", exclude_none=True)
    # Outside of the handler, as what LangChain raises may quote the tool.
    msg = (
        f"tool {at + 1} ({type(tool).__name__}) has no definition that can be counted ({raised}): "
        "give a BaseTool, a function with type hints and a docstring, a pydantic class or a dict"
    )
    raise BudgetError(msg)
