"""The formats by name, and which of them a list of messages can only have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from ctx_core.clean import told
from ctx_core.conversation.content_blocks import read_content
from ctx_core.conversation.fields import kind_of, mapped
from ctx_core.conversation.formats.anthropic import AnthropicFormat
from ctx_core.conversation.formats.bedrock import BedrockFormat
from ctx_core.conversation.formats.gemini import GeminiFormat
from ctx_core.conversation.formats.responses import ResponsesFormat
from ctx_core.conversation.held import Reading
from ctx_core.conversation.openai_messages import OpenAICodec
from ctx_core.conversation.parts import OpaquePart, TextPart
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from ctx_core.conversation.message_types import Codec

FormatName: TypeAlias = Literal["openai", "anthropic", "gemini", "bedrock", "responses"]
"""The providers' own messages: OpenAI's chat completions, Anthropic's Messages, Gemini's contents, those of Bedrock's
Converse API, and items of OpenAI's Responses API."""

_FORMATS: Final[Mapping[str, Codec[Any]]] = {
    "openai": OpenAICodec(),
    "anthropic": AnthropicFormat(),
    "gemini": GeminiFormat(),
    "bedrock": BedrockFormat(),
    "responses": ResponsesFormat(),
}
_OF_CHAT: Final = ("tool_calls", "function_call", "tool_call_id")
"""Keys that only a message of chat completions has."""
_OF_ANTHROPIC: Final = frozenset({"tool_use", "tool_result", "server_tool_use", "mcp_tool_use", "mcp_tool_result"})
_OF_BEDROCK: Final = frozenset(
    {"text", "toolUse", "toolResult", "image", "document", "video", "reasoningContent", "cachePoint", "guardContent"}
)
"""Keys of Bedrock's blocks, which have no type."""
_OF_RESPONSES: Final = frozenset({"input_text", "output_text", "input_image", "input_file"})


def format_named(name: str) -> Codec[Any]:
    """Give the door of a format.

    Raises:
        MessageError: for a name that no format has.
    """
    known = _FORMATS.get(name)
    if known is None:
        msg = f"unknown format {told(name)}; known are {', '.join(_FORMATS)}"
        raise MessageError(msg)
    return known


_Told: TypeAlias = tuple[int, FormatName]
"""Where a message stands that only one format can have, and which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signs:
    """What messages say of their format."""

    certain: _Told | None = None
    """The first that only one format can have."""
    likely: FormatName | None = None
    """What the first says that says anything."""


def format_of(messages: Iterable[object], reading: Reading | None = None) -> FormatName:
    """Give the format that the first message decides that only one can have; OpenAI's where none does.

    Blocks of another provider's in messages of chat completions, as gateways take them, are read there too.

    Args:
        messages: all of a list.
        reading: knows which messages were looked at before.

    Raises:
        MessageError: for a list that has messages of two formats; it says where.
    """
    listed: list[object] = messages if isinstance(messages, list) else [*messages]
    reading = Reading() if reading is None else reading

    def ask(begin: int, before: _Signs | None) -> _Signs:
        return _signs(listed[begin:], begin, before)

    behind = reading.found_in("format", listed, ask)
    first = _signs(listed[:1], 0, None)
    certain = _one_of(first.certain, behind.certain)
    return certain[1] if certain is not None else first.likely or behind.likely or "openai"


def _signs(messages: Sequence[object], begin: int, before: _Signs | None) -> _Signs:
    """Give what messages say, the first of which stands at a place, with what those before them said."""
    certain = None if before is None or before.certain is None or before.certain[0] >= begin else before.certain
    likely = None if before is None else before.likely
    for at, native in enumerate(messages, begin):
        found, sure = _format_of(native, first=at == 0)
        if found is None:
            continue
        if sure:
            certain = _one_of(certain, (at, found))
        else:
            likely = likely or found
    return _Signs(certain=certain, likely=likely)


def _one_of(first: _Told | None, second: _Told | None) -> _Told | None:
    """Give the first of two that says its format; both have to say the same."""
    if first is None or second is None or first[1] == second[1]:
        return second if first is None else first
    msg = (
        f"message {second[0] + 1} is of the format {second[1]!r}, and message {first[0] + 1} of {first[1]!r}: "
        "a list has one format; where blocks of several are meant, say format="
    )
    raise MessageError(msg)


def system_text(system: object) -> str:
    """Give the text of a system prompt: of a string, of a list of blocks, or of Gemini's mapping with parts.

    Raises:
        MessageError: for anything else, and for what is no text.
    """
    fields = mapped(system)
    parts = read_content(system if fields is None else fields.get("parts"))
    texts = [part.text for part in parts if isinstance(part, TextPart)]
    others = [part for part in parts if not isinstance(part, TextPart)]
    if any(not isinstance(part, OpaquePart) or part.text for part in others):  # where a cache ends is lost, no more
        msg = f"system must be a text or blocks of text, found {len(others)} other blocks"
        raise MessageError(msg)
    return "\n\n".join(texts)


def _format_of(native: object, *, first: bool) -> tuple[FormatName | None, bool]:
    """Give the format of a message that says it, and whether no other could have it."""
    fields = mapped(native)
    if fields is None:
        return None, False
    if "parts" in fields and "content" not in fields:
        return "gemini", True
    role, kind = fields.get("role"), kind_of(fields)
    if kind and (kind != "message" or isinstance(native, Mapping)) and not (kind == "message" and role is None):
        return "responses", True
    if (isinstance(role, str) and role in {"tool", "function"}) or any(fields.get(key) is not None for key in _OF_CHAT):
        return "openai", True
    if role == "system" and first:
        return None, False
    return next(iter(_by_blocks(fields.get("content"))), (None, False))


def _by_blocks(content: object) -> Iterator[tuple[FormatName, bool]]:
    """Give what the blocks of a content say, the certain ones first."""
    blocks = [mapped(block) for block in cast("list[object]", content)] if isinstance(content, list | tuple) else []
    likely: list[tuple[FormatName, bool]] = []
    for block in blocks:
        if block is None:
            continue
        kind = kind_of(block)
        if kind in _OF_ANTHROPIC or kind.endswith("_tool_result"):
            yield "anthropic", True
        elif not kind and len(block) == 1 and (key := next(iter(block))) in _OF_BEDROCK:
            if key in {"toolUse", "toolResult"}:
                yield "bedrock", True
            likely.append(("bedrock", False))
        elif kind in _OF_RESPONSES:
            likely.append(("responses", False))
        elif kind in {"image", "document"} and mapped(block.get("source")) is not None:
            likely.append(("anthropic", False))
    yield from likely
