"""What a message costs: its frame, its text, its calls and its media. Prices add up; nothing is counted by joining."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, cast

from ctx_core.conversation.block_types import LONGEST_NAME
from ctx_core.conversation.document_texts import document_text
from ctx_core.conversation.messages import Message, Role, ToolCall
from ctx_core.conversation.parts import (
    AudioPart,
    CitationPart,
    FilePart,
    ImagePart,
    MediaPart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    VideoPart,
)
from ctx_core.counting.calls import minified, wrapped_calls
from ctx_core.counting.documents import cites, document_price
from ctx_core.counting.framing import Framing
from ctx_core.counting.image_prices import image_size
from ctx_core.counting.lengths import seconds
from ctx_core.counting.margin import Margin
from ctx_core.counting.tokenizers import CachedTokenizer
from ctx_core.counting.tool_prices import priced_tools
from ctx_core.counting.tool_schemas import compact_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx_core.counting.tool_schemas import ToolDefinition

_MOST_FIGURES: Final = 16
"""Prices that are kept with a message: each model that it goes to, or may go to, has a few."""
_UNKNOWN_SIZE: Final = (1_024, 1_024)
"""Pixels that a picture is taken to have where its header is not at hand: the size that image models make."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices of messages and tools by a tokenizer, a framing and a margin, in tokens."""

    tokenizer: CachedTokenizer
    """Counts texts; every text only once."""
    framing: Framing
    """What is billed beside the texts."""
    margin: Margin
    """What is added so that a bill is not above the prices."""
    of_message: Callable[[Message], int] | None = None
    """Gives the price of a message in the place of these prices; None: nothing does."""
    _mark: object = field(init=False, compare=False, repr=False)
    """What the prices of messages are kept under, with the messages: equal prices have the same."""

    def __post_init__(self) -> None:
        """Look up the mark once: it is asked for with every message."""
        mark = self.tokenizer.mark(self.framing, self.margin, function=self.of_message)
        object.__setattr__(self, "_mark", mark)

    @property
    def without_margin(self) -> Prices:
        """The same prices without what is added to be on the safe side."""
        return self if self.margin.none else replace(self, margin=Margin())

    @property
    def primer(self) -> int:
        """Tokens that a request costs before its first message."""
        messages = self.framing.messages
        return messages.per_request + messages.default_system + self.margin.per_request

    def text(self, text: str) -> int:
        """Give the price of a text."""
        return self._scaled(self.tokenizer.count(text), self.framing.messages.per_token * self.margin.text)

    def message(self, message: Message, *, parallel: bool = False) -> int:
        """Give the price of a message: its frame, its text, its media and its tool calls.

        Args:
            message: the message.
            parallel: whether it is the result of one of several calls that were made at once.
        """
        key = (self._mark, parallel)
        known = message.figures.get(key)
        if known is None:
            if len(message.figures) >= _MOST_FIGURES:
                message.figures.clear()
            known = message.figures[key] = self._message(message, parallel=parallel)
        return cast("int", known)

    def _message(self, message: Message, *, parallel: bool) -> int:
        if self.of_message is not None:
            return self._scaled(self.of_message(message), self.margin.text)
        calls, text = self.framing.calls, message.text
        inside = parallel and message.role is Role.TOOL and calls.parallel == "wrapped"
        if inside and calls.quoted_results:
            text = compact_json(text)
        tokens = 0 if inside else self._frame(message)
        tokens += self.text(text) if text else 0
        citations = self.framing.documents.citations
        if citations:
            tokens += self._scaled(citations * sum(map(cites, message.parts)), self.margin.tools)
        return tokens + sum(map(self._part, (*message.parts, *message.beside))) + self._calls(message)

    def sequence(self, messages: Iterable[Message]) -> int:
        """Give the price of messages that follow one another, without what a request costs once."""
        tokens, parallel = 0, False
        for message in messages:
            if message.role is not Role.TOOL:
                parallel = len(message.tool_calls) > 1
            tokens += self.message(message, parallel=parallel)
        return tokens

    def encrypted_reasoning(self, characters: int) -> int:
        """Give the price of an encrypted copy of reasoning by its length, where the provider bills what is in it."""
        copies = self.framing.encrypted_reasoning
        if not characters or not copies.characters_per_token or (self.margin.none and not copies.always_billed):
            return 0
        tokens = copies.per_copy + max(0, characters - copies.free_characters) / copies.characters_per_token
        return self._scaled(tokens, self.margin.tools)

    def tools(self, tools: Iterable[ToolDefinition]) -> int:
        """Give the price of tool definitions, in the form in which the model reads them.

        Raises:
            BudgetError: for a definition that is not a dict, or that JSON cannot hold.
        """
        tools = list(tools)
        if not tools:
            return 0
        framing = self.framing.tools
        raw, extra = priced_tools(tools, framing, self.tokenizer)
        tokens = raw * framing.per_token + extra + framing.per_request
        return self._scaled(tokens, self.margin.tools) + self.margin.any_tools

    def _frame(self, message: Message) -> int:
        framing, role = self.framing.messages, message.role
        tokens = framing.per_message
        if role.instructs and framing.per_system is not None:
            tokens = framing.per_system
        elif role is Role.ASSISTANT:
            tokens += framing.per_assistant
        elif role is Role.TOOL:
            tokens += self.framing.calls.per_result
        if message.name and role is Role.TOOL:
            # That of a tool is in the price of its result, as in blocks.
            tokens += self.text(message.name) if len(message.name) > LONGEST_NAME else 0
        elif message.name:
            # A name that is the role itself takes the role's place.
            tokens += self.text(message.name) + (0 if message.name == role else framing.per_name)
        return tokens

    def _calls(self, message: Message) -> int:
        framing, calls = self.framing.calls, message.tool_calls
        tokens = sum(self.encrypted_reasoning(call.encrypted) for call in calls)
        if len(calls) < 2 or framing.parallel == "single":  # noqa: PLR2004 - one call has none beside it
            return tokens + sum(map(self._call, calls))
        if framing.parallel == "apart":
            frame = self.framing.messages.per_message + self.framing.messages.per_assistant
            return tokens + (len(calls) - 1) * frame + sum(map(self._call, calls))
        asked = compact_json([[call.name, call.arguments] for call in calls])
        raw = self.tokenizer.count_written(asked, wrapped_calls) * framing.per_token + framing.per_wrapped
        tokens += self._scaled(raw, self.margin.tools) + self.margin.per_call * len(calls)
        # The wrapping call brings a frame of its own.
        return tokens if message.text else tokens - self._frame(message)

    def _call(self, call: ToolCall) -> int:
        framing, as_given = self.framing.calls, self.framing.tools.style == "definition"
        raw = self.tokenizer.count(framing.name_prefix + call.name)
        arguments = call.arguments
        raw += self.tokenizer.count(arguments) if as_given else self.tokenizer.count_written(arguments, minified)
        if framing.result_prefix is not None:
            raw += self.tokenizer.count(framing.result_prefix + call.name)
        return self._scaled(raw * framing.per_token + framing.per_call, self.margin.tools) + self.margin.per_call

    def _part(self, part: Part) -> int:
        """Give the price of a part with all that is inside; its text alone is priced with the message's."""
        return self._itself(part) + sum(map(self._part, part.inside))

    def _itself(self, part: Part) -> int:
        match part:
            case ImagePart():
                return self._scaled(self._image(part), self.margin.media)
            case AudioPart() | VideoPart():
                return self._scaled(self._recording(part), self.margin.media)
            case FilePart() if (text := document_text(part)) is not None:
                return self.text(text)
            case MediaPart():  # a document, or a medium without a price of its own
                return self._scaled(document_price(part, self.framing.documents), self.margin.media)
            case OpaquePart(call_id=str()):
                return 0
            case OpaquePart(text=text):
                return self.text(text) if text else 0
            case TextPart():
                return 0  # priced with the message: the provider joins its texts before it encodes them
            case ReasoningPart(text=text, encrypted=characters):
                copy = self.encrypted_reasoning(characters)
                return self.text(text) + copy if text and self.framing.reasoning.shown != "encrypted" else copy
            case CitationPart(text=text):
                return self.text(text) if text else 0

    def _image(self, image: ImagePart) -> int:
        framing, size = self.framing.media, image_size(image)
        if size is None and framing.image is not None:
            return framing.image
        return framing.images.tokens(*(size or _UNKNOWN_SIZE), image.detail)

    def _recording(self, part: AudioPart | VideoPart) -> int:
        framing = self.framing.media
        sound = isinstance(part, AudioPart)
        rate, least = (framing.audio_second, framing.audio) if sound else (framing.video_second, framing.video)
        return max(least, math.ceil((seconds(part) or 0) * rate)) if rate else least

    def _scaled(self, tokens: float, factor: float) -> int:
        scaled = tokens * factor
        return round(scaled) if self.margin.none else math.ceil(scaled)
