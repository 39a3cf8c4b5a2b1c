"""What LlamaIndex's prompt helper leaves of a window: context engines end in its error where that is nothing.

It counts by a tokenizer of its own (`Settings.tokenizer`), and keeps 500 tokens free beside the prompt of an engine.
What was found goes into the rest, piece by piece: then each answer goes with the next piece. So a request can be within
the window by any other count, and is not sent.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self, cast

from llama_index.core import Settings
from llama_index.core.base.llms.types import MessageRole, TextBlock
from llama_index.core.constants import DEFAULT_NUM_OUTPUTS
from llama_index.core.llms.structured_llm import StructuredLLM
from llama_index.core.utilities.token_counting import TokenCounter as HelperCounter
from llama_index.core.utils import get_tokenizer  # pyright: ignore[reportUnknownVariableType] - a bare List in it

from ctx_core.history.keys import message_key
from ctx_core.sizes import is_count
from llamaindex_ctx.convert import CODEC
from llamaindex_ctx.models import answer_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence, Sized

    from llama_index.core.base.llms.types import ChatMessage, LLMMetadata
    from llama_index.core.llms.llm import LLM

    from ctx_core import TokenCounter

_LOG: Final = logging.getLogger("ctx_core.llamaindex")
PADDING: Final = 500 + 1
"""Tokens that there must be beside prompt and answer; `DEFAULT_RESPONSE_PADDING_SIZE` of llama-index-core 0.14, and one
for what was found."""
_REPACKED: Final = 5 + 1
"""The same where an answer is refined, which goes with the prompt; `DEFAULT_PADDING` of llama-index-core 0.14."""
_PROMPTS: Final = 256
"""Tokens of an engine's prompts where nothing tells: LlamaIndex's own take 115 at most."""
_FRAME: Final = 8
"""Tokens of the message that prompts are in, beside their texts."""
_SPARE: Final = 1.02
"""More than what was seen, for the frame of a request."""
_SAMPLE: Final = (
    "The ferry to the island leaves at 16:40 from the north harbor, every weekday but Friday; tickets cost $12.50.\n"
    '{"route": "north", "stops": ["harbor", "island"], "price": 12.5, "seats": {"free": 41, "taken": 159}}\n'
    "def departures(day: str) -> list[str]:\n    return [stop for stop in TIMETABLE if day in stop.days]\n"
)
"""Texts of the kinds that are found most: prose, data and code."""
_LITTLE: Final = 4
"""A conversation of less than this part of what it may have can have more; a cut leaves more than that."""
_REMEMBERED: Final = 4_096
"""Messages whose tokens are remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """What the prompt helper is told of an LLM, and of the engine where that is known."""

    window: int
    """Tokens of input and answer, as `metadata.context_window` says."""
    answer: int
    """Tokens of the answer, as `metadata.num_output` says."""
    prompts: int | None = None
    """Tokens of the engine's prompts, as the helper counts them; None: no engine was read."""

    @classmethod
    def of(cls, llm: LLM, prompts: Iterable[str] | None = None) -> Self:
        """Give what the helper is told of an LLM, with the longest of an engine's prompts."""
        told, tool = llm.metadata, answer_tool(llm)
        said: object = (llm.llm if isinstance(llm, StructuredLLM) else llm).system_prompt
        always = tokens_of(said) if isinstance(said, str) else 0
        always += 0 if tool is None else tokens_of(str([tool]))
        longest = None if prompts is None else max(map(tokens_of, prompts), default=0) + always + _FRAME
        return cls(window=told.context_window, answer=answer_of(told), prompts=longest)

    @property
    def left(self) -> int:
        """Tokens for prompts, conversation, question and what was found. A helper that is set for all says another."""
        helper = getattr(Settings, "_prompt_helper", None)
        return self.window - self.answer if helper is None else helper.context_window - helper.num_output

    def beside(self, longest_answer: int = 0) -> int:
        """Give what there must be beside conversation and question, for answers of so many tokens."""
        prompts = _PROMPTS if self.prompts is None else self.prompts
        return prompts + max(PADDING, longest_answer + _REPACKED)

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON types."""
        return {"window": self.window, "answer": self.answer, "prompts": self.prompts}

    @classmethod
    def from_dict(cls, data: object) -> Self | None:
        """Give what was stored, or what it is; None for anything else, as it is only a hint."""
        if isinstance(data, cls) or not isinstance(data, Mapping):
            return data if isinstance(data, cls) else None
        told = cast("Mapping[str, Any]", data)
        window, answer, prompts = told.get("window"), told.get("answer"), told.get("prompts")
        if not is_count(window) or not is_count(answer) or not (prompts is None or is_count(prompts)):
            return None
        return cls(window=cast("int", window), answer=cast("int", answer), prompts=cast("int | None", prompts))


class Packed:
    """What a memory knows of the helper's requests: how it counts their messages, and what is kept for that."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self.kept = 0
        """Tokens that are kept free, by the count of the memory's model."""
        self._longest = 0
        self._known = dict[tuple[str, int], int]()
        self._tokenizer: object = None
        self._warned = False

    def allowed(self, packing: Packing) -> int:
        """Give the tokens that a conversation with its question may have, after the answers that were counted."""
        return packing.left - packing.beside(self._longest)

    def count(self, messages: Sequence[ChatMessage]) -> int:
        """Count messages as the helper does; what was counted is remembered by what a message says."""
        total = 0
        for message in messages:
            tokens = self._of(message)
            if message.role == MessageRole.ASSISTANT:
                self._longest = max(self._longest, tokens)
            total += tokens
        return total

    def note(self, packing: Packing, question: ChatMessage, *, tokens: int, kept: int) -> None:
        """Note what is sent: where it is little, more is tried next time. What can never be sent is warned of once."""
        self.kept = kept // 2 if _LITTLE * tokens < self.allowed(packing) else kept
        asked = self._of(question)
        left = packing.left - asked - (packing.prompts or 0)
        if left >= PADDING or self._warned:
            return
        self._warned = True
        _LOG.warning(
            "LlamaIndex has %d tokens left for what an engine has found, beside prompts and a question of %d: of the "
            "window of %d the answer takes %d, and it keeps %d free. A context engine ends in 'Chunk size … is not "
            "positive' then, whatever its memory gives: let the answer take less (max_tokens, num_output).",
            max(0, left), asked, packing.window, packing.answer, PADDING - 1,
        )  # fmt: skip

    def _of(self, message: ChatMessage) -> int:
        """Give the tokens of a message; 0 for one that the helper itself cannot count."""
        tokenizer = _tokenizer()
        if tokenizer is not self._tokenizer:
            self._known.clear()
            self._tokenizer = tokenizer
        try:
            key = message_key(CODEC.read(message)), len(message.additional_kwargs)
            known = self._known.get(key)
            if known is None or message.role == MessageRole.SYSTEM:  # whose key says nothing of its text
                known = _counted(message, tokenizer)
        except Exception:  # noqa: BLE001 - a file that is not there, or extras of somebody's own
            return 0
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[key] = known
        return known


