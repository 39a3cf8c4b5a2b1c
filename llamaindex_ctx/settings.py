"""What a memory is made with: arguments of `ChatMemoryBuffer` and `Memory`, understood, refused or explained."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sized
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from llama_index.core.llms.llm import LLM
from llama_index.core.memory.memory import BaseMemoryBlock
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore
from llama_index.core.tools import BaseTool, FunctionTool, ToolMetadata

from ctx_core import BudgetError, ContextBudget, Role, TokenCounter
from ctx_core.clean import told
from ctx_core.counting import FALLBACK, family_of, model_name
from ctx_core.counting.counter import as_counter
from ctx_core.counting.model_objects import asked_model
from ctx_core.counting.options import RequestOptions
from ctx_core.counting.tool_schemas import plain_tool
from ctx_core.session import SessionOptions, SurfaceKeywords
from ctx_core.session.options import NAMES, check_names
from ctx_core.session.targets import provider_for
from llamaindex_ctx.memory_source import BlockMemory
from llamaindex_ctx.models import answer_tool, by_tokens, settings_llm, settings_tokenizer

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from llama_index.core.base.llms.types import ChatMessage

    from ctx_core.counting.counter import CounterLike, ToolDefinition
    from ctx_core.sizes import Size
    from llamaindex_ctx.stores import ChatStore

ToolLike: TypeAlias = "BaseTool | ToolMetadata | Callable[..., Any] | ToolDefinition"
"""What agents take as a tool, or its OpenAI-style definition."""

DEFAULT_TOKENS: Final = 30_000
"""Tokens of input where nothing tells: the limit of LlamaIndex's own `Memory`."""

_UNTOLD: Final = 4
"""The part of a window that is kept for what a memory is not told of."""

EXPLAINED: Final = {
    "memory_blocks_template": "each block is a layer with its own heading",
    "insert_method": "layers go before the conversation; recipe_role= says in whose text",
    "chat_history_token_ratio": "the history gets all that the rest leaves; give reserve= or a ContextBudget",
    "token_flush_size": "nothing is flushed; how far a cut goes is policy=HistoryPolicy(low_water=…)",
    "image_token_size_estimate": "prices are the counter's: its framing=Framing(media=MediaFraming(image=…))",
    "audio_token_size_estimate": "prices are the counter's: its framing=Framing(media=MediaFraming(audio=…))",
    "video_token_size_estimate": "prices are the counter's: its framing=Framing(media=MediaFraming(video=…))",
    "document_token_size_estimate": "prices are the counter's: its framing=Framing(documents=DocumentFraming(…))",
    "table_name": "give chat_store=SQLAlchemyChatStore(table_name=…)",
    "async_database_uri": "give chat_store=SQLAlchemyChatStore(async_database_uri=…)",
    "async_engine": "give chat_store=SQLAlchemyChatStore(async_engine=…)",
    "db_schema": "give chat_store=SQLAlchemyChatStore(db_schema=…)",
    "sql_store": "give chat_store=",
}
"""Arguments of LlamaIndex's memories that have no meaning here, and what to give instead."""


MEANT: Final = ("chat_history", "llm", "token_limit", "tokenizer_fn", "session_id", "memory_blocks")
"""Arguments of LlamaIndex's memories that mean one of our fields, or several."""


class MemoryKeywords(SurfaceKeywords, total=False):
    """What a memory can be made with beside what both of LlamaIndex's memories take."""

    budget: ContextBudget | int | None
    session_id: str | None
    memory_blocks: Iterable[BaseMemoryBlock[Any]]
    recipe_role: Role | str


class BesideKeywords(MemoryKeywords, total=False):
    """What a memory can be made with whose LLM is read from an engine or an agent."""

    chat_history: Sequence[ChatMessage] | None
    chat_store: ChatStore | None
    chat_store_key: str | None
    token_limit: int | None
    tokenizer_fn: Callable[[str], Sized] | None


