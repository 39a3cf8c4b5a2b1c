"""Pictures, recordings, films and documents, in whichever spelling; nothing is loaded from an address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ctx_core.conversation.fields import first_in, kind_of, mapped, mapping_in, string_or_none, visible_text, words_of
from ctx_core.conversation.media_formats import media_type_of_format
from ctx_core.conversation.parts import FilePart, MediaPart
from ctx_core.conversation.recognized_media import MEDIA_TYPES, medium_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
MEDIA_KINDS: Final = frozenset(_KINDS)
"""Types of blocks that are media."""
_GOOGLE: Final = ("inline_data", "inlineData", "file_data", "fileData")
_BEDROCK: Final = ("image", "video", "audio", "document")
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
    media_type = string_or_none(first_in(block, *MEDIA_TYPES)) or _type_by_format(block, family)
    return medium_of(media_type, _recording(block), raw, family=family)


def is_file(block: Mapping[str, Any]) -> bool:
    """Whether a block is called a file or a document, whatever medium it has."""
    return _KINDS.get(kind_of(block)) == "file"


def _holds_something(block: Mapping[str, Any], family: str) -> bool:
    """Whether a block has a content, or says where one is."""
    source = mapping_in(block, "source")
    if family == "file" and (block.get("text") or source.get("text") or source.get("content")):
        return True
    holders = (block, *(mapping_in(block, key) for key in _INNER))
    return any(holder.get(key) and mapped(holder[key]) is None for holder in holders for key in _CONTENT)


def _type_by_format(block: Mapping[str, Any], family: str) -> str | None:
    """Give the media type of the format that OpenAI's block of a recording names; None where it names none."""
    form = string_or_none(mapping_in(block, "input_audio").get("format"))
    return media_type_of_format(family, form) if form else None


def _recording(block: Mapping[str, Any]) -> str | bytes | None:
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
        media_type = media_type_of_format(key, form)
        if text := _document_text(inner):
            return FilePart(text=text, media_type=media_type, raw=raw)
        family = "file" if key == "document" else key
        return medium_of(media_type, _content(source.get("bytes")), raw, family=family)
    return None


def _medium(inner: Mapping[str, Any], raw: object) -> MediaPart:
    return medium_of(string_or_none(first_in(inner, *MEDIA_TYPES)), _content(inner.get("data")), raw)


def _read_image(block: Mapping[str, Any], raw: object) -> MediaPart:
    inner, source = mapping_in(block, "image_url"), mapping_in(block, "source")
    url = block.get("image_url") if isinstance(block.get("image_url"), str) else inner.get("url") or block.get("url")
    return medium_of(
        string_or_none(first_in(block, *MEDIA_TYPES) or source.get("media_type")),
        _content(block.get("base64") or block.get("data") or source.get("data")),
        raw,
        family="image",
        url=string_or_none(url or source.get("url")),
        detail=string_or_none(inner.get("detail") or block.get("detail")),
    )


def _read_file(block: Mapping[str, Any], raw: object) -> MediaPart:
    source, inner = mapping_in(block, "source"), mapping_in(block, "file") or block
    held = block.get("base64") or source.get("data") or inner.get("file_data") or inner.get("data") or block.get("data")
    url = next(
        (told for key in ("file_url", "url") for holder in (block, inner, source) if (told := holder.get(key))), None
    )
    media_type = string_or_none(
        first_in(block, *MEDIA_TYPES) or first_in(inner, *MEDIA_TYPES) or first_in(source, *MEDIA_TYPES)
    )
    data = _content(held)
    medium = medium_of(media_type, data, raw, url=string_or_none(url))
    if (isinstance(medium, FilePart) or not data) and (plain := _document_text(block)):
        return FilePart(text=plain, media_type=media_type, raw=raw)
    return medium


def _document_text(document: Mapping[str, Any]) -> str:
    """Give the text of a document that is one, with what is said about it."""
    source = mapping_in(document, "source")
    plain = (
        string_or_none(document.get("text")) or string_or_none(source.get("text")) or words_of(source.get("content"))
    )
    plain = plain or (visible_text(source.get("data")) if source.get("type") == "text" else "")
    holders = (document, mapping_in(document, "extras"), mapping_in(document, "metadata"))
    about = [said for key in ("title", "context") if (said := _said(key, holders))]
    return "\n".join([*about, plain]) if plain else ""


def _said(key: str, holders: Iterable[Mapping[str, Any]]) -> str | None:
    return next((text for holder in holders if (text := string_or_none(holder.get(key)))), None)


def _content(value: object) -> str | bytes | None:
    return value if isinstance(value, str | bytes) and value else None
