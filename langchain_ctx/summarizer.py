"""A summarizer out of any chat model."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langchain_core.runnables import Runnable, RunnableSequence, RunnableWithFallbacks
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.configurable import RunnableConfigurableAlternatives, RunnableConfigurableFields

from ctx_core.session.summarizers import summarizer_window
from ctx_core.session.summary_prompts import as_prompt
from langchain_ctx.bound_model import bound_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from langchain_core.language_models import LanguageModelLike
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import RunnableConfig

    from ctx_core.conversation.messages import Message

_CONFIG: Final[RunnableConfig] = {
    "run_name": "ctx_layers_summary",
    "tags": ["nostream"],  # LangGraph leaves what has this tag out of streamed messages
    "metadata": {"lc_source": "summarization"},  # as LangChain's own summaries are marked
}


class ChatModelSummarizer:
    """Has a chat model write the summary: the `summarizer` of the faces, or of a `Summarizing`.

    Its calls appear in traces and usage as a part of the run that needs the summary. What it writes is streamed
    to nobody: the user of a chain would take it for the answer.
    """

    window: int | None
    """Tokens that it takes at once; None where the window of its model is not known."""

    def __init__(
        self, model: LanguageModelLike, *, prompt: Callable[[str, Sequence[Message]], str] = as_prompt
    ) -> None:
        """Take the model.

        Args:
            model: the chat model, or one with retries or fallbacks around it. A small and quick one does.
            prompt: gives what it is asked, from the summary so far and the messages that leave.

        Raises:
            BudgetError: if it is no language model.
        """
        self.window = summarizer_window(bound_model(model).asked)
        self._model: LanguageModelLike = _quiet(model)
        self._prompt = prompt

    def __call__(self, summary: str, messages: Sequence[Message]) -> str:
        """Give the new summary. What the model raises is passed on."""
        return _text(self._model.invoke(self._asked(summary, messages), _config()))

    async def acall(self, summary: str, messages: Sequence[Message]) -> str:
        """Give the new summary, as a call does."""
        return _text(await self._model.ainvoke(self._asked(summary, messages), _config()))

    def _asked(self, summary: str, messages: Sequence[Message]) -> list[BaseMessage]:
        return [HumanMessage(self._prompt(summary, messages))]


def _quiet(model: Any) -> Any:  # noqa: ANN401 - a model, or what is around one
    """Give a copy that never streams: a listener to events makes models do so even where they are only invoked."""
    kind = cast("type[object]", type(model))
    if issubclass(kind, BaseChatModel):
        return model.model_copy(update={"disable_streaming": True})
    if issubclass(kind, RunnableBindingBase):
        return model.model_copy(update={"bound": _quiet(model.bound)})
    if issubclass(kind, RunnableWithFallbacks):
        quiet = {"runnable": _quiet(model.runnable), "fallbacks": [_quiet(other) for other in model.fallbacks]}
        return model.model_copy(update=quiet)
    if issubclass(kind, RunnableConfigurableFields):
        return model.model_copy(update={"default": _quiet(model.default)})
    if issubclass(kind, RunnableConfigurableAlternatives):
        others = {
            name: _quiet(other) if isinstance(other, Runnable) else partial(_made_quiet, other)
            for name, other in model.alternatives.items()
        }
        return model.model_copy(update={"default": _quiet(model.default), "alternatives": others})
    if issubclass(kind, RunnableSequence):
        return RunnableSequence[Any, Any](*(_quiet(part) for part in model.steps))
    return model


def _made_quiet(make: Callable[[], Any]) -> Any:  # noqa: ANN401 - what the factory makes
    return _quiet(make())


def _config() -> RunnableConfig:
    """Give the config of a call; in an agent of LangChain's it is marked as one that is nobody's answer."""
    config = _CONFIG.copy()  # LangChain takes things out of it
    marks = sys.modules.get("langchain.agents.middleware.internal_call_transformer")
    if marks is not None:
        config["metadata"] = {**config.get("metadata", {}), **marks.internal_call_metadata()}
    return config


def _text(answer: Any) -> str:  # noqa: ANN401 - a message, or the text of a model that has no messages
    return answer if isinstance(answer, str) else str(answer.text)
