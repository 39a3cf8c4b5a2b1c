"""What a request of `create_agent` sends beside its messages: tools, the schema of the answer, settings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from langchain.agents.structured_output import AutoStrategy, OutputToolBinding, ProviderStrategy, ToolStrategy
from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableWithFallbacks

from ctx_core.counting.options import RequestOptions
from langchain_ctx.bound_model import options_of
from langchain_ctx.request_options import request_options
from langchain_ctx.tools import tool_definitions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from langchain.agents.middleware.types import ModelRequest

    from ctx_core.counting.counter import TokenCounter


@dataclass(frozen=True, slots=True, kw_only=True)
class SentAlong:
    """What goes with the messages of a request."""

    tools: tuple[dict[str, Any], ...]
    """Definitions of the tools, those of a structured answer among them."""
    options: RequestOptions | None
    """What else is asked for."""

    def cost(self, counter: TokenCounter) -> int:
        """Give its tokens."""
        return counter.count_tools(self.tools) + counter.count_options(self.options, tools=bool(self.tools))


def attempts(request: ModelRequest[Any]) -> list[tuple[ModelRequest[Any], tuple[type[BaseException], ...]]]:
    """Give the requests of which the next is made where one fails, each with the errors after which that is so.

    One, unless its model has fallbacks: then each model gets a request of its own, which fits it.
    """
    model: object = request.model
    if not isinstance(model, RunnableWithFallbacks):
        return [(request, ())]
    models = list(model.runnables)
    if model.exception_key is not None or not all(isinstance(one, BaseChatModel) for one in models):
        return [(request, ())]
    handled = tuple(model.exceptions_to_handle)
    return [(request.override(model=cast("BaseChatModel", one)), handled) for one in models]


def sent_along(request: ModelRequest[Any], counter: TokenCounter, given: RequestOptions | None) -> SentAlong:
    """Give what goes with the messages of a request.

    How the answer's schema goes where nobody has chosen is decided by the agent when it binds the model: the dearer of
    the ways is counted.

    Args:
        request: the request.
        counter: of its model.
        given: what each request asks for, as far as this one says nothing of it.

    Raises:
        BudgetError: for a tool or a format that cannot be counted.
    """
    tools = tool_definitions(request.tools)
    return max(_ways(request, tools, given), key=lambda way: way.cost(counter))


def _ways(
    request: ModelRequest[Any], tools: tuple[dict[str, Any], ...], given: RequestOptions | None
) -> Iterator[SentAlong]:
    settings: Mapping[str, Any] = request.model_settings
    sent = options_of(settings)
    form: object = request.response_format
    if form is None:
        plain = _merged(given, sent)
        choice = request_options(tool_choice=request.tool_choice) if tools else None
        yield SentAlong(tools=tools, options=_merged(plain, choice))
        return
    if not isinstance(form, ProviderStrategy):
        strategy = form if isinstance(form, ToolStrategy) else ToolStrategy[Any](schema=_schema(form))
        answers = tool_definitions(OutputToolBinding.from_schema_spec(spec).tool for spec in strategy.schema_specs)
        forced = request_options(tool_choice="any")
        yield SentAlong(tools=(*tools, *answers), options=_merged(_merged(given, sent), forced))
    if not isinstance(form, ToolStrategy):
        provider = form if isinstance(form, ProviderStrategy) else _as_provider(_schema(form))
        if provider is not None:
            asked = {**provider.to_model_kwargs(), **settings}
            yield SentAlong(tools=tools, options=_merged(given, options_of(asked)))


def _schema(form: Any) -> Any:  # noqa: ANN401 - whatever stands for the schema of an answer
    return form.schema if isinstance(form, AutoStrategy) else form


def _as_provider(schema: Any) -> ProviderStrategy[Any] | None:  # noqa: ANN401 - as above
    try:
        return ProviderStrategy(schema=schema)
    except ValueError:  # several schemas of which the answer follows one: providers take none but one
        return None


def _merged(first: RequestOptions | None, second: RequestOptions | None) -> RequestOptions | None:
    """Give the options of both; what the second asks for wins."""
    if first is None or second is None:
        return first if second is None else second
    merged = replace(first, tool_choice=first.tool_choice if second.tool_choice == "auto" else second.tool_choice)
    if second.schema is None:
        return merged
    return replace(
        merged,
        schema=second.schema,
        schema_name=second.schema_name,
        schema_description=second.schema_description,
    )
