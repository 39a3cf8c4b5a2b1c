"""Counts what a request costs: the texts through a tokenizer, the rest through a framing.

Counting is additive: a request costs the primer, the tools and the sum of its messages. Nothing is ever
counted by joining texts, so a turn pays only for texts that were not seen before.

The counting methods give the bound: the figure that a budget may rely on. `TokenCounter.nearest` is the same
counter without the margin, and `TokenCounter.measure` gives both figures of a whole request, with what can be
known of a request only as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from ctx_core.counting.calibration import Calibration
from ctx_core.counting.calls import minified, wrapped_calls
from ctx_core.counting.documents import cites, document_price, document_text
from ctx_core.counting.families_openai import CHAT
from ctx_core.counting.framing import Framing, Margin
from ctx_core.counting.image_prices import image_size
from ctx_core.counting.registry import encoding_tokenizer, resolve
from ctx_core.counting.requests import charged, measured
from ctx_core.counting.tokenizers import CachedTokenizer, Tokenizer, TokenizerLike, is_tokenizer
from ctx_core.counting.tool_prices import priced_tools
from ctx_core.counting.tool_schemas import ToolDefinition, compact_json
from ctx_core.errors import BudgetError
from ctx_core.messages import (
    AudioPart,
    CitationPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCall,
    VideoPart,
)
from ctx_core.openai_messages import OpenAICodec

if TYPE_CHECKING:
    from ctx_core.counting.counts import TokenCount
    from ctx_core.counting.options import RequestOptions


_STANDS_IN: Final = 1.05
"""Margin for texts that says that a vocabulary stands in for the model's own."""
_UNKNOWN_SIZE: Final = (1_024, 1_024)
"""Pixels that a picture is taken to have where its header is not at hand: the size that image models make."""

__all__ = ["CounterLike", "TokenCounter", "ToolDefinition", "as_counter", "as_messages"]


