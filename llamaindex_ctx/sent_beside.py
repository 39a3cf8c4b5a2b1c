"""What engines and agents send beside the conversation: their prompts, their tools, and what they have found.

LlamaIndex has no words of its own for it: engines keep what they are made of in private attributes, which are read here
and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from llama_index.core import Settings
from llama_index.core.agent.workflow import AgentWorkflow, BaseWorkflowAgent, CodeActAgent, ReActAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.chat_engine.multi_modal_condense_plus_context import MultiModalCondensePlusContextChatEngine
from llama_index.core.chat_engine.multi_modal_context import MultiModalContextChatEngine
from llama_index.core.chat_engine.types import BaseChatEngine
from llama_index.core.llms.llm import LLM
from llama_index.core.prompts import BasePromptTemplate
from llama_index.core.tools import FunctionTool

from ctx_core import ContextBudget, Message
from ctx_core.errors import BudgetError
from llamaindex_ctx.fitted_llm import FittedLLM, fitting_of
from llamaindex_ctx.packing import PADDING, Packing
from llamaindex_ctx.settings import tool_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from llama_index.core.tools import BaseTool

    from ctx_core import TokenCounter

_LLMS: Final = ("_llm", "_multi_modal_llm")
_QUESTIONS: Final = ("_condense_question_prompt", "_condense_prompt_template")
"""Prompts of requests of their own, by which a question is condensed."""
_CONTEXTS: Final = (
    ("_context_template", "_context_refine_template"),
    ("_context_prompt_template", "_context_refine_prompt_template"),
)
"""Prompts that what was found goes into, of which one is sent."""
_STEPS: Final = 4
"""The part of a window that is kept for the steps of an agent's running turn, unless its requests fit anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentBeside:
    """What goes with the conversation in the requests of an engine or an agent."""

    llm: LLM
    """Whom the requests go to."""
    texts: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    """Prompts, a system message each; the longest of each group is sent."""
    tools: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    """Definitions of tools that go with each request."""
    found: tuple[int, int] = (0, 0)
    """How many pieces a retriever gives, and the size of each as LlamaIndex counts it."""
    steps: bool = False
    """Whether the steps of a running turn come on top, which no memory sees."""
    packs: bool = False
    """Whether LlamaIndex packs what was found into what is left of a window."""

    @property
    def budget(self) -> ContextBudget:
        """That of its LLM, else the LLM's window without what its answer takes."""
        return fitting_of(self.llm).budget if isinstance(self.llm, FittedLLM) else ContextBudget.for_model(self.llm)

    @property
    def packing(self) -> Packing:
        """What the prompt helper is told of the LLM and the prompts.

        Raises:
            BudgetError: if it leaves nothing for what is found, whatever the conversation is.
        """
        packing = Packing.of(self.llm, self.texts[0] if self.texts else ())
        left = packing.left - (packing.prompts or 0)
        if self.packs and left < PADDING:
            msg = (
                f"LlamaIndex has {max(0, left):,} tokens left for a conversation and what is found: of a window of "
                f"{packing.window:,} the answer takes {packing.answer:,} and the engine's prompts {packing.prompts:,}, "
                f"and it keeps {PADDING - 1} free. Let the answer take less (max_tokens, num_output)"
            )
            raise BudgetError(msg)
        return packing

    def tokens(self, counter: TokenCounter, budget: ContextBudget) -> int:
        """Give what it costs beside the tools, in tokens.

        A quarter of the window is left to the conversation, but no more than half of what the answer leaves.
        LlamaIndex packs what was found into what is left of a window.
        """
        prompts = (max(counter.count_message(Message.system(text)) for text in group) for group in self.texts)
        steps = budget.total // _STEPS if self.steps else 0
        pieces, size = self.found
        beside = sum(prompts) + pieces * size + steps
        tools = counter.count_tools(self.tools) if self.tools else 0
        talk = min(budget.total // 4, budget.input_limit // 2)
        return max(0, min(beside, budget.input_limit - talk - tools))


def beside_in_engine(engine: object) -> SentBeside:
    """Give what a chat engine sends beside the conversation.

    Raises:
        BudgetError: for something else, or an engine that has no LLM of its own.
    """
    llm = next((held for name in _LLMS if isinstance(held := getattr(engine, name, None), LLM)), None)
    if not isinstance(engine, BaseChatEngine) or llm is None:
        msg = f"engine must be a chat engine of LlamaIndex with an LLM, found {type(engine).__name__}"
        raise BudgetError(msg)
    if isinstance(engine, SimpleChatEngine):
        return SentBeside(llm=llm)  # it tells a memory of its prefix messages on each request
    system = _text_of(getattr(engine, "_system_prompt", None))
    prefix = "\n".join(map(_text_of, getattr(engine, "_prefix_messages", ())))
    asked = tuple(text for name in _QUESTIONS if (text := _text_of(getattr(engine, name, None))))
    answers = (tuple(_text_of(getattr(engine, name, None)) for name in names) for names in _CONTEXTS)
    contexts = tuple(f"{text}\n{system}\n{prefix}" for group in answers for text in group if text)
    texts = ((*asked, *contexts),) if asked or contexts else ()
    packs = bool(contexts) and not isinstance(
        engine, MultiModalContextChatEngine | MultiModalCondensePlusContextChatEngine
    )
    return SentBeside(llm=llm, texts=texts, found=_found(engine), packs=packs)


def beside_in_agent(agent: object) -> tuple[SentBeside, ...]:
    """Give what an agent sends beside the conversation, or each agent of a workflow.

    Raises:
        BudgetError: for something else.
    """
    if isinstance(agent, AgentWorkflow):
        return tuple(_of_agent(one, _handoff(agent, one)) for one in agent.agents.values())
    if isinstance(agent, BaseWorkflowAgent):
        return (_of_agent(agent, ()),)
    msg = f"agent must be an agent or an AgentWorkflow of LlamaIndex, found {type(agent).__name__}"
    raise BudgetError(msg)


def _of_agent(agent: BaseWorkflowAgent, handoff: Iterable[BaseTool]) -> SentBeside:
    held = cast("Sequence[Any]", agent.tools or ())  # pyright: ignore[reportUnknownMemberType] - of any function
    tools: list[Any] = [*held, *handoff]
    steps = not isinstance(agent.llm, FittedLLM)
    in_text = [tool if hasattr(tool, "metadata") else FunctionTool.from_defaults(tool) for tool in tools]
    if isinstance(agent, ReActAgent):
        text = _text_of(agent.formatter.format(in_text, chat_history=[])[0])
        return SentBeside(llm=agent.llm, texts=((text,),), steps=steps)
    if isinstance(agent, CodeActAgent):
        described = agent._get_tool_descriptions(in_text)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - no public method tells the prompt
        text = _text_of(agent.code_act_system_prompt) + described
        return SentBeside(llm=agent.llm, texts=((text,),), steps=steps)
    prompts = (agent.system_prompt, agent.state_prompt if agent.initial_state else None)
    texts = tuple((text,) for prompt in prompts if (text := _text_of(prompt)))
    state = str(agent.initial_state) if agent.initial_state else ""
    texts = (*texts, (state,)) if state else texts
    return SentBeside(llm=agent.llm, texts=texts, tools=tuple(tool_definitions(in_text)), steps=steps)


def _handoff(workflow: AgentWorkflow, agent: BaseWorkflowAgent) -> tuple[BaseTool, ...]:
    tool = workflow._get_handoff_tool(agent)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - no public method tells of it
    return () if tool is None else (tool,)


def _found(engine: BaseChatEngine) -> tuple[int, int]:
    """Give how many pieces its retriever gives, and how large each may be."""
    retriever = getattr(engine, "_retriever", None)
    pieces = getattr(retriever, "similarity_top_k", None)
    if not isinstance(pieces, int):
        return 0, 0
    index = getattr(retriever, "_index", None)
    sizes = [getattr(one, "chunk_size", None) for one in getattr(index, "_transformations", None) or ()]
    return pieces, next((size for size in sizes if isinstance(size, int)), Settings.chunk_size)


def _text_of(prompt: object) -> str:
    """Give the text of a prompt, be it a template, a message or a text; empty for none."""
    if isinstance(prompt, BasePromptTemplate):
        return prompt.get_template()
    if isinstance(prompt, ChatMessage):
        return prompt.content or ""
    return prompt if isinstance(prompt, str) else ""
