"""Content blocks become parts, in whichever spelling: OpenAI's, Anthropic's, Google's, Bedrock's or LangChain's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.calls import is_call, read_call
from ctx_core.conversation.fields import (
    arguments_text,
    encrypted,
    json_text,
    kind_of,
    mapped,
    mapping_in,
    visible_text,
)
from ctx_core.conversation.media_blocks import read_media
from ctx_core.conversation.messages import CitationPart, OpaquePart, Part, ReasoningPart, TextPart
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEXT: Final = frozenset({"text", "input_text", "output_text", "refusal"})
_REASONING: Final = frozenset({"reasoning", "thinking", "redacted_thinking", "reasoning_content"})
_CITATION: Final = frozenset({"citation", "citable"})
_MARKS: Final = frozenset({"cachePoint", "cache_point", "cache"})
"""What says where a cache ends, by type or by key: nothing that the model reads."""
_BESIDE_TEXT: Final = frozenset({"text", "thought", "thoughtSignature", "thought_signature", "citations", "index"})
"""Keys of a text of Google's or Bedrock's, which have no type."""


def read_content(content: object) -> tuple[Part, ...]:
    """Give the parts of a content: null, a string, or a list of strings and blocks.

    Raises:
        MessageError: for anything else.
    """
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return (TextPart(content),)
    if isinstance(content, list | tuple):
        return tuple(map(read_block, cast("list[object]", content)))
    msg = f"content must be null, a string or a list of parts, found {type(content).__name__}"
    raise MessageError(msg)


def read_block(raw: object) -> Part:
    """Give the part that one content block is, whichever provider's spelling it has.

    Raises:
        MessageError: for something that is neither a string nor a block.
    """
    if isinstance(raw, str):
        return TextPart(raw, raw=raw)
    block = mapped(raw)
    if block is None:
        msg = f"a content part must be a string or a dict, found {type(raw).__name__}"
        raise MessageError(msg)
    return _read(block, raw)


def is_mark(block: Mapping[str, Any]) -> bool:
    """Whether a block says nothing and only marks where a cache ends."""
    return kind_of(block) in _MARKS or (len(block) == 1 and next(iter(block)) in _MARKS)


def _read(block: Mapping[str, Any], raw: object) -> Part:
    kind = kind_of(block)
    if kind in _TEXT:
        return TextPart(str(block.get("text") or block.get("refusal") or ""), raw=raw)
    if kind in _REASONING:
        inner = mapping_in(block, "reasoning_content") or block  # LangChain's way of writing Bedrock's
        return ReasoningPart(reasoning_text(inner), encrypted=encrypted(inner), raw=raw)
    if kind in _CITATION:
        return CitationPart(visible_text(block), raw=raw)
    if is_call(block):
        call = read_call(block)
        return OpaquePart(kind=kind or "function_call", call_id=call.id or "", raw=raw)
    if is_mark(block):
        return OpaquePart(kind=kind or next(iter(block)), raw=raw)
    media = read_media(block, raw)
    return media or _read_by_keys(block, raw) or _opaque(block, kind, raw)


def _read_by_keys(block: Mapping[str, Any], raw: object) -> Part | None:
    """Give the part of a block that says what it is by its keys, as Google's API and Bedrock's have it.

    Only where it has no others: what is somebody's own is read whole.
    """
    keys = set(block) - {"type"}
    if keys == {"json"}:
        return TextPart(arguments_text(block["json"]), raw=raw)
    if keys == {"reasoningContent"}:
        thoughts = mapping_in(block, "reasoningContent")
        told = mapping_in(thoughts, "reasoningText") or thoughts
        return ReasoningPart(str(told.get("text") or ""), encrypted=max(encrypted(told), _redacted(told)), raw=raw)
    if keys == {"guardContent"} and (guarded := mapping_in(mapping_in(block, "guardContent"), "text")):
        return TextPart(str(guarded.get("text") or ""), raw=raw)
    if keys == {"searchResult"} or kind_of(block) == "search_result":
        return OpaquePart(kind="search_result", text=visible_text(block), raw=raw)
    if "type" in block or not keys <= _BESIDE_TEXT:
        return None
    text = block.get("text")
    if block.get("thought") is True:
        return ReasoningPart(str(text or ""), encrypted=encrypted(block), raw=raw)
    return TextPart(text, raw=raw) if isinstance(text, str) else None


def _redacted(thoughts: Mapping[str, Any]) -> int:
    held: object = thoughts.get("redactedContent")
    return len(held) if isinstance(held, str | bytes) else 0


def _opaque(block: Mapping[str, Any], kind: str, raw: object) -> OpaquePart:
    """Give a block of a kind that is not known: nothing in it is free, encrypted texts cost what they say."""
    plain, characters = _without_encrypted(block)
    return OpaquePart(kind=kind or "unknown", text=json_text(plain), encrypted=characters, raw=raw)


def _without_encrypted(value: object, depth: int = 8) -> tuple[object, int]:
    fields = mapped(value)
    if depth and fields is not None:
        pairs = {
            name: _without_encrypted(held, depth - 1) for name, held in fields.items() if name != "encrypted_content"
        }
        characters = sum(count for _, count in pairs.values())
        hidden = fields.get("encrypted_content")
        if isinstance(hidden, str):
            characters += len(hidden)
        return {name: plain for name, (plain, _) in pairs.items()}, characters
    if depth and isinstance(value, list | tuple):
        found = [_without_encrypted(one, depth - 1) for one in cast("list[object]", value)]
        return [plain for plain, _ in found], sum(count for _, count in found)
    return value, 0


def reasoning_text(block: Mapping[str, Any]) -> str:
    """Give what a block of reasoning says, under whichever provider's name for it."""
    told: object = next((block[key] for key in ("thinking", "reasoning", "text", "summary") if block.get(key)), "")
    return visible_text(told)  # Mistral's is a list of blocks
