"""What was sent, until the answer with its bill comes back in the history: from both a calibration learns."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from ctx_core.counting.calibration import Calibration
from ctx_core.counting.counts import TokenCount
from ctx_core.counting.registry import counted_alike
from ctx_core.history.keys import key_at
from ctx_core.history.places import Position
from ctx_core.locks import Lock

if TYPE_CHECKING:
    from ctx_core.conversation.transcript import Transcript
    from ctx_core.counting.counter import TokenCounter
    from ctx_core.engine.context import Context
    from ctx_core.session.conversation_id import ConversationId

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
        self._lock = Lock()

    def note(self, conversation: ConversationId, context: Context[Any], counter: TokenCounter) -> None:
        """Remember a request that is about to be sent."""
        calibration, model, count = counter.calibration, counter.model, context.count
        if calibration is None or model is None or count is None:
            return
        size = len(context.transcript)
        sent = _Sent(calibration=calibration, model=model, count=count, at=size, ends=_ends(context.transcript, size))
        with self._lock:
            self._sent[conversation.key] = sent
            self._sent.move_to_end(conversation.key)
            if len(self._sent) > _MOST:
                self._sent.popitem(last=False)

    def learn(self, conversation: ConversationId, transcript: Transcript[Any]) -> None:
        """Learn from the answer to the last request of a conversation, where it has come and says what was billed."""
        with self._lock:
            key = next((key for key in conversation.keys if key in self._sent), None)
            if key is None or self._sent[key].at >= len(transcript):
                return
            sent = self._sent.pop(key)
        if sent.ends != _ends(transcript, sent.at):
            return  # another conversation that began alike
        answer = transcript[sent.at]
        if answer.model is not None and not counted_alike(answer.model, sent.model):
            return  # a fallback's
        if answer.billed is not None:
            sent.calibration.observe(sent.model, sent.count, billed=answer.billed)

    def forget(self, conversation: ConversationId) -> None:
        """Remember nothing of a conversation."""
        with self._lock:
            for key in conversation.keys:
                self._sent.pop(key, None)

    def __deepcopy__(self, memo: dict[int, object]) -> Bills:
        """Give itself: copies of what learns learn together."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without what is under way."""
        return (Bills, ())


def _ends(transcript: Transcript[Any], size: int) -> tuple[str, str]:
    """Give what the first and the last message say; instructions too, which may be all that comes first."""
    if not size:
        return "", ""
    said = blake2b(transcript[0].text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return said, key_at(transcript, Position(size - 1))