@dataclass(frozen=True, slots=True, init=False)
class TokenCounter:
    """Counts messages, tools and whole requests; hashable, shareable between threads."""

    tokenizer: CachedTokenizer
    """Counts texts; every text only once."""
    framing: Framing
    """What is billed beside the texts."""
    model: str | None
    """The model it counts for, where it was made for one."""
    margin: Margin
    """What is added so that a bill is not above the figures; nothing for a tokenizer of your own."""
    calibration: Calibration | None
    """Learns from the model's bills; None: nothing does. `measure` gives figures by it, the counting methods don't."""

    def __init__(
        self,
        tokenizer: TokenizerLike,
        *,
        framing: Framing | None = None,
        model: str | None = None,
        margin: Margin | None = None,
        calibration: Calibration | None = None,
    ) -> None:
        """Take a tokenizer, or a plain function from text to number of tokens, and a framing (OpenAI's by default)."""
        cached = tokenizer if isinstance(tokenizer, CachedTokenizer) else CachedTokenizer(tokenizer)
        object.__setattr__(self, "tokenizer", cached)
        object.__setattr__(self, "framing", framing or Framing())
        object.__setattr__(self, "model", model)
        object.__setattr__(self, "margin", margin or Margin())
        object.__setattr__(self, "calibration", calibration)

    @classmethod
    def for_model(
        cls, model: str, *, api: str | None = None, host: str | None = None, calibration: Calibration | None = None
    ) -> TokenCounter:
        """Give the counter for a model by name.

        Args:
            model: its name, with or without a provider in front of it.
            api: `responses` for OpenAI's responses API, which bills tools and schemas otherwise.
            host: who serves it, where that changes the bill: `vertex`, `groq`, `openrouter`, ….
            calibration: learns from the model's bills.
        """
        tokenizer, framing, margin = resolve(model, api=api, host=host)
        return cls(tokenizer, framing=framing, model=model, margin=margin, calibration=calibration)

    @classmethod
    def for_encoding(cls, encoding: str) -> TokenCounter:
        """Give the counter for an encoding such as `o200k_base`, with OpenAI's framing."""
        return cls(encoding_tokenizer(encoding), framing=CHAT)

    @property
    def nearest(self) -> TokenCounter:
        """The same counter without its margin: its figures are the nearest ones, and may be too low."""
        if self.margin.none and self.calibration is None:
            return self
        return replace(self, margin=Margin(), calibration=None)

    @property
    def uncalibrated(self) -> TokenCounter:
        """The same counter without its calibration: its figures are those that bills are compared with."""
        return self if self.calibration is None else replace(self, calibration=None)

    @property
    def exact(self) -> bool:
        """Whether it counts with the model's own vocabulary, as far as is known: others need a margin for texts.

        A tokenizer or a function of your own is taken to be the model's.
        """
        own = self.framing.per_token == 1.0 and self.margin.text < _STANDS_IN
        return own and not self.tokenizer.estimates

    def with_framing(self, framing: Framing) -> TokenCounter:
        """Give the same counter with another framing."""
        return replace(self, framing=framing)

    @property
    def primer(self) -> int:
        """Tokens that a request costs before its first message."""
        return self.framing.per_request + self.framing.default_system + self.margin.per_request

    def count_text(self, text: str) -> int:
        """Count the tokens of a text."""
        return self._scaled(self.tokenizer.count(text), self.framing.per_token * self.margin.text)

    def count_message(self, message: Message, *, parallel: bool = False) -> int:
        """Count a message: its frame, its text, its media and its tool calls.

        Args:
            message: the message.
            parallel: whether it is the result of one of several calls that were made at once, which some
                providers render otherwise.
        """
        framing, role, text = self.framing, message.role, message.text
        inside = parallel and role is Role.TOOL and framing.parallel == "wrapped"
        if inside and framing.quoted_results:
            text = compact_json(text)
        tokens = 0 if inside else self._frame(message)
        tokens += self.count_text(text) if text else 0
        if framing.citations:
            tokens += self._scaled(framing.citations * sum(map(cites, message.parts)), self.margin.tools)
        return tokens + sum(map(self._count_part, message.parts)) + self._count_calls(message)

    def count_seal(self, characters: int) -> int:
        """Count an encrypted copy of thoughts by its length, where the provider bills what is in it."""
        framing = self.framing
        if not characters or not framing.seal_characters or (self.margin.none and not framing.seal_sure):
            return 0
        tokens = framing.per_seal + max(0, characters - framing.seal_free) / framing.seal_characters
        return self._scaled(tokens, self.margin.tools)

    def count_sequence(self, messages: Iterable[Message]) -> int:
        """Count messages that follow one another, without what a request costs once."""
        tokens, parallel = 0, False
        for message in messages:
            if message.role is not Role.TOOL:
                parallel = len(message.tool_calls) > 1
            tokens += self.count_message(message, parallel=parallel)
        return tokens

    def count_tools(self, tools: Iterable[ToolDefinition]) -> int:
        """Count tool definitions, in the form in which the model reads them.

        Raises:
            BudgetError: for a definition that is not a dict, or that JSON cannot hold.
        """
        tools = list(tools)
        if not tools:
            return 0
        framing = self.framing
        raw, extra = priced_tools(tools, framing, self.tokenizer)
        tokens = raw * framing.per_tool_token + extra + framing.any_tools
        return self._scaled(tokens, self.margin.tools) + self.margin.any_tools

    def count_options(self, options: RequestOptions | None, *, tools: bool = False) -> int:
        """Count what a request asks for beside its messages and tools: a forced tool, a schema, thinking.

        Args:
            options: what is asked for.
            tools: whether there are tools.

        Raises:
            BudgetError: for a schema that JSON cannot hold.
        """
        return 0 if options is None else charged(self, options, tools=tools)

    def count_messages(
        self, messages: Iterable[Message | Mapping[str, Any]], *, tools: Iterable[ToolDefinition] = ()
    ) -> int:
        """Count a whole request, from scratch: what it is checked with.

        Takes neutral messages and OpenAI-style dicts.
        """
        return self.primer + self.count_tools(tools) + self.count_sequence(as_messages(messages))

    def measure(
        self,
        messages: Iterable[Message | Mapping[str, Any]],
        *,
        tools: Iterable[ToolDefinition] = (),
        options: RequestOptions | None = None,
    ) -> TokenCount:
        """Give both figures of a whole request, with the corrections that only the whole request allows."""
        count = measured(self, list(as_messages(messages)), list(tools), options)
        return count if self.calibration is None else self.calibration.corrected(self, count)

    def _frame(self, message: Message) -> int:
        framing, role = self.framing, message.role
        tokens = framing.per_message
        if role.instructs and framing.per_system is not None:
            tokens = framing.per_system
        elif role is Role.ASSISTANT:
            tokens += framing.per_assistant
        elif role is Role.TOOL:
            tokens += framing.per_result
        if message.name and role is not Role.TOOL:
            # A name that is the role itself takes the role's place.
            tokens += self.count_text(message.name) + (0 if message.name == role else framing.per_name)
        return tokens

    def _count_calls(self, message: Message) -> int:
        framing, calls = self.framing, message.tool_calls
        tokens = sum(self.count_seal(call.sealed) for call in calls)
        if len(calls) < 2 or framing.parallel == "single":  # noqa: PLR2004 - one call has none beside it
            return tokens + sum(map(self._count_call, calls))
        if framing.parallel == "apart":
            frames = (len(calls) - 1) * (framing.per_message + framing.per_assistant)
            return tokens + frames + sum(map(self._count_call, calls))
        raw = self.tokenizer.count(wrapped_calls(calls)) * framing.per_call_token + framing.per_wrapped
        tokens += self._scaled(raw, self.margin.tools) + self.margin.per_call * len(calls)
        # The wrapping call brings a frame of its own.
        return tokens if message.text else tokens - self._frame(message)

    def _count_call(self, call: ToolCall) -> int:
        framing = self.framing
        raw = self.tokenizer.count(framing.recipient + call.name) + self.tokenizer.count(
            call.arguments if framing.tools == "definition" else minified(call.arguments)
        )
        if framing.sender is not None:
            raw += self.tokenizer.count(framing.sender + call.name)
        return self._scaled(raw * framing.per_call_token + framing.per_call, self.margin.tools) + self.margin.per_call

    def _count_part(self, part: Part) -> int:
        framing = self.framing
        match part:
            case ImagePart():
                size = image_size(part)
                if size is None and framing.image is not None:
                    return self._scaled(framing.image, self.margin.media)
                return self._scaled(framing.images.tokens(*(size or _UNKNOWN_SIZE), part.detail), self.margin.media)
            case AudioPart():
                return self._scaled(framing.audio, self.margin.media)
            case VideoPart():
                return self._scaled(framing.video, self.margin.media)
            case FilePart():
                text = document_text(part)
                if text is not None:
                    return self.count_text(text)
                return self._scaled(document_price(part, framing), self.margin.media)
            case OpaquePart(text=text, call_id=call_id):
                return 0 if call_id is not None or not text else self.count_text(text)
            case TextPart():
                return 0  # counted above: the provider joins a message's texts before it encodes them
            case ReasoningPart(text=text, sealed=sealed):
                seal = self.count_seal(sealed)
                return self.count_text(text) + seal if text and framing.reasoning != "sealed" else seal
            case CitationPart(text=text):
                return self.count_text(text) if text else 0

    def _scaled(self, tokens: float, factor: float) -> int:
        scaled = tokens * factor
        return round(scaled) if self.margin.none else math.ceil(scaled)


CounterLike: TypeAlias = TokenCounter | Tokenizer | Callable[[str], int] | str
"""A counter, a tokenizer, a plain function from text to number of tokens, or the name of a model."""


def as_counter(counter: CounterLike | None) -> TokenCounter:
    """Give the counter that is meant; None is the safe estimate for a model that is not known.

    Raises:
        BudgetError: for anything else.
    """
    if counter is None:
        tokenizer, framing, margin = resolve("")
        return TokenCounter(tokenizer, framing=framing, margin=margin)
    if isinstance(counter, TokenCounter):
        return counter
    if isinstance(counter, str):
        return TokenCounter.for_model(counter)
    if is_tokenizer(counter):
        return TokenCounter(counter)
    msg = f"counter must be a TokenCounter, a tokenizer, a function or a model's name, found {type(counter).__name__}"
    raise BudgetError(msg)


def as_messages(messages: Iterable[Message | Mapping[str, Any]]) -> Iterable[Message]:
    """Read neutral messages and OpenAI-style dicts."""
    codec = OpenAICodec()
    return (m if isinstance(m, Message) else codec.read(cast("dict[str, Any]", m)) for m in messages)
