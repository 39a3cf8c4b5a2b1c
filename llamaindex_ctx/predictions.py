"""Structured predictions with which some LLMs go to their client, past all methods that fit their messages."""

from __future__ import annotations

import inspect
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from llama_index.core.prompts import BasePromptTemplate, ChatPromptTemplate
from llama_index.core.types import PydanticProgramMode

from ctx_core.effects import arun, run
from llamaindex_ctx.fitted_llm import context_of, fitting_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType

    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.llms.llm import LLM
    from pydantic import BaseModel

    from ctx_core import Context
    from ctx_core.effects import Effects

    LLMKwargs: TypeAlias = dict[str, Any] | None

_PREDICTS: Final = (
    "structured_predict", "astructured_predict", "stream_structured_predict", "astream_structured_predict",
    "structured_predict_without_function_calling",
)  # fmt: skip
_CHATS: Final = frozenset({"chat", "achat", "stream_chat", "astream_chat"})
_MODE: Final = "pydantic_program_mode"


def predictions(kind: type[LLM]) -> dict[str, Any]:
    """Give the methods of a class that need a prompt that fits, as they are with one."""
    methods = {name: getattr(kind, name, None) for name in _PREDICTS}
    return {name: _fitting(method) for name, method in methods.items() if method is not None and _goes_past(method)}


def _fitting(method: Callable[..., Any]) -> Callable[..., Any]:
    names = _names(inspect.unwrap(method).__code__)

    def goes_past(llm: LLM) -> bool:
        # Google's LLM asks for the mode, and goes past its chat in this one only.
        by_mode = _MODE not in names or llm.pydantic_program_mode == PydanticProgramMode.DEFAULT
        return by_mode and not fitting_of(llm).running

    if inspect.iscoroutinefunction(inspect.unwrap(method)):

        @wraps(method)
        async def apredict(
            self: LLM,
            output_cls: type[BaseModel],
            prompt: BasePromptTemplate,
            llm_kwargs: LLMKwargs = None,
            **prompt_args: Any,
        ) -> object:
            if not goes_past(self):
                return await method(self, output_cls, prompt, llm_kwargs, **prompt_args)
            context = await arun(_request(self, output_cls, prompt, llm_kwargs, prompt_args))
            # Some take the way of all others after all: what they add to the prompt is fitted there once more.
            return await method(self, output_cls, _as_prompt(context), llm_kwargs)

        return apredict

    @wraps(method)
    def predict(
        self: LLM,
        output_cls: type[BaseModel],
        prompt: BasePromptTemplate,
        llm_kwargs: LLMKwargs = None,
        **prompt_args: Any,
    ) -> object:
        if not goes_past(self):
            return method(self, output_cls, prompt, llm_kwargs, **prompt_args)
        context = run(_request(self, output_cls, prompt, llm_kwargs, prompt_args))
        return method(self, output_cls, _as_prompt(context), llm_kwargs)

    return predict


def _request(
    llm: LLM,
    output_cls: type[BaseModel],
    prompt: BasePromptTemplate,
    llm_kwargs: LLMKwargs,
    prompt_args: dict[str, Any],
) -> Effects[Context[ChatMessage]]:
    messages = prompt.format_messages(**prompt_args)
    return context_of(llm, messages, {**(llm_kwargs or {}), "response_format": output_cls})


def _as_prompt(context: Context[ChatMessage]) -> ChatPromptTemplate:
    return ChatPromptTemplate(message_templates=context.messages)


def _goes_past(method: Callable[..., Any]) -> bool:
    """Whether a method hands its messages to the client itself, and not to a chat that fits them."""
    code = getattr(inspect.unwrap(method), "__code__", None)
    names = frozenset[str]() if code is None else _names(code)
    return any("client" in name for name in names) and not names & _CHATS


def _names(code: CodeType) -> frozenset[str]:
    """Give the names that a function uses, and those within it."""
    inner = (_names(const) for const in code.co_consts if inspect.iscode(const))
    return frozenset(code.co_names).union(*inner)
