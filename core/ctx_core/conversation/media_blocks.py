"""Pictures, recordings, films and documents, in whichever spelling; nothing is loaded from an address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ctx_core.conversation.fields import first_in, kind_of, mapped, mapping_in, string_or_none, visible_text, words_of
from ctx_core.conversation.messages import AudioPart, FilePart, ImagePart, MediaPart, VideoPart
from ctx_core.conversation.recognized_media import MEDIA_TYPES, medium_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS: Final = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "computer_screenshot": "image",
    "audio": "audio",
    "input_audio": "audio",
    "audio_url": "audio",
    "video": "video",
    "video_url": "video",
    "input_video": "video",
    "file": "file",
    "input_file": "file",
    "document": "file",
    "text-plain": "file",
}
"""What a block is by its type."""
_GOOGLE: Final = ("inline_data", "inlineData", "file_data", "fileData")
_BEDROCK: Final = ("image", "video", "audio", "document")
_DOCUMENTS: Final = {"txt": "text/plain", "csv": "text/csv", "md": "text/markdown", "html": "text/html"}
"""What Bedrock calls the formats of documents that are plain text."""
_INNER: Final = ("input_audio", "audio_url", "video_url", "input_video", "file", "image_url", "source")
_CONTENT: Final = (
    "base64",
    "data",
    "file_data",
    "url",
    "file_url",
    "image_url",
    "file_id",
    "file_uri",
    "uri",
    "s3Location",
)
"""Keys of a content, or of a place where one is."""


def read_media(block: Mapping[str, Any], raw: object) -> MediaPart | None:
    """Give the part of a medium, with the block or object that it was read from; None for a block that holds none."""
    for key in _GOOGLE:
        inner = mapped(block.get(key))
        if inner is not None:
            return _medium(inner, raw)
    kind = kind_of(block)
    if kind == "media":
        return _medium(block, raw)
    bedrock = _of_bedrock(mapping_in(block, "guardContent") or block, raw)
    if bedrock is not None:
        return bedrock
    family = _KINDS.get(kind)
    if family is None or not (kind == "computer_screenshot" or _holds_something(block, family)):
        return None
    if family == "image":
        return _read_image(block, raw)
    if family == "file":
        return _read_file(block, raw)
    data, media_type = _recorded(block), string_or_none(first_in(block, *MEDIA_TYPES))
    if family == "audio":
        return AudioPart(data=data, media_type=media_type, raw=raw)
    return VideoPart(data=data, media_type=media_type, raw=raw)


def _holds_something(block: Mapping[str, Any], family: str) -> bool:
    """Whether a block has a content, or says where one is."""
    source = mapping_in(block, "source")
    if family == "file" and (block.get("text") or source.get("text") or source.get("content")):
        return True
    holders = (block, *(mapping_in(block, key) for key in _INNER))
    return any(holder.get(key) and mapped(holder[key]) is None for holder in holders for key in _CONTENT)


def _recorded(block: Mapping[str, Any]) -> str | bytes | None:
    holders = (block, *(mapping_in(block, key) for key in ("input_audio", "audio_url", "video_url", "input_video")))
    for holder in (*holders, mapping_in(block, "source")):
        if (data := _content(holder.get("base64") or holder.get("data"))) is not None:
            return data
        url = string_or_none(holder.get("url"))
        if url is not None and url[:5].lower() == "data:":
            return url
    return None


def _of_bedrock(holder: Mapping[str, Any], raw: object) -> MediaPart | None:
    for key in _BEDROCK:
        inner = mapping_in(holder, key)
        source = mapping_in(inner, "source")
        if not source:
            continue
        form = string_or_none(inner.get("format")) or ""
        family = "application" if key == "document" else key
        media_type = _DOCUMENTS.get(form, f"{family}/{form}")
        if text := _document_text(inner):
            return FilePart(text=text, media_type=media_type, raw=raw)
        return _medium({"mime_type": media_type, "data": source.get("bytes")}, raw)
    return None


def _medium(inner: Mapping[str, Any], raw: object) -> MediaPart:
    media_type, data = string_or_none(first_in(inner, *MEDIA_TYPES)) or "", _content(inner.get("data"))
    return medium_of(media_type, data, raw)


def _read_image(block: Mapping[str, Any], raw: object) -> ImagePart:
    inner, source = mapping_in(block, "image_url"), mapping_in(block, "source")
    url = block.get("image_url") if isinstance(block.get("image_url"), str) else inner.get("url") or block.get("url")
    return ImagePart(
        url=string_or_none(url or source.get("url")),
        data=_content(block.get("base64") or block.get("data") or source.get("data")),
        media_type=string_or_none(first_in(block, *MEDIA_TYPES) or source.get("media_type")),
        detail=string_or_none(inner.get("detail") or block.get("detail")),
        raw=raw,
    )


def _read_file(block: Mapping[str, Any], raw: object) -> FilePart:
    source, inner = mapping_in(block, "source"), mapping_in(block, "file") or block
    plain = string_or_none(block.get("text")) or _document_text(block)
    data = block.get("base64") or source.get("data") or inner.get("file_data") or inner.get("data") or block.get("data")
    media_type = first_in(block, *MEDIA_TYPES) or source.get("media_type")
    if media_type is None and isinstance(data, str) and data.startswith("data:"):
        media_type = data[5:].partition(";")[0]
    return FilePart(
        text=string_or_none(plain),
        data=None if plain else _content(data),
        media_type=string_or_none(media_type),
        raw=raw,
    )


def _document_text(document: Mapping[str, Any]) -> str:
    """Give the text of a document that is one, with what is said about it."""
    source = mapping_in(document, "source")
    plain = string_or_none(source.get("text")) or words_of(source.get("content"))
    plain = plain or (visible_text(source.get("data")) if source.get("type") == "text" else "")
    about = [text for key in ("title", "context") if (text := string_or_none(document.get(key)))]
    return "\n".join([*about, plain]) if plain else ""


def _content(value: object) -> str | bytes | None:
    return value if isinstance(value, str | bytes) and value else None
