"""Counts what a request to a model costs: messages, tools and whole requests, by the model's prices.

The counting methods give the bound: the figure that a budget may rely on. `TokenCounter.without_margin` is the same
counter for estimates, and `TokenCounter.measure` gives both figures of a whole request, with what can be known of a
request only as a whole. Prices add up, so that a turn pays only for texts that were not counted before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, cast

from ctx_core.conversation.codecs import as_sequence, codec_for
from ctx_core.conversation.formats.names import format_named
from ctx_core.conversation.messages import Message
from ctx_core.conversation.transcript import read_natives
from ctx_core.counting.calibration import Calibration
from ctx_core.counting.families.openai_chat import CHAT
from ctx_core.counting.framing import Framing
from ctx_core.counting.margin import Margin
from ctx_core.counting.model_objects import asked_model, model_name
from ctx_core.counting.prices import Prices
from ctx_core.counting.registry import encoding_tokenizer, resolve
from ctx_core.counting.requests import charged, measured
from ctx_core.counting.tokenizers import (
    CachedTokenizer,
    Encoder,
    Tokenizer,
    TokenizerLike,
    counts_messages,
    is_tokenizer,
    tokenizer_name,
)
from ctx_core.counting.tool_schemas import ToolDefinition
from ctx_core.errors import BudgetError

if TYPE_CHECKING:
    from ctx_core.conversation.formats.names import FormatName
    from ctx_core.conversation.message_types import Codec
    from ctx_core.counting.counts import TokenCount
    from ctx_core.counting.options import RequestOptions


_SUBSTITUTE: Final = 1.05
"""Margin for texts from which on the vocabulary is a substitute for the model's own."""

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
    of_message: Callable[[Message], int] | None
    """Counts messages in the place of the tokenizer and the framing, which count the rest; None: nothing does."""
    _prices: Prices = field(init=False, compare=False, repr=False)
    """Prices by the tokenizer, the framing and the margin."""

    def __init__(
        self,
        tokenizer: TokenizerLike,
        *,
        framing: Framing | None = None,
        model: str | None = None,
        margin: Margin | None = None,
        calibration: Calibration | None = None,
        of_message: Callable[[Message], int] | None = None,
    ) -> None:
        """Take a tokenizer, or a plain function from text to number of tokens, and a framing (OpenAI's by default)."""
        cached = tokenizer if isinstance(tokenizer, CachedTokenizer) else CachedTokenizer(tokenizer)
        object.__setattr__(self, "tokenizer", cached)
        object.__setattr__(self, "framing", framing or Framing())
        object.__setattr__(self, "model", model)
        object.__setattr__(self, "margin", margin or Margin())
        object.__setattr__(self, "calibration", calibration)
        object.__setattr__(self, "of_message", of_message)
        prices = Prices(tokenizer=cached, framing=self.framing, margin=self.margin, of_message=of_message)
        object.__setattr__(self, "_prices", prices)

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
    def without_margin(self) -> TokenCounter:
        """The same counter without its margin and its calibration: its figures are estimates, and may be too low."""
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
        own = self.framing.messages.per_token == 1.0 and self.margin.text < _SUBSTITUTE
        return own and not self.tokenizer.estimates

    def with_framing(self, framing: Framing) -> TokenCounter:
        """Give the same counter with another framing."""
        return replace(self, framing=framing)

    @property
    def primer(self) -> int:
        """Tokens that a request costs before its first message."""
        return self._prices.primer

    def count_text(self, text: str) -> int:
        """Count the tokens of a text."""
        return self._prices.text(text)

    def count_message(self, message: Message, *, parallel: bool = False) -> int:
        """Count a message: its frame, its text, its media and its tool calls.

        Args:
            message: the message.
            parallel: whether it is the result of one of several calls that were made at once, which some
                providers render otherwise.
        """
        return self._prices.message(message, parallel=parallel)

    def count_encrypted_reasoning(self, characters: int) -> int:
        """Count an encrypted copy of reasoning by its length, where the provider bills what is in it."""
        return self._prices.encrypted_reasoning(characters)

    def count_sequence(self, messages: Iterable[Message]) -> int:
        """Count messages that follow one another, without what a request costs once."""
        return self._prices.sequence(messages)

    def count_tools(self, tools: Iterable[ToolDefinition]) -> int:
        """Count tool definitions, in the form in which the model reads them.

        Raises:
            BudgetError: for a definition that is not a dict, or that JSON cannot hold.
        """
        return self._prices.tools(tools)

    def count_options(self, options: RequestOptions | None, *, tools: bool = False) -> int:
        """Count what a request asks for beside its messages and tools: a forced tool, a schema, thinking.

        Args:
            options: what is asked for.
            tools: whether there are tools.

        Raises:
            BudgetError: for a schema that JSON cannot hold.
        """
        return 0 if options is None else charged(self._prices, options, tools=tools)

    def count_messages(
        self,
        messages: Iterable[Message | Mapping[str, Any]],
        *,
        tools: Iterable[ToolDefinition] = (),
        format: FormatName | None = None,  # noqa: A002 - the word that `fit` has for it
    ) -> int:
        """Count a whole request, from scratch: what it is checked with.

        Takes neutral messages and a provider's own, of a `format` or of what they say. A system text that goes apart
        from them is counted as one more message.
        """
        return self.primer + self.count_tools(tools) + self.count_sequence(as_messages(messages, format))

    def measure(
        self,
        messages: Iterable[Message | Mapping[str, Any]],
        *,
        tools: Iterable[ToolDefinition] = (),
        options: RequestOptions | None = None,
        format: FormatName | None = None,  # noqa: A002 - the word that `fit` has for it
    ) -> TokenCount:
        """Give both figures of a whole request, with the corrections that only the whole request allows."""
        count = measured(self._prices, list(as_messages(messages, format)), list(tools), options)
        return count if self.calibration is None else self.calibration.corrected(self, count)


