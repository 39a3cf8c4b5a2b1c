"""What a model that has been bound to tools, retries or fallbacks says about the requests it will send."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from langchain_core.language_models import BaseLanguageModel
from langchain_core.runnables import RunnableSequence, RunnableWithFallbacks
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.configurable import DynamicRunnable

from ctx_core.counting.options import RequestOptions
from ctx_core.errors import BudgetError
from langchain_ctx.request_options import request_options
from langchain_ctx.tools import tool_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from langchain_core.language_models import LanguageModelLike


_WRAPPERS: Final[tuple[tuple[type[object], str], ...]] = (
    (RunnableBindingBase, "bound"),
    (RunnableWithFallbacks, "runnable"),
    (DynamicRunnable, "default"),
)
"""What may stand around a model, and the attribute in which it has it."""
_ADDRESSES: Final = ("openai_api_base", "base_url", "groq_api_base", "api_base", "endpoint_url")
_HOSTS: Final = (
    ("vertex", "vertex"), ("groq", "groq"), ("openrouter", "openrouter"), ("ollama", "ollama"), ("azure", "azure"),
    ("bedrock", "bedrock"), ("watsonx", "watsonx"), ("deepseek", "deepseek"),
)  # fmt: skip
"""What in a class's name or an address tells the host, and the host's name in the table of families."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundModel:
    """A model, and what is sent with each of its requests."""

    model: object
    """The model itself, out of its wrappers."""
    tools: tuple[dict[str, Any], ...]
    """Definitions of the tools it was bound to."""
    options: RequestOptions | None = None
    """What else it was bound to ask for."""


def bound_model(model: LanguageModelLike) -> BoundModel:
    """Look into `bind_tools`, `bind`, `with_retry`, `with_config`, `with_fallbacks` and chains for the model.

    Of fallbacks the first model counts; of a chain the first one in it.

    Raises:
        BudgetError: if there is no language model in it.
    """
    sent: dict[str, Any] = {}
    found = _find(model, sent)
    if found is None:
        msg = f"model must be a language model or one bound to tools, found {type(model).__name__}"
        raise BudgetError(msg)
    tools = sent.get("tools") or sent.get("functions") or ()
    definitions = tool_definitions(cast("Iterable[object]", tools))
    options = request_options(response_format=sent.get("response_format"), tool_choice=sent.get("tool_choice"))
    return BoundModel(model=found, tools=definitions, options=options)


def served_by(model: object) -> tuple[str | None, str | None]:
    """Give the API and the host of a model, as far as they change what is billed and its object tells."""
    named = f"{type(model).__module__}.{type(model).__qualname__}".lower()
    address = next((str(value) for name in _ADDRESSES if (value := getattr(model, name, None))), "").lower()
    host = next((host for sign, host in _HOSTS if sign in named or sign in address), None)
    host = "vertex" if getattr(model, "vertexai", None) is True else host
    return "responses" if getattr(model, "use_responses_api", None) is True else None, host


def _find(runnable: object, sent: dict[str, Any]) -> object | None:
    """Give the model inside, and put into `sent` what was bound on the way to it; the outermost binding wins."""
    if issubclass(type(runnable), BaseLanguageModel):
        return runnable
    for wrapper, inside in _WRAPPERS:
        if issubclass(type(runnable), wrapper):
            for name, value in getattr(runnable, "kwargs", {}).items():
                sent.setdefault(name, value)
            return _find(getattr(runnable, inside), sent)
    for step in runnable.steps if isinstance(runnable, RunnableSequence) else ():
        sent_with: dict[str, Any] = {}
        found = _find(step, sent_with)
        if found is not None:
            sent.update({**sent_with, **sent})
            return found
    return None
