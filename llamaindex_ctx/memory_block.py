"""Our summary and our ranked memory for users of LlamaIndex's `Memory`, as one of its memory blocks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory.memory import BaseMemoryBlock
from pydantic import Field, PrivateAttr, field_validator
from typing_extensions import override

from ctx_core.awaiting import called
from ctx_core.conversation.fences import fenced
from ctx_core.counting.counter import as_counter
from ctx_core.memory import ConversationMemory
from ctx_core.session import LayerRequest
from ctx_core.session.summarizers import summarizer_window
from ctx_core.session.summary_prompts import next_piece
from ctx_core.truncation import cut_end
from llamaindex_ctx.convert import CODEC
from llamaindex_ctx.copies import copied

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx_core import Message

_LOG: Final = logging.getLogger("ctx_core.llamaindex")
_WINDOW: Final = 64_000
"""Tokens that a summarizer is given at once where its window is not known."""
_SESSION: Final = "session_id"
"""Under which key of the extras `Memory` says whose message it is."""


class ContextMemoryBlock(BaseMemoryBlock[str]):
    """What has left the short-term memory: its summary, and of its turns those that the question needs again.

        Memory.from_defaults(memory_blocks=[ContextMemoryBlock(summarizer=LLMSummarizer(llm))])

    Ranked by words, without embeddings or a model. One block may serve many sessions: each is shown its own. What was
    put stands in `left` and `summaries`, which are plain data.
    """

    name: str = "earlier_conversation"
    description: str | None = "What was said earlier in this conversation."
    priority: int = 1
    """It may be cut where `Memory` has no room; 0: never."""
    max_items: int = 5
    """At most so many turns are shown again."""
    summarizer: Any = Field(default=None, exclude=True)
    """A function of the summary so far and the messages that leave, sync or async; None: no summary."""
    counter: Any = Field(default=None, exclude=True)
    """What counts, where something has to be cut: as in `SessionOptions`."""
    left: dict[str, list[ChatMessage]] = Field(default_factory=dict)
    """What has left the short-term memory, by session."""
    summaries: dict[str, str] = Field(default_factory=dict)
    """What the summarizer said of it, by session."""
    waiting: dict[str, int] = Field(default_factory=dict)
    """How many of the last messages of a session are not in its summary: the summarizer failed."""

    _found: ConversationMemory[ChatMessage] = PrivateAttr()

    @field_validator("counter")
    @classmethod
    def _check_counter(cls, value: object) -> object:
        return as_counter(value)  # type: ignore[arg-type]  # which refuses what does not count

    @override
    def model_post_init(self, context: Any, /) -> None:
        self._found = ConversationMemory(codec=CODEC, max_items=self.max_items)

    @override
    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Take what leaves; a summarizer that fails has it again with what leaves next."""
        for session in dict.fromkeys(map(_session_of, messages)):
            own = [message for message in copied(messages) if _session_of(message) == session]
            left = self.left.setdefault(session, [])
            left += own
            self.waiting[session] = self.waiting.get(session, 0) + len(own)
            if self.summarizer is not None:
                await self._summarize(session)

    @override
    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """Give the summary, and what the last question needs."""
        session = str(block_kwargs.get(_SESSION) or "")
        left, summary = self.left.get(session, []), self.summaries.get(session, "")
        asked = [message for message in messages or () if message.role == MessageRole.USER]
        question = (asked[-1].content or "") if asked else ""
        about = LayerRequest(
            question=question, history=left, left_out=range(len(left)), conversation=session, codec=CODEC
        )
        layer = self._found.layer_for(about)
        parts = [fenced("summary", summary)] if summary else []
        if layer is not None:
            parts.append("\n".join([layer.heading or "", *(item.text for item in layer.items)]))
        return "\n\n".join(parts)

    @override
    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Give the beginning of it, which is the summary, with so many tokens less; None where nothing is left."""
        counter = as_counter(self.counter)
        room = counter.count_text(content) - tokens_to_truncate
        return (cut_end(content, room, counter) or None) if room > 0 else None

    async def _summarize(self, session: str) -> None:
        counter = as_counter(self.counter)
        window = summarizer_window(self.summarizer) or _WINDOW
        ask = getattr(self.summarizer, "acall", self.summarizer)
        left = self.left[session]
        while waiting := self.waiting[session]:
            leaving: Sequence[Message] = [CODEC.read(message) for message in left[-waiting:]]
            so_far = cut_end(self.summaries.get(session, ""), window // 2, counter)
            piece = next_piece(leaving, window - counter.count_text(so_far), counter)
            try:
                summary: object = await called(ask, so_far, piece)
            except Exception as error:  # noqa: BLE001 - whatever stops the summary must not stop the turn
                _LOG.warning("no summary this time (%s): %d messages wait", type(error).__name__, waiting)
                return
            self.summaries[session] = str(summary)
            self.waiting[session] = waiting - len(piece)


def _session_of(message: ChatMessage) -> str:
    return str(message.additional_kwargs.get(_SESSION) or "")
