"""What a request costs beside its texts: the frame around messages, calls, tools and media."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ctx_core.counting.image_prices import ImagePrice

ToolStyle: TypeAlias = Literal["definition", "json", "typescript", "strings"]
"""How tools are counted: by the JSON of their definition as it is given, by the JSON that chat templates show, by
OpenAI's TypeScript, or by Gemini's list of strings."""

Reasoning: TypeAlias = Literal["all", "turn", "none", "sealed"]
"""Which thoughts in the history the model is shown again: all, those of the running turn, none, or those of the
running turn from their encrypted copy, whose text in clear is a summary for people and not billed."""

Parallel: TypeAlias = Literal["single", "apart", "wrapped"]
"""How calls side by side are rendered: each like one that stands alone, each in an assistant message of its own, or
all in one call that holds them, whose results have no frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Framing:
    """Prices in tokens. The defaults are for a tokenizer of one's own: OpenAI's frame, and tools by their JSON.

    In the table of families they are what the provider's rendering of a prompt costs, as recorded bills show
    it; what a budget adds to be on the safe side is a `Margin`.
    """

    per_request: int = 3
    """Once a request: the primer of the answer, and a prompt that the host adds unseen."""
    default_system: int = 0
    """Once a request that has no system message: the one that the model's template puts in its place."""
    per_message: int = 4
    """Every message: its role and its separators."""
    per_system: int | None = None
    """A system or developer message, instead of `per_message`."""
    per_assistant: int = 0
    """Every assistant message of the history, in addition: 2 for OpenAI's reasoning models."""
    per_name: int = 1
    """A message that names its speaker, in addition to the name's own tokens."""
    per_token: float = 1.0
    """Tokens of the model for a token of the vocabulary that counts: 1 where it is the model's own."""
    per_call: int = 14
    """Every tool call, in addition to its name and its arguments."""
    recipient: str = ""
    """Written before the name of a called tool."""
    sender: str | None = None
    """Written before the tool's name where a result is rendered with it; billed with the call, which knows the name."""
    parallel: Parallel = "single"
    per_wrapped: int = 0
    """Calls side by side that are wrapped in one, in addition to its JSON and the texts of the results."""
    quoted_results: bool = False
    """Whether the results of wrapped calls are written as JSON strings."""
    seal_characters: float = 0
    """Characters of an encrypted copy of the running turn's thoughts that cost a token; 0: it is free."""
    seal_sure: bool = True
    """Whether such copies are always billed; if not, only the bound has them."""
    earlier_seals: bool = False
    """Whether, while a turn is running, the copies from earlier turns are billed too."""
    seal_free: int = 0
    """Characters that every such copy has, and that cost nothing."""
    per_seal: int = 0
    """Every such copy, in addition."""
    per_result: int = 0
    """Every tool result, in addition to `per_message`."""
    tools: ToolStyle = "definition"
    per_tool: int = 12
    """Every tool definition, in addition to its text."""
    per_property: int = 0
    """Every property of a tool's schema, in addition to its text."""
    any_tools: int = 30
    """Once a request that has tools: the heading over them."""
    per_grammar: int = 0
    """Every tool whose input follows a grammar, in addition to the grammar's text."""
    tools_in_system: bool = False
    """Whether the tools are written into the first system message, where there is one, which saves its frame."""
    per_tool_token: float = 1.0
    """Like `per_token`, for the text of tool definitions."""
    per_call_token: float = 1.0
    """Like `per_token`, for the names and arguments of calls, which some providers wrap word by word."""
    forced_tool: int = 0
    """A request that forces one tool, in addition to `forced_prefix` and the tool's name."""
    forced_prefix: str | None = None
    """Written before the name of a forced tool; None where the name is not billed."""
    required_tool: int = 0
    """A request that asks for any tool."""
    per_schema: int = 8
    """Once a request with a schema for the answer, in addition to the schema's text."""
    per_schema_token: float = 1.0
    """Like `per_token`, for the schema of an answer; 0 where it steers the answer without being shown."""
    thinking: int = 0
    """Once a request that switches thinking on."""
    thinking_with_tools: int = 0
    """Once a request that switches thinking on and has tools, in addition to `thinking`."""
    citations: int = 0
    """Once a request with a document that is to be quoted."""
    reasoning: Reasoning = "all"
    images: ImagePrice = ImagePrice()
    """What a picture costs by its size."""
    image: int | None = 1_000
    """A picture whose size is not known; None: what one of 1,024 × 1,024 pixels costs."""
    audio: int = 1_500
    """A recording: about a minute."""
    video: int = 8_000
    """A film: about half a minute."""
    file: int = 3_000
    """A document that is not plain text and whose size is not known."""
    file_base: int = 100
    """A PDF whose size is known: its first page as a picture, where the provider looks at pages."""
    file_bytes: int | None = 16
    """Bytes of a document of known size that cost another token; None: they cost nothing."""

    @classmethod
    def free(cls) -> Framing:
        """Give a framing that costs nothing: only texts count."""
        return cls(
            per_request=0, per_message=0, per_name=0, per_call=0, per_tool=0,
            any_tools=0, per_schema=0,
            images=ImagePrice(kind="flat", unit=0), image=0, audio=0, video=0, file=0,
            file_base=0, file_bytes=None,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """What a budget adds to the nearest figure, so that a bill is not above it."""

    text: float = 1.0
    """Factor on the tokens of texts."""
    tools: float = 1.0
    """Factor on the tokens of tool definitions, and of calls and their frame."""
    any_tools: int = 0
    """Tokens once a request that has tools."""
    per_call: int = 0
    """Tokens for every call: an opaque signature of the thoughts before it may be billed with it."""
    per_request: int = 0
    """Tokens once a request."""
    media: float = 1.0
    """Factor on the price of pictures, recordings, films and documents."""

    @property
    def none(self) -> bool:
        """Whether nothing is added."""
        return self == Margin()
