"""Content blocks become parts, in whichever spelling: OpenAI's, Anthropic's, Google's, Bedrock's or LangChain's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.block_table import MADE_IMAGE, QUOTED, REASONING, REDACTED, RUN_BY_PROVIDERS, TEXT, WORDS
from ctx_core.conversation.block_types import BlockType
from ctx_core.conversation.calls import is_call, read_call, row_of_call, said_in_call
from ctx_core.conversation.fields import (
    copy_length,
    encrypted,
    json_text,
    kind_of,
    mapped,
    mapping_in,
    signature,
    string_or_none,
    visible_text,
    words_of,
)
from ctx_core.conversation.media_blocks import read_media
from ctx_core.conversation.parts import CitationPart, ImagePart, OpaquePart, Part, ReasoningPart, TextPart
from ctx_core.conversation.structured_text import structured_part
from ctx_core.conversation.whole import row_of_medium, whole
from ctx_core.errors import MessageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ctx_core.conversation.messages import ToolCall

_TEXT: Final = frozenset({"text", "input_text", "output_text", "refusal"})
_REASONING: Final = frozenset({"reasoning", "thinking", "redacted_thinking", "reasoning_content"})
_CITATION: Final = frozenset({"citation", "citable"})
_MARKS: Final = frozenset({"cachePoint", "cache_point", "cache"})
"""What says where a cache ends, by type or by key: nothing that the model reads."""
_MARK: Final = BlockType(free=frozenset({"type", "cache_type", "ttl", "default"}))
_BESIDE_TEXT: Final = frozenset({"text", "thought", "thoughtSignature", "thought_signature", "citations", "index"})
"""Keys of a text of Google's or Bedrock's, which have no type."""
_ALL: Final = BlockType()


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
    """Give the part that one content block is, whichever provider's spelling it has, with all that it says.

    Raises:
        MessageError: for something that is neither a string nor a block.
    """
    if isinstance(raw, str):
        return TextPart(raw, raw=raw)
    block = mapped(raw)
    if block is None:
        msg = f"a content part must be a string or a dict, found {type(raw).__name__}"
        raise MessageError(msg)
    part, row = _read(block, raw)
    if row is None or not (left := row.rest(block)):
        return part
    return replace(part, inside=(*part.inside, whole(left)))


def settled(
    parts: Iterable[Part], calls: Iterable[ToolCall], says: Callable[[Any], object] = lambda raw: raw
) -> tuple[Part, ...]:
    """Give parts in which a block that spells a call is counted, unless the call is among these, which are counted.

    A call may stand where nobody calls, in a message of the user, or be lacking in the list of calls. It is sent.

    Args:
        parts: the parts.
        calls: the calls that are read and counted by themselves.
        says: gives what a framework's own block says, as a mapping.
    """
    left = [call.id or "" for call in calls]
    found: list[Part] = []
    for part in parts:
        if isinstance(part, OpaquePart) and part.call_id is not None:
            if part.call_id not in left:
                said = says(part.raw)
                fields = mapped(said)
                found.append(whole(said if fields is None else said_in_call(fields), kind=part.kind, raw=part.raw))
                continue
            left.remove(part.call_id)
        found.append(part)
    return tuple(found)


def is_mark(block: Mapping[str, Any]) -> bool:
    """Whether a block says nothing and only marks where a cache ends."""
    return kind_of(block) in _MARKS or (len(block) == 1 and next(iter(block)) in _MARKS)


def says_nothing(part: Part) -> bool:
    """Whether a part is a blank text, or only marks where a cache ends."""
    if isinstance(part, OpaquePart):
        return not part.text and is_mark(mapped(part.raw) or {})
    return isinstance(part, TextPart) and not part.text.strip()


def _read(block: Mapping[str, Any], raw: object) -> tuple[Part, BlockType | None]:
    """Give the part, and the row of what is read and free in the block; None where nothing is left."""
    kind = kind_of(block)
    if kind in _TEXT:
        said = block.get("text") or block.get("refusal") or ""
        return _text(block, said if isinstance(said, str) else json_text(said), raw), TEXT
    if kind in _REASONING:
        inner = mapping_in(block, "reasoning_content") or block  # LangChain's way of writing Bedrock's
        sealed = inner.get("data") if kind == "redacted_thinking" else signature(inner)
        part = ReasoningPart(reasoning_text(inner), encrypted=encrypted(inner), signed=bool(sealed), raw=raw)
        return part, _row_of_reasoning(inner, REDACTED if kind == "redacted_thinking" else REASONING)
    if kind in _CITATION:
        return CitationPart(_quoted(block), raw=raw), QUOTED
    if is_call(block):
        return OpaquePart(kind=kind or "function_call", call_id=read_call(block).id or "", raw=raw), row_of_call(block)
    if kind == "function_call_signature":  # what LangChain's older messages of Gemini have beside a call
        return OpaquePart(kind=kind, inside=(ReasoningPart(encrypted=signature(block)),), raw=raw), REASONING
    if is_mark(block):
        return OpaquePart(kind=kind or next(iter(block)), raw=raw), _MARK if kind else None
    if kind == "image_generation_call":
        return ImagePart(data=string_or_none(block.get("result")), raw=raw), MADE_IMAGE
    if (medium := read_media(block, raw)) is not None:
        return medium, row_of_medium(medium, block)
    if (run := RUN_BY_PROVIDERS.get(kind)) is not None:
        return whole(run.rest(block), kind=kind, raw=raw), None
    return _by_keys(block, raw) or (whole(block, kind=kind or "unknown", raw=raw), None)


def _text(block: Mapping[str, Any], text: str, raw: object) -> TextPart:
    """Give a text, with the copy of the thoughts before it that Google has put there."""
    copy = signature(block)
    return TextPart(text, inside=(ReasoningPart(encrypted=copy),) if copy else (), raw=raw)


def _by_keys(block: Mapping[str, Any], raw: object) -> tuple[Part, BlockType | None] | None:
    """Give the part of a block that says what it is by its keys, as Google's API and Bedrock's have it.

    Only where it has no others: what is somebody's own is read whole.
    """
    keys = set(block) - {"type"}
    if keys == {"json"}:
        return structured_part(block["json"], raw), None
    if keys == {"reasoningContent"}:
        thoughts = mapping_in(block, "reasoningContent")
        told = mapping_in(thoughts, "reasoningText") or thoughts
        copy = max(encrypted(told), copy_length(thoughts.get("redactedContent")))
        sealed = bool(signature(told) or thoughts.get("redactedContent"))
        return ReasoningPart(str(told.get("text") or ""), encrypted=copy, signed=sealed, raw=raw), REASONING
    if keys == {"guardContent"} and (guarded := mapping_in(mapping_in(block, "guardContent"), "text")):
        return TextPart(str(guarded.get("text") or ""), raw=raw), _GUARDED
    if keys == {"searchResult"}:
        found = mapping_in(block, "searchResult")
        return OpaquePart(kind="search_result", text=_quoted(found), raw=raw), BlockType(
            within={"searchResult": QUOTED}
        )
    if kind_of(block) == "search_result":
        return OpaquePart(kind="search_result", text=_quoted(block), raw=raw), QUOTED
    if "type" in block or not keys <= _BESIDE_TEXT:
        return None
    text = block.get("text")
    if block.get("thought") is True:
        row = BlockType(read=frozenset({"text"}), free=REASONING.free)
        return ReasoningPart(str(text or ""), encrypted=encrypted(block), raw=raw), row
    return (_text(block, text, raw), TEXT) if isinstance(text, str) else None


_GUARDED: Final = BlockType(
    within={
        "guardContent": BlockType(within={"text": BlockType(read=frozenset({"text"}), free=frozenset({"qualifiers"}))})
    }
)


def _quoted(block: Mapping[str, Any]) -> str:
    """Give the texts of a quotation: its title, its source and its words, in their order."""
    held = (words_of(told) if key == "content" else visible_text(told) for key, told in block.items() if key in _TOLD)
    return " ".join(text for text in held if text)


_TOLD: Final = QUOTED.read | {"content"}
_THOUGHTS: Final = ("thinking", "reasoning", "text", "summary")


def reasoning_text(block: Mapping[str, Any]) -> str:
    """Give what a block of reasoning says, under whichever provider's name for it."""
    return words_of(next((block[key] for key in _THOUGHTS if block.get(key)), ""))  # Mistral's is a list of blocks


def _row_of_reasoning(told: Mapping[str, Any], row: BlockType) -> BlockType:
    """Give the row of thoughts, with the one key that their text is read from."""
    key = next((key for key in _THOUGHTS if told.get(key)), None)
    if key is None:
        return row
    listed = not isinstance(told[key], str)
    return replace(row, within={**row.within, key: WORDS}) if listed else replace(row, read=row.read | {key})
