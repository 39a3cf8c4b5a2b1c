"""Content blocks become parts, in whichever spelling: OpenAI's, Anthropic's, Google's, Bedrock's or LangChain's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from ctx_core.conversation.messages import (
    AudioPart,
    CitationPart,
    FilePart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    VideoPart,
)
from ctx_core.errors import MessageError

_TEXT: Final = frozenset({"text", "input_text", "output_text", "refusal"})
_IMAGE: Final = frozenset({"image", "image_url", "input_image"})
_AUDIO: Final = frozenset({"audio", "input_audio", "audio_url"})
_VIDEO: Final = frozenset({"video", "video_url", "input_video"})
_FILE: Final = frozenset({"file", "input_file", "document", "text-plain"})
_REASONING: Final = frozenset({"reasoning", "thinking", "redacted_thinking", "reasoning_content"})
_CALLS: Final = frozenset({"tool_use", "tool_call", "function_call", "custom_tool_call"})
_CITATION: Final = frozenset({"citation", "citable"})
_DOCUMENTS: Final = {"txt": "text/plain", "csv": "text/csv", "md": "text/markdown", "html": "text/html"}
"""What Bedrock calls the formats of documents that are plain text."""
_BESIDE_TEXT: Final = frozenset({"text", "thought", "thoughtSignature", "thought_signature", "citations", "index"})
"""Keys of a text of Google's or Bedrock's, which have no type."""
_SEALED: Final = ("encrypted_content", "data", "signature", "thoughtSignature", "thought_signature")
_UNREAD: Final = frozenset({"type", "id", "base64", "url", "mime_type", *_SEALED})


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
        return tuple(read_block(block) for block in cast("list[object]", content))
    msg = f"content must be null, a string or a list of parts, found {type(content).__name__}"
    raise MessageError(msg)


def read_block(block: object) -> Part:
    """Give the part that one content block is, whichever provider's spelling it has.

    Raises:
        MessageError: for something that is neither a string nor a block.
    """
    if isinstance(block, str):
        return TextPart(block, raw=block)
    if not isinstance(block, Mapping):
        msg = f"a content part must be a string or a dict, found {type(block).__name__}"
        raise MessageError(msg)
    block = cast("Mapping[str, Any]", block)
    kind = str(block.get("type", "unknown"))
    if mapping_in(mapping_in(block, kind), "source") and (medium := _read_media(block)):
        return medium  # Bedrock's, as LangChain writes it
    if kind in _TEXT:
        return TextPart(str(block.get("text") or block.get("refusal") or ""), raw=block)
    if kind in _IMAGE:
        return _read_image(block)
    if kind in _AUDIO:
        inner = mapping_in(block, "input_audio")
        return AudioPart(data=inner.get("data") or block.get("base64"), media_type=block.get("mime_type"), raw=block)
    if kind in _VIDEO:
        return VideoPart(media_type=block.get("mime_type"), raw=block)
    if kind in _FILE:
        return _read_file(block)
    if kind in _REASONING:
        inner = mapping_in(block, "reasoning_content") or block  # LangChain's way of writing Bedrock's
        return ReasoningPart(reasoning_text(inner), sealed=sealed(inner), raw=block)
    if kind in _CITATION:
        return CitationPart(visible_text(block), raw=block)
    if kind in _CALLS:
        call_id = block.get("call_id") or block.get("id")
        return OpaquePart(kind=kind, call_id=string_or_none(call_id), raw=block)
    return _read_media(block) or _read_by_keys(block) or OpaquePart(kind=kind, text=visible_text(block), raw=block)


def _read_by_keys(block: Mapping[str, Any]) -> Part | None:
    """Give the part of a block that says what it is by its keys, as Google's API and Bedrock's have it.

    Only where it has no others: what is somebody's own is read whole.
    """
    keys = set(block) - {"type"}
    if keys == {"json"}:
        return TextPart(arguments_text(block["json"]), raw=block)
    if keys == {"reasoningContent"}:
        told = mapping_in(mapping_in(block, "reasoningContent"), "reasoningText")
        return ReasoningPart(str(told.get("text") or ""), sealed=sealed(told), raw=block)
    if "type" in block or not keys <= _BESIDE_TEXT:
        return None
    text = block.get("text")
    if block.get("thought") is True:
        return ReasoningPart(str(text or ""), sealed=sealed(block), raw=block)
    return TextPart(text, raw=block) if isinstance(text, str) else None


def _read_media(block: Mapping[str, Any]) -> Part | None:
    """Give the part of a medium as Google's API or Bedrock's spells it; None for anything else."""
    for key in ("inline_data", "inlineData", "file_data", "fileData"):
        if isinstance(block.get(key), Mapping):
            return _medium(cast("Mapping[str, Any]", block[key]), block)
    if block.get("type") == "media":
        return _medium(block, block)
    holder = mapping_in(block, "guardContent") or block
    for key in ("image", "video", "audio", "document"):
        inner = mapping_in(holder, key)
        source = mapping_in(inner, "source")
        if source:
            form = string_or_none(inner.get("format")) or ""
            family = "application" if key == "document" else key
            media_type = _DOCUMENTS.get(form, f"{family}/{form}")
            if text := _document_text(inner):
                return FilePart(text=text, media_type=media_type, raw=block)
            return _medium({"mime_type": media_type, "data": source.get("bytes")}, block)
    return None


def _document_text(document: Mapping[str, Any]) -> str:
    """Give the text of a document that is one, with what is said about it."""
    source = mapping_in(document, "source")
    plain = visible_text(source.get("text") or source.get("content"))
    plain = plain or (visible_text(source.get("data")) if source.get("type") == "text" else "")
    about = [text for key in ("title", "context") if (text := string_or_none(document.get(key)))]
    return "\n".join([*about, plain]) if plain else ""


def _medium(inner: Mapping[str, Any], block: Mapping[str, Any]) -> Part:
    media_type = str(inner.get("mime_type") or inner.get("mimeType") or "")
    data: object = inner.get("data")
    data = data if isinstance(data, str | bytes) else None
    if media_type.startswith("image"):
        return ImagePart(data=data, media_type=media_type, raw=block)
    if media_type.startswith("audio"):
        return AudioPart(data=data, media_type=media_type, raw=block)
    if media_type.startswith("video"):
        return VideoPart(data=data, media_type=media_type, raw=block)
    return FilePart(data=data, media_type=media_type or None, raw=block)


def sealed(block: Mapping[str, Any]) -> int:
    """Give the characters of the encrypted thoughts that a block carries, under whichever provider's name for them."""
    held = (holder.get(key) for holder in (block, mapping_in(block, "extras")) for key in _SEALED)
    return max((len(value) for value in held if isinstance(value, str)), default=0)


