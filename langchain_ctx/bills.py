"""What was sent, until the answer with its bill comes back in the history: from both a calibration learns."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from ctx_core.counting.calibration import Calibration
from ctx_core.counting.counts import TokenCount
from ctx_core.counting.registry import counted_alike
from ctx_core.history.state import message_key
from langchain_ctx.convert import CODEC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.messages import BaseMessage

    from ctx_core.builder import ContextBuilder
    from ctx_core.context import Context
    from ctx_core.counting.counter import TokenCounter
    from langchain_ctx.conversations import Conversation

_MOST: Final = 1_024
"""Conversations whose last request is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    calibration: Calibration
    model: str
    count: TokenCount
    at: int
    """Where the answer will stand: behind the messages of the request."""
    ends: tuple[str, str]
    """What the first and the last message of the request said, as a digest."""


class Bills:
    """Teaches the calibrations of counters; one for many conversations, shareable between threads.

    Nothing of it is stored: after a restart the first answer of a conversation teaches nothing.
    """

    def __init__(self) -> None:
        """Start with nothing sent."""
        self._sent: OrderedDict[str, _Sent] = OrderedDict()
        self._lock = threading.Lock()

    def note(
        self,
        conversation: Conversation,
        messages: Sequence[BaseMessage],
        context: Context[BaseMessage],
        counter: TokenCounter,
    ) -> None:
        """Remember a request that is about to be sent for these messages."""
        calibration, model, count = counter.calibration, counter.model, context.count
        if calibration is None or model is None or count is None:
            return
        with self._lock:
            self._sent[conversation.key] = _Sent(
                calibration=calibration, model=model, count=count, at=len(messages), ends=_ends(messages)
            )
            self._sent.move_to_end(conversation.key)
            if len(self._sent) > _MOST:
                self._sent.popitem(last=False)

    def learn(self, conversation: Conversation, messages: Sequence[BaseMessage]) -> None:
        """Learn from the answer to the last request of a conversation, where it has come and says what was billed."""
        with self._lock:
            keys = (conversation.key, *conversation.earlier)
            key = next((key for key in keys if key in self._sent), None)
            if key is None or self._sent[key].at >= len(messages):
                return
            sent = self._sent.pop(key)
        if sent.ends != _ends(messages[: sent.at]):
            return  # another conversation that began alike
        answer = messages[sent.at]
        told = answer.response_metadata.get("model_name") or answer.response_metadata.get("model")
        if isinstance(told, str) and not counted_alike(told, sent.model):
            return  # a fallback's
        billed = CODEC.read(answer).billed
        if billed is not None:
            sent.calibration.observe(sent.model, sent.count, billed=billed)

    def __deepcopy__(self, memo: dict[int, object]) -> Bills:
        """Give itself: copies of what learns learn together."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without what is under way."""
        return (Bills, ())


def _ends(messages: Sequence[BaseMessage]) -> tuple[str, str]:
    first, last = CODEC.read(messages[0]), CODEC.read(messages[-1])
    said = blake2b(first.text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return said, message_key(last)


def learning(builder: ContextBuilder, calibration: Calibration | None) -> ContextBuilder:
    """Give a builder whose counter learns, by its own calibration where it came with one."""
    if calibration is None or builder.plan.counter.calibration is not None:
        return builder
    return builder.calibration(calibration)
