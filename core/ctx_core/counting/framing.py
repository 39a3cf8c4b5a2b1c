"""What a request costs beside its texts: the frame around messages, calls, tools and media."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ctx_core.counting.image_prices import ImagePrice

ToolStyle: TypeAlias = Literal["definition", "json", "typescript", "strings"]
"""How tools are counted: by the JSON of their definition as it is given, by the JSON that chat templates show, by
OpenAI's TypeScript, or by Gemini's list of strings."""

ShownReasoning: TypeAlias = Literal["all", "turn", "none", "encrypted"]
"""Which reasoning in the history the model is shown again: all, that of the running turn, none, or that of the running
turn from its encrypted copy, whose text in clear is a summary for people and not billed."""

Parallel: TypeAlias = Literal["single", "apart", "wrapped"]
"""How calls side by side are rendered: each like one that stands alone, each in an assistant message of its own, or
all in one call that holds them, whose results have no frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFraming:
    """The frame around messages, by role, and how densely their texts are divided."""

    per_request: int = 3
    """Once a request: the primer of the answer, and a prompt that the host adds without showing it."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFraming:
    """The frame around tool calls of the history and their results."""

    per_call: int = 14
    """Every tool call, in addition to its name and its arguments."""
    per_token: float = 1.0
    """Like `MessageFraming.per_token`, for names and arguments of calls, which some providers wrap word by word."""
    name_prefix: str = ""
    """Written before the name of a called tool."""
    result_prefix: str | None = None
    """Written before the tool's name where a result is rendered with it; billed with the call, which knows the name."""
    per_result: int = 0
    """Every tool result, in addition to `MessageFraming.per_message`."""
    parallel: Parallel = "single"
    """How calls side by side are rendered."""
    per_wrapped: int = 0
    """Calls side by side that are wrapped in one, in addition to its JSON and the texts of the results."""
    quoted_results: bool = False
    """Whether the results of wrapped calls are written as JSON strings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningFraming:
    """What reasoning in the history costs, and what it costs to ask for it."""

    shown: ShownReasoning = "all"
    """Which reasoning in the history the model is shown again, and is billed."""
    per_request: int = 0
    """Once a request that switches reasoning on."""
    with_tools: int = 0
    """Once a request that switches reasoning on and has tools, in addition to `per_request`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptedReasoningFraming:
    """What encrypted copies of the model's reasoning cost, which are sent back with the history."""

    characters_per_token: float = 0
    """Characters of a copy from the running turn that cost a token; 0: copies are free."""
    free_characters: int = 0
    """Characters that every copy has, and that cost nothing."""
    per_copy: int = 0
    """Every copy, in addition."""
    always_billed: bool = True
    """Whether copies are always billed; if not, only the bound has them."""
    earlier_turns: bool = False
    """Whether, while a turn is running, the copies from earlier turns are billed too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFraming:
    """How tool definitions are rendered, and what it costs to force a call."""

    style: ToolStyle = "definition"
    """The form in which definitions are counted."""
    per_tool: int = 12
    """Every tool definition, in addition to its text."""
    per_property: int = 0
    """Every property of a tool's schema, in addition to its text."""
    per_grammar: int = 0
    """Every tool whose input follows a grammar, in addition to the grammar's text."""
    per_token: float = 1.0
    """Like `MessageFraming.per_token`, for the text of tool definitions."""
    per_request: int = 30
    """Once a request that has tools: the heading over them."""
    in_system: bool = False
    """Whether the tools are written into the first system message, where there is one, which saves its frame."""
    forced: int = 0
    """A request that forces one tool, in addition to `forced_prefix` and the tool's name."""
    forced_prefix: str | None = None
    """Written before the name of a forced tool; None where the name is not billed."""
    required: int = 0
    """A request that asks for any tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaFraming:
    """What the schema of a structured answer costs."""

    per_schema: int = 8
    """Once a request with a schema for the answer, in addition to the schema's text."""
    per_token: float = 1.0
    """Like `MessageFraming.per_token`, for the schema; 0 where it steers the answer without being shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaFraming:
    """What pictures, recordings and films cost."""

    images: ImagePrice = ImagePrice()
    """What a picture costs by its size."""
    image: int | None = 1_000
    """A picture whose size is not known; None: what one of 1,024 × 1,024 pixels costs."""
    audio_second: float = 32
    """A second of a recording. The default is Gemini's figure, the highest that is published:
    https://ai.google.dev/gemini-api/docs/audio"""
    audio: int = 1_500
    """A recording that is not at hand; and one of few seconds at least, whatever it is."""
    video_second: float = 300
    """A second of a film. The default is Gemini's figure, the highest that is published: a picture of 258 tokens, and
    the sound: https://ai.google.dev/gemini-api/docs/video-understanding"""
    video: int = 8_000
    """A film that is not at hand; and one of few seconds at least, whatever it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFraming:
    """What documents cost that are not plain text."""

    unknown_size: int = 3_000
    """A document whose size is not known."""
    base: int = 100
    """A page of a PDF as a picture, where the provider looks at pages."""
    page: int = 1_500
    """The text of a page of a PDF at least, from the second page on: 1,500 to 3,000 by
    https://docs.claude.com/en/docs/build-with-claude/pdf-support."""
    bytes_per_token: int | None = 16
    """Bytes of a document of known size that cost another token; None: they cost nothing."""
    citations: int = 0
    """Once a request with a document, of whatever kind, that is to be quoted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Framing:
    """Prices in tokens. The defaults are for a tokenizer of one's own: OpenAI's frame, and tools by their JSON.

    In the table of families they are what the provider's rendering of a prompt costs, as recorded bills show
    it; what a budget adds to be on the safe side is a `Margin`.
    """

    messages: MessageFraming = MessageFraming()
    """The frame around messages, by role."""
    calls: CallFraming = CallFraming()
    """The frame around tool calls and their results."""
    reasoning: ReasoningFraming = ReasoningFraming()
    """Reasoning in the history, and asking for it."""
    encrypted_reasoning: EncryptedReasoningFraming = EncryptedReasoningFraming()
    """Encrypted copies of reasoning in the history."""
    tools: ToolFraming = ToolFraming()
    """Tool definitions, and forced calls."""
    schema: SchemaFraming = SchemaFraming()
    """The schema of a structured answer."""
    media: MediaFraming = MediaFraming()
    """Pictures, recordings and films."""
    documents: DocumentFraming = DocumentFraming()
    """Documents that are not plain text."""

    @classmethod
    def free(cls) -> Framing:
        """Give a framing that costs nothing: only texts count."""
        return cls(
            messages=MessageFraming(per_request=0, per_message=0, per_name=0),
            calls=CallFraming(per_call=0),
            tools=ToolFraming(per_tool=0, per_request=0),
            schema=SchemaFraming(per_schema=0),
            media=MediaFraming(
                images=ImagePrice(kind="flat", unit=0), image=0, audio_second=0, audio=0, video_second=0, video=0
            ),
            documents=DocumentFraming(unknown_size=0, base=0, page=0, bytes_per_token=None),
        )