def visible_text(value: object, *, depth: int = 8) -> str:
    """Give the strings inside a block that a model is likely to read; payloads and signatures are not.

    Stops at `depth` levels, so that a circular value ends.
    """
    if isinstance(value, str):
        return "" if value[:5].lower() == "data:" and ";base64," in value[:200] else value
    if depth == 0:
        return ""
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        inner = (visible_text(item, depth=depth - 1) for key, item in items if key not in _UNREAD)
    elif isinstance(value, list | tuple):
        inner = (visible_text(item, depth=depth - 1) for item in cast("list[object]", value))
    elif isinstance(value, int | float):
        return str(value)
    else:
        return ""
    return " ".join(text for text in inner if text)


def arguments_text(arguments: object) -> str:
    """Give the arguments of a call as text: as they are, or as compact JSON; never an error.

    What JSON cannot hold is written with `str`, since providers reject it anyway.
    """
    if arguments is None:
        return ""
    if isinstance(arguments, str):
        return arguments
    try:
        return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"), default=str)
    except (TypeError, ValueError, RecursionError):
        return visible_text(arguments)


def _read_image(block: Mapping[str, Any]) -> ImagePart:
    inner = mapping_in(block, "image_url")
    source = mapping_in(block, "source")
    url = block.get("image_url") if isinstance(block.get("image_url"), str) else inner.get("url") or block.get("url")
    return ImagePart(
        url=string_or_none(url or source.get("url")),
        data=string_or_none(block.get("base64") or block.get("data") or source.get("data")),
        media_type=string_or_none(block.get("mime_type") or source.get("media_type")),
        detail=string_or_none(inner.get("detail") or block.get("detail")),
        raw=block,
    )


def _read_file(block: Mapping[str, Any]) -> FilePart:
    source = mapping_in(block, "source")
    inner = mapping_in(block, "file") or block
    plain = string_or_none(block.get("text")) or _document_text(block)
    data = block.get("base64") or source.get("data") or inner.get("file_data") or block.get("data")
    media_type = block.get("mime_type") or source.get("media_type")
    if media_type is None and isinstance(data, str) and data.startswith("data:"):
        media_type = data[5:].partition(";")[0]
    return FilePart(
        text=string_or_none(plain),
        data=None if plain else string_or_none(data),
        media_type=string_or_none(media_type),
        raw=block,
    )


def reasoning_text(block: Mapping[str, Any]) -> str:
    """Give what a block of reasoning says, under whichever provider's name for it."""
    told: object = next((block[key] for key in ("thinking", "reasoning", "text", "summary") if block.get(key)), "")
    return visible_text(told)  # Mistral's is a list of blocks


def mapping_in(block: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Give the mapping under a key, and an empty one where there is none."""
    value = block.get(key)
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def string_or_none(value: object) -> str | None:
    """Give a string that says something, and None for anything else."""
    return value if isinstance(value, str) and value else None
