"""What the class of an LLM is given so that its requests fit: the public methods, each around the LLM's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from ctx_core.effects import arun, run
from llamaindex_ctx.copies import list_of
from llamaindex_ctx.packing import answer_of

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import (
        ChatResponse,
        ChatResponseAsyncGen,
        ChatResponseGen,
        CompletionResponse,
        CompletionResponseAsyncGen,
        CompletionResponseGen,
        LLMMetadata,
    )
    from llama_index.core.llms.function_calling import FunctionCallingLLM
    from llama_index.core.tools import BaseTool

    from ctx_core import Context, ContextReport
    from ctx_core.effects import Effects
    from llamaindex_ctx.fitting import LLMFitting


class FittedLLM:
    """Each public method fits its request, unless it is called by another one.

    Stands before the LLM's own class among the bases, so that `super()` is the LLM.
    """

    _fitting: Any

    @property
    def last_report(self) -> ContextReport | None:
        """The report of the latest request, whichever thread or task made it; None before the first."""
        return fitting_of(self).report

    @property
    def enabled(self) -> bool:
        """Whether anything may be cut; can be set at any time, and holds for all copies."""
        return fitting_of(self).enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        fitting_of(self).enabled = value

    @property
    def metadata(self) -> LLMMetadata:
        """What the LLM says of itself, with a window of which prompts that are packed into it fit."""
        told = _llm(super()).metadata
        window = answer_of(told) + fitting_of(self).packed_input
        return told if told.context_window <= window else told.model_copy(update={"context_window": window})

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """Chat about the messages that fit."""
        fitting = fitting_of(self)
        context, messages = run(fitted_messages(self, messages, kwargs))
        with fitting.call():
            response = _llm(super()).chat(messages, **kwargs)
        fitting.learn(context, response)
        return response

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """Chat about the messages that fit."""
        fitting = fitting_of(self)
        context, messages = await arun(fitted_messages(self, messages, kwargs))
        with fitting.call():
            response = await _llm(super()).achat(messages, **kwargs)
        fitting.learn(context, response)
        return response

    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        """Chat about the messages that fit, as a stream."""
        fitting = fitting_of(self)
        context, messages = run(fitted_messages(self, messages, kwargs))
        with fitting.call():
            stream = _llm(super()).stream_chat(messages, **kwargs)
        return fitting.streamed(context, stream)

    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        """Chat about the messages that fit, as a stream."""
        fitting = fitting_of(self)
        context, messages = await arun(fitted_messages(self, messages, kwargs))
        with fitting.call():
            stream = await _llm(super()).astream_chat(messages, **kwargs)
        return fitting.astreamed(context, stream)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:  # noqa: FBT001, FBT002 - LlamaIndex's signature
        """Complete a prompt, if it fits."""
        fitting = fitting_of(self)
        prompt = run(_fitted_prompt(self, prompt, kwargs))
        with fitting.call():
            return _llm(super()).complete(prompt, formatted=formatted, **kwargs)

    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:  # noqa: FBT001, FBT002 - as above
        """Complete a prompt, if it fits."""
        fitting = fitting_of(self)
        prompt = await arun(_fitted_prompt(self, prompt, kwargs))
        with fitting.call():
            return await _llm(super()).acomplete(prompt, formatted=formatted, **kwargs)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:  # noqa: FBT001, FBT002 - as above
        """Complete a prompt, if it fits, as a stream."""
        fitting = fitting_of(self)
        prompt = run(_fitted_prompt(self, prompt, kwargs))
        with fitting.call():
            stream = _llm(super()).stream_complete(prompt, formatted=formatted, **kwargs)
        return fitting.streamed(None, stream)

    async def astream_complete(
        self,
        prompt: str,
        formatted: bool = False,  # noqa: FBT001, FBT002 - as above
        **kwargs: Any,
    ) -> CompletionResponseAsyncGen:
        """Complete a prompt, if it fits, as a stream."""
        fitting = fitting_of(self)
        prompt = await arun(_fitted_prompt(self, prompt, kwargs))
        with fitting.call():
            stream = await _llm(super()).astream_complete(prompt, formatted=formatted, **kwargs)
        return fitting.astreamed(None, stream)


class FittedFunctionCallingLLM(FittedLLM):
    """The same for LLMs that call functions: there prompt, memory, steps and tools are in one hand."""

    def chat_with_tools(
        self,
        tools: Sequence[BaseTool],
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        **kwargs: Any,
    ) -> ChatResponse:
        """Chat with tools about the messages that fit."""
        fitting = fitting_of(self)
        context, messages = run(fitted_messages(self, joined(chat_history, user_msg), kwargs, tools))
        with fitting.call():
            response = _llm(super()).chat_with_tools(tools, chat_history=messages, **kwargs)
        fitting.learn(context, response)
        return response

    async def achat_with_tools(
        self,
        tools: Sequence[BaseTool],
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        **kwargs: Any,
    ) -> ChatResponse:
        """Chat with tools about the messages that fit."""
        fitting = fitting_of(self)
        context, messages = await arun(fitted_messages(self, joined(chat_history, user_msg), kwargs, tools))
        with fitting.call():
            response = await _llm(super()).achat_with_tools(tools, chat_history=messages, **kwargs)
        fitting.learn(context, response)
        return response

    def stream_chat_with_tools(
        self,
        tools: Sequence[BaseTool],
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        **kwargs: Any,
    ) -> ChatResponseGen:
        """Chat with tools about the messages that fit, as a stream."""
        fitting = fitting_of(self)
        context, messages = run(fitted_messages(self, joined(chat_history, user_msg), kwargs, tools))
        with fitting.call():
            stream = _llm(super()).stream_chat_with_tools(tools, chat_history=messages, **kwargs)
        return fitting.streamed(context, stream)

    async def astream_chat_with_tools(
        self,
        tools: Sequence[BaseTool],
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        **kwargs: Any,
    ) -> ChatResponseAsyncGen:
        """Chat with tools about the messages that fit, as a stream."""
        fitting = fitting_of(self)
        context, messages = await arun(fitted_messages(self, joined(chat_history, user_msg), kwargs, tools))
        with fitting.call():
            stream = await _llm(super()).astream_chat_with_tools(tools, chat_history=messages, **kwargs)
        return fitting.astreamed(context, stream)


def fitted_messages(
    llm: object, messages: Sequence[ChatMessage], sent: Mapping[str, Any], tools: object = None
) -> Effects[tuple[Context[ChatMessage] | None, list[ChatMessage]]]:
    """Give the context of a request and its messages; no context for messages that need no fitting."""
    messages = list_of(messages)
    if fitting_of(llm).is_fitted(messages):
        return None, messages
    context = yield from context_of(llm, messages, sent, tools)
    return context, context.messages


def _fitted_prompt(llm: object, prompt: str, sent: Mapping[str, Any]) -> Effects[str]:
    """Give a prompt as it is completed, behind the text of the layers."""
    if fitting_of(llm).running:
        return prompt
    context = yield from context_of(llm, [asks(prompt)], sent)
    return "\n\n".join(message.content or "" for message in context.messages)


def context_of(
    llm: object, messages: Sequence[ChatMessage], sent: Mapping[str, Any], tools: object = None
) -> Effects[Context[ChatMessage]]:
    """Give the context of a request, which brings what the LLM adds to each of them too."""
    always: object = getattr(llm, "additional_kwargs", None)
    if isinstance(always, Mapping):
        sent = {**cast("Mapping[str, Any]", always), **sent}
    return fitting_of(llm).fit(messages, sent, tools)


def fitting_of(llm: object) -> LLMFitting:
    """Give what makes the requests of an LLM fit."""
    return cast("LLMFitting", getattr(llm, "_fitting"))  # noqa: B009 - private to pydantic, not to this package


def joined(chat_history: Sequence[ChatMessage] | None, user_msg: str | ChatMessage | None) -> list[ChatMessage]:
    """Give what is asked of an LLM with tools as one list; not all LLMs take a message as `user_msg`."""
    messages = list(chat_history or ())
    if user_msg is None or user_msg == "":
        return messages
    return [*messages, user_msg if isinstance(user_msg, ChatMessage) else asks(user_msg)]


def asks(prompt: str) -> ChatMessage:
    """Give a prompt as a message."""
    return ChatMessage(prompt, role=MessageRole.USER)


def _llm(llm: object) -> FunctionCallingLLM:
    """Give `super()` as what it is: the LLM."""
    return cast("FunctionCallingLLM", llm)
