"""The class of an LLM whose requests fit: made of the LLM's own class, so that it stays what it is."""

from __future__ import annotations

import inspect
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import LLM
from llama_index.core.prompts import ChatPromptTemplate
from llama_index.core.types import PydanticProgramMode
from pydantic import PrivateAttr

from ctx_core.steps import arun, run
from llamaindex_ctx.fitting import FittedMessages, LLMFitting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import CodeType

    from llama_index.core.base.llms.types import LLMMetadata

    from ctx_core import Context, ContextReport
    from ctx_core.steps import Steps

LLMT = TypeVar("LLMT", bound=LLM)
_PREDICTS: Final = (
    "structured_predict", "astructured_predict", "stream_structured_predict", "astream_structured_predict",
    "structured_predict_without_function_calling",
)  # fmt: skip
"""Methods that some LLMs go to their client with, past all others."""


class FittedLLM:
    """What a class of LLMs is given: each public method fits its request, unless it is called by another one.

    Stands before the LLM's own class among its bases, so that `super()` is the LLM.
    """

    _fitting: Any

    @property
    def last_report(self) -> ContextReport | None:
        """The report of the latest request, whichever thread or task made it; None before the first."""
        return _fitting(self).report

    @property
    def enabled(self) -> bool:
        """Whether anything may be cut; can be set at any time, and holds for all copies."""
        return _fitting(self).enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        _fitting(self).enabled = value

    @property
    def metadata(self) -> LLMMetadata:
        """What the LLM says of itself, with a window no larger than the budget: who packs prompts packs them into that."""
        told: LLMMetadata = _plain(super()).metadata
        window = _fitting(self).window
        return told if told.context_window <= window else told.model_copy(update={"context_window": window})

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        """Chat about the messages that fit."""
        fitting = _fitting(self)
        if fitting.is_fitted(messages):
            with fitting.call():
                return _plain(super()).chat(messages, **kwargs)
        context = run(_turn(self, messages, kwargs))
        with fitting.call():
            response = _plain(super()).chat(context.messages, **kwargs)
        fitting.learn(context, response)
        return response

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        """Chat about the messages that fit."""
        fitting = _fitting(self)
        if fitting.is_fitted(messages):
            with fitting.call():
                return await _plain(super()).achat(messages, **kwargs)
        context = await arun(_turn(self, messages, kwargs))
        with fitting.call():
            response = await _plain(super()).achat(context.messages, **kwargs)
        fitting.learn(context, response)
        return response

    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        """Chat about the messages that fit, as a stream."""
        fitting = _fitting(self)
        context = None if fitting.is_fitted(messages) else run(_turn(self, messages, kwargs))
        with fitting.call():
            stream = _plain(super()).stream_chat(messages if context is None else context.messages, **kwargs)
        return fitting.streamed(context, stream)

    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        """Chat about the messages that fit, as a stream."""
        fitting = _fitting(self)
        context = None if fitting.is_fitted(messages) else await arun(_turn(self, messages, kwargs))
        with fitting.call():
            stream = await _plain(super()).astream_chat(messages if context is None else context.messages, **kwargs)
        return fitting.astreamed(context, stream)

    def complete(self, prompt: str, *args: Any, **kwargs: Any) -> Any:
        """Complete a prompt, if it fits."""
        fitting = _fitting(self)
        if not fitting.running:
            prompt = _prompt(run(_turn(self, [_asks(prompt)], kwargs)))
        with fitting.call():
            return _plain(super()).complete(prompt, *args, **kwargs)

    async def acomplete(self, prompt: str, *args: Any, **kwargs: Any) -> Any:
        """Complete a prompt, if it fits."""
        fitting = _fitting(self)
        if not fitting.running:
            prompt = _prompt(await arun(_turn(self, [_asks(prompt)], kwargs)))
        with fitting.call():
            return await _plain(super()).acomplete(prompt, *args, **kwargs)

    def stream_complete(self, prompt: str, *args: Any, **kwargs: Any) -> Any:
        """Complete a prompt, if it fits, as a stream."""
        fitting = _fitting(self)
        if not fitting.running:
            prompt = _prompt(run(_turn(self, [_asks(prompt)], kwargs)))
        with fitting.call():
            stream = _plain(super()).stream_complete(prompt, *args, **kwargs)
        return fitting.streamed(None, stream)

    async def astream_complete(self, prompt: str, *args: Any, **kwargs: Any) -> Any:
        """Complete a prompt, if it fits, as a stream."""
        fitting = _fitting(self)
        if not fitting.running:
            prompt = _prompt(await arun(_turn(self, [_asks(prompt)], kwargs)))
        with fitting.call():
            stream = await _plain(super()).astream_complete(prompt, *args, **kwargs)
        return fitting.astreamed(None, stream)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the LLM that it is, beside the options."""
        return (fitted, (unfitted(cast("LLM", self)), _fitting(self)))


class FittedFunctionCallingLLM(FittedLLM):
    """The same for LLMs that call functions: there prompt, memory, steps and tools are in one hand."""

    def chat_with_tools(self, tools: Any, user_msg: Any = None, chat_history: Any = None, **kwargs: Any) -> Any:
        """Chat with tools about the messages that fit."""
        fitting, messages = _fitting(self), _joined(chat_history, user_msg)
        if fitting.is_fitted(messages):
            return _plain(super()).chat_with_tools(tools, user_msg=user_msg, chat_history=chat_history, **kwargs)
        context = run(_turn(self, messages, kwargs, tools))
        with fitting.call():
            response = _plain(super()).chat_with_tools(tools, chat_history=context.messages, **kwargs)
        fitting.learn(context, response)
        return response

    async def achat_with_tools(self, tools: Any, user_msg: Any = None, chat_history: Any = None, **kwargs: Any) -> Any:
        """Chat with tools about the messages that fit."""
        fitting, messages = _fitting(self), _joined(chat_history, user_msg)
        if fitting.is_fitted(messages):
            return await _plain(super()).achat_with_tools(tools, user_msg=user_msg, chat_history=chat_history, **kwargs)
        context = await arun(_turn(self, messages, kwargs, tools))
        with fitting.call():
            response = await _plain(super()).achat_with_tools(tools, chat_history=context.messages, **kwargs)
        fitting.learn(context, response)
        return response

    def stream_chat_with_tools(self, tools: Any, user_msg: Any = None, chat_history: Any = None, **kwargs: Any) -> Any:
        """Chat with tools about the messages that fit, as a stream."""
        fitting, messages = _fitting(self), _joined(chat_history, user_msg)
        if fitting.is_fitted(messages):
            return _plain(super()).stream_chat_with_tools(tools, user_msg=user_msg, chat_history=chat_history, **kwargs)
        context = run(_turn(self, messages, kwargs, tools))
        with fitting.call():
            stream = _plain(super()).stream_chat_with_tools(tools, chat_history=context.messages, **kwargs)
        return fitting.streamed(context, stream)

    async def astream_chat_with_tools(
        self, tools: Any, user_msg: Any = None, chat_history: Any = None, **kwargs: Any
    ) -> Any:
        """Chat with tools about the messages that fit, as a stream."""
        fitting, messages = _fitting(self), _joined(chat_history, user_msg)
        if fitting.is_fitted(messages):
            return await _plain(super()).astream_chat_with_tools(
                tools, user_msg=user_msg, chat_history=chat_history, **kwargs
            )
        context = await arun(_turn(self, messages, kwargs, tools))
        with fitting.call():
            stream = await _plain(super()).astream_chat_with_tools(tools, chat_history=context.messages, **kwargs)
        return fitting.astreamed(context, stream)


def fitted(llm: LLMT, fitting: LLMFitting) -> LLMT:
    """Give an LLM of the same class, with the same data, whose requests fit; the LLM itself stays as it is."""
    plain = unfitted(llm)
    kind = _class_of(type(plain))
    new = kind.__new__(kind)
    private = {**(plain.__pydantic_private__ or {}), "_fitting": fitting}
    _fill(new, plain, private)
    return cast("LLMT", new)


def unfitted(llm: LLMT) -> LLMT:
    """Give an LLM without what makes its requests fit: itself where nothing does."""
    if not isinstance(llm, FittedLLM):
        return llm
    kind = cast("type[LLMT]", type(llm).__bases__[1])
    plain = kind.__new__(kind)
    private = {name: value for name, value in (llm.__pydantic_private__ or {}).items() if name != "_fitting"}
    _fill(plain, llm, private or None)
    return plain


def _fill(new: Any, llm: LLM, private: dict[str, Any] | None) -> None:
    """Give an object the data of an LLM, as pydantic does for a copy."""
    data = {
        "__dict__": dict(llm.__dict__),
        "__pydantic_fields_set__": set(llm.__pydantic_fields_set__),
        "__pydantic_extra__": llm.__pydantic_extra__,
        "__pydantic_private__": private,
    }
    for name, value in data.items():
        object.__setattr__(new, name, value)


@cache
def _class_of(kind: type[LLM]) -> type[LLM]:
    calls_functions = issubclass(kind, FunctionCallingLLM)
    body: dict[str, Any] = {
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__doc__": kind.__doc__,
        "_fitting": PrivateAttr(default=None),
    }
    if calls_functions:
        body["_prepare_chat_with_tools"] = _preparing(kind._prepare_chat_with_tools)  # noqa: SLF001 - the one place that has everything
    for name in _PREDICTS:
        method = getattr(kind, name, None)
        if method is not None and _goes_past(method):
            body[name] = _predicting(method)
    first = FittedFunctionCallingLLM if calls_functions else FittedLLM
    return cast("type[LLM]", type(kind)(kind.__name__, (first, kind), body))


def _preparing(inner: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(inner)  # LlamaIndex looks for `tool_required` in its signature
    def prepare(self: Any, tools: Any, user_msg: Any = None, chat_history: Any = None, **kwargs: Any) -> Any:
        fitting, messages = _fitting(self), _joined(chat_history, user_msg)
        if fitting.is_fitted(messages):
            return inner(self, tools, user_msg=user_msg, chat_history=chat_history, **kwargs)
        context = run(_turn(self, messages, kwargs, tools))
        return inner(self, tools, chat_history=FittedMessages(context.messages, fitting), **kwargs)

    return prepare


def _predicting(inner: Callable[..., Any]) -> Callable[..., Any]:
    """Give a structured prediction whose prompt fits before it goes to the client."""

    def asked(self: Any, output_cls: Any, prompt: Any, llm_kwargs: Any, prompt_args: dict[str, Any]) -> Any:
        messages = prompt.format_messages(**prompt_args)
        return _turn(self, messages, {**(llm_kwargs or {}), "response_format": output_cls})

    def past(self: Any) -> bool:
        # Google's LLM goes past its chat in this mode only.
        by_mode = "pydantic_program_mode" in _names(inspect.unwrap(inner).__code__)
        return not (by_mode and self.pydantic_program_mode != PydanticProgramMode.DEFAULT)

    def given(context: Context[ChatMessage]) -> ChatPromptTemplate:
        return ChatPromptTemplate(message_templates=context.messages)

    if inspect.iscoroutinefunction(inspect.unwrap(inner)):

        @wraps(inner)
        async def apredict(
            self: Any, output_cls: Any, prompt: Any, llm_kwargs: Any = None, **prompt_args: Any
        ) -> Any:
            if _fitting(self).running or not past(self):
                return await inner(self, output_cls, prompt, llm_kwargs, **prompt_args)
            context = await arun(asked(self, output_cls, prompt, llm_kwargs, prompt_args))
            with _fitting(self).call():
                return await inner(self, output_cls, given(context), llm_kwargs)

        return apredict

    @wraps(inner)
    def predict(self: Any, output_cls: Any, prompt: Any, llm_kwargs: Any = None, **prompt_args: Any) -> Any:
        if _fitting(self).running or not past(self):
            return inner(self, output_cls, prompt, llm_kwargs, **prompt_args)
        context = run(asked(self, output_cls, prompt, llm_kwargs, prompt_args))
        with _fitting(self).call():
            return inner(self, output_cls, given(context), llm_kwargs)

    return predict


def _goes_past(method: Callable[..., Any]) -> bool:
    """Whether a method hands its messages to the client itself, and not to a chat that fits them."""
    code = getattr(inspect.unwrap(method), "__code__", None)
    names = frozenset[str]() if code is None else _names(code)
    return any("client" in name for name in names) and not names & {"chat", "achat", "stream_chat", "astream_chat"}


def _names(code: CodeType) -> frozenset[str]:
    """Give the names that a function uses, and those within it."""
    inner = (_names(const) for const in code.co_consts if inspect.iscode(const))
    return frozenset(code.co_names).union(*inner)


def _turn(llm: Any, messages: Sequence[ChatMessage], sent: Mapping[str, Any], tools: object = None) -> Steps[Any]:
    always: object = getattr(llm, "additional_kwargs", None)
    said = cast("Mapping[str, Any]", always) if isinstance(always, dict) else {}
    return _fitting(llm).turn(messages, {**said, **sent}, tools)


def _fitting(llm: object) -> LLMFitting:
    return cast("FittedLLM", llm)._fitting  # noqa: SLF001 - of its own kind


def _plain(llm: object) -> Any:  # noqa: ANN401 - the LLM behind `super()`, which the type checker does not see
    return llm


def _joined(chat_history: Sequence[ChatMessage] | None, user_msg: str | ChatMessage | None) -> list[ChatMessage]:
    """Give what is asked of an LLM with tools as one list."""
    messages = list(chat_history or ())
    if user_msg is None or user_msg == "":
        return messages
    return [*messages, user_msg if isinstance(user_msg, ChatMessage) else _asks(user_msg)]


def _asks(prompt: str) -> ChatMessage:
    return ChatMessage(prompt, role=MessageRole.USER)


def _prompt(context: Context[ChatMessage]) -> str:
    """Give a prompt as it is completed, behind the text of the layers."""
    return "\n\n".join(_texts(context.messages))


def _texts(messages: Sequence[ChatMessage]) -> Iterator[str]:
    return (message.content or "" for message in messages)
