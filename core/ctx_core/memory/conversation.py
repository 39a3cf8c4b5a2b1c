"""What was cut from a conversation, to be found again when a later question needs it."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final, Generic

from ctx_core.conversation.codecs import codec_for
from ctx_core.conversation.message_types import Codec, NativeT
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import TextPart
from ctx_core.conversation.transcript import Transcript
from ctx_core.locks import Lock
from ctx_core.memory.combine import relevance
from ctx_core.memory.item import MemoryItem
from ctx_core.memory.recall import MAX_ITEMS, memory_layer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from ctx_core.engine.layers import Layer
    from ctx_core.memory.ranker import Ranker
    from ctx_core.session import LayerRequest
    from ctx_core.sizes import Size

HEADING: Final = "From earlier in this conversation:"
_IMPORTANCE: Final = {Role.USER: 1.0, Role.ASSISTANT: 0.0}
_CONVERSATIONS: Final = 64  # conversations whose messages are kept as they were read
_LONGEST: Final = 2_000  # characters of a message that are remembered; head and tail of a longer one


class ConversationMemory(Generic[NativeT]):
    """The turns of a conversation as memories: what a cut takes away stays findable, `layers=[ConversationMemory()]`.

    Reads and indexes only what is new since the last time. Instructions and tool results are not remembered:
    the former stay anyway, the latter are what the assistant's answers are drawn from. What the user said
    weighs a little more than what was answered. May be shared between threads and conversations: of those that
    were asked about last what was read is kept.
    """

    after_cut = True
    """It is asked for its layer once it is known what is left out."""

    def __init__(
        self,
        *,
        codec: Codec[NativeT] | None = None,
        ranker: Ranker | None = None,
        max_items: int = MAX_ITEMS,
        cap: Size | None = None,
        heading: str = HEADING,
        time: Callable[[NativeT], datetime | None] | None = None,
    ) -> None:
        """Take what reads and ranks the messages.

        Args:
            codec: the door of the message type; found from the messages by default, as the builder does.
            ranker: scores them; by default relevance by words and neighbors.
            max_items: at most so many are recalled.
            cap: the most the layer may cost, where the budget has no part `memory`.
            heading: stands above them.
            time: gives the time of a message, if it is known.
        """
        self._codec = codec
        self._ranker = ranker or relevance()
        self._max_items = max_items
        self._cap = cap
        self._heading = heading
        self._time = time
        self._conversations: OrderedDict[str, list[tuple[NativeT, MemoryItem | None]]] = OrderedDict()
        self._lock = Lock()

    def layer_for(self, request: LayerRequest) -> Layer | None:
        """Give the layer of what is left out of a request and fits its question; None for nothing."""
        history: Sequence[NativeT] = request.history
        gone = [at for at in request.left_out if at < len(history)]
        items = self.items(history, gone, conversation=request.conversation, codec=request.codec)
        return self._layer(request.question, items)

    def items(
        self,
        history: Sequence[NativeT],
        positions: Sequence[int] | range | None = None,
        *,
        conversation: str = "",
        codec: Codec[NativeT] | None = None,
    ) -> list[MemoryItem]:
        """Give what can be remembered of a history, oldest first.

        Args:
            history: the conversation so far.
            positions: of the messages that are asked for; all by default.
            conversation: which of several conversations it is.
            codec: the door of its messages, where the memory was not given one.
        """
        with self._lock:
            read = self._conversations.setdefault(conversation, [])
            self._conversations.move_to_end(conversation)
            if len(self._conversations) > _CONVERSATIONS:
                self._conversations.popitem(last=False)
            self._catch_up(read, history, self._codec or codec)
            asked = range(len(history)) if positions is None else positions
            return [item for at in asked if (item := read[at][1]) is not None]

    def _layer(self, question: str, items: list[MemoryItem]) -> Layer | None:
        if not items or not question:
            return None
        layer = memory_layer(
            question,
            items,
            ranker=self._ranker,
            max_items=self._max_items,
            only_relevant=True,
            chronological=True,
            heading=self._heading,
            cap=self._cap,
        )
        return layer if layer.items else None

    def _catch_up(
        self, read: list[tuple[NativeT, MemoryItem | None]], history: Sequence[NativeT], codec: Codec[NativeT] | None
    ) -> None:
        """Read what is new. Messages before a changed one are not read again, all from it on are."""
        same = 0
        for (known, _), native in zip(read, history, strict=False):
            if known is not native and known != native:
                break
            same += 1
        if same < len(read) and same < len(history):
            del read[same:]
        if len(read) >= len(history):
            return
        door = codec if codec is not None else codec_for(history, None)
        transcript = Transcript(history, (), door)
        new = range(len(read), len(history))
        read.extend((history[at], self._item(transcript, at, history[at])) for at in new)

    def _item(self, transcript: Transcript[NativeT], at: int, native: NativeT) -> MemoryItem | None:
        spoken = (place for place in transcript.positions_of(at) if transcript.role(place) in _IMPORTANCE)
        message = next((transcript[place] for place in spoken), None)
        text = "" if message is None or message.is_result else _spoken(message)
        if message is None or not text:
            return None
        return MemoryItem(
            f"{message.name or message.role}: {text}",
            importance=_IMPORTANCE[message.role],
            time=self._time(native) if self._time else None,
            source=f"message {at + 1}",
        )


def _spoken(message: Message) -> str:
    text = "\n".join(part.text for part in message.parts if isinstance(part, TextPart)).strip()
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]} […] {text[-half:]}"
