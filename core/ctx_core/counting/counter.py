"""Counts what a request costs: the texts through a tokenizer, the rest through a framing.

Counting is additive: a request costs the primer, the tools and the sum of its messages. Nothing is
ever counted by joining texts, so a turn pays only for texts that were not seen before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from ctx_core.counting.families import encoding_tokenizer, family_of
from ctx_core.counting.framing import Framing
from ctx_core.counting.tokenizers import CachedTokenizer, Tokenizer, TokenizerLike, is_tokenizer
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
    VideoPart,
)
from ctx_core.openai_messages import OpenAICodec

ToolDefinition: TypeAlias = Mapping[str, Any]
"""A tool as OpenAI's API takes it: `{"type": "function", "function": {"name", "description", "parameters"}}`."""


@dataclass(frozen=True, slots=True, init=False)
class TokenCounter:
    """Counts messages, tools and whole requests; hashable, shareable between threads."""

    tokenizer: CachedTokenizer
    """Counts texts; every text only once."""
    framing: Framing
    """What is billed beside the texts."""
    model: str | None
    """The model it counts for, where it was made for one."""

    def __init__(self, tokenizer: TokenizerLike, *, framing: Framing | None = None, model: str | None = None) -> None:
        """Take a tokenizer, or a plain function from text to number of tokens, and a framing (OpenAI's by default)."""
        cached = tokenizer if isinstance(tokenizer, CachedTokenizer) else CachedTokenizer(tokenizer)
        object.__setattr__(self, "tokenizer", cached)
        object.__setattr__(self, "framing", framing or Framing())
        object.__setattr__(self, "model", model)

    @classmethod
    def for_model(cls, model: str) -> TokenCounter:
        """Give the counter for a model by name: exact for OpenAI's texts, a safe estimate for the others."""
        tokenizer, framing = family_of(model)
        return cls(tokenizer, framing=framing, model=model)

    @classmethod
    def for_encoding(cls, encoding: str) -> TokenCounter:
        """Give the counter for an encoding of tiktoken, such as `o200k_base`, with OpenAI's framing."""
        return cls(encoding_tokenizer(encoding))

    @property
    def primer(self) -> int:
        """Tokens that a request costs before its first message."""
        return self.framing.per_request

    def count_text(self, text: str) -> int:
        """Count the tokens of a text."""
        return self.tokenizer.count(text)

    def count_message(self, message: Message) -> int:
        """Count a message: its frame, its text, its media and its tool calls."""
        framing = self.framing
        tokens = framing.per_message
        if message.role is Role.ASSISTANT:
            tokens += framing.per_assistant
        if message.name:
            tokens += framing.per_name + self.count_text(message.name)
        text = message.text
        if text:
            tokens += self.count_text(text)
        tokens += sum(map(self._count_part, message.parts))
        for call in message.tool_calls:
            tokens += framing.per_call + self.count_text(call.name) + self.count_text(call.arguments)
        return tokens

    def count_tools(self, tools: Iterable[ToolDefinition]) -> int:
        """Count tool definitions, by their JSON.

        Raises:
            BudgetError: for a definition that is not a dict, or that JSON cannot hold.
        """
        tokens = 0
        for at, tool in enumerate(tools):
            tokens += self.framing.per_tool + self.count_text(_tool_json(tool, at))
        return tokens + self.framing.any_tools if tokens else 0

    def count_messages(
        self, messages: Iterable[Message | Mapping[str, Any]], *, tools: Iterable[ToolDefinition] = ()
    ) -> int:
        """Count a whole request, from scratch: what it is checked with.

        Takes neutral messages and OpenAI-style dicts.
        """
        codec = OpenAICodec()
        read = (m if isinstance(m, Message) else codec.read(cast("dict[str, Any]", m)) for m in messages)
        return self.primer + self.count_tools(tools) + sum(map(self.count_message, read))

    def _count_part(self, part: Part) -> int:
        framing = self.framing
        match part:
            case ImagePart():
                return framing.image
            case AudioPart():
                return framing.audio
            case VideoPart():
                return framing.video
            case FilePart(text=text):
                return framing.file if text is None else self.count_text(text)
            case OpaquePart(text=text, call_id=call_id):
                return 0 if call_id is not None or not text else self.count_text(text)
            case TextPart():
                return 0  # counted above: the provider joins a message's texts before it encodes them
            case ReasoningPart(text=text) | CitationPart(text=text):
                return self.count_text(text) if text else 0


CounterLike: TypeAlias = TokenCounter | Tokenizer | Callable[[str], int] | str
"""A counter, a tokenizer, a plain function from text to number of tokens, or the name of a model."""


def as_counter(counter: CounterLike | None) -> TokenCounter:
    """Give the counter that is meant; None is the safe estimate for a model that is not known.

    Raises:
        BudgetError: for anything else.
    """
    if counter is None:
        tokenizer, framing = family_of("")
        return TokenCounter(tokenizer, framing=framing)
    if isinstance(counter, TokenCounter):
        return counter
    if isinstance(counter, str):
        return TokenCounter.for_model(counter)
    if is_tokenizer(counter):
        return TokenCounter(counter)
    msg = f"counter must be a TokenCounter, a tokenizer, a function or a model's name, found {type(counter).__name__}"
    raise BudgetError(msg)


def _tool_json(tool: ToolDefinition, at: int) -> str:
    if not isinstance(tool, Mapping):
        msg = f"tool {at + 1} must be a tool definition (a dict), found {type(tool).__name__}"
        raise BudgetError(msg)
    try:
        return json.dumps(tool, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        msg = f"tool {at + 1} cannot be written as JSON ({type(error).__name__})"
        raise BudgetError(msg) from error
