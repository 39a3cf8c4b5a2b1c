"""`with_context_budget`: the same LLM, agent or workflow, of which every request fits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, cast

from llama_index.core.agent.workflow import AgentWorkflow, BaseWorkflowAgent
from llama_index.core.llms.llm import LLM
from llama_index.core.llms.structured_llm import StructuredLLM

from ctx_core import ContextBudget
from ctx_core.counting.counter import as_counter
from ctx_core.errors import BudgetError
from ctx_core.memory import recalling
from ctx_core.session import SessionOptions
from ctx_core.session.targets import provider_for
from llamaindex_ctx.fitted_class import fitted, unfitted
from llamaindex_ctx.fitted_llm import fitting_of
from llamaindex_ctx.fitting import LLMFitting
from llamaindex_ctx.models import by_tokens, settings_tokenizer
from llamaindex_ctx.search_tool import add_search_tool
from llamaindex_ctx.settings import known_model, resolve_budget, tool_definitions

if TYPE_CHECKING:
    from ctx_core.session import SurfaceKeywords

FittedT = TypeVar("FittedT", bound=LLM | BaseWorkflowAgent | AgentWorkflow)


def with_context_budget(
    llm: FittedT, budget: ContextBudget | int | None = None, *, recall: bool = False, **options: Unpack[SurfaceKeywords]
) -> FittedT:
    """Give the same LLM, of which every request fits.

    It is of the LLM's own class and has its data: it can be given wherever the LLM can, copies and pickles. Chats,
    with tools or without, completions and structured predictions fit, sync, async and as streams. System prompt,
    memory, steps of the running turn and tools are one request here, so it bounds what no memory can see. A cut is
    remembered by the messages that it was made from.

    Args:
        llm: an LLM, which stays as it is; or an agent or an `AgentWorkflow`, whose LLMs are replaced in it.
        budget: a budget, or tokens of input; by default the window of the LLM without what its answer takes. One of
            another size takes the place of the one that an LLM has already.
        recall: whether an agent gets a tool, `search_context`, that finds again what was cut of its conversation;
            placeholders name what they stand for. For agents and workflows.
        options: those of `ctx_core.session.SessionOptions`. By default the LLM's own tokenizer counts where it is
            known, else `Settings.tokenizer` if somebody has set it, else a safe estimate; `calibration` learns from the
            usage figures in `raw`, unless it is False; `tools` are for requests that bring none.

    Returns:
        The LLM; for an agent or a workflow that very object. `last_report` is the report of the latest request,
        `enabled` can be set at any time.

    Raises:
        OptionError: for an option that is not known.
        BudgetError: for one that cannot work, or something that is neither an LLM nor an agent.
        UnknownModelError: if the budget is to come from an LLM whose window nothing knows.
    """
    if recall:
        options["policy"] = recalling(options.get("policy"))
    if isinstance(llm, AgentWorkflow):
        made: dict[int, LLM] = {}  # agents that share an LLM go on sharing it
        for agent in llm.agents.values():
            if id(agent.llm) not in made:
                made[id(agent.llm)] = with_context_budget(agent.llm, budget, **options)
            _equip(agent, made[id(agent.llm)], recall=recall)
        return llm
    if isinstance(llm, BaseWorkflowAgent):
        _equip(llm, with_context_budget(llm.llm, budget, **options), recall=recall)
        return llm
    if recall:
        msg = f"recall=True needs an agent, which calls the tool, found {type(llm).__name__}: give the agent"
        raise BudgetError(msg)
    if isinstance(llm, StructuredLLM):
        inner = with_context_budget(llm.llm, budget, **options)
        return cast("FittedT", llm.model_copy(update={"llm": inner}))
    if not isinstance(llm, LLM):
        msg = f"llm must be an LLM, an agent or an AgentWorkflow of LlamaIndex, found {type(llm).__name__}"
        raise BudgetError(msg)
    return fitted(llm, LLMFitting(_options(unfitted(llm), budget, options)))


def _equip(agent: BaseWorkflowAgent, llm: LLM, *, recall: bool) -> None:
    if recall:
        add_search_tool(agent, fitting_of(llm))
    agent.llm = llm


def _options(llm: LLM, budget: ContextBudget | int | None, given: SurfaceKeywords) -> SessionOptions:
    options: dict[str, Any] = {**given, "budget": budget}
    if options.get("calibration") is None:
        options["calibration"] = True
    if options.get("tools") is not None:
        options["tools"] = tool_definitions(options["tools"])
    read = SessionOptions.read("with_context_budget", options)
    read = replace(read, provider=provider_for(llm, read.provider, read.recipe))
    if read.recipe is not None:
        return read
    keywords = read.keywords()
    if not isinstance(budget, ContextBudget):
        keywords["budget"], keywords["reserve"] = resolve_budget(budget, llm, read.reserve), None
    if read.counter is None:
        keywords["counter"] = _counter(llm, keywords["budget"])
    return SessionOptions(**keywords)


def _counter(llm: LLM, budget: ContextBudget) -> Any:  # noqa: ANN401 - what counts, or None
    """Give what counts where nobody says: the LLM's own vocabulary where it is known, else what is set for all."""
    model, tokenizer = known_model(llm) or budget.model, settings_tokenizer()
    return by_tokens(tokenizer) if tokenizer is not None and known_model(llm) is None else as_counter(model)
