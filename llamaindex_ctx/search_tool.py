"""The tool by which an agent finds again what was cut of its own conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from llama_index.core.agent.react.types import BaseReasoningStep, ObservationReasoningStep
from llama_index.core.agent.workflow import BaseWorkflowAgent, CodeActAgent, ReActAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.tools import BaseTool, FunctionTool
from llama_index.core.workflow import Context

from ctx_core.errors import BudgetError
from ctx_core.memory import SEARCH_DESCRIPTION, SEARCH_PARAMETERS, SEARCH_TOOL, ContextSearch
from llamaindex_ctx.convert import CODEC

if TYPE_CHECKING:
    from llamaindex_ctx.fitting import LLMFitting

_ARGUMENTS: Final[dict[str, Any]] = {
    "query": Annotated[str, SEARCH_PARAMETERS["query"]],
    "id": Annotated[str, SEARCH_PARAMETERS["id"]],
    "page": Annotated[int, SEARCH_PARAMETERS["page"]],
}


def add_search_tool(agent: BaseWorkflowAgent, fitting: LLMFitting) -> None:
    """Give an agent the tool, in the place of one that it has already.

    Raises:
        BudgetError: for a `CodeActAgent`, whose tools are told nothing of its conversation.
    """
    if isinstance(agent, CodeActAgent):
        msg = "recall=True needs an agent that calls tools, found CodeActAgent: its tools know nothing of its run"
        raise BudgetError(msg)
    tools = cast("list[object]", agent.tools or [])  # pyright: ignore[reportUnknownMemberType] - of any function
    others: list[Any] = [tool for tool in tools if not _is_search(tool)]
    agent.tools = [*others, _search_tool(agent, fitting)]


def _is_search(tool: object) -> bool:
    return isinstance(tool, BaseTool) and tool.metadata.name == SEARCH_TOOL


def _search_tool(agent: BaseWorkflowAgent, fitting: LLMFitting) -> FunctionTool:
    search = ContextSearch.counted_by(fitting.options.counter, codec=CODEC)

    async def search_context(ctx: Context[Any], query: str = "", id: str = "", page: int = 1) -> str:  # noqa: A002 - the word that the model is told
        history = await _conversation(ctx, agent)
        return search.answer(history, fitting.known(history), query=query, id=id, page=page)

    # LlamaIndex reads them as they are, and not as the texts that they are in this module.
    search_context.__annotations__ = {"ctx": Context, **_ARGUMENTS, "return": str}
    return FunctionTool.from_defaults(search_context, name=SEARCH_TOOL, description=SEARCH_DESCRIPTION)


async def _conversation(ctx: Context[Any], agent: BaseWorkflowAgent) -> list[ChatMessage]:
    """Give the whole conversation of a run: what its memory has, and the running turn, which no memory has yet."""
    memory: Any = await ctx.store.get("memory")
    stored: list[ChatMessage] = await memory.aget_all()
    if isinstance(agent, ReActAgent):
        reasoning: list[BaseReasoningStep] = await ctx.store.get(agent.reasoning_key, default=[])
        return [*stored, *(_said(step) for step in reasoning)]
    key: str = getattr(agent, "scratchpad_key", "scratchpad")
    steps: list[ChatMessage] = await ctx.store.get(key, default=[])
    return [*stored, *steps]


def _said(step: BaseReasoningStep) -> ChatMessage:
    role = MessageRole.USER if isinstance(step, ObservationReasoningStep) else MessageRole.ASSISTANT
    return ChatMessage(step.get_content(), role=role)
