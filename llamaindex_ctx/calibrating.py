"""Learning from what LlamaIndex's models are billed: its instrumentation tells of every chat, and of its bill."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, cast

from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.llm import LLMChatEndEvent, LLMChatStartEvent
from pydantic import PrivateAttr

from ctx_core.conversation.messages import MediaPart
from ctx_core.counting.anchored import Anchor
from ctx_core.counting.registry import counted_alike
from ctx_core.counting.usage import input_tokens
from ctx_core.errors import BudgetError
from llamaindex_ctx.convert import CODEC
from llamaindex_ctx.settings import tool_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from llama_index.core.base.llms.types import ChatMessage, ChatResponse
    from llama_index.core.instrumentation.events import BaseEvent

    from ctx_core.counting.counter import TokenCounter
    from llamaindex_ctx.settings import ToolLike

_UNDER_WAY: Final = 256
"""Chats whose tools are remembered until their end; one that fails never ends."""


def chat_anchor(
    messages: Sequence[ChatMessage], response: ChatResponse, *, tools: Iterable[ToolLike] = ()
) -> Anchor | None:
    """Give a chat's bill for `ctx_core.counting.count_anchored`; None where the response does not say it.

    Args:
        messages: what was sent.
        response: the answer, with the provider's usage figure in `raw` or `additional_kwargs`.
        tools: the tools that went along.

    Raises:
        BudgetError: for something that is no tool.
        MessageError: for something that is no message.
    """
    extra = cast("object", response.additional_kwargs)  # pyright: ignore[reportUnknownMemberType]
    billed = input_tokens(response.raw) or input_tokens(extra)
    if billed is None:
        return None
    return Anchor(billed=billed, sent=[CODEC.read(message) for message in messages], tools=tool_definitions(tools))


class CalibrationHandler(BaseEventHandler):
    """Teaches a counter's calibration by the bill of every chat, wherever in LlamaIndex it is held.

    It is added once, `get_dispatcher().add_event_handler(CalibrationHandler(counter))`, and whatever counts with the
    same counter goes by what was learned: `measure` in its figures, a memory in what it keeps free. Chats of models of
    another family teach it nothing.
    """

    _counter: TokenCounter = PrivateAttr()
    _tools: OrderedDict[str, list[dict[str, Any]]] = PrivateAttr(default_factory=OrderedDict)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    def __init__(self, counter: TokenCounter) -> None:
        """Take the counter.

        Raises:
            BudgetError: if there is nothing that could learn, or no model to learn of.
        """
        if counter.calibration is None or counter.model is None:
            msg = "give a counter that learns: TokenCounter.for_model(…, calibration=Calibration())"
            raise BudgetError(msg)
        super().__init__()
        self._counter = counter

    @classmethod
    def class_name(cls) -> str:
        """Give the name under which LlamaIndex knows it."""
        return "CalibrationHandler"

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:  # noqa: ARG002 - LlamaIndex's signature
        """Learn from a chat that has ended, if it says what it was billed."""
        if isinstance(event, LLMChatStartEvent):
            told = cast("dict[str, Any]", event.model_dict)  # pyright: ignore[reportUnknownMemberType]
            if self._means(told.get("model_name")):
                extra = cast("dict[str, Any]", event.additional_kwargs)  # pyright: ignore[reportUnknownMemberType]
                with self._lock:
                    self._tools[event.span_id or ""] = tool_definitions(extra.get("tools") or ())
                    if len(self._tools) > _UNDER_WAY:
                        self._tools.popitem(last=False)
        elif isinstance(event, LLMChatEndEvent) and event.response is not None:
            with self._lock:
                tools = self._tools.pop(event.span_id or "", None)
            if tools is not None:
                self._learn(event.messages, event.response, tools)

    def _means(self, model: object) -> bool:
        """Whether a chat is one of a model that is counted alike; one that has no name may be."""
        return not isinstance(model, str) or counted_alike(model, self._counter.model or "")

    def _learn(self, messages: Sequence[ChatMessage], response: ChatResponse, tools: list[dict[str, Any]]) -> None:
        anchor = chat_anchor(messages, response, tools=tools)
        calibration, model = self._counter.calibration, self._counter.model
        if anchor is None or any(isinstance(part, MediaPart) for message in anchor.sent for part in message.parts):
            return
        if calibration is not None and model is not None:
            count = self._counter.uncalibrated.measure(anchor.sent, tools=tools)
            calibration.observe(model, count, billed=anchor.billed)
