"""What a model that has been bound to tools, retries or fallbacks says about the requests it will send."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from langchain_core.language_models import BaseLanguageModel
from langchain_core.runnables import RunnableParallel, RunnableSequence, RunnableWithFallbacks
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.config import merge_configs
from langchain_core.runnables.configurable import DynamicRunnable

from ctx_core.counting.model_objects import AskedModel
from ctx_core.counting.options import RequestOptions
from ctx_core.errors import BudgetError
from langchain_ctx.bound_names import with_bound_name
from langchain_ctx.request_options import request_options
from langchain_ctx.tools import tool_definitions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from langchain_core.language_models import LanguageModelLike
    from langchain_core.runnables import RunnableConfig


_MAKES: Final = "_model"
"""The method of a configurable model that makes the model; it has no public name."""
_ADDRESSES: Final = ("openai_api_base", "base_url", "groq_api_base", "api_base", "endpoint_url")
_HOSTS: Final = (
    ("vertex", "vertex"), ("groq", "groq"), ("openrouter", "openrouter"), ("ollama", "ollama"), ("azure", "azure"),
    ("bedrock", "bedrock"), ("watsonx", "watsonx"), ("deepseek", "deepseek"),
)  # fmt: skip
"""What in a class's name or an address tells the host, and the host's name in the table of families."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundModel:
    """A model, and what is sent with each of its requests."""

    asked: AskedModel
    """The model out of its wrappers, with the parameters it was bound to and its fallbacks."""
    tools: tuple[dict[str, Any], ...]
    """Definitions of the tools it was bound to."""
    options: RequestOptions | None = None
    """What else it was bound to ask for."""

    @property
    def model(self) -> object:
        """The model itself."""
        return self.asked.model


def bound_model(model: LanguageModelLike, config: RunnableConfig | None = None) -> BoundModel:
    """Look into whatever LangChain wraps a model in, for the model and what its requests bring along.

    That is `bind_tools`, `bind`, `with_structured_output`, `with_retry`, `with_config`, `with_fallbacks`,
    `configurable_fields`, `init_chat_model(configurable_fields=…)` and chains. Of fallbacks the tools of the first
    count, of a chain the first model in it.

    Args:
        model: the model in its wrappers.
        config: that of a request, which may choose the model.

    Raises:
        BudgetError: if there is no language model in it, or none can be made with the config.
    """
    asked = _find(model, config)
    if asked is None:
        msg = f"model must be a language model or one bound to tools, found {type(model).__name__}"
        raise BudgetError(msg)
    sent = asked.sent
    tools = sent.get("tools") or sent.get("functions") or ()
    definitions = tool_definitions(cast("Iterable[object]", tools))
    return BoundModel(asked=asked, tools=definitions, options=options_of(sent))


def options_of(sent: Mapping[str, Any]) -> RequestOptions | None:
    """Give what a model is bound to ask for beside its tools; None where that is nothing that is billed.

    Raises:
        BudgetError: for a format of no known kind.
    """
    return request_options(response_format=_answer_format(sent), tool_choice=sent.get("tool_choice"))


def asked_in(model: object) -> AskedModel | None:
    """Give the model in a runnable, and what was bound on the way to it; None where there is none."""
    return _find(model, None)


def served_by(model: object) -> tuple[str | None, str | None]:
    """Give the API and the host of a model, as far as they change what is billed and its object tells."""
    named = f"{type(model).__module__}.{type(model).__qualname__}".lower()
    address = next((str(value) for name in _ADDRESSES if (value := getattr(model, name, None))), "").lower()
    host = next((host for sign, host in _HOSTS if sign in named or sign in address), None)
    host = "vertex" if getattr(model, "vertexai", None) is True else host
    return "responses" if getattr(model, "use_responses_api", None) is True else None, host


def _find(runnable: Any, config: RunnableConfig | None) -> AskedModel | None:  # noqa: ANN401 - any runnable, or none
    """Give the model inside; the outermost binding wins, and a configuration holds for all that it is around."""
    if is_of(runnable, BaseLanguageModel):
        return AskedModel(model=runnable)
    if is_of(runnable, RunnableBindingBase):
        inside = _find(runnable.bound, merge_configs(runnable.config, config))
        return inside if inside is None else _with_sent(inside, runnable.kwargs)
    if is_of(runnable, RunnableWithFallbacks):
        found = [one for part in runnable.runnables if (one := _find(part, config)) is not None]
        return replace(found[0], others=(*found[0].others, *found[1:])) if found else None
    if is_of(runnable, DynamicRunnable):
        return _find(*runnable.prepare(config))
    if is_of(runnable, RunnableSequence):
        return _in_steps(runnable.steps, config)
    make = _maker(runnable)
    return None if make is None else _find(make(config), config)


def is_of(value: object, kind: type[object]) -> bool:
    """Whether something is of a kind; its type parameters are not known, and make no difference."""
    return isinstance(value, kind)


def _in_steps(steps: Sequence[Any], config: RunnableConfig | None) -> AskedModel | None:
    """Give the first model of a chain, else that which keeps its raw answer in a dict, as `include_raw=True` does."""
    found = next(filter(None, (_find(step, config) for step in steps)), None)
    if found is not None or not is_of(steps[0], RunnableParallel):
        return found
    return next(filter(None, (_find(branch, config) for branch in steps[0].steps__.values())), None)


def is_made_by_config(runnable: object) -> bool:
    """Whether something is a model of `init_chat_model(configurable_fields=…)`; its class has no public name."""
    return hasattr(type(runnable), _MAKES) and type(runnable).__module__ == "langchain.chat_models.base"


def _maker(runnable: object) -> Callable[[RunnableConfig | None], object] | None:
    """Give what makes the model of `init_chat_model(configurable_fields=…)`; None for all else."""
    if not is_made_by_config(runnable):
        return None
    model = cast("Callable[[object, RunnableConfig | None], object]", getattr(type(runnable), _MAKES))

    def make(config: RunnableConfig | None) -> object:
        try:
            return model(runnable, config)
        except Exception as error:  # noqa: BLE001 - it may raise anything
            raised = type(error).__name__
        # Outside of the handler, as what a model's class raises may quote the key that it was given.
        msg = (
            f"the configurable model cannot be made {'without a' if config is None else 'with this'} config "
            f"({raised}): give init_chat_model a default model, or a budget and a counter beside it"
        )
        raise BudgetError(msg)

    return make


def _with_sent(inside: AskedModel, sent: Mapping[str, Any]) -> AskedModel:
    """Give a model with what is bound around it and its fallbacks."""
    others = tuple(_with_sent(other, sent) for other in inside.others)
    return with_bound_name(AskedModel(model=inside.model, sent={**inside.sent, **sent}, others=others))


def _answer_format(sent: Mapping[str, Any]) -> object:
    """Give what an answer must be like: as most are told, as Anthropic is, or as LangChain notes it for its traces."""
    if sent.get("response_format") is not None:
        return sent["response_format"]
    config: object = sent.get("output_config")
    if isinstance(config, Mapping) and "format" in config:
        return cast("Mapping[str, Any]", config)["format"]
    noted: object = sent.get("ls_structured_output_format")
    if not isinstance(noted, Mapping):
        return None
    how = cast("Mapping[str, Any]", noted)
    told: Mapping[str, Any] = how.get("kwargs") or {}
    schema: object = how.get("schema") if told.get("method") == "json_schema" else None
    if not isinstance(schema, Mapping):
        return schema
    given = cast("Mapping[str, Any]", schema)
    function: Mapping[str, Any] | None = given.get("function")
    return given if function is None else {"name": function["name"], "schema": function.get("parameters") or {}}
