"""What an LLM says of its requests, in its wrapper or not, and which one LlamaIndex takes where none is given."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, cast

import llama_index.core
from llama_index.core import Settings
from llama_index.core.llms import LLM
from llama_index.core.llms.structured_llm import StructuredLLM

from ctx_core.counting.counter import TokenCounter
from ctx_core.counting.model_objects import AskedModel, model_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sized

    from ctx_core import ContextBudget

_PARSED_ANSWER: Final = 8_192
"""What LlamaIndex' `Anthropic` asks for where its API parses the answer, whatever the object says;
llama-index-llms-anthropic 0.12, `Anthropic.structured_predict`."""


def asked_in(model: object) -> AskedModel | None:
    """Give the LLM in an object of LlamaIndex, out of `as_structured_llm`; None where there is none."""
    found, structured = model, isinstance(model, StructuredLLM)
    while isinstance(found, StructuredLLM):
        found = found.llm
    if not isinstance(found, LLM):
        return None
    sent = {"max_tokens": _PARSED_ANSWER} if structured and _is_parsed_by_anthropic(found) else {}
    return AskedModel(model=found, sent=sent)


def answer_tool(llm: object) -> dict[str, Any] | None:
    """Give the definition by which an LLM of `as_structured_llm` is told what its answers are like; None for others.

    Models that call functions are given it as a tool, others its schema in the prompt, which is no more.
    """
    if not isinstance(llm, StructuredLLM):
        return None
    answer = llm.output_cls
    schema = answer.model_json_schema()
    inner = {"name": answer.__name__, "description": schema.get("description", ""), "parameters": schema}
    return {"type": "function", "function": inner}


def budget_given_to(llm: object) -> ContextBudget | None:
    """Give the budget of an LLM whose requests fit, in its wrapper or not; None for others."""
    while isinstance(llm, StructuredLLM):
        llm = llm.llm
    fitting: Any = getattr(llm, "_fitting", None)
    return None if fitting is None else cast("ContextBudget", fitting.budget)


def settings_llm() -> LLM | None:
    """Give `Settings.llm` where somebody has set it: to ask for it where nobody has would make OpenAI's."""
    llm: object = getattr(Settings, "_llm", None)
    return llm if isinstance(llm, LLM) else None


def settings_tokenizer() -> Callable[[str], Sized] | None:
    """Give `Settings.tokenizer` where somebody has set it: what LlamaIndex sets by itself is of no model in use."""
    tokenizer = cast("Callable[[str], Sized] | None", getattr(llama_index.core, "global_tokenizer", None))
    return None if tokenizer is None or _is_default(tokenizer) else tokenizer


def by_tokens(tokenizer: Callable[[str], Sized]) -> TokenCounter:
    """Give the counter by a function from a text to its tokens, in OpenAI's frame."""
    return TokenCounter(lambda text: len(tokenizer(text)))


def _is_parsed_by_anthropic(llm: LLM) -> bool:
    """Whether Anthropic's API parses structured answers of an LLM: its client knows of which models."""
    modules = (sys.modules.get(kind.__module__) for kind in type(llm).__mro__)
    knows = next(
        filter(None, (getattr(one, "is_anthropic_structured_output_supported", None) for one in modules)), None
    )
    return knows is not None and knows(model_name(llm) or "") is True


def _is_default(tokenizer: object) -> bool:
    """Whether it is what `get_tokenizer` sets: tiktoken's for gpt-3.5-turbo, with special tokens allowed."""
    encode: object = getattr(tokenizer, "func", None)
    encoding: object = getattr(encode, "__self__", None)
    allowed: object = getattr(tokenizer, "keywords", None)
    return getattr(encoding, "name", None) == "cl100k_base" and allowed == {"allowed_special": "all"}
