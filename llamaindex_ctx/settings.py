"""What a memory is made with: arguments of `ChatMemoryBuffer` and `Memory`, understood, refused or explained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sized
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from llama_index.core.tools import BaseTool, FunctionTool, ToolMetadata

from ctx_core import BudgetError, ContextBudget, TokenCounter
from ctx_core.counting.counter import as_counter

if TYPE_CHECKING:
    from llama_index.core.llms.llm import LLM

    from ctx_core.budget import Size
    from ctx_core.builder import OnOverflow
    from ctx_core.counting.counter import CounterLike, ToolDefinition

ToolLike: TypeAlias = "BaseTool | ToolMetadata | Callable[..., Any] | ToolDefinition"
"""What agents take as a tool, or its OpenAI-style definition."""

DEFAULT_TOKENS: Final = 30_000
"""Tokens of input where nothing tells: the limit of LlamaIndex's own `Memory`."""
_DEFAULT_RESERVE: Final = 4_096
"""Tokens for the answer of a model that doesn't say how many it gives, or a quarter of its window if that is less."""

ARGUMENTS: Final = (
    "chat_history", "llm", "chat_store", "chat_store_key", "token_limit", "tokenizer_fn", "session_id",
    "budget", "reserve", "counter", "policy", "tools", "on_overflow", "usage_log", "summarizer",
    "summary", "recipe", "recipe_role",
)  # fmt: skip
"""What a memory can be made with."""

EXPLAINED: Final = {
    "memory_blocks": "memory blocks are not supported; put what is to be remembered into the system prompt",
    "memory_blocks_template": "memory blocks are not supported",
    "insert_method": "memory blocks are not supported",
    "chat_history_token_ratio": "the history gets all that the rest leaves; give reserve= or a ContextBudget",
    "token_flush_size": "nothing is flushed; how far a cut goes is policy=HistoryPolicy(low_water=…)",
    "image_token_size_estimate": "prices are the counter's: TokenCounter(…, framing=Framing(image=…))",
    "audio_token_size_estimate": "prices are the counter's: TokenCounter(…, framing=Framing(audio=…))",
    "video_token_size_estimate": "prices are the counter's: TokenCounter(…, framing=Framing(video=…))",
    "document_token_size_estimate": "prices are the counter's: TokenCounter(…, framing=Framing(file=…))",
    "table_name": "give chat_store=SQLAlchemyChatStore(table_name=…)",
    "async_database_uri": "give chat_store=SQLAlchemyChatStore(async_database_uri=…)",
    "async_engine": "give chat_store=SQLAlchemyChatStore(async_engine=…)",
    "db_schema": "give chat_store=SQLAlchemyChatStore(db_schema=…)",
    "sql_store": "give chat_store=",
}
"""Arguments of LlamaIndex's memories that have no meaning here, and what to give instead."""


def refuse(unknown: Iterable[str]) -> None:
    """Refuse arguments that have no meaning.

    Raises:
        BudgetError: if there are any; it names each, and the known ones.
    """
    unknown = sorted(unknown)
    if not unknown:
        return
    explained = [f"{name!r} ({EXPLAINED[name]})" for name in unknown if name in EXPLAINED]
    others = [repr(name) for name in unknown if name not in EXPLAINED]
    msg = f"unexpected arguments: {', '.join([*others, *explained])}; known are {', '.join(ARGUMENTS)}"
    raise BudgetError(msg)


def resolve_budget(
    budget: ContextBudget | None, token_limit: int | None, llm: LLM | None, reserve: int | Size | None
) -> ContextBudget:
    """Give the budget that is meant: the one given, else the limit, else the LLM's window, else the default.

    Raises:
        BudgetError: if two of them contradict each other, or one is no budget.
    """
    if budget is not None:
        if token_limit is not None or reserve is not None:
            other = "token_limit" if token_limit is not None else "reserve"
            msg = f"both budget and {other} are given: the budget says it all"
            raise BudgetError(msg)
        if not isinstance(budget, ContextBudget):
            msg = f"budget must be a ContextBudget, found {type(budget).__name__}; a number is token_limit"
            raise BudgetError(msg)
        return budget
    model = None if llm is None else llm.metadata.model_name
    if token_limit is None and llm is not None:
        told = _answer_of(llm) if reserve is None else reserve
        return ContextBudget(llm.metadata.context_window, reserve=told, model=model)
    return ContextBudget(DEFAULT_TOKENS if token_limit is None else token_limit, reserve=reserve or 0, model=model)


def resolve_counter(counter: CounterLike | None, tokenizer_fn: Callable[[str], Sized] | None) -> TokenCounter | None:
    """Give the counter that is meant; None for that of the budget's model.

    Raises:
        BudgetError: if two are given, or something that doesn't count.
    """
    if tokenizer_fn is None:
        return None if counter is None else as_counter(counter)
    if counter is not None:
        msg = "both counter and tokenizer_fn are given: give one of them"
        raise BudgetError(msg)
    if not callable(tokenizer_fn):
        msg = f"tokenizer_fn must be a function from a text to its tokens, found {type(tokenizer_fn).__name__}"
        raise BudgetError(msg)
    return TokenCounter(lambda text: len(tokenizer_fn(text)))


def resolve_overflow(on_overflow: OnOverflow | None) -> OnOverflow:
    """Give what happens on overflow; None for an error.

    Raises:
        BudgetError: if it is neither of the two.
    """
    if on_overflow not in (None, "raise", "truncate"):
        msg = f"on_overflow must be 'raise' or 'truncate', found {on_overflow!r}"
        raise BudgetError(msg)
    return on_overflow or "raise"


def resolve_key(session_id: str | None, chat_store_key: str | None) -> str | None:
    """Give the name of the conversation, which the two classes of LlamaIndex call differently.

    Raises:
        BudgetError: if two different ones are given.
    """
    if session_id and chat_store_key and session_id != chat_store_key:
        msg = "session_id and chat_store_key name the same thing here: give one of them"
        raise BudgetError(msg)
    return session_id or chat_store_key


def tool_definitions(tools: Iterable[ToolLike]) -> list[dict[str, Any]]:
    """Give OpenAI-style definitions of tools.

    Raises:
        BudgetError: for something that is no tool.
    """
    definitions: list[dict[str, Any]] = []
    for at, tool in enumerate(tools):
        if isinstance(tool, BaseTool | ToolMetadata):
            metadata = tool if isinstance(tool, ToolMetadata) else tool.metadata
            definitions.append(metadata.to_openai_tool(skip_length_check=True))
        elif isinstance(tool, Mapping):
            definitions.append(dict(cast("Any", tool)))
        elif callable(tool):
            definitions.append(FunctionTool.from_defaults(tool).metadata.to_openai_tool(skip_length_check=True))
        else:
            msg = f"tool {at + 1} must be a tool, a function or an OpenAI-style definition, found {type(tool).__name__}"
            raise BudgetError(msg)
    return definitions


def _answer_of(llm: LLM) -> int | Size:
    metadata = llm.metadata
    quarter = metadata.context_window // 4
    told = metadata.num_output
    return told if 0 < told < metadata.context_window else min(_DEFAULT_RESERVE, quarter)