class Density:
    """How many tokens a counter has for one of the helper's: a prompt that is packed full by one has to fit by both."""

    def __init__(self, counter: TokenCounter) -> None:
        """Take the counter, and begin with what it says of a sample."""
        self._counter = counter
        self._packed = Packed()
        self._most = max(1.0, counter.count_text(_SAMPLE) / tokens_of(_SAMPLE))

    def of(self, limit: int) -> int:
        """Give the tokens, by the helper's count, that are no more than so many by the counter's."""
        return limit if self._most == 1.0 else int(limit / self._most)

    def learn(self, messages: Sequence[ChatMessage], needed: int, limit: int) -> None:
        """Learn from a request that did not fit, if it does by the helper's count; what comes next is packed less."""
        packed = self._packed.count(messages)
        if 0 < packed <= limit:
            self._most = max(self._most, needed / packed * _SPARE)


def answer_of(told: LLMMetadata) -> int:
    """Give the tokens that the helper keeps for an answer."""
    return DEFAULT_NUM_OUTPUTS if told.num_output == -1 else told.num_output


def tokens_of(text: str) -> int:
    """Give the tokens of a text, as the helper counts them."""
    return len(_tokenizer()(text))


def _counted(message: ChatMessage, tokenizer: Callable[[str], Sized]) -> int:
    if message.additional_kwargs or any(not isinstance(block, TextBlock) for block in message.blocks):
        return HelperCounter(tokenizer=cast("Any", tokenizer)).estimate_tokens_in_messages([message])
    # The same, without an event loop for each text.
    texts = sum(len(tokenizer(block.text)) for block in message.blocks if isinstance(block, TextBlock))
    return len(tokenizer(message.role)) + texts + 3 - 2 * (message.role in (MessageRole.FUNCTION, MessageRole.TOOL))


def _tokenizer() -> Callable[[str], Sized]:
    helper = getattr(Settings, "_prompt_helper", None)
    return cast("Callable[[str], Sized]", get_tokenizer() if helper is None else helper._token_counter.tokenizer)  # noqa: SLF001 - no public name