def fields_of(caller: str, given: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Give the fields of a memory that is made with these arguments; `chat_history` stays among them.

    Args:
        caller: name of the function that was called.
        given: its arguments; None stands for the default.
        known: names of the fields.

    Raises:
        OptionError: for an argument that means nothing here.
        BudgetError: for arguments that contradict one another.
    """
    check_names(caller, given, known, EXPLAINED, also=MEANT)
    fields = {name: value for name, value in given.items() if value is not None}
    llm, limit, tokenizer_fn = (fields.pop(name, None) for name in ("llm", "token_limit", "tokenizer_fn"))
    fields |= _provider_of(llm, fields)
    if "memory_blocks" in fields:
        fields["layers"] = [*fields.get("layers", ()), *_blocks(fields.pop("memory_blocks"))]
    key = resolve_key(fields.pop("session_id", None), fields.pop("chat_store_key", None))
    if key is not None:
        fields["chat_store_key"] = key
    elif isinstance(fields.get("chat_store"), AsyncDBChatStore):
        fields["chat_store_key"] = str(uuid.uuid4())
    if fields.get("recipe") is not None:
        named = {"token_limit": limit, "llm": llm, "tokenizer_fn": tokenizer_fn}
        _refuse_beside_recipe([name for name, value in named.items() if value is not None])
    elif "budget" not in fields:
        fields["budget"] = _memory_budget(limit, llm, fields.pop("reserve", None))
    elif limit is not None:
        msg = "both budget and token_limit are given: the budget says it all"
        raise BudgetError(msg)
    if tokenizer_fn is not None:
        fields["counter"] = resolve_counter(fields.get("counter"), tokenizer_fn)
    elif "counter" in fields:
        fields["counter"] = as_counter(fields["counter"])
    elif settings_tokenizer() is not None and (model := known_model(llm)) is not None:
        fields["counter"] = as_counter(model)  # an LLM that is given says more than the settings do
    if "tools" in fields:
        fields["tools"] = tool_definitions(fields["tools"])
    answer = answer_tool(llm)
    if answer is not None:
        fields["tools"] = [*fields.get("tools", ()), answer]
        fields.setdefault("request_options", RequestOptions(tool_choice=answer["function"]["name"]))
    _check(fields)
    return fields


def _provider_of(llm: object, fields: Mapping[str, Any]) -> dict[str, Any]:
    if llm is None:
        return {}
    if not isinstance(llm, LLM):
        msg = (
            f"llm must be an LLM, such as OpenAI(model='gpt-4o'), found {type(llm).__name__}: a model's name goes to "
            "budget=ContextBudget.for_model(name)"
        )
        raise BudgetError(msg)
    return {"provider": provider_for(llm, fields.get("provider"), fields.get("recipe"))}


def _blocks(blocks: Iterable[BaseMemoryBlock[Any]]) -> list[BlockMemory]:
    """Give memory blocks as layers that are filled with what is cut, most important first, as `Memory` has them.

    Raises:
        BudgetError: for something else.
    """
    listed = list(blocks)
    for at, block in enumerate(listed):
        if not isinstance(block, BaseMemoryBlock):
            msg = f"memory block {at + 1} must be a BaseMemoryBlock, found {type(block).__name__}"
            raise BudgetError(msg)
    listed.sort(key=lambda block: block.priority)
    return [BlockMemory(block, protected=block.priority == 0, fed=True) for block in listed]


def known_model(llm: LLM | None) -> str | None:
    """Give the name of an LLM whose family, and so its vocabulary, is known."""
    name = None if llm is None else model_name(asked_model(llm))
    return None if name is None or family_of(name) is FALLBACK else name


def _check(fields: Mapping[str, Any]) -> None:
    """Refuse options that cannot work, in their own words and not in pydantic's; those that were stored have worked."""
    stored = ("budget", "reserve", "policy", "summary", "request_options", "provider")
    given = {name: fields[name] for name in NAMES if name in fields}
    SessionOptions(**{name: value for name, value in given.items() if name not in stored or not _is_json(value)})


def _is_json(value: object) -> bool:
    return isinstance(value, Mapping)


def _refuse_beside_recipe(both: Sequence[str]) -> None:
    if both:
        msg = (
            f"both recipe and {', '.join(both)} are given: the recipe brings budget, counter, policy, on_overflow; "
            "dataclasses.replace(recipe, …) changes what it brings"
        )
        raise BudgetError(msg)


def resolve_budget(token_limit: int | None, llm: LLM | None, reserve: int | Size | None) -> ContextBudget:
    """Give the budget that is meant: the limit, else the window of the LLM or of `Settings.llm`, else the default.

    Raises:
        BudgetError: if one of them is no number of tokens, or the answer leaves nothing of a window.
        UnknownModelError: if the LLM says nothing of its window, and nothing knows it.
    """
    asked = llm if llm is not None else settings_llm()
    model = None if asked is None else model_name(asked_model(asked))
    if token_limit is None and asked is not None:
        return ContextBudget.for_model(asked, reserve=reserve)
    return ContextBudget(DEFAULT_TOKENS if token_limit is None else token_limit, reserve=reserve or 0, model=model)


def _memory_budget(token_limit: int | None, llm: LLM | None, reserve: int | Size | None) -> ContextBudget:
    """Give the budget that is meant; of a window at least a quarter is kept, for what no memory is told of.

    That is the prompts of engines and agents, their tools, what was found, and the steps of the running turn.
    """
    budget = resolve_budget(token_limit, llm, reserve)
    least = budget.total // _UNTOLD
    if token_limit is not None or reserve is not None or budget.reserve >= least or budget.model is None:
        return budget
    return ContextBudget(budget.total, reserve=least, model=budget.model)


def resolve_counter(counter: CounterLike | None, tokenizer_fn: Callable[[str], Sized]) -> TokenCounter:
    """Give what counts by a function that gives tokens.

    Raises:
        BudgetError: if two are given, or something that doesn't count.
    """
    if counter is not None:
        msg = "both counter and tokenizer_fn are given: give one of them"
        raise BudgetError(msg)
    if not callable(tokenizer_fn):
        msg = f"tokenizer_fn must be a function from a text to its tokens, found {type(tokenizer_fn).__name__}"
        raise BudgetError(msg)
    return by_tokens(tokenizer_fn)


def resolve_key(session_id: str | None, chat_store_key: str | None) -> str | None:
    """Give the name of the conversation, which the two classes of LlamaIndex call differently.

    Raises:
        BudgetError: if two different ones are given.
    """
    if session_id and chat_store_key and session_id != chat_store_key:
        msg = "session_id and chat_store_key name the same thing here: give one of them"
        raise BudgetError(msg)
    return session_id or chat_store_key


def read_role(role: object) -> Role:
    """Give the role in which a recipe's text goes before the conversation.

    Raises:
        BudgetError: for one that gives no instructions to a model.
    """
    if role in (Role.SYSTEM, Role.DEVELOPER, Role.USER):
        return Role(str(role))
    msg = f"recipe_role must be 'system', 'developer' or 'user', found {told(role)}"
    raise BudgetError(msg)


def tool_definitions(tools: Iterable[ToolLike]) -> list[dict[str, Any]]:
    """Give OpenAI-style definitions of tools.

    Raises:
        BudgetError: for something that is no tool, or that JSON cannot hold.
    """
    definitions: list[dict[str, Any]] = []
    given: Any = tools
    if isinstance(given, Mapping | str | BaseTool | ToolMetadata) or not isinstance(given, Iterable):
        found: type = type(cast("object", given))
        msg = f"tools must be a list of tools, found {found.__name__}: put it into a list"
        raise BudgetError(msg)
    for at, tool in enumerate(tools):
        if isinstance(tool, Mapping):
            definitions.append(plain_tool(cast("Any", tool), at))
        elif isinstance(tool, BaseTool | ToolMetadata) or callable(tool):
            definitions.append(_definition(tool, at))
        else:
            msg = f"tool {at + 1} must be a tool, a function or an OpenAI-style definition, found {type(tool).__name__}"
            raise BudgetError(msg)
    return definitions


def _definition(tool: BaseTool | ToolMetadata | Callable[..., Any], at: int) -> dict[str, Any]:
    try:
        if not isinstance(tool, ToolMetadata):
            tool = (tool if isinstance(tool, BaseTool) else FunctionTool.from_defaults(tool)).metadata
        return tool.to_openai_tool(skip_length_check=True)
    except Exception as error:  # a signature, a docstring or a schema of somebody's own
        msg = f"tool {at + 1}, a {type(tool).__name__}, tells nothing that a model could call ({type(error).__name__})"
        raise BudgetError(msg) from error
