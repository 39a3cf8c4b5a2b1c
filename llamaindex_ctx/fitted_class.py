"""The class of an LLM whose requests fit: made of the LLM's own class, so that it stays what it is."""

from __future__ import annotations

from functools import cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import LLM
from pydantic import PrivateAttr

from ctx_core.effects import run
from llamaindex_ctx.fitted_llm import FittedFunctionCallingLLM, FittedLLM, fitted_messages, fitting_of, joined
from llamaindex_ctx.predictions import predictions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.tools import BaseTool

    from llamaindex_ctx.fitting import LLMFitting

LLMT = TypeVar("LLMT", bound=LLM)


def fitted(llm: LLMT, fitting: LLMFitting) -> LLMT:
    """Give an LLM of the same class, with the same data, whose requests fit; the LLM itself stays as it is."""
    plain = unfitted(llm)
    return _copied(plain, _class_of(type(plain)), {**(plain.__pydantic_private__ or {}), "_fitting": fitting})


def unfitted(llm: LLMT) -> LLMT:
    """Give an LLM without what makes its requests fit: itself where nothing does."""
    if not isinstance(llm, FittedLLM):
        return llm
    private = {name: value for name, value in (llm.__pydantic_private__ or {}).items() if name != "_fitting"}
    return _copied(llm, type(llm).__bases__[1], private or None)


def _copied(llm: LLMT, kind: type[Any], private: dict[str, Any] | None) -> LLMT:
    """Give an object of another class with the data of an LLM, as pydantic makes its copies."""
    new: Any = object.__new__(kind)
    data = {
        "__dict__": dict(llm.__dict__),
        "__pydantic_fields_set__": set(llm.__pydantic_fields_set__),
        "__pydantic_extra__": llm.__pydantic_extra__,
        "__pydantic_private__": private,
    }
    for name, value in data.items():
        object.__setattr__(new, name, value)
    return cast("LLMT", new)


@cache
def _class_of(kind: type[Any]) -> type[Any]:
    body: dict[str, Any] = {
        "__module__": kind.__module__,  # which tells what server it talks to, and so what it bills
        "__qualname__": kind.__qualname__,
        "__doc__": kind.__doc__,
        "__reduce__": _reduced,
        "_fitting": PrivateAttr(default=None),
        **predictions(kind),
    }
    calls_functions = issubclass(kind, FunctionCallingLLM)
    if calls_functions:
        body["_prepare_chat_with_tools"] = _preparing(getattr(kind, "_prepare_chat_with_tools"))  # noqa: B009 - it is the LLM's
    bases = (FittedFunctionCallingLLM if calls_functions else FittedLLM, kind)
    make = cast("Callable[..., type[Any]]", type(kind))
    return make(kind.__name__, bases, body)


def _reduced(llm: LLM) -> tuple[object, ...]:
    """Pickle as the LLM that it is, beside what makes its requests fit."""
    return (fitted, (unfitted(llm), fitting_of(llm)))


def _preparing(inner: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Give what prepares a request with tools, for those who call it themselves."""

    @wraps(inner)  # LlamaIndex looks for `tool_required` in its signature
    def prepare(
        self: LLM,
        tools: Sequence[BaseTool],
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        context, messages = run(fitted_messages(self, joined(chat_history, user_msg), kwargs, tools))
        if context is not None:
            messages = fitting_of(self).prepared(context)
        return inner(self, tools, chat_history=messages, **kwargs)

    return prepare