class ModelObject(Protocol):
    """A model object of LangChain or LlamaIndex."""

    @property
    def metadata(self) -> Any:  # noqa: ANN401 - a dict in one, an object in the other
        """What is known of it."""
        ...


CounterLike: TypeAlias = TokenCounter | Tokenizer | Encoder | Callable[[Any], int | Sized] | ModelObject | str
"""A counter, a tokenizer, a plain function from text to number of tokens or to tokens, or the name of a model. A model
object of LangChain or LlamaIndex is taken for its name; functions of lists of messages are for LangChain's surfaces."""

_APPROXIMATE: Final = "approximate"
"""LangChain's short name for its `count_tokens_approximately`; no model is called so."""


def as_counter(counter: CounterLike | None) -> TokenCounter:
    """Give the counter that is meant; None is the safe estimate for a model that is not known.

    Raises:
        BudgetError: for anything else, among it functions that count lists of messages.
    """
    if counter is None:
        tokenizer, framing, margin = resolve("")
        return TokenCounter(tokenizer, framing=framing, margin=margin)
    if isinstance(counter, TokenCounter):
        return counter
    if counter == _APPROXIMATE or counts_messages(counter):
        shown = repr(counter) if isinstance(counter, str) else tokenizer_name(counter)
        msg = (
            f"{shown} counts lists of messages, and what counts here is given a text: give a model's name, such as "
            "'gpt-4o', or a function from a text to its number of tokens; of LangChain's counters "
            "langchain_ctx.message_counter makes one"
        )
        raise BudgetError(msg)
    if isinstance(counter, str):
        return TokenCounter.for_model(counter)
    if is_tokenizer(counter):
        return TokenCounter(cast("TokenizerLike", counter))
    name = model_name(asked_model(counter))
    if name is not None:
        return TokenCounter.for_model(name)
    msg = f"counter must be a TokenCounter, a tokenizer, a function or a model's name, found {type(counter).__name__}"
    raise BudgetError(msg)


def as_messages(messages: Iterable[Message | Mapping[str, Any]], named: FormatName | None = None) -> Iterable[Message]:
    """Read neutral messages and a provider's own, of a format that is named or of what they say.

    Raises:
        MessageError: for a message that cannot be read.
    """
    listed = as_sequence(messages)
    natives = [message for message in listed if not isinstance(message, Message)]
    door: Codec[Any] = codec_for(natives, None) if named is None else format_named(named)
    if len(natives) == len(listed):
        return read_natives(natives, door)
    return (m for one in listed for m in ((one,) if isinstance(one, Message) else read_natives([one], door)))
